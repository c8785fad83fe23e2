#pragma once

#include <mpi.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fltr/core/error.hpp>
#include <fltr/core/fields.hpp>
#include <fltr/execution/detail/rank_failure.hpp>

namespace fltr::detail {

/// What one rank tells another one: its part of a result, or a failure.
struct RankLetter {
  bool end = false;          ///< the sender does not take part in later exchanges
  std::uint64_t blocks = 0;  ///< of the reduction
  std::int32_t stop = 0;     ///< see MpiRanks::ask_to_stop
  std::optional<RankFailure> failure{};
  std::vector<std::byte> content{};  ///< sent separately
  auto fields(auto&& visit) { return visit(end, blocks, stop, failure); }
};

/// The ranks of an MPI communicator, and the letters between them. Letters travel in a binomial tree: up to rank 0, and
/// down from it. The ranks below a rank are its right neighbours, so that parts arrive in the order of the blocks.
///
/// An exchange is one way up and one way down. Every rank takes part in every exchange, also one whose own work
/// failed. Waiting ranks sleep: an idle rank takes no time from the threads of the others.
class RankGroup {
 public:
  /// MPI_COMM_NULL: this process alone. MPI is then not called.
  explicit RankGroup(MPI_Comm ranks) {
    if (ranks == MPI_COMM_NULL) return;
    int flag = 0;
    MPI_Finalized(&flag);
    if (flag != 0) throw std::logic_error("MpiRanks: required MPI before MPI_Finalize; make one MpiRanks and copy it");
    MPI_Initialized(&flag);
    if (flag == 0) {
      int provided = 0;
      MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided);
      finalizes_ = true;
    }
    MPI_Comm_dup(ranks, &comm_);                           // no message of the caller is taken for one of ours
    MPI_Comm_set_errhandler(comm_, MPI_ERRORS_ARE_FATAL);  // a copy has the handler of the caller, which may return
    MPI_Comm_rank(comm_, &rank_);
    MPI_Comm_size(comm_, &size_);
    for (int step = 1; step < size_; step *= 2) {
      if ((rank_ & step) != 0) {
        parent_ = rank_ - step;
        break;
      }
      if (rank_ + step < size_) children_.push_back(rank_ + step);
    }
  }
  RankGroup(RankGroup const&) = delete;
  RankGroup& operator=(RankGroup const&) = delete;
  ~RankGroup() {
    if (comm_ == MPI_COMM_NULL) return;
    int flag = 0;
    MPI_Finalized(&flag);
    if (flag != 0) return;  // by the caller; MPI freed the communicator
    if (!ended_ && !broken_ && std::uncaught_exceptions() > exceptions_) try {
        static_cast<void>(finish(RankFailure{number(), RankFailure::Kind::runtime, "this rank ended early"}));
      } catch (...) {
        broken_ = true;
      }
    if (broken_) MPI_Abort(comm_, 1);  // the other ranks may wait for a letter that will never be sent
    MPI_Comm_free(&comm_);
    if (finalizes_) MPI_Finalize();
  }

  [[nodiscard]] std::uint32_t number() const noexcept { return static_cast<std::uint32_t>(rank_); }
  [[nodiscard]] std::size_t rank() const noexcept { return static_cast<std::size_t>(rank_); }
  [[nodiscard]] std::size_t size() const noexcept { return static_cast<std::size_t>(size_); }

  /// Throws if MPI permits no other threads than the one that calls it.
  void require_threads() const {
    if (comm_ == MPI_COMM_NULL) return;
    int provided = MPI_THREAD_SINGLE;
    MPI_Query_thread(&provided);
    if (provided < MPI_THREAD_FUNNELED)
      throw std::runtime_error(
          "MpiRanks: required MPI_THREAD_FUNNELED for an Execution with threads, got MPI_THREAD_SINGLE; initialise MPI "
          "by MPI_Init_thread, or use Serial");
  }

  std::atomic<std::int32_t> asked_to_stop{0};
  [[nodiscard]] std::int32_t agreed_stop() const noexcept {
    return (size_ == 1 ? asked_to_stop : agreed_stop_).load(std::memory_order_relaxed);
  }

  /// Marks a reduction from its begin to its end, so that no second one begins: in a leaf, or on another thread.
  class Busy {
   public:
    explicit Busy(RankGroup& group) : group_(group) {
      if (group_.busy_.exchange(true))
        throw std::logic_error("MpiRanks: required one reduction at a time, got one within another");
    }
    Busy(Busy const&) = delete;
    Busy& operator=(Busy const&) = delete;
    ~Busy() { group_.busy_ = false; }

   private:
    RankGroup& group_;
  };

  /// Throws if a rank has already called `finish`, with its failure if there is one.
  void require_not_ended() const {
    if (!ended_) return;
    if (end_failure_) end_failure_->raise();
    throw std::logic_error("MpiRanks: required a reduction before the end of `run`");
  }

  /// One exchange. `own_failure`: an exception of this rank's work. `take(content)` adds the part of a rank below.
  /// `content()` is called on ranks above 0 for the part that is sent up, `result()` on rank 0 for the result of all.
  /// Returns the result of all; on rank 0 it is what `result` returned. If a rank failed, all ranks throw: the rank its
  /// own exception, the others one of the same kind.
  template <class Take, class Content, class Result>
  std::vector<std::byte> exchange(std::uint64_t blocks, std::exception_ptr own_failure, Take const& take,
                                  Content const& content, Result const& result) {
    RankLetter letter{.blocks = blocks};
    if (own_failure) letter.failure = RankFailure::of(number(), own_failure);
    auto const attempt = [&](auto const& work) {
      if (letter.failure) return;
      try {
        work();
      } catch (...) {
        own_failure = std::current_exception();
        letter.failure = RankFailure::of(number(), own_failure);
      }
    };
    pass(
        letter, [&](std::vector<std::byte> const& part) { attempt([&] { take(part); }); },
        [&] { attempt([&] { letter.content = parent_ < 0 ? result() : content(); }); });
    if (letter.failure) {
      if (letter.failure->rank == number() && own_failure) std::rethrow_exception(own_failure);
      letter.failure->raise();
    }
    return std::move(letter.content);
  }

  /// The last exchange. Returns the failure of the lowest rank that has one. After the end of a rank, every exchange of
  /// another rank fails. If an exchange ended in the middle there is no last one, and the destructor ends all ranks.
  std::optional<RankFailure> finish(std::optional<RankFailure> failure) {
    if (broken_) return failure;
    if (ended_) return end_failure_;
    RankLetter letter{.end = true, .failure = std::move(failure)};
    pass(letter, [](auto const&) {}, [] {});
    return end_failure_;
  }
  /// Whether an exchange ended in the middle, for example because there was no memory for a letter.
  [[nodiscard]] bool broken() const noexcept { return broken_; }

  /// The most bytes of one MPI message: MPI counts in int. Tests set a smaller number.
  std::size_t longest_message = std::size_t{1} << 30U;

 private:
  static constexpr int letter_tag = 1;
  static constexpr int ready_tag = 2;
  static constexpr int content_tag = 3;
  static constexpr std::size_t first_message = 8192;  // a letter, and its content if there is room

  /// Sends a letter up, and replaces it by the one that comes down.
  template <class Take, class Fill>
  void pass(RankLetter& letter, Take const& take, Fill const& fill) {
    broken_ = true;  // until the exchange is over
    letter.stop = asked_to_stop.load();
    for (int const child : children_) {
      RankLetter const theirs = receive(child);
      letter.stop = std::max(letter.stop, theirs.stop);
      if (!letter.failure && !theirs.failure) letter.failure = difference(letter, theirs, child);
      letter.end = letter.end || theirs.end;
      if (theirs.failure) {
        if (!letter.failure || theirs.failure->rank < letter.failure->rank) letter.failure = theirs.failure;
      } else if (!letter.failure && !letter.end) {
        take(theirs.content);
      }
    }
    if (!letter.end) fill();
    if (letter.failure) letter.content.clear();
    if (parent_ >= 0) {
      send(parent_, letter);
      letter = receive(parent_);
    }
    for (auto child = children_.rbegin(); child != children_.rend(); ++child) send(*child, letter);
    broken_ = false;
    agreed_stop_.store(letter.stop, std::memory_order_relaxed);
    if (letter.end) {
      ended_ = true;
      end_failure_ = letter.failure;
    }
  }

  /// The failure of two ranks that do not call the same reduction.
  [[nodiscard]] std::optional<RankFailure> difference(RankLetter const& mine, RankLetter const& theirs,
                                                      int their_rank) const {
    auto const text = [](RankLetter const& letter, int rank) {
      return (letter.end ? "the end" : std::to_string(letter.blocks) + " blocks") + " on rank " + std::to_string(rank);
    };
    if (mine.end == theirs.end && mine.blocks == theirs.blocks) return std::nullopt;
    return RankFailure{number(), RankFailure::Kind::runtime,
                       "MpiRanks: required the same reductions on all ranks, got " + text(mine, rank_) + " and " +
                           text(theirs, their_rank) + ": do all ranks have the same options and data?"};
  }

  void send(int to, RankLetter const& letter) {
    FieldWriter writer;
    writer.write(static_cast<std::uint64_t>(letter.content.size()));
    writer.write(letter);
    std::vector<std::byte> first = std::move(writer).bytes();
    bool const together = first.size() + letter.content.size() <= first_message;
    if (together) first.insert(first.end(), letter.content.begin(), letter.content.end());
    MPI_Request request{};
    MPI_Isend(first.data(), static_cast<int>(first.size()), MPI_BYTE, to, letter_tag, comm_, &request);
    wait(request);
    if (together) return;
    // The receiver may still work on its own blocks. A sender that is not waited for would be busy until then.
    char ready = 0;
    MPI_Irecv(&ready, 1, MPI_BYTE, to, ready_tag, comm_, &request);
    wait(request);
    std::span<std::byte const> rest(letter.content);
    while (!rest.empty()) {
      auto const part = rest.first(std::min(rest.size(), longest_message));
      MPI_Send(part.data(), static_cast<int>(part.size()), MPI_BYTE, to, content_tag, comm_);
      rest = rest.subspan(part.size());
    }
  }

  [[nodiscard]] RankLetter receive(int from) {
    std::vector<std::byte> first(first_message);
    MPI_Request request{};
    MPI_Irecv(first.data(), static_cast<int>(first.size()), MPI_BYTE, from, letter_tag, comm_, &request);
    MPI_Status status{};
    wait(request, &status);
    int count = 0;
    MPI_Get_count(&status, MPI_BYTE, &count);
    FieldReader reader(std::span<std::byte const>(first).first(static_cast<std::size_t>(count)));
    std::uint64_t size = 0;
    RankLetter letter;
    reader.read(size);
    reader.read(letter);
    if (auto const rest = reader.rest(); rest.size() == size) {
      letter.content.assign(rest.begin(), rest.end());
      return letter;
    }
    letter.content.resize(static_cast<std::size_t>(size));
    char const ready = 1;
    MPI_Send(&ready, 1, MPI_BYTE, from, ready_tag, comm_);
    std::span<std::byte> rest(letter.content);
    while (!rest.empty()) {
      auto const part = rest.first(std::min(rest.size(), longest_message));
      MPI_Recv(part.data(), static_cast<int>(part.size()), MPI_BYTE, from, content_tag, comm_, MPI_STATUS_IGNORE);
      rest = rest.subspan(part.size());
    }
    return letter;
  }

  /// Waits as MPI_Wait does, which keeps a core busy. After 0.1 ms this one sleeps between its questions, for 1/16 of the
  /// time that it has waited.
  static void wait(MPI_Request& request, MPI_Status* status = MPI_STATUS_IGNORE) {
    constexpr std::chrono::microseconds patience{100};
    constexpr std::chrono::steady_clock::duration longest_sleep = std::chrono::milliseconds(5);
    auto const begin = std::chrono::steady_clock::now();
    while (true) {
      int done = 0;
      MPI_Test(&request, &done, status);
      if (done != 0) return;
      auto const waited = std::chrono::steady_clock::now() - begin;
      if (waited < patience)
        std::this_thread::yield();
      else
        std::this_thread::sleep_for(std::min(waited / 16, longest_sleep));
    }
  }

  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0;
  int size_ = 1;
  int parent_ = -1;
  std::vector<int> children_;  // from the nearest to the farthest
  int exceptions_ = std::uncaught_exceptions();
  bool finalizes_ = false;
  bool broken_ = false;  // an exchange ended in the middle
  bool ended_ = false;
  std::optional<RankFailure> end_failure_;
  std::atomic<bool> busy_{false};
  std::atomic<std::int32_t> agreed_stop_{0};
};

}  // namespace fltr::detail
