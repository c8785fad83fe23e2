#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include <fltr/concepts/ranker.hpp>
#include <fltr/core/error.hpp>
#include <fltr/core/top_k.hpp>
#include <fltr/data/dataset.hpp>

namespace fltr {

/// The name of a document in TREC files: its docid, or "<qid>-<row>" where the data has none.
[[nodiscard]] inline std::string trec_document(Dataset const& data, std::size_t query, std::size_t document) {
  if (data.has_docids() && !data.docid(data.first_document(query) + document).empty())
    return std::string(data.docid(data.first_document(query) + document));
  return std::string(data.qid(query)) + "-" + std::to_string(document + 1);
}

/// Refuses a query in which a document's name stands twice: trec_eval would take them for one document.
inline void require_distinct_documents(Dataset const& data) {
  if (!data.has_docids()) return;
  std::vector<std::string> names;
  for (std::size_t q = 0; q < data.size(); ++q) {
    names.clear();
    for (std::size_t d = 0; d < data[q].document_count(); ++d) names.push_back(trec_document(data, q, d));
    std::ranges::sort(names);
    auto const twice = std::ranges::adjacent_find(names);
    require(twice == names.end(), "TREC file", "documents of different names in query " + std::string(data.qid(q)),
            twice == names.end() ? std::string() : *twice + " twice");
  }
}

/// Writes a run, `qid Q0 docno rank score tag`, best first. trec_eval sorts by the score alone, so scores strictly
/// decrease: a tie is broken by the smallest possible step, in the order of the rows. Nine digits tell any two floats
/// apart.
template <Ranker R>
void write_trec_run(std::ostream& out, Dataset const& data, R const& ranker, std::string_view tag = "fltr") {
  require_distinct_documents(data);
  std::vector<float> scores;
  std::vector<std::uint32_t> order;
  std::array<char, 32> text;
  for (std::size_t q = 0; q < data.size(); ++q) {
    auto const query = data[q];
    scores.resize(query.document_count());
    ranker.score(query, scores);
    top_k(scores, scores.size(), order);
    float last = std::numeric_limits<float>::infinity();
    for (std::size_t i = 0; i < order.size(); ++i) {
      float const below = std::nextafter(last, -std::numeric_limits<float>::infinity());
      last = scores[order[i]] < last ? scores[order[i]] : below;
      auto const end =
          std::to_chars(text.data(), text.data() + text.size(), last, std::chars_format::scientific, 9).ptr;
      out << data.qid(q) << " Q0 " << trec_document(data, q, order[i]) << ' ' << i + 1 << ' '
          << std::string_view(text.data(), static_cast<std::size_t>(end - text.data())) << ' ' << tag << '\n';
    }
  }
}

/// Writes the grades, `qid 0 docno grade`.
inline void write_trec_qrels(std::ostream& out, Dataset const& data) {
  require_distinct_documents(data);
  for (std::size_t q = 0; q < data.size(); ++q)
    for (std::size_t d = 0; d < data[q].document_count(); ++d)
      out << data.qid(q) << " 0 " << trec_document(data, q, d) << ' ' << int{data[q].labels()[d]} << '\n';
}

}  // namespace fltr
