#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <ostream>
#include <string>
#include <string_view>

#include <fltr/core/error.hpp>
#include <fltr/data/dataset.hpp>
#include <fltr/formats/atomic_file.hpp>

namespace fltr {

/// Writes a Dataset as LETOR text, `2 qid:10 1:0.5 2:0 3:0.25 #docid = GX1`: every feature, numbered from 1, as the
/// shortest decimal that is read as the same float. read_letor reads the same Dataset, except that a value
/// beyond ±1e6 needs a larger LetorOptions::clamp_to. Throws std::invalid_argument unless features are finite, queries
/// have documents and identifiers have no blanks.
template <class = void>
void write_letor(Dataset const& data, std::ostream& out) {
  auto const is_token = [](std::string_view text, bool in_comment) {
    return std::ranges::all_of(text, [in_comment](char byte) {
      return static_cast<unsigned char>(byte) > ' ' && byte != 0x7F && (in_comment || byte != '#');
    });
  };
  std::array<char, 32> digits;
  std::string text;
  auto const append = [&](auto number) {
    text.append(digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr);
  };
  for (std::size_t q = 0; q < data.size(); ++q) {
    QueryView const query = data[q];
    require(query.document_count() > 0, "write_letor", "queries with documents", data.qid(q));
    require(!data.qid(q).empty() && is_token(data.qid(q), false), "write_letor", "qids without blanks", data.qid(q));
    for (std::size_t d = 0; d < query.document_count(); ++d) {
      append(int{query.grades()[d]});
      text.append(" qid:").append(data.qid(q));
      for (std::size_t k = 0; float const value : query.row(d)) {
        require(std::isfinite(value), "write_letor", "finite features", value);
        text += ' ';
        append(++k);
        text += ':';
        append(value);
      }
      if (auto const docid = data.has_docids() ? data.docid(data.first_document(q) + d) : ""; !docid.empty()) {
        require(is_token(docid, true), "write_letor", "docids without blanks", docid);
        text.append(" #docid = ").append(docid);
      }
      text += '\n';
    }
    out.write(text.data(), static_cast<std::streamsize>(text.size()));
    text.clear();
  }
}

/// Writes a LETOR file; it appears complete or not at all. Throws std::system_error if writing fails, and
/// std::invalid_argument for data that the format cannot hold; an existing file is then unchanged.
template <class = void>
void write_letor(Dataset const& data, std::filesystem::path const& path) {
  AtomicFile file(path);
  write_letor(data, file.out());
  file.commit();
}

}  // namespace fltr
