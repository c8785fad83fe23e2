#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <fltr/aggregators/fixed_point.hpp>
#include <fltr/aggregators/secure_graph.hpp>
#include <fltr/concepts/aggregator.hpp>
#include <fltr/concepts/ranker.hpp>
#include <fltr/concepts/sealable.hpp>
#include <fltr/concepts/sealing.hpp>
#include <fltr/core/state.hpp>
#include <fltr/data/client.hpp>
#include <fltr/messages/shared_parameters.hpp>

namespace fltr::examples {

/// A client's secret in a sealed round, as bytes.
struct SealBytes {
  std::vector<std::byte> bytes;
  auto fields(auto&& visit) { return visit(bytes); }
};

/// The server's record of a sealed round. Copies share it.
class SealRecordOfRound {
 public:
  auto fields(auto&& visit) { return visit(); }

 private:
  friend struct ContributionSeal;
  struct Content;
  std::shared_ptr<Content> content_;
};

/// A sealed contribution. Without masks `proof` is empty.
struct SealedContribution {
  std::vector<std::uint64_t> words;
  std::vector<std::byte> proof;  ///< the rest of SecureSum's message
  auto fields(auto&& visit) { return visit(words, proof); }
};

/// The sum of SealedContributions modulo 2^64. Modulo 2^32 it is the sum of 32-bit words.
struct SealedContributionSum {
  static constexpr bool linear = true;

  std::vector<std::uint64_t> total{};
  std::uint64_t count = 0;
  bool damaged = false;  ///< a client sent nothing, or vectors have different sizes

  void add(SealedContribution const& sealed) {
    ++count;
    add_words(sealed.words);
  }
  void merge(SealedContributionSum const& other) {
    damaged = damaged || other.damaged;
    count += other.count;
    if (other.count > 0) add_words(other.total);
  }
  auto fields(auto&& visit) { return visit(total, count, damaged); }

 private:
  void add_words(std::vector<std::uint64_t> const& words) {
    if (total.empty()) total.resize(words.size());
    damaged = damaged || words.empty() || words.size() != total.size();
    if (damaged) return;
    for (std::size_t i = 0; i < total.size(); ++i) total[i] += words[i];
  }
};

/// SecureSum or IdealSum of plain vectors, compiled once for all programs.
struct ContributionSeal {
  bool masked = false;  ///< SecureSum; false: IdealSum, the same numbers without masks
  bool narrow = false;  ///< words of 32 bits; false: 64 bits
  FixedPoint grid{};
  SecureSetting setting{};
  SecureGraph graph{};
  std::size_t threads = 1;  ///< with which the server removes masks; results do not depend on it

  auto fields(auto&& visit) { return visit(masked, narrow, grid, setting, graph); }

  [[nodiscard]] Letter answer(std::size_t phase, SealBytes& secret, Letter const& question,
                              SealContext const& context) const;
  [[nodiscard]] SealedContribution seal(Contribution const& contribution, SealBytes& secret, Letter const& question,
                                        SealContext const& context) const;
  [[nodiscard]] Letter ask(std::size_t phase, SealRecordOfRound const& record, ClientId to,
                           SealRound const& round) const;
  [[nodiscard]] bool receive(std::size_t phase, SealRecordOfRound& record, ClientId from, Letter const& letter,
                             SealRound const& round) const;
  void answered(std::size_t phase, SealRecordOfRound& record, std::span<ClientId const> ids,
                SealRound const& round) const;
  [[nodiscard]] bool accepts(SealedContribution const& sealed, SealRecordOfRound const& record, ClientId from,
                             SealRound const& round) const;
  void reported(SealRecordOfRound& record, std::span<ClientId const> ids, SealRound const& round) const;
  [[nodiscard]] bool open(SealedContributionSum& sum, SealRecordOfRound const& record, SealRound const& round) const;
  /// The numbers of a sum that was opened.
  [[nodiscard]] ContributionSum opened(SealedContributionSum const& sum) const;
};

/// Whether the programs were built with libsodium, which masks need.
[[nodiscard]] bool masks_available() noexcept;

/// The seal that --secure names, around a Sealable aggregator: a program compiles one federation for masked and ideal
/// sums of 32 and of 64 bits. Models and privacy losses have the bits of SecureSum<A> and IdealSum<A>.
template <class A>
struct AnySeal {
  static constexpr std::size_t exchanges_before = 2;
  static constexpr std::size_t exchanges_after = 1;

  using Secret = SealBytes;
  using Record = SealRecordOfRound;
  using Sum = SealedContributionSum;
  using State = fltr::State<A>;

  A aggregator{};
  ContributionSeal protocol{};

  [[nodiscard]] Letter answer(std::size_t phase, Secret& secret, Letter const& question,
                              SealContext const& context) const {
    return protocol.answer(phase, secret, question, context);
  }
  template <class M>
  [[nodiscard]] SealedContribution seal(M const& message, Secret& secret, Letter const& question,
                                        SealContext const& context) const {
    static_assert(Sealable<A, M>, "fltr: the aggregator within AnySeal cannot make a sum of this Message");
    return protocol.seal(aggregator.contribution(message, context.round.broadcast), secret, question, context);
  }

  [[nodiscard]] Letter ask(std::size_t phase, Record const& record, ClientId to, SealRound const& round) const {
    return protocol.ask(phase, record, to, round);
  }
  [[nodiscard]] bool receive(std::size_t phase, Record& record, ClientId from, Letter const& letter,
                             SealRound const& round) const {
    return protocol.receive(phase, record, from, letter, round);
  }
  void answered(std::size_t phase, Record& record, std::span<ClientId const> ids, SealRound const& round) const {
    protocol.answered(phase, record, ids, round);
  }
  [[nodiscard]] bool accepts(SealedContribution const& sealed, Record const& record, ClientId from,
                             SealRound const& round) const {
    return protocol.accepts(sealed, record, from, round);
  }
  void reported(Record& record, std::span<ClientId const> ids, SealRound const& round) const {
    protocol.reported(record, ids, round);
  }
  [[nodiscard]] bool open(Sum& sum, Record const& record, SealRound const& round) const {
    return protocol.open(sum, record, round);
  }
  [[nodiscard]] FixedPoint sum_grid() const { return protocol.grid; }
  [[nodiscard]] Sum sum(auto const&) const { return {}; }
  void aggregate(Sum const& sum, ParametricRanker auto& ranker, State& state) const {
    std::span<float const> const broadcast = shared_parameters(ranker);
    fltr::aggregate(aggregator, aggregator.restored(protocol.opened(sum), broadcast), ranker, state);
  }
};
template <class A>
AnySeal(A, ContributionSeal) -> AnySeal<A>;

}  // namespace fltr::examples
