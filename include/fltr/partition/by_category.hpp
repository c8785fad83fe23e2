#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <fltr/concepts/population.hpp>
#include <fltr/core/error.hpp>
#include <fltr/core/random.hpp>
#include <fltr/data/client.hpp>
#include <fltr/data/dataset.hpp>
#include <fltr/partition/query_category.hpp>

namespace fltr {

/// An organisation that trains a model of its own, and merges those of others with it.
struct MergingClient {
  ClientId id = 0;
  std::uint32_t interactions = 1;  ///< its model
  QueryPool queries;               ///< to train on
  QueryPool validation{};          ///< to stop early by; may be empty
  QueryPool merge;                 ///< D_merge: unlike its own queries
  QueryPool merge_validation{};    ///< the same of validation queries; may be empty
};

/// Which queries belong to a category.
enum class CategoryRule : std::uint8_t {
  tie,        ///< those of the category, ties broken by grades and at last by chance
  no_tie,     ///< those with more relevant documents of it than of any other
  exclusive,  ///< those with relevant documents of no other category
};

/// The queries of a Dataset, by number: of a category, of others alone, and what is neither. Queries without a relevant
/// document are nowhere: nothing can be learned from them.
struct CategoryParts {
  std::vector<std::uint32_t> own;
  std::vector<std::uint32_t> others;     ///< no relevant document of the category (unless ByCategory::mixed)
  std::vector<std::uint32_t> left_over;  ///< the rest, by number of relevant documents of the category, then in order

  /// Half as many left-overs as `own` has queries (rounded up; all, if there are fewer): those with the fewest relevant
  /// documents of the category. Where few are left over, they may be in both merge sets.
  [[nodiscard]] std::vector<std::uint32_t> merge_of_own() const {
    return {left_over.begin(), left_over.begin() + half(own)};
  }
  /// Half as many left-overs as `others` has queries: those with the most.
  [[nodiscard]] std::vector<std::uint32_t> merge_of_others() const {
    return {left_over.end() - half(others), left_over.end()};
  }

 private:
  [[nodiscard]] std::ptrdiff_t half(std::vector<std::uint32_t> const& part) const {
    return static_cast<std::ptrdiff_t>(std::min(left_over.size(), (part.size() + 1) / 2));
  }
};

/// Two organisations of which the first has the queries of a category, and the second those without any relevant
/// document of it. Each merges by left-over queries that its own model knows least about (Learning to rank for non-IID
/// datasets, 2024, sections 3 and 5.2). With `mixed`, the second has all queries that the first has not, as in the
/// split that the paper starts from (its Table 1); nothing is left over then.
struct ByCategory {
  std::size_t feature = 0;          ///< that holds the category, for `split` without categories
  std::optional<float> category{};  ///< none: the most frequent one among the queries
  CategoryRule rule = CategoryRule::no_tie;
  std::uint64_t seed = 1;  ///< of ties that are left to chance
  bool mixed = false;      ///< the second keeps queries with relevant documents of the category too

  /// The most frequent category of queries, the smallest of several.
  [[nodiscard]] float most_frequent(Dataset const& data, std::span<float const> categories) const {
    check(data, categories);
    std::map<float, std::size_t> counts;
    for (std::size_t q = 0; q < data.size(); ++q)
      if (auto const found = strongest(category_shares(data, categories, q), chance(q))) ++counts[*found];
    auto const most = std::ranges::max_element(counts, {}, [](auto const& entry) { return entry.second; });
    require(most != counts.end(), "ByCategory", "a query with a relevant document", counts.size());
    return most->first;
  }

  /// The parts of a Dataset for a category.
  [[nodiscard]] CategoryParts parts(Dataset const& data, std::span<float const> categories, float wanted) const {
    check(data, categories);
    CategoryParts parts;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> rest;  // documents of the category, query
    for (std::size_t q = 0; q < data.size(); ++q) {
      auto const query = static_cast<std::uint32_t>(q);
      auto const shares = category_shares(data, categories, q);
      auto const share = shares.find(wanted);
      if (shares.empty()) continue;
      if (share != shares.end() && owns(shares, wanted, chance(q)))
        parts.own.push_back(query);
      else if (share == shares.end() || mixed)
        parts.others.push_back(query);
      else
        rest.emplace_back(share->second.documents, query);
    }
    std::ranges::sort(rest);
    for (auto const& entry : rest) parts.left_over.push_back(entry.second);
    return parts;
  }

  /// The two clients. Throws std::invalid_argument where there is no query for one of them, or none left over.
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

  /// The same without validation, of data whose features are not normalised.
  [[nodiscard]] std::vector<MergingClient> split(Dataset const& data) const {
    auto const categories = categories_of(data, feature);
    return clients_of(data, categories, category ? *category : most_frequent(data, categories));
  }
  // The clients keep pointers to both sets: neither may be a temporary.
  std::vector<MergingClient> split(Dataset const&&, auto const&...) const = delete;
  std::vector<MergingClient> split(Dataset const&, auto const&, Dataset const&&, auto const&) const = delete;

 private:
  static void check(Dataset const& data, std::span<float const> categories) {
    require(categories.size() == data.document_count(), "ByCategory",
            "a category for each of " + std::to_string(data.document_count()) + " documents", categories.size());
    for (float category_of : categories)
      require(std::isfinite(category_of), "ByCategory", "finite categories", category_of);
  }

  [[nodiscard]] std::vector<MergingClient> clients_of(Dataset const& data, std::span<float const> categories,
                                                      float wanted) const {
    auto const all = parts(data, categories, wanted);
    std::ostringstream name;
    name << "category " << wanted;
    require(!all.own.empty(), "ByCategory", "queries of " + name.str(), "none");
    require(!all.others.empty(), "ByCategory", "queries without relevant documents of " + name.str(), "none");
    require(mixed || !all.left_over.empty(), "ByCategory",
            "queries with relevant documents of " + name.str() + " and others", "none to merge by");
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

  [[nodiscard]] Stream chance(std::size_t query) const {
    return Streams{seed, 0, static_cast<std::uint32_t>(query)}.of(Purpose::categories);
  }

  [[nodiscard]] bool owns(std::map<float, CategoryShare> const& shares, float wanted, Stream stream) const {
    switch (rule) {
      case CategoryRule::tie:
        return strongest(shares, stream) == wanted;
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
