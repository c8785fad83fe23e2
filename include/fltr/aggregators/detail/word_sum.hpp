#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <fltr/aggregators/fixed_point.hpp>
#include <fltr/concepts/sealing.hpp>
#include <fltr/core/error.hpp>

namespace fltr::detail {

/// What a client adds to the sum of a round, as words. A vector of another size than the broadcast parameters would make
/// the sum of all clients useless: it is an error at the client.
template <std::unsigned_integral Word, class A, class M>
[[nodiscard]] std::vector<Word> contribution_words(std::string_view who, A const& aggregator, FixedPoint const& grid,
                                                   M const& message, SealRound const& round) {
  auto const contribution = aggregator.contribution(message, round.broadcast);
  require(contribution.values.size() == round.broadcast.size(), who,
          "a contribution of " + std::to_string(round.broadcast.size()) +
              " values, one for each shared parameter of the ranker",
          contribution.values.size());
  return grid.template words<Word>(contribution, round.asked.size());
}

/// What a client adds to a sum of words. `Seal` makes it a type of its own for each aggregator.
template <class Seal, std::unsigned_integral Word>
struct SealedWords {
  std::vector<Word> words;

  auto fields(auto&& visit) { return visit(words); }
};

/// The sum of SealedWords modulo 2^bits.
template <class Wire, std::unsigned_integral Word>
struct WordSum {
  static constexpr bool linear = true;

  std::vector<Word> total;
  std::uint64_t count = 0;
  bool damaged = false;  ///< a client sent nothing, or vectors have different sizes: the sum is of no use

  void add(Wire const& wire) {
    ++count;
    add_words(wire.words);
  }
  void merge(WordSum const& other) {
    damaged = damaged || other.damaged;
    count += other.count;
    if (other.count > 0) add_words(other.total);
  }
  auto fields(auto&& visit) { return visit(total, count, damaged); }

 private:
  void add_words(std::vector<Word> const& words) {
    if (total.empty()) total.resize(words.size());
    damaged = damaged || words.empty() || words.size() != total.size();
    if (damaged) return;
    for (std::size_t i = 0; i < total.size(); ++i) total[i] = static_cast<Word>(total[i] + words[i]);
  }
};

}  // namespace fltr::detail
