#pragma once

#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

#include <fltr/core/error.hpp>
#include <fltr/data/absences.hpp>
#include <fltr/formats/csv_reader.hpp>
#include <fltr/formats/mapped_file.hpp>

namespace fltr {

/// Reads a trace of absences from CSV text:
///
///     client,first_round,last_round,when
///     7,1,3,before
///     9,2,2,after
///
/// The header names the columns, in any order. Columns of other names are ignored. `client` is the id of a client.
/// `when` is before, during or after; without this column, before. `name` stands for the file in errors. Throws
/// ParseError, with line and column, at the first field that does not fit.
template <class = void>
[[nodiscard]] Absences parse_absences(std::string_view text, std::string const& name) {
  enum Column : std::size_t { client, first, last, when, columns };
  constexpr std::array<std::string_view, columns> names{"client", "first_round", "last_round", "when"};
  constexpr std::size_t none = static_cast<std::size_t>(-1);
  CsvReader csv(text, name);
  if (!csv.next()) throw ParseError(name, 1, 1, "expected a header line with the names of the columns");
  std::array<std::size_t, columns> field_of{none, none, none, none};
  std::size_t const fields = csv.fields().size();
  for (std::size_t field = 0; field < fields; ++field)
    for (std::size_t c = 0; c < columns; ++c)
      if (csv.fields()[field] == names[c]) {
        if (field_of[c] != none) csv.fail(field, "expected each column once");
        field_of[c] = field;
      }
  for (std::size_t c = 0; c < when; ++c)
    if (field_of[c] == none) csv.fail(0, "expected a column '" + std::string(names[c]) + "'");

  Absences out;
  while (csv.next()) {
    if (csv.fields().size() != fields)
      csv.fail(0, "expected " + std::to_string(fields) + " fields, got " + std::to_string(csv.fields().size()));
    auto const number = [&](Column c) {
      std::string const& field = csv.fields()[field_of[c]];
      std::uint32_t value = 0;
      auto const [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
      if (error != std::errc() || end != field.data() + field.size() || (c != client && value == 0))
        csv.fail(field_of[c], c == client ? "expected the id of a client, a whole number of at most 4294967295"
                                          : "expected the number of a round, counted from 1");
      return value;
    };
    auto drops_out = DropsOut::before;
    if (field_of[when] != none) {
      std::string const& word = csv.fields()[field_of[when]];
      if (word == "during")
        drops_out = DropsOut::during;
      else if (word == "after")
        drops_out = DropsOut::after;
      else if (word != "before")
        csv.fail(field_of[when], "expected before, during or after");
    }
    std::uint32_t const id = number(client);
    std::uint32_t const from = number(first);
    std::uint32_t const to = number(last);
    if (to < from) csv.fail(field_of[last], "expected a last round of at least " + std::to_string(from));
    try {
      out.add(id, from, to, drops_out);
    } catch (std::invalid_argument const&) {
      csv.fail(field_of[first], "expected rounds that no other line of this client has");
    }
  }
  return out;
}

/// Reads a trace of absences from a CSV file, see parse_absences. Throws std::system_error if it cannot be read.
template <class = void>
[[nodiscard]] Absences read_absences(std::filesystem::path const& path) {
  MappedFile const file(path);
  return parse_absences(file.text(), path.string());
}

}  // namespace fltr
