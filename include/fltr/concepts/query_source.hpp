#pragma once

#include <concepts>
#include <type_traits>

#include <fltr/concepts/query_set.hpp>
#include <fltr/core/hooks.hpp>
#include <fltr/core/random.hpp>
#include <fltr/data/client.hpp>
#include <fltr/data/draw_at.hpp>
#include <fltr/data/pooled_queries.hpp>
#include <fltr/data/query_pool.hpp>
#include <fltr/data/query_sequence.hpp>
#include <fltr/data/query_view.hpp>

namespace fltr {

namespace composition {

FLTR_HOOK(draw);
FLTR_HOOK(by_number);

/// `s.draw(stream)` draws a query at any time.
template <class S>
concept DrawsAnyTime = requires(S const& s, Stream& stream) {
  { s.draw(stream) } -> std::convertible_to<QueryView>;
};

/// `s.draw(at, stream)` draws a query for a round and an interaction.
template <class S>
concept DrawsInTime = requires(S const& s, DrawAt const& at, Stream& stream) {
  { s.draw(at, stream) } -> std::convertible_to<QueryView>;
};

}  // namespace composition

/// A **QuerySource** is the QuerySet of a client, from which the next query is drawn. It is the type of the member
/// `queries` of a client.
///
/// | required                                  | meaning                                                            |
/// | ----------------------------------------- | ------------------------------------------------------------------ |
/// | `s.size()`, `s[i]`                        | see QuerySet                                                       |
/// | `s.draw(stream)` or `s.draw(at, stream)`  | const; the QueryView of the next query; `at` is a DrawAt           |
///
/// | optional                                  | meaning                                                            |
/// | ----------------------------------------- | ------------------------------------------------------------------ |
/// | `s.by_number(n)`                          | const; the query with number n in the Dataset; learners of logged  |
/// |                                           | clicks call it                                                     |
/// | `s.scaled_by()`                           | const; returns a ScaledBy: on which other documents the features   |
/// |                                           | depend, such as `pool.scaled_by()`; without it, a privacy loss     |
/// |                                           | assumes that they depend on no other client's                      |
///
/// A source has no state that `draw` changes: a population makes its clients anew in each round. Learners draw only
/// from a source with size() > 0. A source with both forms of `draw` is asked by `draw(at, stream)`.
///
///     struct AlwaysTheFirst {
///       fltr::QueryPool pool;
///       std::size_t size() const { return pool.size(); }
///       fltr::QueryView operator[](std::size_t i) const { return pool[i]; }
///       fltr::QueryView draw(fltr::Stream&) const { return pool[0]; }
///     };
///     static_assert(fltr::QuerySource<AlwaysTheFirst>);
///
/// Models: QueryPool, QuerySequence, PooledQueries. Weaker: QuerySet.
template <class S>
concept QuerySource = QuerySet<S> && (composition::DrawsAnyTime<S> || composition::DrawsInTime<S>);
static_assert(QuerySource<QueryPool> && QuerySource<QuerySequence> && QuerySource<PooledQueries>);

/// A client whose member `queries` is a QuerySource.
template <class C>
concept HasQueries = requires(C const& client) { requires QuerySource<std::remove_cvref_t<decltype(client.queries)>>; };
static_assert(HasQueries<Client>);

/// The next query of a source, by the form of `draw` that the source has.
template <QuerySet S>
[[nodiscard]] QueryView draw_query(S const& source, DrawAt const& at, Stream& stream) {
  static_assert(
      QuerySource<S>,
      "fltr: a source of queries must have draw(Stream&) or draw(DrawAt const&, Stream&), const and returning "
      "a QueryView");
  if constexpr (composition::DrawsInTime<S>)
    return source.draw(at, stream);
  else if constexpr (composition::DrawsAnyTime<S>)
    return source.draw(stream);
}
template <QuerySet S>
void draw_query(S const&&, DrawAt const&, Stream&) = delete;  // the QueryView could refer to grades of the temporary

}  // namespace fltr
