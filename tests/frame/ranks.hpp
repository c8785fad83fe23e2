#pragma once

#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include <fltr/concepts/execution.hpp>
#include <fltr/core/fields.hpp>
#include <fltr/core/reduction_tree.hpp>

namespace fltr::testing {

/// An Execution on ranks, as in a cluster: every rank is a process that runs the whole program, works on its own
/// blocks, and gets the joined result. What a rank writes in place stays in its memory.
class Ranks {
 public:
  static constexpr bool keeps_blocks = true;

  template <class Leaf>
  [[nodiscard]] auto reduce(std::size_t blocks, Leaf const& leaf) const {
    using Result = decltype(leaf(blocks));
    static_assert(Field<Result>, "what a leaf returns must have fields");
    std::vector<Result> mine;
    for (std::size_t b = 0; b < blocks; ++b)
      if (owner(b, blocks) == rank_) mine.push_back(leaf(b));
    if (rank_ != 0) {
      send(to_first_, field_bytes(mine));
      return read<Result>(receive(to_first_));
    }
    std::vector<std::vector<Result>> all{std::move(mine)};
    for (int other : others_) all.push_back(read<std::vector<Result>>(receive(other)));
    std::vector<std::size_t> next(all.size());
    auto const result = reduce_tree(0, blocks, [&](std::size_t b) {
      std::size_t const rank = owner(b, blocks);
      return std::move(all[rank][next[rank]++]);
    });
    auto const bytes = field_bytes(result);
    for (int other : others_) send(other, bytes);
    return read<Result>(bytes);
  }

  [[nodiscard]] std::size_t rank() const noexcept { return rank_; }
  [[nodiscard]] std::size_t owner(std::size_t block, std::size_t blocks) const noexcept {
    return block * count_ / blocks;
  }

  /// Runs program(ranks) on `count` ranks. The calling process is rank 0. Returns whether all other ranks ended
  /// without an error.
  template <class Program>
  static bool run(std::size_t count, Program const& program) {
    Ranks first;
    first.count_ = count;
    std::vector<::pid_t> children;
    for (std::size_t rank = 1; rank < count; ++rank) {
      int ends[2];
      if (::socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) throw std::runtime_error("socketpair");
      ::pid_t const child = ::fork();
      if (child < 0) throw std::runtime_error("fork");
      if (child == 0) {
        int status = 0;
        try {
          Ranks own;
          own.rank_ = rank;
          own.count_ = count;
          own.to_first_ = ends[1];
          program(own);
        } catch (std::exception const&) {
          status = 1;
        }
        ::_exit(status);
      }
      ::close(ends[1]);
      first.others_.push_back(ends[0]);
      children.push_back(child);
    }
    program(first);
    bool good = true;
    for (std::size_t i = 0; i < children.size(); ++i) {
      ::close(first.others_[i]);
      int status = 0;
      ::waitpid(children[i], &status, 0);
      good = good && WIFEXITED(status) && WEXITSTATUS(status) == 0;
    }
    return good;
  }

 private:
  static void send(int to, std::vector<std::byte> const& bytes) {
    std::uint64_t const size = bytes.size();
    put(to, std::as_bytes(std::span(&size, 1)));
    put(to, bytes);
  }
  static void put(int to, std::span<std::byte const> rest) {
    while (!rest.empty()) {
      auto const n = ::write(to, rest.data(), rest.size());
      if (n <= 0) throw std::runtime_error("write");
      rest = rest.subspan(static_cast<std::size_t>(n));
    }
  }
  static std::vector<std::byte> receive(int from) {
    std::uint64_t size = 0;
    get(from, std::as_writable_bytes(std::span(&size, 1)));
    std::vector<std::byte> bytes(size);
    get(from, bytes);
    return bytes;
  }
  static void get(int from, std::span<std::byte> rest) {
    while (!rest.empty()) {
      auto const n = ::read(from, rest.data(), rest.size());
      if (n <= 0) throw std::runtime_error("read");
      rest = rest.subspan(static_cast<std::size_t>(n));
    }
  }
  template <class T>
  static T read(std::vector<std::byte> const& bytes) {
    FieldReader reader{std::span<std::byte const>(bytes)};
    T value{};
    reader.read(value);
    reader.expect_end();
    return value;
  }

  std::size_t rank_ = 0;
  std::size_t count_ = 1;
  int to_first_ = -1;
  std::vector<int> others_;
};
static_assert(BlockKeepingExecution<Ranks> && !SharedMemoryExecution<Ranks>);

}  // namespace fltr::testing
