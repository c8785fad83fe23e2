#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include <fltr/concepts/click_guess.hpp>
#include <fltr/data/dataset.hpp>
#include <fltr/data/displayed_documents.hpp>
#include <fltr/data/displayed_list.hpp>

#include "support/datasets.hpp"

namespace fltr::testing {

/// All documents of a query as a displayed list, in the order of their rows.
[[nodiscard]] inline DisplayedDocuments displayed(QueryView query) {
  std::vector<std::uint32_t> order(query.document_count());
  std::iota(order.begin(), order.end(), 0U);
  return DisplayedDocuments(DisplayedList(query, order, query.grades()));
}

/// A list of documents with these features.
[[nodiscard]] inline DisplayedDocuments displayed(std::vector<std::vector<float>> const& features) {
  std::vector<Document> documents;
  for (auto const& row : features) documents.push_back({0, row});
  Dataset const data = dataset_of({documents}, features.at(0).size());
  return displayed(data[0]);
}

/// The guesses about one update.
template <class R>
[[nodiscard]] std::vector<int> guessed(auto const& guess, R const& global, std::vector<double> const& update,
                                       std::vector<DisplayedDocuments> const& lists,
                                       std::vector<DisplayedDocuments> const& other_lists = {},
                                       std::uint64_t seed = 1) {
  ObservedUpdate<R> const observed{global, update, lists, other_lists};
  std::vector<std::uint8_t> clicks(observed.document_count(), 7);
  Stream stream(seed);
  guess.guess(observed, clicks, stream);
  return {clicks.begin(), clicks.end()};
}

}  // namespace fltr::testing
