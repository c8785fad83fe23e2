#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <fltr/core/error.hpp>
#include <fltr/core/random.hpp>
#include <fltr/data/dataset.hpp>

namespace fltr {

/// A document that was shown to a user.
struct Shown {
  static constexpr float unknown = std::numeric_limits<float>::quiet_NaN();
  static constexpr std::uint32_t last_position = 10'000;  // estimates keep numbers for each

  std::uint32_t document = 0;  ///< its row among the documents of the query
  std::uint32_t position = 1;  ///< counting from 1, up to `last_position`
  bool clicked = false;
  float propensity = unknown;  ///< the probability, in (0, 1], that the user looked at it: that in force when logged

  [[nodiscard]] bool has_propensity() const noexcept { return propensity == propensity; }
};

/// A query with the list that was shown for it.
struct LoggedList {
  std::uint32_t query = 0;  ///< its number in the Dataset
  std::span<Shown const> shown;
};

/// What a client remembers of the lists that its user saw. No grades: they are what a log does not tell.
class ClickLog {
 public:
  /// Begins the next list; `add` puts documents into it.
  void begin(std::uint32_t query) {
    queries_.push_back(query);
    ends_.push_back(shown_.size());
  }
  void add(Shown shown) {
    require(!queries_.empty(), "ClickLog::add", "a list that was begun", queries_.size());
    require(shown.position > 0 && shown.position <= Shown::last_position, "ClickLog::add", "a position of 1 to 10000",
            shown.position);
    require(!shown.has_propensity() || (shown.propensity > 0.0F && shown.propensity <= 1.0F), "ClickLog::add",
            "a propensity in (0, 1], or none", shown.propensity);
    shown_.push_back(shown);
    ends_.back() = shown_.size();
    clicks_ += shown.clicked ? 1 : 0;
  }
  void clear() noexcept {
    queries_.clear();
    ends_.clear();
    shown_.clear();
    clicks_ = 0;
  }

  /// The number of lists.
  [[nodiscard]] std::size_t size() const noexcept { return queries_.size(); }
  [[nodiscard]] std::size_t click_count() const noexcept { return clicks_; }
  [[nodiscard]] std::span<Shown const> shown() const& noexcept { return shown_; }
  [[nodiscard]] std::vector<Shown> shown() const&& { return shown_; }
  [[nodiscard]] LoggedList operator[](std::size_t i) const& noexcept {
    std::size_t const begin = i > 0 ? ends_[i - 1] : 0;
    return {queries_[i], std::span(shown_).subspan(begin, ends_[i] - begin)};
  }
  void operator[](std::size_t) const&& = delete;

  /// Throws unless every list is of a query of the dataset, and of its documents, each shown once and at a place of its
  /// own.
  void check(Dataset const& data) const {
    std::vector<bool> seen;
    std::vector<std::uint32_t> positions;
    for (std::size_t i = 0; i < size(); ++i) {
      auto const [query, list] = (*this)[i];
      require(query < data.size(), "ClickLog", "queries of the dataset", query);
      std::size_t const documents = data[query].document_count();
      seen.assign(documents, false);
      for (Shown const& s : list) {
        require(s.document < documents, "ClickLog", "documents of the query that was asked", s.document);
        require(!seen[s.document], "ClickLog", "a document once in a list", s.document);
        seen[s.document] = true;
      }
      positions.clear();
      for (Shown const& s : list) positions.push_back(s.position);
      std::ranges::sort(positions);
      auto const twice = std::ranges::adjacent_find(positions);
      require(twice == positions.end(), "ClickLog", "one document at a position",
              twice == positions.end() ? 0 : *twice);
    }
  }

 private:
  std::vector<std::uint32_t> queries_;
  std::vector<std::size_t> ends_;
  std::vector<Shown> shown_;
  std::size_t clicks_ = 0;
};

/// Whether a client has a log: `client.log(streams, buffer)` is that of a round, in the buffer or anywhere else.
template <class C>
concept HasClickLog = requires(C const& client, Streams const& streams, ClickLog& buffer) {
  { client.log(streams, buffer) } -> std::convertible_to<ClickLog const&>;
};

}  // namespace fltr
