#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include <fltr/core/error.hpp>
#include <fltr/data/client.hpp>

namespace fltr {

/// When a client drops out of a round.
enum class DropsOut : std::uint8_t {
  before,  ///< before local work: nothing happens at the client
  during,  ///< during local work: its result is lost, so for the federation this is the same as `before`
  after,   ///< after local work: the client keeps what it learned, but its message does not arrive
};

/// The rounds in which clients are absent, for example from a trace of devices.
class Absences {
 public:
  /// The client drops out of rounds `first` to `last`, which count from 1.
  void add(ClientId client, std::uint32_t first, std::uint32_t last, DropsOut when = DropsOut::before) {
    require(first >= 1, "Absences::add", "a first round >= 1", first);
    require(first <= last, "Absences::add", "a last round of at least " + std::to_string(first), last);
    auto& own = of_[client];
    auto const at = std::ranges::upper_bound(own, first, {}, &Interval::first);
    bool const free = (at == own.begin() || std::prev(at)->last < first) && (at == own.end() || last < at->first);
    require(free, "Absences::add", "intervals of client " + std::to_string(client) + " that do not overlap", first);
    own.insert(at, {first, last, when});
  }

  /// Whether the client drops out of this round at the given time. `before` and `during` are the same.
  [[nodiscard]] bool contain(ClientId client, std::uint32_t round, DropsOut when) const {
    auto const found = of_.find(client);
    if (found == of_.end()) return false;
    auto const& own = found->second;
    auto const next = std::ranges::upper_bound(own, round, {}, &Interval::first);
    if (next == own.begin()) return false;
    Interval const& interval = *std::prev(next);
    return round <= interval.last && (interval.when == DropsOut::after) == (when == DropsOut::after);
  }

  /// The number of clients with an absence.
  [[nodiscard]] std::size_t client_count() const noexcept { return of_.size(); }

  auto members(auto&& visit) const { return visit(of_); }

 private:
  struct Interval {
    std::uint32_t first;
    std::uint32_t last;
    DropsOut when;
  };
  std::map<ClientId, std::vector<Interval>> of_;  // rising
};

}  // namespace fltr
