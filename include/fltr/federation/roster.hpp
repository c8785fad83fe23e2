#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <fltr/concepts/population.hpp>
#include <fltr/core/error.hpp>
#include <fltr/core/random.hpp>
#include <fltr/core/tree.hpp>

namespace fltr {

/// Who is asked in a round, cut into blocks of neighbouring clients. A block belongs to fixed positions in the
/// population: whoever is absent leaves a hole, and nobody else's place in the sum shifts.
class Roster {
 public:
  static constexpr std::size_t block_size = clients_per_block;

  template <Population P>
  Roster(P const& population, std::uint32_t round, Stream stream) : population_(population.size()) {
    if constexpr (NamesHook_participants<P>) {
      static_assert(
          requires { std::vector<std::uint32_t>(population.participants(round, stream)); },
          "fltr: the Population's hook 'participants' must be callable as std::vector<std::uint32_t> "
          "participants(std::uint32_t round, Stream&) const");
      everybody_ = false;
      chosen_ = population.participants(round, stream);
      std::ranges::sort(chosen_);
      if (auto const twice = std::ranges::adjacent_find(chosen_); twice != chosen_.end())
        throw_requirement("Population", "participants that differ", "client " + std::to_string(*twice) + " twice");
      require(chosen_.empty() || chosen_.back() < population_, "Population", "participants of the population",
              chosen_.empty() ? 0 : chosen_.back());
    }
  }

  /// How many clients are asked.
  [[nodiscard]] std::size_t size() const noexcept { return everybody_ ? population_ : chosen_.size(); }
  [[nodiscard]] std::size_t blocks() const noexcept { return block_count(population_); }
  [[nodiscard]] static constexpr std::size_t block_count(std::size_t population) noexcept {
    return std::max<std::size_t>(1, (population + block_size - 1) / block_size);
  }

  /// Calls visit(position) for everyone asked in a block.
  template <class Visit>
  void for_each_in(std::size_t block, Visit const& visit) const {
    std::size_t const begin = block * block_size;
    std::size_t const end = std::min(population_, begin + block_size);
    if (everybody_) {
      for (std::size_t i = begin; i < end; ++i) visit(i);
      return;
    }
    for (auto it = std::ranges::lower_bound(chosen_, begin); it != chosen_.end() && *it < end; ++it)
      visit(std::size_t{*it});
  }

 private:
  std::size_t population_;
  bool everybody_ = true;
  std::vector<std::uint32_t> chosen_;  // sorted; unless everybody is asked
};

}  // namespace fltr
