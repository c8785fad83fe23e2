#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <fltr/concepts/population.hpp>
#include <fltr/core/error.hpp>
#include <fltr/partition/detail/forwarded_hooks.hpp>

namespace fltr {

/// A population whose clients ask different numbers of queries per round: the client at position i has
/// `interactions[i % interactions.size()]`. Everything else is as in the population within, also its hooks
/// `participants` and `reports`. With a population of type 1, 2 or 3 it is a combination with non-IID type 4.
template <Population P>
class WithInteractions : public detail::ForwardedParticipants<WithInteractions<P>, P>,
                         public detail::ForwardedReports<WithInteractions<P>, P> {
 public:
  WithInteractions(P population, std::vector<std::uint32_t> interactions)
      : population_(std::move(population)), interactions_(std::move(interactions)) {
    require(!interactions_.empty(), "WithInteractions", "at least one number of interactions", interactions_.size());
    for (std::uint32_t const number : interactions_)
      require(number > 0, "WithInteractions", "at least one interaction per round", number);
  }

  [[nodiscard]] std::size_t size() const { return population_.size(); }
  [[nodiscard]] ClientOf<P> operator[](std::size_t i) const {
    ClientOf<P> client = population_[i];
    client.interactions = interactions_[i % interactions_.size()];
    return client;
  }

  [[nodiscard]] std::string discloses() const { return disclosed_by(population_); }

  /// The population within.
  [[nodiscard]] P const& inner() const& noexcept { return population_; }
  void inner() const&& = delete;

  auto members(auto&& visit) const { return visit(population_, interactions_); }

 private:
  P population_;
  std::vector<std::uint32_t> interactions_;
};

}  // namespace fltr
