#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include <range/v3/view/facade.hpp>

namespace fltr {

/// The rounds of a Training as a lazy range, single pass. A round runs when it is dereferenced or stepped over, never
/// at `begin` nor at the `++` after it: `rounds | take(5)` runs five. It ends when the privacy budget would be
/// overspent.
template <class T>
class Rounds : public ranges::view_facade<Rounds<T>, ranges::unknown> {
 public:
  Rounds() = default;
  /// Rounds of a training of the caller's.
  explicit Rounds(T& training) : training_(&training, [](T*) {}) {}
  /// Rounds of a training that nobody else needs.
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
