#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fltr/concepts/population.hpp>
#include <fltr/core/compiler.hpp>
#include <fltr/core/error.hpp>
#include <fltr/core/number_text.hpp>
#include <fltr/core/random.hpp>
#include <fltr/data/client.hpp>
#include <fltr/data/dataset.hpp>
#include <fltr/partition/categories_of.hpp>
#include <fltr/partition/detail/category_shares.hpp>
#include <fltr/partition/merging_client.hpp>

namespace fltr {

/// Which queries belong to a category.
enum class CategoryRule : std::uint8_t {
  tie,        ///< most relevant documents are of the category; ties: sum of grades, highest grade, then drawn
  no_tie,     ///< more relevant documents are of the category than of any other category
  exclusive,  ///< all relevant documents are of the category
};

/// The numbers of a Dataset's queries in three parts. Queries without a relevant document are in no part: nothing can
/// be learned from them.
struct CategoryParts {
  std::vector<std::uint32_t> own;        ///< queries of the category, see CategoryRule
  std::vector<std::uint32_t> others;     ///< no relevant document of the category (with ByCategory::mixed: all others)
  std::vector<std::uint32_t> left_over;  ///< the rest, by number of relevant documents of the category, then by number

  /// The merge set of the client with `own`: the left-over queries with the fewest relevant documents of the category.
  /// It has half as many queries as `own`, rounded up, or all left-over queries if there are fewer. A query may be in
  /// both merge sets.
  [[nodiscard]] std::vector<std::uint32_t> merge_of_own() const {
    return {left_over.begin(), left_over.begin() + half(own)};
  }
  /// The merge set of the client with `others`: the left-over queries with the most relevant documents of the category,
  /// half as many as `others` has.
  [[nodiscard]] std::vector<std::uint32_t> merge_of_others() const {
    return {left_over.end() - half(others), left_over.end()};
  }

 private:
  [[nodiscard]] std::ptrdiff_t half(std::vector<std::uint32_t> const& part) const {
    return static_cast<std::ptrdiff_t>(std::min(left_over.size(), (part.size() + 1) / 2));
  }
};

/// Two clients (Learning to rank for non-IID datasets, 2024, sections 3 and 5.2). The first has the queries of a
/// category. The second has the queries without a relevant document of the category. Each client merges on left-over
/// queries that are least like its own. With `mixed`, the second client has all queries that the first has not, as in
/// the paper's Table 1, and no query is left over.
struct ByCategory {
  std::size_t feature = 0;          ///< the feature that holds the category, for `split(data)`
  std::optional<float> category{};  ///< default: the most frequent category of the queries
  CategoryRule rule = CategoryRule::no_tie;
  std::uint64_t seed = 1;  ///< of the ties that are drawn
  bool mixed = false;      ///< the second client also has queries with relevant documents of the category

  /// The most frequent category of the queries. Of several, the smallest.
  template <class = void>
  [[nodiscard]] float most_frequent(Dataset const& data, std::span<float const> categories) const {
    check(data, categories);
    std::map<float, std::size_t> counts;
    for (std::size_t q = 0; q < data.size(); ++q)
      if (auto const found = detail::largest_share(detail::category_shares(data, categories, q), tie_stream(q)))
        ++counts[*found];
    auto const most = std::ranges::max_element(counts, {}, [](auto const& entry) { return entry.second; });
    require(most != counts.end(), "ByCategory", "a query with a relevant document", counts.size());
    return most->first;
  }

  /// The parts of a Dataset for a category.
  template <class = void>
  [[nodiscard]] CategoryParts parts(Dataset const& data, std::span<float const> categories, float wanted) const {
    check(data, categories);
    CategoryParts parts;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> rest;  // documents of the category, query
    for (std::size_t q = 0; q < data.size(); ++q) {
      auto const query = static_cast<std::uint32_t>(q);
      auto const shares = detail::category_shares(data, categories, q);
      auto const share = shares.find(wanted);
      if (shares.empty()) continue;
      if (share != shares.end() && belongs(shares, wanted, tie_stream(q)))
        parts.own.push_back(query);
      else if (share == shares.end() || mixed)
        parts.others.push_back(query);
      else
        rest.emplace_back(share->second.documents, query);
    }
    std::sort(rest.begin(), rest.end());
    for (auto const& entry : rest) parts.left_over.push_back(entry.second);
    return parts;
  }

  /// The two clients. `train_categories` and `vali_categories` hold one category per document (see categories_of).
  /// Throws std::invalid_argument if a client has no training query or (unless mixed) no query is left over.
  template <class = void>
  [[nodiscard]] std::vector<MergingClient> split(Dataset const& train, std::span<float const> train_categories,
                                                 Dataset const& vali, std::span<float const> vali_categories) const {
    float const wanted = category ? *category : most_frequent(train, train_categories);
    auto clients = clients_of(train, train_categories, wanted);
    auto const held_out = parts(vali, vali_categories, wanted);
    clients[0].validation = {vali, held_out.own};
    clients[0].merge_validation = {vali, held_out.merge_of_own()};
    clients[1].validation = {vali, held_out.others};
    clients[1].merge_validation = {vali, held_out.merge_of_others()};
    return clients;
  }

  /// The two clients without validation queries. The features of the Dataset must not be normalised.
  template <class = void>
  [[nodiscard]] std::vector<MergingClient> split(Dataset const& data) const {
    auto const categories = categories_of(data, feature);
    return clients_of(data, categories, category ? *category : most_frequent(data, categories));
  }
  // The clients keep pointers to both Datasets: neither may be a temporary.
  FLTR_UNAVAILABLE(
      "the result of ByCategory::split refers to its Dataset, so the Dataset must not be a temporary: give it a name")
  std::vector<MergingClient> split(Dataset const&&, auto const&...) const;
  FLTR_UNAVAILABLE(
      "the result of ByCategory::split refers to its validation Dataset, which must not be a temporary: give it a name")
  std::vector<MergingClient> split(Dataset const&, auto const&, Dataset const&&, auto const&) const;

 private:
  static void check(Dataset const& data, std::span<float const> categories) {
    require(categories.size() == data.document_count(), "ByCategory",
            "one category for each of " + std::to_string(data.document_count()) + " documents", categories.size());
    for (float value : categories) require(std::isfinite(value), "ByCategory", "finite categories", value);
  }

  template <class = void>
  [[nodiscard]] std::vector<MergingClient> clients_of(Dataset const& data, std::span<float const> categories,
                                                      float wanted) const {
    auto const all = parts(data, categories, wanted);
    std::string const name = "category " + number_text(wanted);
    require(!all.own.empty(), "ByCategory", "queries of " + name, "none");
    require(!all.others.empty(), "ByCategory", "queries without relevant documents of " + name, "none");
    require(mixed || !all.left_over.empty(), "ByCategory",
            "queries with relevant documents of " + name + " and of other categories, to merge on", "none");
    return {{.id = 0,
             .queries = {data, all.own},
             .validation = {},
             .merge = {data, all.merge_of_own()},
             .merge_validation = {}},
            {.id = 1,
             .queries = {data, all.others},
             .validation = {},
             .merge = {data, all.merge_of_others()},
             .merge_validation = {}}};
  }

  [[nodiscard]] Stream tie_stream(std::size_t query) const {
    return Streams{seed, 0, static_cast<std::uint32_t>(query)}.of(Purpose::categories);
  }

  template <class = void>
  [[nodiscard]] bool belongs(std::map<float, detail::CategoryShare> const& shares, float wanted, Stream stream) const {
    switch (rule) {
      case CategoryRule::tie:
        return detail::largest_share(shares, stream) == wanted;
      case CategoryRule::exclusive:
        return shares.size() == 1;
      case CategoryRule::no_tie:
        break;
    }
    return std::ranges::all_of(shares, [&, own = shares.at(wanted).documents](auto const& other) {
      return other.first == wanted || other.second.documents < own;
    });
  }
};
static_assert(Partitioner<ByCategory>);

}  // namespace fltr
