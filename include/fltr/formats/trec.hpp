#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fltr/concepts/ranker.hpp>
#include <fltr/core/error.hpp>
#include <fltr/core/top_k.hpp>
#include <fltr/data/dataset.hpp>

namespace fltr {

namespace detail {

/// The name of a document in TREC files: its docid, or "<qid>-<row>" if the data has no docid.
[[nodiscard]] inline std::string trec_document(Dataset const& data, std::size_t query, std::size_t document) {
  if (data.has_docids() && !data.docid(data.first_document(query) + document).empty())
    return std::string(data.docid(data.first_document(query) + document));
  return std::string(data.qid(query)) + "-" + std::to_string(document + 1);
}

/// Throws std::invalid_argument if two documents of a query have the same name: trec_eval would treat them as one.
template <class = void>
void require_distinct_documents(Dataset const& data) {
  if (!data.has_docids()) return;
  std::vector<std::string> names;
  for (std::size_t q = 0; q < data.size(); ++q) {
    names.clear();
    for (std::size_t d = 0; d < data[q].document_count(); ++d) names.push_back(trec_document(data, q, d));
    std::sort(names.begin(), names.end());
    auto const twice = std::adjacent_find(names.begin(), names.end());
    require(twice == names.end(), "TREC file", "documents of different names in query " + std::string(data.qid(q)),
            twice == names.end() ? std::string() : *twice + " twice");
  }
}

/// Writes the lines of one query of a run, see write_trec_run.
template <class = void>
void write_trec_list(std::ostream& out, Dataset const& data, std::size_t query, std::span<float const> scores,
                     std::string_view tag) {
  std::vector<std::uint32_t> order;
  std::array<char, 32> text;
  top_k(scores, scores.size(), order);
  float last = std::numeric_limits<float>::infinity();
  for (std::size_t i = 0; i < order.size(); ++i) {
    float const below = std::nextafter(last, -std::numeric_limits<float>::infinity());
    last = scores[order[i]] < last ? scores[order[i]] : below;
    auto const end = std::to_chars(text.data(), text.data() + text.size(), last, std::chars_format::scientific, 9).ptr;
    out << data.qid(query) << " Q0 " << trec_document(data, query, order[i]) << ' ' << i + 1 << ' '
        << std::string_view(text.data(), static_cast<std::size_t>(end - text.data())) << ' ' << tag << '\n';
  }
}

}  // namespace detail

/// Writes a run, `qid Q0 docno rank score tag`, best document first. trec_eval sorts by the score alone, so scores
/// strictly decrease: a tie is broken by the smallest possible step, in the order of the rows. Nine digits distinguish
/// any two floats.
template <Ranker R>
void write_trec_run(std::ostream& out, Dataset const& data, R const& ranker, std::string_view tag = "fltr") {
  detail::require_distinct_documents(data);
  std::vector<float> scores;
  for (std::size_t q = 0; q < data.size(); ++q) {
    scores.resize(data[q].document_count());
    ranker.score(data[q], scores);
    detail::write_trec_list(out, data, q, scores, tag);
  }
}

/// The same for given scores, one per document.
template <class = void>
void write_trec_run(std::ostream& out, Dataset const& data, std::span<float const> scores,
                    std::string_view tag = "fltr") {
  require(scores.size() == data.document_count(), "TREC file",
          std::to_string(data.document_count()) + " scores, one per document", scores.size());
  detail::require_distinct_documents(data);
  for (std::size_t q = 0; q < data.size(); ++q)
    detail::write_trec_list(out, data, q, scores.subspan(data.first_document(q), data[q].document_count()), tag);
}

/// Writes the grades, `qid 0 docno grade`.
template <class = void>
void write_trec_qrels(std::ostream& out, Dataset const& data) {
  detail::require_distinct_documents(data);
  for (std::size_t q = 0; q < data.size(); ++q)
    for (std::size_t d = 0; d < data[q].document_count(); ++d)
      out << data.qid(q) << " 0 " << detail::trec_document(data, q, d) << ' ' << int{data[q].grades()[d]} << '\n';
}

}  // namespace fltr
