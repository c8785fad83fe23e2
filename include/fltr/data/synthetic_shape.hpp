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

/// A point of a distribution function: this part of the queries has at most this many documents.
struct SizeKnot {
  double probability;
  double documents;
};

/// What a synthetic set looks like; SyntheticQueries says how it is made of this. The four named shapes stand in for
/// public sets: the same numbers of queries and features, similar query sizes, grades and difficulty for a linear
/// ranker. They are not those sets, and what is measured on them says nothing about those. The nDCG@10 given with each
/// is that of a random order and of a linear ranker trained on all labels, features scaled to [0, 1] per query.
///
/// The parameters were chosen by looking at test figures: how good a linear ranker is, what trees gain over it, what a
/// ranker trained on 1 % of the queries loses, what a ranker of one category loses on another. Such differences are
/// built in, so finding them here again says nothing about a method.
struct SyntheticShape {
  std::string_view name;
  std::uint64_t seed = 0;
  std::uint32_t queries = 0;
  std::uint32_t features = 0;
  std::array<SizeKnot, 6> sizes{};       ///< from probability 0 to 1, linear in between
  std::array<double, 5> grade_shares{};  ///< of all documents, adding up to 1
  double empty_queries = 0;              ///< part of the queries for which nothing is relevant, by construction
  double query_spread = 0;               ///< how much the amount of relevance differs between the others, in [0, 1)

  std::uint32_t signals = 0;  ///< hidden properties of a document, which features show and relevance is made of
  std::uint32_t blocks = 0;   ///< triples of signals that act together

  // Parts of the variance of a document's utility; the rest is noise.
  double monotone = 0;   ///< more of a signal is better (or worse), saturating or in a step
  double interplay = 0;  ///< a hump and a switch in every block
  double taste = 0;      ///< what matters in some queries only
  double topical = 0;    ///< what matters for documents of some category only

  std::uint32_t query_features = 0;  ///< constant within a query
  std::uint32_t noise_features = 0;  ///< without any signal
  double blur = 1;                   ///< noise of a typical feature, relative to its signal
  double length = 1;                 ///< largest weight in a feature of what all share and nobody is looking for

  std::uint32_t categories = 0;                     ///< of documents, at most 32; 0 = none
  std::uint32_t category_flags = 0;                 ///< 0/1 features, each marking a random set of categories
  std::optional<std::uint32_t> category_feature{};  ///< column (from 0) with the category, 1 to `categories`

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

  /// Istella-S: 33,018 queries, 3.41 million documents, grades 0-4, and what matters differs by the category of a
  /// document. nDCG@10 .10, .60.
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

  /// The shape of that name.
  [[nodiscard]] static SyntheticShape named(std::string_view wanted) {
    for (auto const& shape : {mq2007(), mslr(), yahoo(), istella()})
      if (shape.name == wanted) return shape;
    throw std::invalid_argument("SyntheticShape: required mq2007, mslr, yahoo or istella, got " + std::string(wanted));
  }

  /// The part of the utility's variance that is noise.
  [[nodiscard]] constexpr double noise() const noexcept { return 1 - monotone - interplay - taste - topical; }

  /// How many features show a signal.
  [[nodiscard]] constexpr std::uint32_t signal_features() const noexcept {
    std::uint32_t const others = query_features + noise_features + category_flags + (category_feature ? 1U : 0U);
    return features > others ? features - others : 0;
  }

  /// Throws std::invalid_argument if no set can be made of this.
  void check() const {
    constexpr std::string_view who = "SyntheticShape";
    require(queries > 0, who, "queries", queries);
    require(signals > 0 && blocks <= signals / 3, who, "three signals for every block", signals);
    require(signal_features() >= signals, who, "a feature for every signal", signal_features());
    require(noise() > -1e-9 && monotone >= 0 && interplay >= 0 && taste >= 0 && topical >= 0, who,
            "parts of the variance >= 0 that add up to at most 1", 1 - noise());
    require(query_spread >= 0 && query_spread < 1, who, "query_spread in [0, 1)", query_spread);
    require(blur >= 0 && length >= 0, who, "blur and length >= 0", blur < 0 ? blur : length);
    require(categories <= 32 && (categories > 0 || (topical == 0 && category_flags == 0 && !category_feature)), who,
            "1 to 32 categories where something depends on them", categories);
    require(!category_feature || *category_feature < features, who, "a category feature within the features",
            category_feature.value_or(0));
    double total = 0;
    for (double share : grade_shares) {
      require(share >= 0, who, "grade shares >= 0", share);
      total += share;
    }
    require(total > 1 - 1e-9 && total < 1 + 1e-9, who, "grade shares that add up to 1", total);
    require(empty_queries >= 0 && (empty_queries == 0 || empty_queries < grade_shares[0]), who,
            "an empty part of the queries below the share of grade 0", empty_queries);
    require(sizes.front().probability == 0 && sizes.back().probability == 1 && sizes.front().documents >= 1, who,
            "query sizes from probability 0 to 1, of at least 1 document", sizes.front().documents);
    for (std::size_t i = 1; i < sizes.size(); ++i)
      require(sizes[i].probability > sizes[i - 1].probability && sizes[i].documents >= sizes[i - 1].documents, who,
              "query sizes that rise with their probability", sizes[i].documents);
  }
};

}  // namespace fltr
