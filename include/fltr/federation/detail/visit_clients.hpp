#pragma once

#include <cstddef>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include <fltr/concepts/execution.hpp>
#include <fltr/concepts/population.hpp>
#include <fltr/core/state.hpp>
#include <fltr/federation/detail/contribution.hpp>
#include <fltr/federation/detail/local_work.hpp>
#include <fltr/federation/detail/policies.hpp>
#include <fltr/federation/detail/work_interruption.hpp>
#include <fltr/federation/round_statistics.hpp>

namespace fltr::detail {

/// Calls work(visit, payload) for each client that is asked and answers, block by block, on the Execution, and merges
/// the payloads of the blocks. Counts clients that do not answer. New states of clients stay in the process of their
/// block if the Execution allows it; otherwise they travel with the block's result.
template <class Payload, class Input, class Seal, class Work>
[[nodiscard]] Contribution<Payload, typename Input::Changes> visit_clients(Input const& input,
                                                                           typename Input::Ranker const& ranker,
                                                                           Seal const& seal, Work const& work) {
  using Execution = typename Input::Policies::Execution;
  using Changes = typename Input::Changes;
  using Buffers = typename Input::Buffers;
  constexpr bool stay = Input::KeptState::any && (SharedMemoryExecution<Execution> || BlockKeepingExecution<Execution>);
  std::size_t const blocks = input.roster.blocks();
  std::vector<Changes> changes(stay ? blocks : 0);
  if constexpr (!SharedMemoryExecution<Execution>) input.release();  // no process sees the messages of the others
  auto all = input.policies.execution.reduce(blocks, [&](std::size_t block) {
    Contribution<Payload, Changes> out;
    std::optional<Buffers> buffers;  // with few participants, most blocks need none
    input.roster.for_each_in(block, [&](std::size_t position) {
      typename Input::Client const client = input.client_at(position);
      if (!input.rules.takes_part(client.id)) return;
      if (seal.refused(client.id)) {
        ++out.statistics.rejected;
        return;
      }
      if (!seal.waits_for(client.id) ||
          !input.answers(RoundPhase{input.info.number, Phase::message, 0}, position, client.id)) {
        ++out.statistics.dropped;
        return;
      }
      bool const arrives = input.answers(RoundPhase{input.info.number, Phase::delivery, 0}, position, client.id);
      if (!arrives) {
        ++out.statistics.dropped;
        ++out.statistics.late;
        if constexpr (std::is_empty_v<State<typename Input::Learner>>) return;  // nothing remains of the work
      }
      if (buffers)
        buffers->work.before_client();
      else
        buffers.emplace().work = work_in_block(input.policies.execution);
      if constexpr (!std::is_empty_v<State<typename Input::Learner>>) {
        if (!arrives) {
          // The client learns, but the server gets nothing. What the unlearner recorded is of no message, so it does
          // not count.
          Payload lost{};
          RoundStatistics uncounted;
          Changes own{};
          work(Visit<Input>{client, position, ranker, input.info, *buffers, uncounted, own, out.sent}, lost);
          for (auto& some : own.blocks)
            for (auto& change : some) change.kept.reset();
          out.changes.merge(std::move(own));
          return;
        }
      }
      RoundStatistics const before = out.statistics;
      work(Visit<Input>{client, position, ranker, input.info, *buffers, out.statistics, out.changes, out.sent},
           out.payload);
      if (out.statistics.rejected == before.rejected) return;
      out.statistics = before;  // the lists and objectives of a rejected client do not count
      ++out.statistics.rejected;
    });
    if constexpr (stay) changes[block] = std::exchange(out.changes, {});
    return out;
  });
  for (Changes& of_block : changes) all.changes.merge(std::move(of_block));
  return all;
}

}  // namespace fltr::detail
