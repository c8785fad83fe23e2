#pragma once

#include <cstdint>

#include <fltr/data/client.hpp>
#include <fltr/federation/detail/learn_at_client.hpp>
#include <fltr/learners/pdgd.hpp>
#include <fltr/privatizers/no_privacy.hpp>

#include "support/nanobench.hpp"

namespace fltr::benchmarks {

/// The local work of PDGD at a block of clients, without a server.
template <class R>
class LocalWork {
 public:
  static constexpr std::uint32_t clients = 16;

  LocalWork(R const& ranker, Client const& client) : ranker_(ranker), client_(client) {}

  /// The number of interactions of a call of `run`.
  [[nodiscard]] double interactions() const { return double{clients} * static_cast<double>(client_.interactions); }

  /// Every call is another round, so that queries and lists differ.
  template <class Clicks, class Privacy = NoPrivacy>
  void run(Clicks const& clicks, Privacy const& privacy = {}) {
    SessionBuffers<LearnerWorkspace> buffers;
    RoundStatistics statistics;
    NoState state;
    for (std::uint32_t i = 0; i < clients; ++i) {
      auto const message = fltr::detail::learn_at_client(Pdgd{}, clicks, privacy, ranker_, client_,
                                                         RoundInfo{1, ++round_, 1}, state, buffers, statistics);
      ankerl::nanobench::doNotOptimizeAway(message.values[0]);
    }
  }

 private:
  R const& ranker_;
  Client const& client_;
  std::uint32_t round_ = 0;
};

}  // namespace fltr::benchmarks
