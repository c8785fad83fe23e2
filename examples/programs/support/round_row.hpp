#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "text.hpp"

namespace fltr::examples {

/// Means over the test queries. NaN: not measured.
struct Offline {
  double ndcg10 = std::numeric_limits<double>::quiet_NaN();
  double mrr10 = std::numeric_limits<double>::quiet_NaN();
  double maxrr = std::numeric_limits<double>::quiet_NaN();
  double ndcg5 = std::numeric_limits<double>::quiet_NaN();
  auto fields(auto&& visit) { return visit(ndcg10, mrr10, maxrr, ndcg5); }
};

/// The privacy budget spent since the first round.
struct PrivacySpent {
  double epsilon_nominal = 0;
  double epsilon_accounted = 0;
  double delta = 0;
  std::string assumption{};  ///< the condition under which the accounted epsilon holds
  std::string reason{};      ///< the reason why the accounted epsilon is infinite
  std::string bound{};       ///< the name of the bound that the accounted epsilon is
  double epsilon_any_stop = std::numeric_limits<double>::infinity();  ///< if the stop was chosen from the models
  auto fields(auto&& visit) {
    return visit(epsilon_nominal, epsilon_accounted, delta, assumption, reason, bound, epsilon_any_stop);
  }
};
static_assert(sizeof(PrivacySpent) == 4 * sizeof(double) + 3 * sizeof(std::string),
              "a new member belongs into `fields` too: checkpoints save the rows");

/// Why a run stopped before its last round.
struct BudgetStop {
  std::uint64_t round = 0;  ///< that was not run
  double epsilon = 0;       ///< to which it could have raised the accounted epsilon
  double budget = 0;
};

/// A field in a column that the program adds to rounds.csv: a number, a text, or empty. NaN is an empty field.
class Cell {
 public:
  Cell() = default;
  Cell(double value) : text_(value == value ? shortest(value) : "") {}  // NOLINT(google-explicit-constructor)
  Cell(std::string text) : text_(std::move(text)) {}                    // NOLINT(google-explicit-constructor)
  Cell(char const* text) : text_(text) {}                               // NOLINT(google-explicit-constructor)
  template <std::integral T>
  Cell(T value) : text_(std::to_string(value)) {}  // NOLINT(google-explicit-constructor)

  [[nodiscard]] std::string const& text() const noexcept { return text_; }
  auto fields(auto&& visit) { return visit(text_); }

 private:
  std::string text_;
};

/// Whether a row of rounds.csv belongs to the model that the run will report.
enum class Keep {
  yes,
  if_followed,  ///< only if a row with Keep::yes follows: a tree that early stopping may remove
};

/// The values of one round. Row 0 is the model before the first round.
struct RoundRow {
  std::uint64_t round = 0;
  std::uint64_t interactions = 0;         ///< in this round; rounds.csv shows the sum over the rounds so far
  std::optional<Offline> offline{};       ///< if the model was evaluated after this round
  std::optional<double> online_ndcg10{};  ///< of the lists shown in this round, mean over clients
  std::uint64_t clients = 0;              ///< clients that the server asked for a message
  std::uint64_t dropped = 0;              ///< clients that sent no message
  std::uint64_t rejected = 0;             ///< clients whose message the server rejected
  bool discarded = false;                 ///< too few clients reported: the model did not change
  std::optional<PrivacySpent> privacy{};  ///< if the training has a privacy ledger
  std::vector<Cell> extra{};              ///< the program's own columns
  auto fields(auto&& visit) {
    return visit(round, interactions, offline, online_ndcg10, clients, dropped, rejected, discarded, privacy, extra);
  }
};

/// The columns of rounds.csv. The program's own columns follow.
inline constexpr std::string_view round_columns =
    "run,seed,fold,round,interactions,offline_ndcg10,offline_mrr10,online_ndcg10,clients,dropped,rejected,"
    "epsilon_nominal,epsilon_accounted,delta,seconds";

}  // namespace fltr::examples
