#pragma once

#include <cstdint>
#include <span>

#include <fltr/core/hooks.hpp>
#include <fltr/core/random.hpp>
#include <fltr/data/client.hpp>
#include <fltr/data/displayed_list.hpp>
#include <fltr/data/grade.hpp>
#include <fltr/data/query_view.hpp>

namespace fltr {

namespace composition {
FLTR_HOOK(of);
}  // namespace composition

/// A **ClickModel** is a simulated user: it decides which documents of a displayed list are clicked.
///
/// | required                          | meaning                                                                |
/// | --------------------------------- | ---------------------------------------------------------------------- |
/// | `c.click(list, clicks, stream)`   | const; `list` is a DisplayedList: the displayed documents in rank      |
/// |                                   | order; writes 0 or 1 into `clicks` for every document                  |
///
/// | optional                          | meaning                                                                |
/// | --------------------------------- | ---------------------------------------------------------------------- |
/// | `c.of(client_id)`                 | const; returns the ClickModel of one client; default: the same model   |
/// |                                   | for all clients                                                        |
///
/// Most models read only the grades of the documents. A DisplayedList converts to its grades, so that they declare
/// `click(std::span<Grade const> grades, clicks, stream)`. A model that reads features declares
/// `click(DisplayedList const& list, clicks, stream)` and calls `list.features(rank)`. A model that passes the list on
/// to another model declares `click(auto const& list, clicks, stream)`.
///
/// Not required: a state; the features of the documents. No model sees other queries.
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
concept ClickModel = requires(C const& c, DisplayedList const& list, std::span<std::uint8_t> clicks, Stream& stream) {
  c.click(list, clicks, stream);
};

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
