#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "text.hpp"

namespace fltr::examples {

/// Means over the test queries.
struct Offline {
  double ndcg10 = std::numeric_limits<double>::quiet_NaN();
  double mrr10 = std::numeric_limits<double>::quiet_NaN();
  double maxrr = std::numeric_limits<double>::quiet_NaN();
  double ndcg5 = std::numeric_limits<double>::quiet_NaN();
};

/// What has been spent of a privacy budget since the first round.
struct PrivacySpent {
  double epsilon_nominal = 0;
  double epsilon_accounted = 0;
  double delta = 0;
  std::string assumption{};  ///< under which the accounted epsilon holds
  std::string reason{};      ///< why the accounted epsilon is infinite
};

/// A field of a column that the program adds to rounds.csv: a number, a text, or nothing.
class Cell {
 public:
  Cell() = default;
  Cell(double value) : text_(value == value ? shortest(value) : "") {}  // NOLINT(google-explicit-constructor)
  Cell(std::string text) : text_(std::move(text)) {}                    // NOLINT(google-explicit-constructor)
  Cell(char const* text) : text_(text) {}                               // NOLINT(google-explicit-constructor)
  template <std::integral T>
  Cell(T value) : text_(std::to_string(value)) {}  // NOLINT(google-explicit-constructor)

  [[nodiscard]] std::string const& text() const noexcept { return text_; }

 private:
  std::string text_;
};

/// Whether a row of rounds.csv belongs to the model that the run will report.
enum class Keep {
  yes,
  if_followed,  ///< only if a row with Keep::yes comes later: a tree that early stopping may remove
};

/// What a program tells the recorder about one round. Row 0 is the model before the first round.
struct RoundRow {
  std::uint64_t round = 0;
  std::uint64_t interactions = 0;         ///< in this round; rounds.csv shows the sum so far
  std::optional<Offline> offline{};       ///< where it was evaluated
  std::optional<double> online_ndcg10{};  ///< of the lists shown in this round, mean over clients
  std::uint64_t clients = 0;              ///< asked
  std::uint64_t dropped = 0;              ///< did not report
  std::uint64_t rejected = 0;             ///< reported, and were screened out
  std::optional<PrivacySpent> privacy{};  ///< so far, where there is any
  std::vector<Cell> extra{};              ///< the program's own columns
};

/// The discount of online performance per round, Σ_t γ^t · online(t), the first round having t = 0.
inline constexpr double online_discount = 0.9995;

}  // namespace fltr::examples
