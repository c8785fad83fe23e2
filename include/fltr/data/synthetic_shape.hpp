#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include <fltr/core/error.hpp>

namespace fltr {

/// A point of the distribution function of query sizes: this share of the queries has at most this many documents.
struct SizeKnot {
  double probability;
  double documents;
};

/// The parameters of a synthetic data set (see synthetic_fold). Each of the four named shapes imitates a public data
/// set: it has the same numbers of queries and features, and similar query sizes, grades and difficulty for a linear
/// ranker. Results on a synthetic set do not predict results on the public set. The comment of each shape gives two
/// values of nDCG@10: of a random order, and of a linear ranker trained on all grades with features scaled to [0, 1]
/// per query.
///
/// The parameters were chosen by results on the test part: the quality of a linear ranker, the gain of trees over it,
/// the loss of a ranker trained on 1 % of the queries, and the loss of a ranker of one category on another category.
/// These differences are built in. Finding them again on a synthetic set is no evidence for a method.
struct SyntheticShape {
  std::string_view name;
  std::uint64_t seed = 0;
  std::uint32_t queries = 0;
  std::uint32_t features = 0;
  std::array<SizeKnot, 6> sizes{};       ///< from probability 0 to 1, interpolated linearly
  std::array<double, 5> grade_shares{};  ///< the share of each grade among all documents; the sum is 1
  double empty_queries = 0;              ///< the share of queries without relevant documents, by construction
  double query_spread = 0;  ///< in [0, 1): how much the other queries differ in their number of relevant documents

  std::uint32_t signals = 0;  ///< the number of hidden variables of a document, on which features and grades depend
  std::uint32_t blocks = 0;   ///< the number of triples of signals that interact

  // Shares of the variance of a document's utility. The rest is noise.
  double monotone = 0;   ///< monotone functions of single signals: saturating curves and steps
  double interplay = 0;  ///< interactions of signals: a hump and a switch in each block
  double taste = 0;      ///< linear functions of the signals with weights that differ by query
  double topical = 0;    ///< linear functions of the signals with weights that differ by category

  std::uint32_t query_features = 0;  ///< the number of features that are constant within a query
  std::uint32_t noise_features = 0;  ///< the number of features that depend on no signal
  double blur = 1;                   ///< the noise of a typical feature, relative to its signal
  double length = 1;  ///< the largest weight of the document length in a feature; the length is not relevant

  std::uint32_t categories = 0;      ///< the number of categories of documents, at most 32; 0 = none
  std::uint32_t category_flags = 0;  ///< the number of 0/1 features, each 1 for a random set of categories
  std::optional<std::uint32_t>
      category_feature{};  ///< the column (counted from 0) that holds the category, 1 to `categories`

  /// LETOR 4.0 MQ2007: 1,692 queries, 69,623 documents, grades 0-2. nDCG@10 .28, .52.
  [[nodiscard]] static constexpr SyntheticShape mq2007() {
    return {.name = "mq2007",
            .seed = 2007,
            .queries = 1692,
            .features = 46,
            .sizes = {{{0, 6}, {.05, 18}, {.22, 40}, {.89, 40}, {.97, 88}, {1, 147}}},
            .grade_shares = {.74, .20, .06},
            .empty_queries = .05,
            .query_spread = .75,
            .signals = 8,
            .blocks = 1,
            .monotone = .22,
            .interplay = .15,
            .taste = .10,
            .query_features = 5,
            .noise_features = 4};
  }

  /// MSLR-WEB10K: 10,000 queries, 1.2 million documents, grades 0-4. nDCG@10 .21, .45.
  [[nodiscard]] static constexpr SyntheticShape mslr() {
    return {.name = "mslr",
            .seed = 10'000,
            .queries = 10'000,
            .features = 136,
            .sizes = {{{0, 1}, {.1, 45}, {.5, 104}, {.9, 187}, {.99, 330}, {1, 908}}},
            .grade_shares = {.520, .323, .132, .0177, .0073},
            .empty_queries = .03,
            .query_spread = .5,
            .signals = 16,
            .blocks = 2,
            .monotone = .13,
            .interplay = .20,
            .taste = .10,
            .query_features = 10,
            .noise_features = 14};
  }

  /// Yahoo! Learning to Rank Challenge, set 1: 29,921 queries, 709,877 documents, grades 0-4. nDCG@10 .52, .73.
  [[nodiscard]] static constexpr SyntheticShape yahoo() {
    return {.name = "yahoo",
            .seed = 2010,
            .queries = 29'921,
            .features = 699,
            .sizes = {{{0, 1}, {.1, 7}, {.5, 18.5}, {.9, 41}, {.99, 77}, {1, 139}}},
            .grade_shares = {.260, .360, .285, .076, .019},
            .empty_queries = .02,
            .query_spread = .45,
            .signals = 40,
            .blocks = 2,
            .monotone = .32,
            .interplay = .10,
            .taste = .10,
            .query_features = 20,
            .noise_features = 100,
            .blur = 2};
  }

  /// Istella-S: 33,018 queries, 3.41 million documents, grades 0-4. The weights of the signals differ by the category
  /// of a document. nDCG@10 .10, .60.
  [[nodiscard]] static constexpr SyntheticShape istella() {
    return {.name = "istella",
            .seed = 2016,
            .queries = 33'018,
            .features = 220,
            .sizes = {{{0, 3}, {.1, 42}, {.5, 111}, {.9, 158}, {.99, 176}, {1, 182}}},
            .grade_shares = {.886, .019, .038, .032, .025},
            .empty_queries = 0,
            .query_spread = .25,
            .signals = 24,
            .blocks = 2,
            .monotone = .65,
            .interplay = .11,
            .taste = .02,
            .topical = .19,
            .query_features = 12,
            .noise_features = 110,
            .blur = .5,
            .categories = 12,
            .category_flags = 6,
            .category_feature = 219};
  }

  /// The shape with this name. Throws std::invalid_argument for an unknown name.
  [[nodiscard]] static SyntheticShape named(std::string_view wanted) {
    for (auto const& shape : {mq2007(), mslr(), yahoo(), istella()})
      if (shape.name == wanted) return shape;
    throw std::invalid_argument("SyntheticShape: required mq2007, mslr, yahoo or istella, got " + std::string(wanted));
  }

  /// The share of noise in the variance of the utility.
  [[nodiscard]] constexpr double noise() const noexcept { return 1 - monotone - interplay - taste - topical; }

  /// The number of features that depend on a signal.
  [[nodiscard]] constexpr std::uint32_t signal_features() const noexcept {
    std::uint32_t const others = query_features + noise_features + category_flags + (category_feature ? 1U : 0U);
    return features > others ? features - others : 0;
  }

  /// Throws std::invalid_argument if the parameters are not consistent.
  void check() const {
    constexpr std::string_view who = "SyntheticShape";
    require(queries > 0, who, "queries >= 1", queries);
    require(signals > 0 && blocks <= signals / 3, who, "at least 1 signal and 3 signals for each block", signals);
    require(signal_features() >= signals, who, "at least as many features of signals as signals", signal_features());
    require(noise() > -1e-9 && monotone >= 0 && interplay >= 0 && taste >= 0 && topical >= 0, who,
            "shares of the variance >= 0 with a sum of at most 1", 1 - noise());
    require(query_spread >= 0 && query_spread < 1, who, "query_spread in [0, 1)", query_spread);
    require(blur >= 0 && length >= 0, who, "blur and length >= 0", blur < 0 ? blur : length);
    require(categories <= 32 && (categories > 0 || (topical == 0 && category_flags == 0 && !category_feature)), who,
            "0 to 32 categories, and at least 1 for topical, category_flags or category_feature", categories);
    require(!category_feature || *category_feature < features, who, "category_feature below the number of features",
            category_feature.value_or(0));
    double total = 0;
    for (double share : grade_shares) {
      require(share >= 0, who, "grade shares >= 0", share);
      total += share;
    }
    require(total > 1 - 1e-9 && total < 1 + 1e-9, who, "grade shares with a sum of 1", total);
    require(empty_queries >= 0 && (empty_queries == 0 || empty_queries < grade_shares[0]), who,
            "empty_queries of 0, or below the share of grade 0", empty_queries);
    require(sizes.front().probability == 0 && sizes.back().probability == 1 && sizes.front().documents >= 1, who,
            "query sizes from probability 0 to 1, with at least 1 document", sizes.front().documents);
    for (std::size_t i = 1; i < sizes.size(); ++i)
      require(sizes[i].probability > sizes[i - 1].probability && sizes[i].documents >= sizes[i - 1].documents, who,
              "query sizes that ascend with their probability", sizes[i].documents);
  }
};

}  // namespace fltr
