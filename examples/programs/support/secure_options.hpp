#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fltr/aggregators/fixed_point.hpp>
#include <fltr/privatizers/distributed_gaussian.hpp>
#include <fltr/privatizers/gamma_noise.hpp>
#include <fltr/privatizers/polya_noise.hpp>

#include "any_seal.hpp"
#include "options.hpp"
#include "program.hpp"

namespace fltr::examples {

class Recorder;

enum class SecureKind {
  no,
  masked,  ///< SecureSum
  ideal,   ///< IdealSum: the same numbers without masks
};
enum class SharedNoise {
  gamma,                 ///< FPDGD's
  measurements,          ///< FOLtR-ES's, of every measurement
  distributed_gaussian,  ///< of the clipped contributions
  polya,                 ///< of the contributions, clipped in the L1 norm
};

/// Sums that the server cannot take apart, and noise of which each client adds a share.
///
///     add_secure_options(program, options);        // --secure, --colluding, --fewest-reports
///     add_shared_noise_options(program, options);  // --mechanism, --clip, --total-epsilon
///     program.check([&] { check_secure(program, options, options, noise_is_added); });
struct SecureOptions {
  SecureKind secure = SecureKind::no;
  std::uint32_t colluding = 1;                    ///< c
  std::optional<std::uint32_t> fewest_reports{};  ///< t
  SharedNoise mechanism = SharedNoise::gamma;
  double clip = 0.1;  ///< S
  std::optional<double> total_epsilon{};

  [[nodiscard]] bool sealed() const noexcept { return secure != SecureKind::no; }
  [[nodiscard]] bool gaussian() const noexcept { return mechanism == SharedNoise::distributed_gaussian; }
  [[nodiscard]] bool polya() const noexcept { return mechanism == SharedNoise::polya; }
};

void add_secure_options(Program& program, SecureOptions& options);
void add_shared_noise_options(Program& program, SecureOptions& options);
/// --clip and --total-epsilon alone, for a program with its own --mechanism.
void add_gaussian_options(Program& program, SecureOptions& options);

/// Throws UsageError for options that contradict each other, and ignores those that the run does not use. `noise`:
/// whether messages have noise that no option above names.
void check_secure(Program& program, CommonOptions const& common, SecureOptions const& secure, double delta, bool noise);

/// t: --fewest-reports, or --minimum-reports if it is above 1. Otherwise the largest number such that a round of
/// --dropout has fewer reports with probability at most 2^-30; without dropout all clients.
[[nodiscard]] std::uint64_t fewest_reports_of(CommonOptions const& common, SecureOptions const& secure);

/// What SecureGraph is computed for: at least 5 % of the clients collude with the server, and as many drop out as leave
/// t reports, or as --dropout leaves with probability 1 − 2^-30.
[[nodiscard]] SecureSetting secure_setting_of(CommonOptions const& common, SecureOptions const& secure);

/// The noise of a mechanism. A UsageError names `option` if there is no such noise.
///
/// The noise of --mechanism distributed-gaussian with the smallest σ whose loss over --rounds is at most
/// --total-epsilon.
[[nodiscard]] DistributedGaussian gaussian_of(CommonOptions const& common, SecureOptions const& secure, double delta,
                                              std::size_t parameters, std::string_view option = "--total-epsilon");
/// The noise of --mechanism polya: of `epsilon` in each round, or without it the one with the smallest scale whose loss
/// over --rounds is at most --total-epsilon.
[[nodiscard]] PolyaNoise polya_of(CommonOptions const& common, SecureOptions const& secure,
                                  std::optional<double> epsilon, double delta, std::size_t parameters,
                                  std::string_view option = "--total-epsilon");
/// The same noise, complete in the reports that are certain without the colluding ones. As published, if messages are not
/// sealed and --fewest-reports is not given: then only the account counts the colluding ones.
[[nodiscard]] GammaNoise gamma_of(CommonOptions const& common, SecureOptions const& secure, GammaNoise published,
                                  std::string_view option = "--epsilon");

/// The seal of a sum of messages that have no noise: 64 bits, which cannot overflow.
[[nodiscard]] ContributionSeal seal_of(CommonOptions const& common, SecureOptions const& secure);
/// With noise: 32 bits, or 64 bits if 32 bits overflow with a probability above 2^-40.
[[nodiscard]] ContributionSeal seal_of(CommonOptions const& common, SecureOptions const& secure,
                                       DistributedGaussian const& noise, std::size_t parameters);
[[nodiscard]] ContributionSeal seal_of(CommonOptions const& common, SecureOptions const& secure,
                                       PolyaNoise const& noise, std::size_t parameters);
/// 64 bits on a grid on which the noise overflows with a probability below e^-64.
[[nodiscard]] ContributionSeal seal_of(CommonOptions const& common, SecureOptions const& secure,
                                       GammaNoise const& noise);

/// Adds seal and noise to the report and to run.json (result.secure_sum, result.shared_noise).
void record_seal(Recorder& recorder, CommonOptions const& common, SecureOptions const& secure,
                 ContributionSeal const& seal);
void record_noise(Recorder& recorder, DistributedGaussian const& noise, bool sealed);
void record_noise(Recorder& recorder, PolyaNoise const& noise, bool sealed);

}  // namespace fltr::examples
