#pragma once

#include <concepts>
#include <cstddef>
#include <vector>

#include <fltr/click_models/cascade_model.hpp>
#include <fltr/click_models/mixture_model.hpp>
#include <fltr/click_models/per_client.hpp>
#include <fltr/click_models/position_model.hpp>
#include <fltr/concepts/click_model.hpp>

namespace fltr {

/// Non-IID type 3 (Wang 2024, section 4.5.1): each client has a click behaviour of its own. Client c follows
/// `behaviours[c % behaviours.size()]`. The clients' queries are not changed, so this is a choice of click models and
/// not of a population:
///
///     auto const types = fltr::ByClickBehaviour<>::cascade(5);
///     auto const federation = fltr::fpdgd(fltr::LinearRanker{136}, types.per_client());
///     auto const iid_twin = fltr::fpdgd(fltr::LinearRanker{136}, types.mixture());
template <ClickModel C = CascadeModel>
struct ByClickBehaviour {
  std::vector<C> behaviours;

  /// One behaviour for each client.
  [[nodiscard]] PerClient<C> per_client() const { return {behaviours}; }
  /// The IID twin: every client draws one of the behaviours for each displayed list.
  [[nodiscard]] MixtureModel<C> mixture() const { return {behaviours}; }

  /// The three behaviours of the thesis: perfect, navigational and informational users, for 2, 3 or 5 grades.
  [[nodiscard]] static ByClickBehaviour cascade(std::size_t grades)
  requires std::same_as<C, CascadeModel>
  {
    return {{CascadeModel::perfect(grades), CascadeModel::navigational(grades), CascadeModel::informational(grades)}};
  }

  /// The five position biases of the thesis, η = 0, 0.5, 1, 1.5 and 2. Documents attract by the click probabilities of
  /// the perfect user, for 2, 3 or 5 grades.
  [[nodiscard]] static ByClickBehaviour position(std::size_t grades)
  requires std::same_as<C, PositionModel>
  {
    ByClickBehaviour out;
    for (double const exponent : {0.0, 0.5, 1.0, 1.5, 2.0})
      out.behaviours.push_back({CascadeModel::perfect(grades).click_probability, exponent});
    return out;
  }
};

}  // namespace fltr
