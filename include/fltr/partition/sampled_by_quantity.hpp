#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <fltr/concepts/population.hpp>
#include <fltr/concepts/query_set.hpp>
#include <fltr/core/error.hpp>
#include <fltr/core/logarithm.hpp>
#include <fltr/core/random.hpp>
#include <fltr/data/secrecy.hpp>

namespace fltr {

/// The weight of a client in SampledByQuantity.
enum class ClientWeight : std::uint8_t {
  interactions,  ///< its number of interactions per round
  queries,       ///< its number of different queries
};

/// A population of which `per_round` clients are asked in each round. They are drawn one after the other without
/// replacement; each draw takes a client with a probability proportional to its weight among the clients that are left.
/// A client of weight 0 is never asked.
///
/// **Privacy.** The rounds in which a client is asked show its weight. Interactions are public, numbers of queries are
/// data: with ClientWeight::queries a ledger accounts epsilon = infinity, unless they are declared Secrecy::published.
template <Population P>
class SampledByQuantity {
  static_assert(!composition::NamesHook_participants<P>,
                "fltr: the population within SampledByQuantity must not have the hook 'participants': "
                "SampledByQuantity draws the participants itself");

 public:
  /// Reads all clients once. Takes 8 bytes per client, which copies share. `quantities`: whether the numbers of queries
  /// are public.
  SampledByQuantity(P population, std::size_t per_round, ClientWeight weight = ClientWeight::interactions,
                    Secrecy quantities = Secrecy::confidential)
      : population_(std::move(population)),
        per_round_(per_round),
        shows_queries_(weight == ClientWeight::queries && quantities == Secrecy::confidential) {
    std::vector<std::uint64_t> ends(population_.size());
    std::uint64_t sum = 0;
    std::size_t positive = 0;
    for (std::size_t i = 0; i < ends.size(); ++i) {
      std::uint64_t const own = weight_of(population_[i], weight);
      positive += own > 0 ? 1U : 0U;
      ends[i] = sum += own;
    }
    require(per_round > 0 && per_round <= positive, "SampledByQuantity",
            "1 to " + std::to_string(positive) + " clients per round, the number of clients with a weight above 0",
            per_round);
    ends_ = std::make_shared<std::vector<std::uint64_t> const>(std::move(ends));
  }

  [[nodiscard]] std::size_t size() const { return population_.size(); }
  [[nodiscard]] ClientOf<P> operator[](std::size_t i) const { return population_[i]; }

  [[nodiscard]] std::string discloses() const {
    if (shows_queries_) return "clients are sampled by their numbers of queries, which are not declared public";
    return disclosed_by(population_);
  }

  /// Positions in rising order. At most 1/16 of the clients are drawn one by one, in O(log clients) each; a repeated
  /// client is discarded and another is drawn. More clients are drawn at once in O(clients): those with the smallest
  /// E / weight, E exponential, which has the same distribution (Efraimidis and Spirakis 2006). If few clients have most
  /// of the weight and 4 · per_round + 64 draws do not suffice, the rest is drawn at once too.
  [[nodiscard]] std::vector<std::uint32_t> participants(std::uint32_t, Stream& stream) const {
    std::set<std::uint32_t> drawn;
    if (per_round_ <= size() / 16)
      for (std::size_t tries = 0; drawn.size() < per_round_ && tries < 4 * per_round_ + 64; ++tries) {
        std::uint64_t const at = stream.below64(ends_->back());
        drawn.insert(static_cast<std::uint32_t>(std::ranges::upper_bound(*ends_, at) - ends_->begin()));
      }
    std::vector<std::uint32_t> out(drawn.begin(), drawn.end());
    if (out.size() < per_round_) {
      draw_rest(drawn, out, stream);
      std::ranges::sort(out);
    }
    return out;
  }

  /// Asks the hook `reports` of the population within.
  [[nodiscard]] bool reports(RoundPhase const& at, std::size_t i, Stream& stream) const {
    return fltr::reports(population_, at, i, stream);
  }

  auto members(auto&& visit) const { return visit(population_, per_round_, *ends_); }

 private:
  template <class C>
  [[nodiscard]] static std::uint64_t weight_of(C const& client, ClientWeight weight) {
    if (weight == ClientWeight::interactions) return client.interactions;
    if constexpr (requires { requires QuerySet<std::remove_cvref_t<decltype(client.queries)>>; })
      return client.queries.size();
    else
      throw_requirement("SampledByQuantity", "clients with a member 'queries' for ClientWeight::queries", "none");
  }

  /// Draws clients that are not in `drawn`, until `out` is complete.
  void draw_rest(std::set<std::uint32_t> const& drawn, std::vector<std::uint32_t>& out, Stream& stream) const {
    std::vector<std::pair<double, std::uint32_t>> keys;
    std::uint64_t before = 0;
    for (std::uint32_t i = 0; i < ends_->size(); ++i) {
      std::uint64_t const own = (*ends_)[i] - std::exchange(before, (*ends_)[i]);
      if (own > 0 && !drawn.contains(i)) keys.emplace_back(-math::log(stream.uniform()) / static_cast<double>(own), i);
    }
    auto const count = static_cast<std::ptrdiff_t>(per_round_ - out.size());
    std::ranges::nth_element(keys, keys.begin() + count - 1);
    for (auto key = keys.begin(); key != keys.begin() + count; ++key) out.push_back(key->second);
  }

  P population_;
  std::size_t per_round_;
  bool shows_queries_;
  std::shared_ptr<std::vector<std::uint64_t> const> ends_;  // sums of the weights up to each client
};

}  // namespace fltr
