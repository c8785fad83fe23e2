#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include <fltr/aggregators/fed_avg.hpp>
#include <fltr/click_models/cascade_model.hpp>
#include <fltr/federation/checkpoint.hpp>
#include <fltr/federation/make_federation.hpp>
#include <fltr/learners/pdgd.hpp>
#include <fltr/learners/personal.hpp>
#include <fltr/partition/iid.hpp>
#include <fltr/rankers/linear_ranker.hpp>
#include <fltr/rankers/split_neural_ranker.hpp>

#include "frame/ranks.hpp"
#include "support/catch.hpp"
#include "support/temporary.hpp"
#include "support/toy_dataset.hpp"

namespace {

using namespace fltr;
using Catch::Contains;
using fltr::testing::Ranks;
using fltr::testing::toy_dataset;

auto linear(float rate = 0.1F) {
  return make_federation(LinearRanker(5), CascadeModel::informational(3), Pdgd{.learning_rate = rate}, FedAvg{});
}

std::string bytes_of(std::filesystem::path const& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}
void put(std::filesystem::path const& path, std::string const& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}
std::vector<std::string> files_in(std::filesystem::path const& folder) {
  std::vector<std::string> names;
  for (auto const& entry : std::filesystem::directory_iterator(folder))
    names.push_back(entry.path().filename().string());
  std::ranges::sort(names);
  return names;
}

}  // namespace

TEST_CASE("A run that goes on from a checkpoint ends with the bits of an uninterrupted run") {
  auto const data = toy_dataset();
  auto const clients = split_iid(data, {.clients = 20, .interactions = 2});
  fltr::testing::TemporaryFolder const place;
  auto whole = linear().start(clients);
  whole.run(10);

  std::vector<std::byte> const log{std::byte{7}, std::byte{8}};
  {
    CheckpointFolder const folder(place.path() / "new" / "folder");
    auto first = linear().start(clients);
    Checkpointer checkpoints(folder, first, {.every_rounds = 3});
    CHECK_FALSE(checkpoints.restore(first));
    first.run(8, [&](auto const&) { checkpoints.save_if_due(first, log); });
    CHECK(checkpoints.saved_round() == 6);
  }
  CHECK(files_in(place.path() / "new" / "folder") ==
        std::vector<std::string>{"training.0000000003.0-of-1.fltr", "training.0000000006.0-of-1.fltr"});

  CheckpointFolder const folder(place.path() / "new" / "folder");
  auto second = linear().start(clients);
  Checkpointer checkpoints(folder, second, {.every_rounds = 3});
  CHECK(checkpoints.restore(second) == log);
  CHECK(second.number() == 6);
  CHECK(checkpoints.refused().empty());
  second.run(4, [&](auto const&) { checkpoints.save_if_due(second); });
  CHECK(field_bytes(second) == field_bytes(whole));
  CHECK(files_in(folder.path()) ==
        std::vector<std::string>{"training.0000000006.0-of-1.fltr", "training.0000000009.0-of-1.fltr"});
}

TEST_CASE("A checkpoint in which one byte is changed or that is cut is refused, and the previous one is used") {
  auto const data = toy_dataset();
  auto const clients = split_iid(data, {.clients = 5, .interactions = 1});
  fltr::testing::TemporaryFolder const place;
  CheckpointFolder const folder(place.path());
  auto training = linear().start(clients);
  Checkpointer checkpoints(folder, training, {.every_rounds = 1});
  training.run(2, [&](auto const&) { checkpoints.save_if_due(training); });
  auto const newest = folder.file("training", 2, 0);
  std::string const good = bytes_of(newest);
  REQUIRE(good.size() > 264);

  auto const is_refused = [&](std::string const& bytes) {
    put(newest, bytes);
    auto other = linear().start(clients);
    Checkpointer again(folder, other, {});
    bool const restored = again.restore(other).has_value();
    return restored && other.number() == 1 && again.refused().size() == 1 &&
           again.refused().front().find(newest.string()) != std::string::npos;
  };
  std::size_t accepted = 0;
  Stream stream(19);
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < sizeof(Envelope); ++i) places.push_back(i);
  auto const body = static_cast<std::uint32_t>(good.size() - sizeof(Envelope));
  for (int i = 0; i < 200; ++i) places.push_back(sizeof(Envelope) + stream.below(body));
  for (std::size_t const place_of_byte : places) {
    std::string bad = good;
    bad[place_of_byte] = static_cast<char>(static_cast<unsigned char>(bad[place_of_byte]) ^ (1U << stream.below(8)));
    accepted += is_refused(bad) ? 0U : 1U;
  }
  CHECK(accepted == 0);
  CHECK(is_refused(""));
  CHECK(is_refused(good.substr(0, 63)));
  CHECK(is_refused(good.substr(0, good.size() - 1)));
  CHECK(is_refused(good + '\0'));
  put(newest, good);
  CHECK(checkpoints.restore(training));
  CHECK(training.number() == 2);

  // Without a sound checkpoint the training is not changed.
  put(newest, "");
  put(folder.file("training", 1, 0), "");
  auto fresh = linear().start(clients);
  auto const before = field_bytes(fresh);
  Checkpointer none(folder, fresh, {});
  CHECK_FALSE(none.restore(fresh));
  CHECK(none.refused().size() == 2);
  CHECK(field_bytes(fresh) == before);
}

TEST_CASE("A checkpoint of other policies, options, clients or data is refused with a sentence") {
  auto const data = toy_dataset();
  auto const clients = split_iid(data, {.clients = 5, .interactions = 1});
  fltr::testing::TemporaryFolder const place;
  CheckpointFolder const folder(place.path());
  CheckpointOptions const options{.setting = "one", .data = Fingerprint().add(data).value()};
  auto training = linear().start(clients);
  training.advance();
  Checkpointer(folder, training, options).save(training);

  auto const refuses = [&](auto other, CheckpointOptions const& how, char const* what) {
    CHECK_THROWS_WITH(Checkpointer(folder, other, how).restore(other), Contains(what));
    CHECK(other.number() == 0);
  };
  char const* const policies = "required a checkpoint of the same policies, got one of other policies";
  char const* const other_options = "required a checkpoint of the same options, got one of other options";
  char const* const other_data = "required a checkpoint of the same data, got one of other data";
  refuses(linear(0.2F).start(clients), options, policies);
  refuses(linear().with_click_model(CascadeModel::perfect(3)).start(clients), options, policies);
  refuses(linear().start(clients, {.seed = 2}), options, other_options);
  refuses(linear().start(clients, {.minimum_reports = 2}), options, other_options);
  auto another = options;
  another.setting = "two";
  refuses(linear().start(clients), another, other_options);
  auto const other = toy_dataset(40, 12, 5, 2);
  another = {.setting = "one", .data = Fingerprint().add(other).value()};
  refuses(linear().start(split_iid(other, {.clients = 5, .interactions = 1})), another, other_data);
  refuses(linear().start(split_iid(data, {.clients = 5, .interactions = 2})), options, other_data);
  auto same = linear().start(clients);
  CHECK(Checkpointer(folder, same, options).restore(same));
}

TEST_CASE("A checkpoint of another version of the format or of the library is refused") {
  auto const data = toy_dataset();
  auto training = linear().start(split_iid(data, {.clients = 5, .interactions = 1}));
  fltr::testing::TemporaryFolder const place;
  CheckpointFolder const folder(place.path());
  auto const identity = checkpoint_identity(training);
  CheckpointHeader header{.library = "0.0.9", .identity = identity, .round = 3};
  folder.write("training", header, field_bytes(training), {});
  std::vector<std::string> refused;
  CHECK_THROWS_WITH(folder.newest("training", identity, refused), Contains("got version 0.0.9"));

  EnvelopeFormat format = detail::checkpoint_format;
  ++format.version;
  auto const bytes = enclose(format, {});
  put(folder.file("training", 4, 0), {reinterpret_cast<char const*>(bytes.data()), bytes.size()});
  std::filesystem::remove(folder.file("training", 3, 0));
  CHECK_FALSE(folder.newest("training", identity, refused));
  CHECK_THAT(refused.back(), Contains("checkpoint of version 2, this library reads version 1"));
}

TEST_CASE("A checkpoint that cannot be written leaves the earlier ones as they were") {
  auto const data = toy_dataset();
  auto const clients = split_iid(data, {.clients = 5, .interactions = 1});
  fltr::testing::TemporaryFolder const place;
  CheckpointFolder const folder(place.path());
  auto training = linear().start(clients);
  Checkpointer checkpoints(folder, training, {.every_rounds = 1});
  training.advance();
  checkpoints.save(training);
  training.advance();

  // A limit on the size of files has the effect of a full disk.
  bool thrown = false;
  try {
    fltr::testing::FileSizeLimit const limit(100);
    checkpoints.save(training);
  } catch (std::system_error const& error) {
    thrown = error.code() == std::errc::file_too_large;
  }
  CHECK(thrown);
  CHECK(checkpoints.saved_round() == 1);
  CHECK(files_in(place.path()) == std::vector<std::string>{"training.0000000001.0-of-1.fltr"});
  auto other = linear().start(clients);
  CHECK(Checkpointer(folder, other, {}).restore(other));
  CHECK(other.number() == 1);

  checkpoints.save(training);  // the disk has space again
  CHECK(checkpoints.saved_round() == 2);
}

TEST_CASE("A folder that is in use is refused, and unfinished files of a killed run are removed") {
  fltr::testing::TemporaryFolder const place;
  put(place.path() / "training.0000000005.0-of-1.fltr.123.0.partial", "half");
  put(place.path() / "other.partial", "not ours");
  CheckpointFolder const folder(place.path());
  CHECK(files_in(place.path()) == std::vector<std::string>{"other.partial"});
  CHECK_THROWS_WITH(CheckpointFolder(place.path()), Contains("another run writes checkpoints into"));
}

TEST_CASE("A checkpoint is due after the given time") {
  auto const data = toy_dataset();
  auto training = linear().start(split_iid(data, {.clients = 5, .interactions = 1}));
  fltr::testing::TemporaryFolder const place;
  CheckpointFolder const folder(place.path());
  Checkpointer checkpoints(folder, training, {.every_seconds = 1e-3});
  CHECK_FALSE(checkpoints.due(training));  // no round yet
  training.advance();
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  CHECK(checkpoints.due(training));
  Checkpointer later(folder, training, {.every_seconds = 1e6});
  CHECK_FALSE(later.due(training));
  Checkpointer never(folder, training, {});
  CHECK_FALSE(never.due(training));
}

TEST_CASE("Each rank saves its part, and a set of parts is accepted whole or not at all") {
  auto const data = toy_dataset();
  // Three blocks of clients, and a state at each client.
  auto const clients = split_iid(data, {.clients = 150, .interactions = 1});
  auto const federation =
      make_federation(SplitNeuralRanker(5, {.hidden = 4}), CascadeModel::perfect(3), Personal<Pdgd>{}, FedAvg{});
  auto whole = federation.start(clients);
  whole.run(6);
  auto const expected = whole.ranker_of(149).parameters();
  std::vector<float> const last(expected.begin(), expected.end());

  fltr::testing::TemporaryFolder const place;
  auto const go_to = [&](Ranks const& ranks, std::uint32_t round) {
    CheckpointFolder const folder(place.path(), static_cast<std::uint32_t>(ranks.rank()), 3);
    auto training = federation.with_execution(ranks).start(clients);
    Checkpointer checkpoints(folder, training, {.every_rounds = 2, .every_seconds = 1e6});
    checkpoints.restore(training);
    std::uint32_t const from = training.number();
    training.run(round - from, [&](auto const&) { checkpoints.save_if_due(training); });
    if (round == 6) {
      auto const own = training.ranker_of(149);
      if (!std::ranges::equal(own.parameters(), last)) throw std::runtime_error("another ranker");
      if (field_bytes(training.ranker()) != field_bytes(whole.ranker())) throw std::runtime_error("another ranker");
    }
    return from;
  };
  REQUIRE(Ranks::run(3, [&](Ranks const& ranks) { go_to(ranks, 5); }));
  CHECK(files_in(place.path()).size() == 6);

  std::uint32_t from = 99;
  auto const part = [&](std::uint32_t round, std::uint32_t rank) {
    return place.path() / ("training.000000000" + std::to_string(round) + '.' + std::to_string(rank) + "-of-3.fltr");
  };
  auto const run_to = [&](std::uint32_t round) {
    return Ranks::run(3, [&](Ranks const& ranks) {
      auto const began = go_to(ranks, round);
      if (ranks.rank() == 0) from = began;
    });
  };
  SECTION("whole") {
    CHECK(run_to(6));
    CHECK(from == 4);
  }
  SECTION("one part is damaged") {
    std::string bytes = bytes_of(part(4, 2));
    bytes.back() ^= 1;
    put(part(4, 2), bytes);
    CHECK(run_to(6));
    CHECK(from == 2);
  }
  SECTION("one part is missing, as after the death of one rank") {
    std::filesystem::remove(part(4, 1));
    CHECK(run_to(6));
    CHECK(from == 2);
  }
  SECTION("one part is of another round under a false name") {
    put(part(4, 1), bytes_of(part(2, 1)));
    CHECK(run_to(6));
    CHECK(from == 2);
  }
  SECTION("another number of ranks is refused") {
    CheckpointFolder const folder(place.path());
    auto training = federation.start(clients);
    Checkpointer checkpoints(folder, training, {});
    CHECK_THROWS_WITH(checkpoints.restore(training),
                      Contains("required checkpoints of 1 processes, got checkpoints of 3"));
  }
  SECTION("old parts stay until two newer sets are whole") {
    CheckpointFolder const folder(place.path(), 0, 3);
    auto training = federation.start(clients);
    Checkpointer checkpoints(folder, training, {});
    training.run(8);
    checkpoints.save(training);  // the parts of ranks 1 and 2 are not written
    CHECK(std::filesystem::exists(part(2, 0)));
    CHECK(std::filesystem::exists(part(4, 0)));
    CHECK(std::filesystem::exists(part(8, 0)));
  }
}
