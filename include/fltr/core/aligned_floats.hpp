#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <memory>
#include <new>
#include <span>
#include <utility>

#include <fltr/core/detail/huge_pages.hpp>

namespace fltr {

/// An array of floats of fixed size on a 64-byte boundary: on the heap, or in memory of another owner, such as a mapped
/// file. A move copies no float. A copy is always on the heap.
class AlignedFloats {
 public:
  static constexpr std::size_t alignment = 64;

  AlignedFloats() = default;

  /// `size` floats on the heap, in huge pages if they fill some and the system has them. The caller initialises the
  /// values, so that the threads of a parallel reader are the first to touch their pages.
  explicit AlignedFloats(std::size_t size) : size_(size) {
    if (size > std::numeric_limits<std::size_t>::max() / sizeof(float)) throw std::bad_array_new_length{};
    std::size_t const bytes = std::max<std::size_t>(size, 1) * sizeof(float);
    std::align_val_t const boundary{bytes >= 2 * detail::huge_page ? detail::huge_page : alignment};
    data_ = {static_cast<float*>(::operator new(bytes, boundary)),
             [boundary](float* p) { ::operator delete(p, boundary); }};
    if (bytes >= 2 * detail::huge_page) detail::use_huge_pages(data_.get(), bytes);
  }

  /// `size` floats that `owner` points to and keeps alive. Requires a 64-byte boundary.
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
