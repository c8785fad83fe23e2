#pragma once

#include <cstdint>
#include <span>

#include <fltr/core/hooks.hpp>
#include <fltr/core/random.hpp>
#include <fltr/data/client.hpp>
#include <fltr/data/query_view.hpp>

namespace fltr {

FLTR_HOOK(of);

/// A **ClickModel** is a simulated user: grades of the shown documents in rank order in, clicks out.
///
/// | required                          | meaning                                                                |
/// | --------------------------------- | ---------------------------------------------------------------------- |
/// | `c.click(grades, clicks, stream)` | const; writes 0 or 1 for every shown document                          |
///
/// | optional                          | meaning                                                                |
/// | --------------------------------- | ---------------------------------------------------------------------- |
/// | `c.of(client_id)`                 | the ClickModel of one client, where they differ                        |
///
///     struct ClicksTheFirst {
///       void click(std::span<fltr::Grade const>, std::span<std::uint8_t> clicks, fltr::Stream&) const {
///         for (auto& c : clicks) c = &c == clicks.data();
///       }
///     };
///     static_assert(fltr::ClickModel<ClicksTheFirst>);
///
/// Models: CascadeModel, PositionModel, PerClient, NoClicks.
template <class C>
concept ClickModel = requires(C const& c, std::span<Grade const> grades, std::span<std::uint8_t> clicks,
                              Stream& stream) {
  c.click(grades, clicks, stream);
};

/// The behaviour of one client: `clicks.of(client)`, or `clicks` itself.
template <ClickModel C>
[[nodiscard]] decltype(auto) clicks_of(C const& clicks, ClientId client) {
  if constexpr (NamesHook_of<C>) {
    static_assert(
        requires { requires ClickModel<std::remove_cvref_t<decltype(clicks.of(client))>>; },
        "fltr: the ClickModel's hook 'of' must be callable as of(ClientId) and return a ClickModel");
    return clicks.of(client);
  } else {
    return (clicks);
  }
}
template <ClickModel C>
void clicks_of(C const&&, ClientId) = delete;  // it would return a reference to a temporary

}  // namespace fltr
