#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include <range/v3/view/facade.hpp>

#include <fltr/core/compiler.hpp>

namespace fltr {

/// The rounds of a Training as a lazy range with a single pass. A round runs when its iterator is dereferenced or
/// incremented, not earlier: `rounds | take(5)` runs five rounds. The range ends before a round that could exceed the
/// privacy budget.
template <class T>
class Rounds : public ranges::view_facade<Rounds<T>, ranges::unknown> {
 public:
  Rounds() = default;
  /// Refers to a training of the caller.
  explicit Rounds(T& training) : training_(&training, [](T*) {}) {}
  /// Owns the training.
  explicit Rounds(T&& training) : training_(std::make_shared<T>(std::move(training))) {}

 private:
  friend ranges::range_access;
  using Value = std::remove_cvref_t<decltype(std::declval<T&>().round())>;

  class cursor {
   public:
    using single_pass = std::true_type;

    cursor() = default;
    explicit cursor(std::shared_ptr<T> training)
        : training_(std::move(training)),
          at_(training_->number() + 1),
          cached_(std::make_shared<std::optional<Value>>()) {}

    [[nodiscard]] bool equal(ranges::default_sentinel_t) const {
      return at_ > training_->number() && training_->exhausted();
    }
    [[nodiscard]] Value const& read() const {
      run();
      if (!*cached_) *cached_ = training_->round();
      return **cached_;
    }
    void next() {
      run();
      cached_->reset();
      ++at_;
    }

   private:
    void run() const {
      while (training_->number() < at_) {
        training_->advance();
        cached_->reset();
      }
    }

    std::shared_ptr<T> training_;
    std::uint32_t at_ = 0;
    std::shared_ptr<std::optional<Value>> cached_;
  };

  [[nodiscard]] cursor begin_cursor() { return cursor(training_); }

  std::shared_ptr<T> training_;
};

}  // namespace fltr
