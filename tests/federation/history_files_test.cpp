#include <fltr/federation/history_files.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

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
  // A killed run left unfinished files of clients 1 and 3.
  auto const unfinished = [&](ClientId id) { return history_path(folder.path(), id).string() + ".77.0.partial"; };
  for (ClientId const id : {1U, 3U}) std::ofstream(unfinished(id)) << "x";
  std::ofstream(folder.path() / "client-1.txt") << "x";
  write_histories(folder.path(), training);
  CHECK_FALSE(std::filesystem::exists(history_path(folder.path(), 1)));
  CHECK_FALSE(std::filesystem::exists(unfinished(1)));
  CHECK(std::filesystem::exists(unfinished(3)));  // perhaps of a process that is still writing
  CHECK(std::filesystem::exists(folder.path() / "client-1.txt"));
  std::ofstream(history_path(folder.path(), 1), std::ios::binary) << stolen;
  CHECK(read_histories(folder.path(), training) == 2);
  CHECK(training.client_state(1).kept.empty());
}

TEST_CASE("A folder that is missing is an error; the histories stay") {
  TemporaryFolder const folder;
  auto const data = toy_dataset();
  auto training = trained(data, 5);
  auto const before = field_bytes(training);
  CHECK_THROWS_AS(read_histories(folder.path() / "misspelt", training), std::system_error);
  CHECK(field_bytes(training) == before);
}

TEST_CASE("One file per rank: read again with any number of files; damage and clients in two files are refused") {
  TemporaryFolder const folder;
  auto const data = toy_dataset();
  auto training = trained(data, 9);
  auto const path = folder.path() / "rank-0.history";
  write_rank_histories(path, training);
  using std::filesystem::perms;
  CHECK(std::filesystem::status(path).permissions() == (perms::owner_read | perms::owner_write));
  std::vector<std::filesystem::path> files{path};
  auto second = without_histories(training);
  CHECK(read_rank_histories(files, second) == 4);
  CHECK(same_bits(second, training));

  // Two ranks with two clients each wrote the histories; one process reads them. Records after round 5 are left out.
  auto halves = std::pair{training, training};
  for (std::size_t i = 0; i < 4; ++i) (i < 2 ? halves.second : halves.first).set_kept(i, {});
  files = {folder.path() / "a.history", folder.path() / "b.history"};
  write_rank_histories(files[0], halves.first);
  write_rank_histories(files[1], halves.second);
  auto earlier = trained(data, 5);
  auto const expected = earlier;
  earlier = without_histories(earlier);
  CHECK(read_rank_histories(files, earlier) == 4);
  CHECK(same_bits(earlier, expected));

  auto const before = field_bytes(earlier);
  files.push_back(path);
  CHECK_THROWS_WITH(read_rank_histories(files, earlier),
                    path.string() + ": required each client once, got client 0 twice");
  std::string const whole = content_of(path);
  files = {path};
  for (std::size_t const size : {whole.size() - 1, whole.size() / 2, std::size_t{10}, std::size_t{0}}) {
    std::ofstream(path, std::ios::binary) << whole.substr(0, size);
    CHECK_THROWS_AS(read_rank_histories(files, earlier), FormatError);
  }
  std::string damaged = whole;
  damaged[90] = static_cast<char>(damaged[90] ^ 1);
  std::ofstream(path, std::ios::binary) << damaged;
  CHECK_THROWS_WITH(read_rank_histories(files, earlier),
                    path.string() + ": the history file is damaged: its checksum differs");
  write_history(path, {5, 0}, training.client_state(0).kept);  // the file of a client, not of a rank
  CHECK_THROWS_AS(read_rank_histories(files, earlier), FormatError);
  CHECK(field_bytes(earlier) == before);

  // The next file does not have the history of a forgotten client, and an older file does not bring it back.
  training.forget({1});
  std::ofstream(path, std::ios::binary) << whole;
  CHECK(read_rank_histories(files, training) == 3);
  CHECK(training.client_state(1).kept.empty());
  write_rank_histories(path, training);
  auto other = without_histories(trained(data, 9));
  CHECK(read_rank_histories(files, other) == 3);
  auto other_run = start(data, {.interval = 2}, 6);
  CHECK_THROWS_WITH(read_rank_histories(files, other_run),
                    path.string() + ": required the histories of run 6, got those of run 5");
  auto other_interval = start(data, {.interval = 4});
  CHECK_THROWS_WITH(read_rank_histories(files, other_interval),
                    "FedEraser: required a history with an interval of 4, got 2");
}
