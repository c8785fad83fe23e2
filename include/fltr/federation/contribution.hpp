#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

#include <fltr/federation/tally.hpp>
#include <fltr/messages/sent.hpp>

namespace fltr {

/// Messages of a round, in the order of the clients' positions in the population.
template <class M>
struct Gathered {
  std::vector<Sent<M>> messages;
  std::vector<std::uint64_t> positions;

  void add(std::size_t position, Sent<M> sent) {
    messages.push_back(std::move(sent));
    positions.push_back(position);
  }
  void merge(Gathered&& other) {
    messages.insert(messages.end(), std::make_move_iterator(other.messages.begin()),
                    std::make_move_iterator(other.messages.end()));
    positions.insert(positions.end(), other.positions.begin(), other.positions.end());
  }
  void fields(auto&& visit) { visit(messages, positions); }
};

/// What a block of clients contributes to a round: messages, summed up or gathered, and what was counted.
template <class Payload>
struct Contribution {
  Payload payload;
  Tally tally;

  void merge(Contribution&& other) {
    payload.merge(std::move(other.payload));
    tally.merge(other.tally);
  }
  void fields(auto&& visit) { visit(payload, tally); }
};

}  // namespace fltr
