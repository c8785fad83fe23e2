#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <fltr/concepts/execution.hpp>
#include <fltr/core/fields.hpp>
#include <fltr/core/reduction_tree.hpp>

namespace fltr::testing {

/// An Execution that runs each block in its own process and joins results by their bytes. Writes in place by a leaf are
/// lost, so tests find code that depends on them. Such code would also fail on the ranks of a cluster.
struct Forked {
  template <class Leaf>
  [[nodiscard]] auto reduce(std::size_t blocks, Leaf const& leaf) const {
    return reduce_tree(0, blocks, [&](std::size_t block) { return in_child(leaf, block); });
  }

 private:
  template <class Leaf>
  static auto in_child(Leaf const& leaf, std::size_t block) -> decltype(leaf(block)) {
    using Result = decltype(leaf(block));
    static_assert(Field<Result>, "what a leaf returns must have fields");
    int ends[2];
    if (::pipe(ends) != 0) throw std::runtime_error("pipe");
    ::pid_t const child = ::fork();
    if (child < 0) throw std::runtime_error("fork");
    if (child == 0) {
      ::close(ends[0]);
      FieldWriter writer;
      try {
        auto const result = leaf(block);
        writer.write(std::string());
        writer.write(result);
      } catch (std::exception const& error) {
        writer = {};
        writer.write(std::string(error.what()));
      }
      auto rest = std::span<std::byte const>(writer.bytes());
      while (!rest.empty()) {
        auto const n = ::write(ends[1], rest.data(), rest.size());
        if (n <= 0) ::_exit(1);
        rest = rest.subspan(static_cast<std::size_t>(n));
      }
      ::_exit(0);
    }
    ::close(ends[1]);
    std::vector<std::byte> bytes;
    std::byte buffer[65536];
    for (;;) {
      auto const n = ::read(ends[0], buffer, sizeof buffer);
      if (n <= 0) break;
      bytes.insert(bytes.end(), buffer, buffer + n);
    }
    ::close(ends[0]);
    int status = 0;
    ::waitpid(child, &status, 0);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) throw std::runtime_error("a block's process failed");
    FieldReader reader{std::span<std::byte const>(bytes)};
    std::string error;
    reader.read(error);
    if (!error.empty()) throw std::runtime_error(error);
    Result result{};
    reader.read(result);
    reader.expect_end();
    return result;
  }
};
static_assert(Execution<Forked>);
static_assert(!SharedMemoryExecution<Forked>);

}  // namespace fltr::testing
