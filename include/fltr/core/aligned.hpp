#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>
#include <span>
#include <utility>

namespace fltr {

/// A fixed block of floats on a 64-byte boundary: on the heap, or in memory that somebody else provides (a mapped
/// file). Moving is free; a copy is always on the heap.
class AlignedFloats {
 public:
  static constexpr std::size_t alignment = 64;

  AlignedFloats() = default;

  /// `size` floats, not initialised: whoever makes them fills them (a parallel reader touches its own pages first).
  explicit AlignedFloats(std::size_t size)
      : data_(static_cast<float*>(
                  ::operator new (std::max<std::size_t>(size, 1) * sizeof(float), std::align_val_t{alignment})),
              [](float* p) { ::operator delete (p, std::align_val_t{alignment}); }),
        size_(size) {}

  /// Floats that `owner` keeps alive. Requires `data` on a 64-byte boundary.
  AlignedFloats(std::shared_ptr<float> owner, std::size_t size) : data_(std::move(owner)), size_(size) {}

  AlignedFloats(AlignedFloats const& other) : AlignedFloats(other.size_) {
    std::copy_n(other.data_.get(), size_, data_.get());
  }
  AlignedFloats(AlignedFloats&& other) noexcept : data_(std::move(other.data_)), size_(std::exchange(other.size_, 0)) {}
  AlignedFloats& operator=(AlignedFloats other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~AlignedFloats() = default;

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] float* data() noexcept { return data_.get(); }
  [[nodiscard]] float const* data() const noexcept { return data_.get(); }
  [[nodiscard]] std::span<float> span() & noexcept { return {data_.get(), size_}; }
  [[nodiscard]] std::span<float const> span() const& noexcept { return {data_.get(), size_}; }
  void span() const&& = delete;

 private:
  std::shared_ptr<float> data_;
  std::size_t size_ = 0;
};

}  // namespace fltr
