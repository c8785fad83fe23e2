#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <fltr/concepts/execution.hpp>
#include <fltr/core/fields.hpp>
#include <fltr/core/reduction_tree.hpp>
#include <fltr/core/serial.hpp>
#include <fltr/execution/detail/partial_tree.hpp>
#include <fltr/execution/detail/rank_failure.hpp>
#include <fltr/execution/detail/rank_group.hpp>

namespace fltr {

/// Runs blocks of clients on the ranks of an MPI job: processes of one or several machines. Needs MPI (the CMake target
/// fltr::mpi; Debian: libopenmpi-dev). Every rank runs the whole program, computes its own blocks on the Execution
/// `Inner`, and gets the result of all. The bits are those of Serial for every number of ranks.
///
///     int main() {
///       fltr::MpiRanks ranks(fltr::Threads{4});
///       ranks.run([&] {
///         auto training = federation.with_execution(ranks).start(clients);
///         training.run(100);
///         if (ranks.rank() == 0) fltr::write_model("model.fltr", training.ranker());
///       });
///     }
///
/// Rank r has the clients `own_clients(n).first` to `.second`, of n clients in all. Only their queries are read on this
/// rank: the QueryPools of other clients may be empty there. Ids and interactions of all clients are the same on all
/// ranks, and so are all queries that `evaluate_on` is called with. The states of clients stay on their rank.
///
/// Ranks exchange nothing but the fields of results: of a streaming aggregator a few sums for each rank, of a gathering
/// one all messages. All ranks call the same reductions in the same order; a different number of blocks is an error on
/// all ranks. MPI is called on the thread that calls `reduce`. With an Inner other than Serial, MPI must provide
/// MPI_THREAD_FUNNELED or more: a caller who initialises MPI then calls MPI_Init_thread.
///
/// An exception in a block on one rank is thrown on all ranks: there the original one, elsewhere one of the same kind
/// whose text ends in "(rank 1)". `run` does the same for all other exceptions.
template <Execution Inner = Serial>
class MpiRanks {
 public:
  static constexpr bool keeps_blocks = true;

  /// All ranks of the job. The first MpiRanks of the process initialises MPI if the caller did not. The last copy then
  /// finalises it, so make one object and copy it. A caller who initialised MPI finalises it, before or after the last
  /// copy ends. Throws std::runtime_error if MPI does not permit the threads of `inner`.
  explicit MpiRanks(Inner inner = Inner()) : MpiRanks(MPI_COMM_WORLD, std::move(inner)) {}
  /// The ranks of a communicator.
  explicit MpiRanks(MPI_Comm ranks, Inner inner = Inner())
      : MpiRanks(std::move(inner), std::make_shared<detail::RankGroup>(ranks)) {}
  /// This process alone, without MPI: the same as `inner`.
  [[nodiscard]] static MpiRanks alone(Inner inner = Inner()) { return MpiRanks(MPI_COMM_NULL, std::move(inner)); }
  /// The same ranks with another Execution on each.
  template <Execution Other>
  [[nodiscard]] MpiRanks<Other> with_inner(Other other) const {
    return MpiRanks<Other>(std::move(other), group_);
  }

  // A move copies, so that the source stays usable.
  MpiRanks(MpiRanks const&) = default;
  MpiRanks& operator=(MpiRanks const&) = default;
  ~MpiRanks() = default;

  template <class Leaf>
  [[nodiscard]] auto reduce(std::size_t blocks, Leaf const& leaf) const {
    using Result = decltype(leaf(blocks));
    static_assert(Field<Result>,
                  "fltr: on MpiRanks, what a leaf returns must have fields: auto fields(auto&& visit) { return "
                  "visit(members...); }");
    if (size() == 1) return inner_.reduce(blocks, leaf);
    detail::RankGroup::Busy const busy(*group_);
    group_->require_not_ended();
    using Part = detail::PartialTree<Result>;
    Part part;
    std::exception_ptr failure;
    try {
      auto const [first, last] = own_blocks(blocks);
      if (first < last)
        part = inner_.reduce(last - first,
                             [&, from = first](std::size_t i) { return Part(blocks, from + i, leaf(from + i)); });
    } catch (...) {
      failure = std::current_exception();
    }
    std::optional<Result> whole;
    auto const take = [&](std::vector<std::byte> const& bytes) { part.merge(read<Part>(bytes)); };
    auto const content = [&] { return field_bytes(part); };
    auto const result = [&] {
      whole = std::move(part).take();
      return field_bytes(*whole);
    };
    auto const bytes = group_->exchange(blocks, failure, take, content, result);
    return whole ? std::move(*whole) : read<Result>(bytes);
  }

  void interruption_point_in_block() const { fltr::interruption_point_in_block(inner_); }

  [[nodiscard]] std::size_t rank() const noexcept { return group_->rank(); }
  [[nodiscard]] std::size_t size() const noexcept { return group_->size(); }

  /// The blocks of this rank, [first, second), of a reduction of so many blocks.
  [[nodiscard]] std::pair<std::size_t, std::size_t> own_blocks(std::size_t blocks) const noexcept {
    auto const begin = [&](std::size_t rank) { return (rank * blocks + size() - 1) / size(); };
    return {begin(rank()), begin(rank() + 1)};
  }
  /// The clients of this rank, [first, second), as positions in a population of so many clients.
  [[nodiscard]] std::pair<std::size_t, std::size_t> own_clients(std::size_t clients) const noexcept {
    auto const [first, last] = own_blocks((clients + clients_per_block - 1) / clients_per_block);
    return {std::min(clients, first * clients_per_block), std::min(clients, last * clients_per_block)};
  }

  /// Calls body() and ends the work of all ranks: if it throws on one rank, `run` throws on all. No reduction may follow.
  template <class Body>
  void run(Body&& body) const {
    std::exception_ptr own;
    try {
      std::forward<Body>(body)();
    } catch (...) {
      own = std::current_exception();
    }
    std::optional<detail::RankFailure> failure;
    if (own) failure = detail::RankFailure::of(static_cast<std::uint32_t>(rank()), own);
    if (size() > 1) failure = group_->finish(std::move(failure));
    if (own) std::rethrow_exception(own);
    if (failure) failure->raise();
  }

  /// Whether this rank can still reach the others. False if a message of a reduction could not be made or read, for
  /// example for want of memory. All ranks are then aborted when the last copy ends.
  [[nodiscard]] bool reaches_all() const noexcept { return !group_->broken(); }

  /// Asks all ranks to stop, for example after a signal. `reason` > 0. May be called in a signal handler.
  void ask_to_stop(std::int32_t reason) const noexcept { group_->asked_to_stop.store(reason); }
  /// The largest reason that a rank gave before the last reduction; 0: none. The same on all ranks between the same
  /// reductions: all ranks can end after the same round.
  [[nodiscard]] std::int32_t stop() const noexcept { return group_->agreed_stop(); }

 private:
  template <Execution>
  friend class MpiRanks;

  MpiRanks(Inner inner, std::shared_ptr<detail::RankGroup> group) : inner_(std::move(inner)), group_(std::move(group)) {
    if constexpr (!std::same_as<Inner, Serial>) group_->require_threads();
  }

  template <class T>
  [[nodiscard]] static T read(std::vector<std::byte> const& bytes) {
    FieldReader reader{std::span<std::byte const>(bytes)};
    T value{};
    reader.read(value);
    reader.expect_end();
    return value;
  }

  Inner inner_;
  std::shared_ptr<detail::RankGroup> group_;
};
static_assert(BlockKeepingExecution<MpiRanks<>> && !SharedMemoryExecution<MpiRanks<>>);

}  // namespace fltr
