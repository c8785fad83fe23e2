#include <fltr/concepts/query_source.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <fltr/partition/by_category.hpp>
#include <fltr/partition/logged_population.hpp>

#include "support/catch.hpp"
#include "support/datasets.hpp"

namespace {

using fltr::DrawAt;
using fltr::QueryPool;
using fltr::QueryView;
using fltr::Stream;

// ---- the minimal models of the concepts' comments

struct FirstQuery {
  fltr::Dataset const* data;
  std::size_t size() const { return 1; }
  QueryView operator[](std::size_t) const { return (*data)[0]; }
};
struct AlwaysTheFirst {
  QueryPool pool;
  std::size_t size() const { return pool.size(); }
  QueryView operator[](std::size_t i) const { return pool[i]; }
  QueryView draw(Stream&) const { return pool[0]; }
};

// ---- other sources

/// Asks the query with the number of the round.
struct ByRound : FirstQuery {
  QueryView draw(DrawAt const& at, Stream&) const { return (*data)[at.round]; }
};
struct BothForms : ByRound {
  using ByRound::draw;
  QueryView draw(Stream&) const { return {}; }
};
struct DrawsAnIndex : FirstQuery {
  std::size_t draw(Stream&) const { return 0; }
};
struct ChangesItself : FirstQuery {
  QueryView draw(Stream&) { return {}; }
};
struct DrawsByRound : FirstQuery {
  QueryView draw(std::uint32_t, Stream&) const { return {}; }
};
struct DrawsWithoutQueries {
  QueryView draw(Stream&) const { return {}; }
};

template <class Queries>
struct ClientWith {
  fltr::ClientId id = 0;
  std::uint32_t interactions = 1;
  Queries queries;
};
struct NoQueries {
  fltr::ClientId id = 0;
};

template <class S>
concept CanDraw =
    requires(S&& source, Stream& stream) { fltr::draw_query(std::forward<S>(source), {1, 0, 1}, stream); };

}  // namespace

TEST_CASE("A QuerySet needs size() and operator[] that returns a QueryView") {
  STATIC_REQUIRE(fltr::QuerySet<fltr::Dataset>);
  STATIC_REQUIRE(fltr::QuerySet<QueryPool>);
  STATIC_REQUIRE(fltr::QuerySet<fltr::QuerySequence>);
  STATIC_REQUIRE(fltr::QuerySet<std::vector<QueryView>>);
  STATIC_REQUIRE(fltr::QuerySet<FirstQuery>);
  STATIC_REQUIRE(!fltr::QuerySet<DrawsWithoutQueries>);
  STATIC_REQUIRE(!fltr::QuerySet<std::vector<int>>);
  STATIC_REQUIRE(!fltr::QuerySet<QueryView>);
  STATIC_REQUIRE(!fltr::QuerySet<int>);
}

TEST_CASE("A QuerySource is a QuerySet with one of the two forms of draw") {
  STATIC_REQUIRE(fltr::QuerySource<QueryPool>);
  STATIC_REQUIRE(fltr::QuerySource<fltr::QuerySequence>);
  STATIC_REQUIRE(fltr::QuerySource<AlwaysTheFirst>);
  STATIC_REQUIRE(fltr::QuerySource<ByRound>);
  STATIC_REQUIRE(fltr::QuerySource<BothForms>);
  STATIC_REQUIRE(!fltr::QuerySource<fltr::Dataset>);
  STATIC_REQUIRE(!fltr::QuerySource<FirstQuery>);
  STATIC_REQUIRE(!fltr::QuerySource<DrawsAnIndex>);
  STATIC_REQUIRE(!fltr::QuerySource<ChangesItself>);
  STATIC_REQUIRE(!fltr::QuerySource<DrawsByRound>);
  STATIC_REQUIRE(!fltr::QuerySource<DrawsWithoutQueries>);
}

TEST_CASE("A client has queries if its member 'queries' is a QuerySource") {
  STATIC_REQUIRE(fltr::HasQueries<fltr::Client>);
  STATIC_REQUIRE(fltr::HasQueries<fltr::LoggedPopulation::LoggedClient>);
  STATIC_REQUIRE(fltr::HasQueries<fltr::MergingClient>);
  STATIC_REQUIRE(fltr::HasQueries<ClientWith<fltr::QuerySequence>>);
  STATIC_REQUIRE(fltr::HasQueries<ClientWith<ByRound>>);
  STATIC_REQUIRE(!fltr::HasQueries<ClientWith<FirstQuery>>);
  STATIC_REQUIRE(!fltr::HasQueries<ClientWith<int>>);
  STATIC_REQUIRE(!fltr::HasQueries<NoQueries>);
  STATIC_REQUIRE(!fltr::HasQueries<int>);
}

TEST_CASE("draw_query calls the form of draw that the source has") {
  auto const data = fltr::testing::dataset_of({{{0, {0}}}, {{0, {1}}}, {{0, {2}}}}, 1);
  auto const number = [](QueryView query) { return query.row(0)[0]; };
  Stream stream(5);
  QueryPool const pool(data);
  Stream same(5);
  for (std::uint32_t i = 0; i < 50; ++i)
    REQUIRE(number(fltr::draw_query(pool, {1, i, 50}, stream)) == number(pool.draw(same)));
  CHECK(stream() == same());

  AlwaysTheFirst const first{pool};
  CHECK(number(fltr::draw_query(first, {2, 0, 1}, stream)) == 0.0F);
  ByRound const by_round{{&data}};
  CHECK(number(fltr::draw_query(by_round, {2, 0, 1}, stream)) == 2.0F);
  BothForms const both{{{&data}}};
  CHECK(number(fltr::draw_query(both, {1, 0, 1}, stream)) == 1.0F);
  fltr::QuerySequence const sequence{QueryPool(data, {2, 0})};
  CHECK(number(fltr::draw_query(sequence, {1, 0, 1}, stream)) == 2.0F);
  CHECK(number(fltr::draw_query(sequence, {2, 0, 1}, stream)) == 0.0F);
  CHECK(number(fltr::draw_query(sequence, {1, 2, 3}, stream)) == 2.0F);
}

TEST_CASE("draw_query does not compile for a temporary source") {
  STATIC_REQUIRE(CanDraw<QueryPool const&>);
  STATIC_REQUIRE(!CanDraw<QueryPool>);
}
