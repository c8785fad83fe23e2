#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include <fltr/core/error.hpp>
#include <fltr/core/random.hpp>
#include <fltr/data/dataset.hpp>

namespace fltr {

/// A document that was shown to a user.
struct Impression {
  static constexpr float unknown = std::numeric_limits<float>::quiet_NaN();
  static constexpr std::uint32_t last_position =
      10'000;  ///< a limit, because estimators keep numbers for each position

  std::uint32_t document = 0;  ///< the row of the document within its query
  std::uint32_t position = 1;  ///< 1 to `last_position`
  bool clicked = false;
  float propensity = unknown;  ///< the probability, in (0, 1], that the user examined the document, when it was shown

  [[nodiscard]] bool has_propensity() const noexcept { return propensity == propensity; }
};

/// A list that was shown for a query.
struct LoggedList {
  std::uint32_t query = 0;  ///< the number of the query in the Dataset
  std::span<Impression const> shown;
};

/// The lists that were shown to the user of a client, with the clicks. A log has no grades.
class ClickLog {
 public:
  /// Begins the next list. `add` appends documents to this list.
  void begin(std::uint32_t query) {
    queries_.push_back(query);
    ends_.push_back(shown_.size());
  }
  void add(Impression shown) {
    require(!queries_.empty(), "ClickLog::add", "a call of begin before the first add", "no list");
    require(shown.position > 0 && shown.position <= Impression::last_position, "ClickLog::add",
            "a position of 1 to 10000", shown.position);
    require(!shown.has_propensity() || (shown.propensity > 0.0F && shown.propensity <= 1.0F), "ClickLog::add",
            "a propensity in (0, 1], or none", shown.propensity);
    shown_.push_back(shown);
    ends_.back() = shown_.size();
    clicks_ += shown.clicked ? 1 : 0;
  }
  auto members(auto&& visit) const { return visit(queries_, ends_, shown_); }
  void clear() noexcept {
    queries_.clear();
    ends_.clear();
    shown_.clear();
    clicks_ = 0;
  }

  /// The number of lists.
  [[nodiscard]] std::size_t size() const noexcept { return queries_.size(); }
  [[nodiscard]] std::size_t click_count() const noexcept { return clicks_; }
  [[nodiscard]] std::span<Impression const> shown() const& noexcept { return shown_; }
  [[nodiscard]] std::vector<Impression> shown() const&& { return shown_; }
  [[nodiscard]] LoggedList operator[](std::size_t i) const& noexcept {
    std::size_t const begin = i > 0 ? ends_[i - 1] : 0;
    return {queries_[i], std::span(shown_).subspan(begin, ends_[i] - begin)};
  }
  void operator[](std::size_t) const&& = delete;

  /// Throws std::invalid_argument unless every list is of a query of the Dataset and shows documents of that query,
  /// each once and each at another position.
  void check(Dataset const& data) const {
    std::vector<bool> seen;
    std::vector<std::uint32_t> positions;
    for (std::size_t i = 0; i < size(); ++i) {
      auto const [query, list] = (*this)[i];
      if (query >= data.size())
        throw_requirement("ClickLog", "query numbers below " + std::to_string(data.size()), query);
      std::size_t const documents = data[query].document_count();
      seen.assign(documents, false);
      for (Impression const& s : list) {
        if (s.document >= documents)
          throw_requirement("ClickLog", "document rows below " + std::to_string(documents), s.document);
        require(!seen[s.document], "ClickLog", "each document at most once in a list", s.document);
        seen[s.document] = true;
      }
      positions.clear();
      for (Impression const& s : list) positions.push_back(s.position);
      std::sort(positions.begin(), positions.end());
      auto const twice = std::adjacent_find(positions.begin(), positions.end());
      require(twice == positions.end(), "ClickLog", "each position at most once in a list",
              twice == positions.end() ? 0 : *twice);
    }
  }

 private:
  std::vector<std::uint32_t> queries_;
  std::vector<std::size_t> ends_;
  std::vector<Impression> shown_;
  std::size_t clicks_ = 0;
};

/// A client with a click log: `client.log(streams, buffer)` returns the log of a round. The log may be in the buffer or
/// in other memory.
template <class C>
concept HasClickLog = requires(C const& client, Streams const& streams, ClickLog& buffer) {
  { client.log(streams, buffer) } -> std::convertible_to<ClickLog const&>;
};

}  // namespace fltr
