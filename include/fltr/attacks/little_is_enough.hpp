#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <fltr/attacks/detail/known_models.hpp>
#include <fltr/attacks/detail/model_statistics.hpp>
#include <fltr/attacks/deviation.hpp>
#include <fltr/attacks/malicious_clients.hpp>
#include <fltr/concepts/attack.hpp>
#include <fltr/concepts/message.hpp>
#include <fltr/concepts/ranker.hpp>
#include <fltr/core/error.hpp>
#include <fltr/core/normal_quantile.hpp>
#include <fltr/messages/shared_parameters.hpp>

namespace fltr {

/// On which side of the mean the attackers of LittleIsEnough are.
enum class LittleShift : std::uint8_t {
  below,  ///< μ − zσ
  above,  ///< μ + zσ
};

/// "A little is enough" (Baruch et al. 2019; Wang 2024, section 5.2.3). All attackers send μ − zσ. μ and σ are the mean
/// and the standard deviation of each parameter over the attackers' own models before the attack. One attacker alone
/// has σ = 0 and sends its honest model.
struct LittleIsEnough {
  MaliciousClients malicious{};
  std::optional<double> z{};  ///< none: `largest_z` of the clients that were asked and the attackers that answered
  Deviation deviation = Deviation::population;
  LittleShift shift = LittleShift::below;

  /// z of Baruch et al. for m attackers among n clients: with s = ⌊n/2 + 1⌋ − m, Φ(z) = (n − m − s) / (n − m). The
  /// attackers need s honest clients that are further from the mean than they are. z is 0 or negative for small m: then
  /// the attack does nothing or helps. If the attackers are a majority, s < 1 and z would be infinite; for n = 2, m = 1
  /// it would be −∞. Φ(z) is therefore at least 1/(2n) and at most 1 − 1/(2n).
  [[nodiscard]] static double largest_z(std::uint64_t clients, std::uint64_t attackers) {
    require(attackers > 0 && attackers <= clients, "LittleIsEnough", "attackers of 1 to the number of clients",
            attackers);
    auto const n = static_cast<double>(clients);
    auto const honest = static_cast<double>(clients - attackers);
    double const supporters = static_cast<double>(clients / 2 + 1) - static_cast<double>(attackers);
    double const least = 1.0 / (2.0 * n);
    double const p = supporters < 1.0 ? 1.0 : (honest - supporters) / honest;
    return normal_quantile(std::clamp(p, least, 1.0 - least));
  }

  template <FlatMessage M, ParametricRanker R>
  void poison(std::span<ClientMessage<M>> mine, R const& global, AttackContext const& context) const {
    require(!z || std::isfinite(*z), "LittleIsEnough", "a finite z", z.value_or(0.0));
    auto const own = detail::finite_models("LittleIsEnough", std::span<ClientMessage<M> const>(mine),
                                           shared_parameters(global).size());
    if (own.senders.empty()) return;
    std::vector<double> model = detail::model_mean(own.rows);
    auto const sigma = detail::model_deviation(own.rows, model, deviation);
    double const below = z ? *z : largest_z(std::max<std::uint64_t>(context.participants, mine.size()), mine.size());
    double const factor = shift == LittleShift::below ? -below : below;
    for (std::size_t k = 0; k < model.size(); ++k) model[k] += factor * sigma[k];
    detail::send_all(mine, std::span<double const>(model));
  }
};
static_assert(Attack<LittleIsEnough>);

}  // namespace fltr
