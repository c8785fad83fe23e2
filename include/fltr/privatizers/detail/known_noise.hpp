#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include <fltr/concepts/round_release.hpp>
#include <fltr/core/error.hpp>

/// The noise of a sum that an adversary does not know. A client knows its own noise and sees the model, so that each
/// participant can subtract its noise from the sum. Mechanisms assume that c reporting clients use or reveal their noise,
/// or add none. The client whose loss is stated is not among them: its own noise always counts.
namespace fltr::detail {

/// The clients whose noise counts in this release: honest reports minus c, at least one. 0: there is no honest report.
[[nodiscard]] inline std::uint64_t unknown_noises(RoundRelease const& release, std::uint64_t colluding) {
  if (release.reported <= release.noiseless) return 0;
  std::uint64_t const honest = release.reported - release.noiseless;
  return honest > colluding ? honest - colluding : 1;
}

/// The clients whose noise together is complete, if it must be complete with t reports of which c collude.
[[nodiscard]] inline std::uint64_t noise_shares(std::uint64_t fewest_reports, std::uint64_t colluding) {
  return fewest_reports > colluding ? fewest_reports - colluding : 1;
}

/// With one report nobody else can collude. So the default c = 1 fits every t.
inline void check_colluding(char const* where, std::uint64_t fewest_reports, std::uint64_t colluding) {
  require(fewest_reports > colluding || (fewest_reports == 1 && colluding == 1), where,
          "more fewest_reports than colluding clients", fewest_reports);
}

/// The assumption of a loss that counts on the noise of several clients.
[[nodiscard]] inline std::string colluding_assumption(std::uint64_t colluding) {
  if (colluding == 0) return "against the server alone: assumes that no client uses its knowledge of its own noise";
  return "assumes that at most " + std::to_string(colluding) + " of the reporting clients " +
         (colluding == 1 ? "colludes or adds" : "collude or add") + " no noise";
}

}  // namespace fltr::detail
