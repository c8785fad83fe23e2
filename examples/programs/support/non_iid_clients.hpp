#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <variant>

#include <fltr/click_models/cascade_model.hpp>
#include <fltr/click_models/mixture_model.hpp>
#include <fltr/click_models/per_client.hpp>
#include <fltr/click_models/position_model.hpp>
#include <fltr/concepts/click_model.hpp>
#include <fltr/concepts/population.hpp>
#include <fltr/concepts/query_source.hpp>
#include <fltr/data/client.hpp>
#include <fltr/data/draw_at.hpp>
#include <fltr/data/pooled_queries.hpp>
#include <fltr/data/query_pool.hpp>
#include <fltr/data/query_sequence.hpp>

namespace fltr::examples {

/// The queries of a client of any non-IID type. The program chooses the type at run time; one type of client for all
/// of them means one federation to compile instead of one per type.
class AnyQueries {
 public:
  AnyQueries() = default;
  template <class Q>
  explicit AnyQueries(Q queries) : queries_(std::move(queries)) {}

  [[nodiscard]] std::size_t size() const noexcept {
    return std::visit([](auto const& queries) { return queries.size(); }, queries_);
  }
  [[nodiscard]] QueryView operator[](std::size_t i) const& noexcept {
    return std::visit([&](auto const& queries) { return queries[i]; }, queries_);
  }
  void operator[](std::size_t) const&& = delete;
  [[nodiscard]] QueryView draw(DrawAt const& at, Stream& stream) const& {
    return std::visit([&](auto const& queries) { return draw_query(queries, at, stream); }, queries_);
  }
  void draw(DrawAt const&, Stream&) const&& = delete;
  auto members(auto&& visit) const { return visit(queries_); }

 private:
  std::variant<QueryPool, QuerySequence, PooledQueries> queries_;
};
static_assert(QuerySource<AnyQueries>);

struct AnyClient {
  ClientId id = 0;
  std::uint32_t interactions = 4;
  AnyQueries queries;
};

/// A click behaviour that is chosen at run time.
struct AnyBehaviour {
  std::variant<CascadeModel, PositionModel, MixtureModel<CascadeModel>, MixtureModel<PositionModel>> model;

  void click(std::span<Grade const> grades, std::span<std::uint8_t> clicks, Stream& stream) const {
    std::visit([&](auto const& users) { users.click(grades, clicks, stream); }, model);
  }
};
static_assert(ClickModel<AnyBehaviour>);

/// The users of all clients. One behaviour: that of all clients.
using Users = PerClient<AnyBehaviour>;

}  // namespace fltr::examples
