#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <fltr/core/eight_doubles.hpp>

namespace fltr::detail {

/// Masses of documents, from which documents are drawn with probabilities proportional to their masses. Documents can
/// be removed.
///
/// Documents are in blocks of 8. Each block has the running sums of its masses, and there are running sums over the
/// blocks. A draw finds its block, then its document, by counting the sums up to it. A search would end at a random
/// place, and its mispredicted branch costs more than the comparisons.
class MassTable {
 public:
  /// `buffer` holds the table.
  MassTable(std::span<double const> masses, std::vector<double>& buffer)
      : blocks_((masses.size() + block - 1) / block), groups_((blocks_ + block - 1) / block) {
    std::size_t const size = blocks_ * block;
    std::size_t const needed = block - 1 + 3 * size + groups_ * block;
    if (buffer.size() < needed) buffer.resize(needed);
    // Eight doubles are one cache line.
    masses_ = buffer.data() + (0 - reinterpret_cast<std::uintptr_t>(buffer.data())) / sizeof(double) % block;
    sums_ = masses_ + size;
    drawn_ = sums_ + size;
    before_ = drawn_ + size;
    std::size_t const whole = masses.size() / block * block;
    for (std::size_t i = 0; i < whole; i += block) simd::EightDoubles::load(&masses[i]).store(masses_ + i);
    for (std::size_t i = whole; i < size; ++i) masses_[i] = i < masses.size() ? masses[i] : 0.0;
    for (std::size_t i = 0; i < size; i += block) simd::EightDoubles::filled(0.0).store(drawn_ + i);
  }

  /// Computes the sums of the remaining masses, from which `draw` draws.
  void add_up() noexcept {
    for (std::size_t i = 0; i < blocks_ * block; i += block)
      simd::EightDoubles::load(masses_ + i).running_sums().store(sums_ + i);
    double before = 0.0;
    for (std::size_t b = 0; b < blocks_; ++b) {
      before_[b] = before;
      before += sums_[b * block + block - 1];
    }
    for (std::size_t b = blocks_; b < groups_ * block; ++b) before_[b] = std::numeric_limits<double>::infinity();
    total_ = before;
  }

  /// Draws a document for each uniform number, and moves those that were not drawn before to the front of `documents`.
  /// Returns their number.
  ///
  /// The sum before a block is rounded, and may exceed the sum before the preceding block plus the mass of that block. A
  /// draw between the two reaches all sums of the preceding block and counts as its last document, which may have no
  /// mass. This has a probability of about 2⁻⁵². A draw of a document without mass is passed over.
  [[nodiscard]] std::size_t draw(std::span<double const> uniforms, std::span<std::uint32_t> documents) noexcept {
    if (groups_ == 1)  // a loop of its own, without the loop over the groups
      for (std::size_t i = 0; i < uniforms.size(); ++i) documents[i] = located(uniforms[i] * total_, 1);
    else
      for (std::size_t i = 0; i < uniforms.size(); ++i) documents[i] = located(uniforms[i] * total_, groups_);
    std::size_t fresh = 0;
    for (std::size_t i = 0; i < uniforms.size(); ++i) {
      std::uint32_t const document = documents[i];
      bool const is_fresh = (drawn_[document] == 0.0) & (masses_[document] > 0.0);
      drawn_[document] = 1.0;
      documents[fresh] = document;
      fresh += is_fresh ? 1 : 0;
    }
    return fresh;
  }

  /// A document that was removed is not drawn again.
  void remove(std::uint32_t document) noexcept { masses_[document] = 0.0; }

  /// The sum of the masses of the documents that were not removed.
  [[nodiscard]] double remaining() const noexcept {
    auto sum = simd::EightDoubles::filled(0.0);
    for (std::size_t i = 0; i < blocks_ * block; i += block) sum += simd::EightDoubles::load(masses_ + i);
    return sum.sum();
  }

 private:
  static constexpr std::size_t block = 8;

  [[nodiscard, gnu::always_inline]] std::uint32_t located(double target, std::size_t groups) const noexcept {
    std::size_t reached = 0;
    for (std::size_t g = 0; g < groups; ++g)
      reached += simd::EightDoubles::load(before_ + g * block).count_at_most(target);
    std::size_t const b = reached - 1;  // every target reaches the first block
    std::size_t const i = simd::EightDoubles::load(sums_ + b * block).count_at_most(target - before_[b]);
    return static_cast<std::uint32_t>(b * block + i - i / block);  // i = 8 after a rounding: the last document
  }

  std::size_t blocks_;
  std::size_t groups_;  // of 8 blocks
  double* sums_;        // of the masses of a block up to a document
  double* masses_;      // 0 for removed documents
  double* drawn_;       // 1 for documents that were drawn, also if they were not removed, else 0
  double* before_;      // the mass of all blocks before a block; infinite after the last block
  double total_ = 0.0;
};

}  // namespace fltr::detail
