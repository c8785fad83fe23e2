#include <fltr/federation/history_files.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>

#include <fltr/aggregators/fed_avg.hpp>
#include <fltr/click_models/cascade_model.hpp>
#include <fltr/federation/make_federation.hpp>
#include <fltr/learners/pdgd.hpp>
#include <fltr/partition/iid.hpp>
#include <fltr/rankers/linear_ranker.hpp>
#include <fltr/unlearners/fed_eraser.hpp>

#include "support/catch.hpp"
#include "support/same_bits.hpp"
#include "support/temporary.hpp"
#include "support/toy_dataset.hpp"

using namespace fltr;
using fltr::testing::content_of;
using fltr::testing::same_bits;
using fltr::testing::TemporaryFolder;
using fltr::testing::toy_dataset;

namespace {

auto start(Dataset const& data, FedEraser eraser = {.interval = 2}, std::uint64_t seed = 5) {
  return make_federation(LinearRanker(5), CascadeModel::informational(3), Pdgd{}, FedAvg{})
      .with_unlearner(eraser)
      .start(split_iid(data, {.clients = 4, .interactions = 5}), {.seed = seed});
}

auto trained(Dataset const& data, std::uint32_t rounds) {
  auto training = start(data);
  training.run(rounds);
  return training;
}

template <class T>
T without_histories(T training) {
  for (std::size_t i = 0; i < 4; ++i) training.set_kept(i, {});
  return training;
}

}  // namespace

TEST_CASE("A run that is killed leaves one readable history per client, from which a second run forgets") {
  TemporaryFolder const folder;
  auto const data = toy_dataset();
  int ready[2];
  REQUIRE(::pipe(ready) == 0);
  pid_t const child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {  // trains and saves until it is killed
    auto training = start(data);
    for (;;) {
      training.advance();
      write_histories(folder.path(), training);
      if (training.number() == 9) static_cast<void>(::write(ready[1], "x", 1));
    }
  }
  char byte = 0;
  REQUIRE(::read(ready[0], &byte, 1) == 1);
  ::kill(child, SIGKILL);
  int status = 0;
  ::waitpid(child, &status, 0);
  ::close(ready[0]);
  ::close(ready[1]);
  REQUIRE(WIFSIGNALED(status));

  // The second run is at round 9, for example from a checkpoint. Newer records are left out.
  auto expected = trained(data, 9);
  auto second = without_histories(expected);
  CHECK(read_histories(folder.path(), second) == 4);
  CHECK(same_bits(second, expected));
  expected.forget({1});
  second.forget({1});
  CHECK(same_bits(second, expected));
}

TEST_CASE("A damaged or cut history is refused with one sentence; model and histories stay") {
  TemporaryFolder const folder;
  auto const data = toy_dataset();
  auto training = trained(data, 5);
  write_histories(folder.path(), training);
  auto const path = history_path(folder.path(), 3);
  std::string const whole = content_of(path);
  auto const before = field_bytes(training);
  std::ofstream(path, std::ios::binary) << whole.substr(0, whole.size() - 3);
  CHECK_THROWS_WITH(read_histories(folder.path(), training),
                    ContainsSubstring("client-3.history: the history file is cut short: required "));
  std::string damaged = whole;
  damaged[80] = static_cast<char>(damaged[80] ^ 1);
  std::ofstream(path, std::ios::binary) << damaged;
  CHECK_THROWS_WITH(read_histories(folder.path(), training),
                    path.string() + ": the history file is damaged: its checksum differs");
  CHECK(field_bytes(training) == before);

  std::ofstream(path, std::ios::binary) << whole;
  auto other_run = start(data, {.interval = 2}, 6);
  CHECK_THROWS_WITH(read_histories(folder.path(), other_run),
                    ContainsSubstring("required the history of client 0 in run 6, got that of client 0 in run 5"));
  auto other_interval = start(data, {.interval = 4});
  CHECK_THROWS_WITH(read_histories(folder.path(), other_interval),
                    "FedEraser: required a history with an interval of 4, got 2");
}

TEST_CASE("A client without a file has no history and takes part without a correction") {
  TemporaryFolder const folder;
  auto const data = toy_dataset();
  auto training = trained(data, 5);
  write_histories(folder.path(), training);
  std::filesystem::remove(history_path(folder.path(), 3));
  CHECK(read_histories(folder.path(), training) == 3);
  CHECK(training.client_state(3).kept.empty());
  auto const report = training.forget({1});
  CHECK(report.statistics.unrecorded == 3);
  // The file of a forgotten client is removed, and no later call reads one.
  CHECK(std::filesystem::exists(history_path(folder.path(), 1)));
  auto const stolen = content_of(history_path(folder.path(), 1));
  write_histories(folder.path(), training);
  CHECK_FALSE(std::filesystem::exists(history_path(folder.path(), 1)));
  std::ofstream(history_path(folder.path(), 1), std::ios::binary) << stolen;
  CHECK(read_histories(folder.path(), training) == 2);
  CHECK(training.client_state(1).kept.empty());
}
