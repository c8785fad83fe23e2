#include <fltr/federation/detail/distinct_ids.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <fltr/aggregators/fed_avg.hpp>
#include <fltr/click_models/cascade_model.hpp>
#include <fltr/data/client.hpp>
#include <fltr/partition/iid.hpp>
#include <fltr/partition/sampled.hpp>
#include <fltr/presets/fpdgd.hpp>
#include <fltr/rankers/linear_ranker.hpp>

#include "support/catch.hpp"
#include "support/toy_dataset.hpp"

namespace {

using namespace fltr;
using fltr::testing::toy_dataset;

/// Clients that are created on access, with ids from a function.
struct ByRule {
  std::size_t clients = 0;
  ClientId factor = 1;
  ClientId modulus = 0xFFFFFFFFU;
  QueryPool queries;
  [[nodiscard]] std::size_t size() const { return clients; }
  [[nodiscard]] Client operator[](std::size_t i) const {
    return {static_cast<ClientId>(i) * factor % modulus, 2, queries};
  }
};

}  // namespace

TEST_CASE("A training refuses clients with the same id, and the error names both positions") {
  auto const data = toy_dataset();
  auto const federation = fpdgd(LinearRanker(5), CascadeModel::perfect(3));
  auto const start = [&](auto clients) { (void)federation.start(std::move(clients)); };
  auto const client = [&](ClientId id) { return Client{id, 2, QueryPool(data)}; };

  std::vector<Client> const unnamed(3, Client{.queries = QueryPool(data)});
  CHECK_THROWS_WITH(start(unnamed), "Training: required clients with different ids, got id 0 at positions 0 and 1");
  CHECK_THROWS_WITH(start(std::vector<Client>{client(4), client(9), client(2), client(9)}),
                    "Training: required clients with different ids, got id 9 at positions 1 and 3");
  CHECK_THROWS_WITH(start(Sampled{std::vector<Client>{client(1), client(2), client(1)}, 2}),
                    "Training: required clients with different ids, got id 1 at positions 0 and 2");
  CHECK_THROWS_WITH(start(ByRule{1000, 7, 900, QueryPool(data)}),
                    "Training: required clients with different ids, got id 0 at positions 0 and 900");
  CHECK_NOTHROW(start(std::vector<Client>{client(4), client(9), client(2)}));
  CHECK_NOTHROW(start(std::vector<Client>{client(4)}));
  CHECK_NOTHROW(start(ByRule{800, 7, 900, QueryPool(data)}));
  CHECK_NOTHROW(start(split_iid(data, {.clients = 1'000'000})));
}
