#include <fltr/partition/recorded_population.hpp>

#include <stdexcept>
#include <vector>

#include "support/catch.hpp"
#include "support/toy_dataset.hpp"

using namespace fltr;
using fltr::testing::toy_dataset;

TEST_CASE("A RecordedPopulation gives each client its log and refuses logs that do not fit the data") {
  auto const data = toy_dataset(4, 3);
  std::vector<ClickLog> logs(2);
  logs[0].begin(3);
  logs[0].add({2, 1, true, 1.0F});
  RecordedPopulation const clients(data, logs);
  CHECK(clients.size() == 2);
  CHECK(clients[0].interactions == 1);
  CHECK(clients[1].interactions == 1);
  ClickLog buffer;
  CHECK(&clients[0].log(Streams{}, buffer) == &logs[0]);
  logs[1].begin(4);
  CHECK_THROWS_AS(RecordedPopulation(data, logs), std::invalid_argument);
}
