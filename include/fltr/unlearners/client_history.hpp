#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fltr/core/error.hpp>
#include <fltr/unlearners/detail/shared_chunks.hpp>

namespace fltr {

/// The records that one client keeps of its updates, for an unlearner: one record of `width` numbers for every kept
/// round 1, 1 + interval, 1 + 2 · interval, … in which the client took part.
///
/// A record takes 4 · width bytes. Rounds are not stored: a run of consecutive kept rounds takes 8 bytes more. A client
/// that takes part in all rounds has one run; a client that joins late or misses rounds has more.
///
/// A training copies a history in every round that it records, so that a round that throws changes nothing. Copies
/// share all records but the last few (16 KB).
///
/// The history is the client's own. It is taken before the message is privatized, so no noise protects it: FedEraser
/// says what it reveals if it is stolen.
class ClientHistory {
 public:
  /// Adds the record of a kept round. Requires rounds that increase, and records of one interval and one width.
  void add(std::uint32_t round, std::uint32_t interval, std::span<float const> record) {
    constexpr char const* who = "ClientHistory::add";
    require(interval > 0 && round > 0 && (round - 1) % interval == 0, who, "a kept round", round);
    require(!record.empty(), who, "a record of at least one number", record.size());
    if (empty()) {
      interval_ = interval;
      width_ = static_cast<std::uint32_t>(record.size());
    }
    if (interval != interval_) [[unlikely]]
      throw_requirement(who, "the interval " + std::to_string(interval_), interval);
    if (record.size() != width_) [[unlikely]]
      throw_requirement(who, "records of " + std::to_string(width_) + " numbers", record.size());
    std::uint32_t const kept = (round - 1) / interval_;
    std::uint32_t const next = empty() ? 0 : first_.back() + records() - before_.back();  // after the last record
    require(empty() || kept >= next, who, "a round after the last record", round);
    if (empty() || kept > next) {
      before_.push_back(records());
      first_.push_back(kept);
    }
    tail_.reserve(tail_.size() + record.size());  // a vector that doubles would waste half the memory of all clients
    tail_.insert(tail_.end(), record.begin(), record.end());
    if (tail_.size() == chunk_size()) chunks_.push_back(std::exchange(tail_, {}));
  }

  /// The record of a round; none if the client did not take part in it or the round was not kept.
  [[nodiscard]] std::optional<std::span<float const>> find(std::uint32_t round) const& {
    if (empty() || round == 0 || (round - 1) % interval_ != 0) return std::nullopt;
    std::uint32_t const kept = (round - 1) / interval_;
    auto const after = std::ranges::upper_bound(first_, kept);
    if (after == first_.begin()) return std::nullopt;
    auto const run = static_cast<std::size_t>(after - first_.begin()) - 1;
    std::uint32_t const record = before_[run] + (kept - first_[run]);
    std::uint32_t const end = run + 1 < before_.size() ? before_[run + 1] : records();
    if (record >= end) return std::nullopt;
    std::size_t const chunk = record / records_per_chunk();
    std::size_t const place = record % records_per_chunk() * width_;
    return std::span(chunk < chunks_.size() ? chunks_[chunk] : tail_).subspan(place, width_);
  }

  std::optional<std::span<float const>> find(std::uint32_t round) const&& = delete;  // a view of a temporary

  /// Removes the records of rounds after `round`. A history file may be newer than the training that reads it.
  void cut_after(std::uint32_t round) {
    while (!empty() && std::uint64_t{interval_} * (first_.back() + records() - before_.back() - 1) + 1 > round) {
      if (tail_.empty()) {
        tail_ = chunks_.back();
        chunks_.pop_back();
      }
      tail_.resize(tail_.size() - width_);
      if (records() > before_.back()) continue;
      first_.pop_back();
      before_.pop_back();
    }
    if (empty()) *this = {};
  }

  [[nodiscard]] bool empty() const noexcept { return chunks_.empty() && tail_.empty(); }
  [[nodiscard]] std::uint32_t interval() const noexcept { return interval_; }
  /// Numbers per record.
  [[nodiscard]] std::uint32_t width() const noexcept { return width_; }
  [[nodiscard]] std::uint32_t records() const noexcept {
    return width_ == 0 ? 0 : static_cast<std::uint32_t>(number_count() / width_);
  }
  /// The size of the records: 4 bytes for each number.
  [[nodiscard]] std::uint64_t bytes() const noexcept { return number_count() * sizeof(float); }

  /// Whether a history that was read from bytes is one: sizes that fit together, and finite numbers.
  [[nodiscard]] bool consistent() const {
    constexpr std::uint64_t most = std::numeric_limits<std::uint32_t>::max();
    auto const finite = [](std::vector<float> const& numbers) {
      return std::ranges::all_of(numbers, [](float value) { return std::isfinite(value); });
    };
    if (empty()) return interval_ == 0 && width_ == 0 && first_.empty() && before_.empty();
    if (interval_ == 0 || width_ == 0 || tail_.size() % width_ != 0 || tail_.size() >= chunk_size()) return false;
    for (std::vector<float> const& chunk : chunks_)
      if (chunk.size() != chunk_size() || !finite(chunk)) return false;
    if (!finite(tail_) || number_count() / width_ > most) return false;
    if (first_.empty() || first_.size() != before_.size() || before_.front() != 0) return false;
    for (std::size_t run = 0; run < first_.size(); ++run) {
      std::uint64_t const end = run + 1 < before_.size() ? before_[run + 1] : records();
      if (end <= before_[run]) return false;
      std::uint64_t const next = first_[run] + (end - before_[run]);
      if (run + 1 < first_.size() ? first_[run + 1] <= next : interval_ * (next - 1) + 1 > most) return false;
    }
    return true;
  }

  auto fields(auto&& visit) { return visit(interval_, width_, first_, before_, chunks_, tail_); }

 private:
  [[nodiscard]] std::size_t records_per_chunk() const noexcept { return std::max<std::size_t>(1, 4096 / width_); }
  [[nodiscard]] std::size_t chunk_size() const noexcept { return records_per_chunk() * width_; }
  [[nodiscard]] std::size_t number_count() const noexcept {
    return chunks_.empty() ? tail_.size() : chunks_.size() * chunk_size() + tail_.size();
  }

  std::uint32_t interval_ = 0;         // between two kept rounds; 0: no record
  std::uint32_t width_ = 0;            // numbers per record
  std::vector<std::uint32_t> first_;   // of each run of consecutive kept rounds: (round − 1) / interval
  std::vector<std::uint32_t> before_;  // records before each run
  detail::SharedChunks chunks_;        // the records, one after the other
  std::vector<float> tail_;            // the records after the last chunk
};

}  // namespace fltr
