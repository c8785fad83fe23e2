#pragma once

#include <cstdint>
#include <span>

#include <fltr/core/hooks.hpp>
#include <fltr/core/random.hpp>
#include <fltr/data/client.hpp>
#include <fltr/data/query_view.hpp>

namespace fltr {

namespace composition {
FLTR_HOOK(of);
}  // namespace composition

/// A **ClickModel** is a simulated user: it decides which documents of a displayed list are clicked.
///
/// | required                          | meaning                                                                |
/// | --------------------------------- | ---------------------------------------------------------------------- |
/// | `c.click(grades, clicks, stream)` | const; `grades` of the displayed documents in rank order; writes 0 or  |
/// |                                   | 1 into `clicks` for every document                                     |
///
/// | optional                          | meaning                                                                |
/// | --------------------------------- | ---------------------------------------------------------------------- |
/// | `c.of(client_id)`                 | const; returns the ClickModel of one client; default: the same model   |
/// |                                   | for all clients                                                        |
///
/// Not required: a state; a model that reads features or other queries.
///
///     struct ClicksTheFirst {
///       void click(std::span<fltr::Grade const>, std::span<std::uint8_t> clicks, fltr::Stream&) const {
///         for (auto& click : clicks) click = &click == clicks.data();
///       }
///     };
///     static_assert(fltr::ClickModel<ClicksTheFirst>);
///
/// Models: CascadeModel, PositionModel, PerClient, MixtureModel, NoClicks.
template <class C>
concept ClickModel = requires(C const& c, std::span<Grade const> grades, std::span<std::uint8_t> clicks,
                              Stream& stream) { c.click(grades, clicks, stream); };

/// The click model of one client: `clicks.of(client)`, or `clicks` itself without that hook.
template <ClickModel C>
[[nodiscard]] decltype(auto) clicks_of(C const& clicks, ClientId client) {
  if constexpr (composition::NamesHook_of<C>) {
    static_assert(
        requires { requires ClickModel<std::remove_cvref_t<decltype(clicks.of(client))>>; },
        "fltr: the ClickModel's hook 'of' must be callable as of(ClientId) const and return a ClickModel");
    return clicks.of(client);
  } else {
    return (clicks);
  }
}
template <ClickModel C>
void clicks_of(C const&&, ClientId) = delete;  // the result would refer to a temporary

}  // namespace fltr
