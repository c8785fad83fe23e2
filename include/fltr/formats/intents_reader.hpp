#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <fltr/core/error.hpp>
#include <fltr/data/dataset.hpp>
#include <fltr/data/grade.hpp>
#include <fltr/data/intents.hpp>
#include <fltr/formats/csv_reader.hpp>
#include <fltr/formats/mapped_file.hpp>

namespace fltr {

/// Reads the grades of several intents from CSV text with one line per document, in the order of the documents of
/// `data` (of the LETOR file):
///
///     qid,docid,buy,read
///     10032,GX029-35-5894638,1,0
///     10032,GX030-77-6315042,0,1
///
/// The header names the columns. `qid`, and `docid` if there is such a column, must be those of the document. Every
/// other column is an intent; its grades are integers of 0 to 30. `name` stands for the file in errors. Throws
/// ParseError, with line and column, at the first field that does not fit.
template <class = void>
[[nodiscard]] Intents parse_intents(std::string_view text, std::string const& name, Dataset const& data) {
  constexpr std::size_t none = static_cast<std::size_t>(-1);
  CsvReader csv(text, name);
  if (!csv.next()) throw ParseError(name, 1, 1, "expected a header line with the names of the columns");
  std::size_t const columns = csv.fields().size();
  std::size_t qid = none;
  std::size_t docid = none;
  std::vector<std::size_t> intents;
  for (std::size_t field = 0; field < columns; ++field) {
    for (std::size_t other = 0; other < field; ++other)
      if (csv.fields()[other] == csv.fields()[field]) csv.fail(field, "expected each column once");
    if (csv.fields()[field] == "qid")
      qid = field;
    else if (csv.fields()[field] == "docid")
      docid = field;
    else
      intents.push_back(field);
  }
  if (qid == none) csv.fail(0, "expected a column 'qid'");
  if (docid != none && !data.has_docids()) csv.fail(docid, "the data has no docids: expected no column 'docid'");
  if (intents.empty()) csv.fail(0, "expected at least one column of an intent");
  Intents out;
  out.grades.resize(intents.size());
  for (auto& grades : out.grades) grades.reserve(data.document_count());
  for (std::size_t q = 0; q < data.size(); ++q)
    for (std::size_t d = 0; d < data[q].document_count(); ++d) {
      std::size_t const document = data.first_document(q) + d;
      if (!csv.next())
        throw ParseError(name, csv.line_number() + 1, 1,
                         "expected a line for each of " + std::to_string(data.document_count()) + " documents, got " +
                             std::to_string(document));
      if (csv.fields().size() != columns)
        csv.fail(0, "expected " + std::to_string(columns) + " fields, got " + std::to_string(csv.fields().size()));
      if (csv.fields()[qid] != data.qid(q))
        csv.fail(qid, "expected qid '" + std::string(data.qid(q)) + "': lines are in the order of the data");
      if (docid != none && csv.fields()[docid] != data.docid(document))
        csv.fail(docid,
                 "expected docid '" + std::string(data.docid(document)) + "': lines are in the order of the data");
      for (std::size_t k = 0; k < intents.size(); ++k) {
        std::string const& digits = csv.fields()[intents[k]];
        std::uint32_t grade = 0;
        auto const [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), grade);
        if (error != std::errc{} || end != digits.data() + digits.size() || grade > largest_grade)
          csv.fail(intents[k], "expected a grade of 0 to 30");
        out.grades[k].push_back(static_cast<Grade>(grade));
      }
    }
  if (csv.next())
    csv.fail(0, "expected the end of the file: the data has " + std::to_string(data.document_count()) + " documents");
  return out;
}

/// Reads the grades of several intents from a CSV file, see parse_intents. Throws std::system_error if the file cannot
/// be read.
template <class = void>
[[nodiscard]] Intents read_intents(std::filesystem::path const& path, Dataset const& data) {
  MappedFile const file(path);
  return parse_intents(file.text(), path.string(), data);
}

}  // namespace fltr
