#pragma once

#include <cstddef>
#include <type_traits>

#include <fltr/concepts/execution.hpp>
#include <fltr/core/serial.hpp>

namespace fltr::detail {

/// The interruption points within a block of clients, on an Execution that has none.
struct UninterruptedWork {
  void before_client() const noexcept {}
  void after(std::size_t) const noexcept {}
};

/// The same on an Execution that can stop within a block.
template <Execution E>
class InterruptedWork {
 public:
  InterruptedWork() = default;
  explicit InterruptedWork(E const& execution) : execution_(&execution) {}
  explicit InterruptedWork(E const&&) = delete;

  /// Asks.
  void before_client() const {
    if (execution_ != nullptr) interruption_point_in_block(*execution_);
  }
  /// Asks after 1,024 steps, which take 1 ms with a small linear ranker and .1 s with a large neural one.
  void after(std::size_t steps) {
    if (steps < left_) [[likely]] {
      left_ -= steps;
      return;
    }
    left_ = 1024;
    before_client();
  }

 private:
  E const* execution_ = nullptr;
  std::size_t left_ = 1024;
};

/// What work in a block of this Execution asks.
template <Execution E>
using WorkOf =
    std::conditional_t<composition::NamesHook_interruption_point_in_block<E>, InterruptedWork<E>, UninterruptedWork>;

template <Execution E>
[[nodiscard]] WorkOf<E> work_in_block(E const& execution) {
  if constexpr (composition::NamesHook_interruption_point_in_block<E>)
    return WorkOf<E>(execution);
  else
    return {};
}

/// One thread within a block of another Execution: asks that one before each block of its own.
template <Execution E>
class SerialInBlock {
 public:
  static constexpr bool shares_memory = true;

  explicit SerialInBlock(E const& outer) : outer_(&outer) {}
  explicit SerialInBlock(E const&&) = delete;

  template <class Leaf>
  [[nodiscard]] auto reduce(std::size_t blocks, Leaf const& leaf) const {
    return Serial{}.reduce(blocks, [&](std::size_t block) {
      interruption_point_in_block();
      return leaf(block);
    });
  }
  void interruption_point_in_block() const { fltr::interruption_point_in_block(*outer_); }

 private:
  E const* outer_;
};

/// One thread for work within a block of this Execution.
template <Execution E>
[[nodiscard]] auto serial_in_block(E const& outer) {
  if constexpr (composition::NamesHook_interruption_point_in_block<E>)
    return SerialInBlock<E>(outer);
  else
    return Serial{};
}

}  // namespace fltr::detail
