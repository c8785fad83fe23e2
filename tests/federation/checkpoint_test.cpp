#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <fltr/aggregators/fed_avg.hpp>
#include <fltr/aggregators/median.hpp>
#include <fltr/attacks/click_poisoning.hpp>
#include <fltr/attacks/malicious_clients.hpp>
#include <fltr/click_models/cascade_model.hpp>
#include <fltr/click_models/no_clicks.hpp>
#include <fltr/core/content_hash.hpp>
#include <fltr/federation/checkpoint.hpp>
#include <fltr/federation/make_federation.hpp>
#include <fltr/learners/pdgd.hpp>
#include <fltr/learners/personal.hpp>
#include <fltr/messages/local_weights.hpp>
#include <fltr/partition/iid.hpp>
#include <fltr/privatizers/clip.hpp>
#include <fltr/rankers/linear_ranker.hpp>
#include <fltr/rankers/split_neural_ranker.hpp>
#include <fltr/unlearners/fed_eraser.hpp>

#include "frame/ranks.hpp"
#include "support/catch.hpp"
#include "support/temporary.hpp"
#include "support/toy_dataset.hpp"

namespace {
std::vector<std::string>* synchronised = nullptr;  // what fsync was called with: names of files and folders
}

namespace {
int flock_error = 0;  // what the next flock fails with
int flock_mode = -1;  // how the last flock's descriptor is open
}  // namespace

/// In place of the functions of the C library.
extern "C" int flock(int descriptor, int operation) noexcept {
  flock_mode = ::fcntl(descriptor, F_GETFL) & O_ACCMODE;
  if (int const error = std::exchange(flock_error, 0); error != 0) {
    errno = error;
    return -1;
  }
  return static_cast<int>(::syscall(SYS_flock, descriptor, operation));
}
extern "C" int fsync(int descriptor) {
  if (synchronised != nullptr)
    synchronised->push_back(std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(descriptor)).filename());
  return static_cast<int>(::syscall(SYS_fsync, descriptor));
}

namespace {

using namespace fltr;
using Catch::Contains;
using Catch::EndsWith;
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
/// All files but the lock.
std::vector<std::string> files_in(std::filesystem::path const& folder) {
  std::vector<std::string> names;
  for (auto const& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().filename() != "lock") names.push_back(entry.path().filename().string());
  std::ranges::sort(names);
  return names;
}

struct Numbered {
  ClientId id = 0;
  std::uint32_t interactions = 1;
};
/// Clients that are computed from numbers outside of the population, which a Fingerprint does not see.
struct Computed {
  static inline std::size_t count = 1;
  static inline std::size_t changed = 0;
  static inline ClientId other_id = 0;
  static inline std::uint32_t more_interactions = 0;

  [[nodiscard]] std::size_t size() const { return count; }
  [[nodiscard]] Numbered operator[](std::size_t i) const {
    auto const id = static_cast<ClientId>(i);
    return i == changed ? Numbered{id + other_id, 1 + more_interactions} : Numbered{id, 1};
  }
};
struct SendsOnes {
  using Message = LocalWeights;
  static constexpr bool shows_lists = false;
  std::uint32_t train(ParametricRanker auto& local, Numbered const& client, auto&) const {
    for (float& p : local.parameters()) p = 1.0F;
    return client.interactions;
  }
};

/// While it exists, a test that root runs has no more permissions than another user.
class WithoutPrivileges {
 public:
  WithoutPrivileges() {
    if (before_ == 0 && ::seteuid(65534) != 0) throw std::runtime_error("seteuid");
  }
  WithoutPrivileges(WithoutPrivileges const&) = delete;
  WithoutPrivileges& operator=(WithoutPrivileges const&) = delete;
  ~WithoutPrivileges() {
    if (::seteuid(before_) != 0) std::abort();
  }

 private:
  ::uid_t before_ = ::geteuid();
};

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

TEST_CASE("A checkpoint and the names of its folders are synchronised with the disk") {
  auto const data = toy_dataset();
  auto training = linear().start(split_iid(data, {.clients = 5, .interactions = 1}));
  training.advance();
  fltr::testing::TemporaryFolder const place;
  std::vector<std::string> synced;
  synchronised = &synced;
  CheckpointFolder const folder(place.path() / "new" / "folder");
  Checkpointer(folder, training, {}).save(training);
  synchronised = nullptr;
  REQUIRE(synced.size() == 4);
  CHECK(synced[0] == "new");  // has the name "folder"
  CHECK(synced[1] == place.path().filename());
  CHECK_THAT(synced[2], EndsWith(".partial"));
  CHECK(synced[3] == "folder");
}

TEST_CASE("The first checkpoint after forget removes the earlier ones; only the owner may read checkpoints") {
  auto const data = toy_dataset();
  auto const clients = split_iid(data, {.clients = 5, .interactions = 2});
  auto const federation = linear().with_unlearner(FedEraser{.interval = 1});
  fltr::testing::TemporaryFolder const place;
  CheckpointFolder const folder(place.path());
  auto training = federation.start(clients);
  Checkpointer checkpoints(folder, training, {.every_rounds = 2});
  training.run(4, [&](auto const&) { checkpoints.save_if_due(training); });
  CHECK(files_in(folder.path()).size() == 2);
  CHECK_FALSE(checkpoints.due(training));
  training.forget({3});
  CHECK(checkpoints.save_if_due(training));
  CHECK(files_in(folder.path()) == std::vector<std::string>{"training.0000000004.0-of-1.fltr"});
  using std::filesystem::perms;
  CHECK(std::filesystem::status(folder.file("training", 4, 0)).permissions() ==
        (perms::owner_read | perms::owner_write));

  auto restored = federation.start(clients);
  Checkpointer again(folder, restored, {.every_rounds = 2});
  CHECK(again.restore(restored));
  CHECK(restored.forgotten_clients() == std::vector<ClientId>{3});
  CHECK(restored.client_state(3).kept.empty());
  CHECK_FALSE(again.due(restored));
  restored.run(4, [&](auto const&) { again.save_if_due(restored); });
  CHECK(files_in(folder.path()).size() == 2);  // of rounds 6 and 8
}

TEST_CASE("A restored training that has forgotten clients keeps no other checkpoint") {
  auto const data = toy_dataset();
  auto const clients = split_iid(data, {.clients = 5, .interactions = 2});
  auto const federation = linear().with_unlearner(FedEraser{.interval = 1});
  fltr::testing::TemporaryFolder const place;
  CheckpointFolder const folder(place.path());
  auto training = federation.start(clients);
  Checkpointer checkpoints(folder, training, {.every_rounds = 2});
  training.run(2, [&](auto const&) { checkpoints.save_if_due(training); });
  std::string const before = bytes_of(folder.file("training", 2, 0));
  training.run(2, [&](auto const&) { checkpoints.save_if_due(training); });
  training.forget({3});
  checkpoints.save(training);
  std::vector<std::string> const kept{"training.0000000004.0-of-1.fltr"};
  REQUIRE(files_in(folder.path()) == kept);

  // A kill between the rename of the new file and the removal of the others leaves these; that of round 6 is damaged.
  put(folder.file("training", 2, 0), before);
  put(folder.file("training", 6, 0), before);
  auto restored = federation.start(clients);
  Checkpointer again(folder, restored, {});
  CHECK(again.restore(restored));
  CHECK(restored.number() == 4);
  CHECK(files_in(folder.path()) == kept);
}

TEST_CASE("A checkpoint from before forget that cannot be removed is an error, and the next save removes it") {
  auto const data = toy_dataset();
  auto const clients = split_iid(data, {.clients = 5, .interactions = 2});
  fltr::testing::TemporaryFolder const place;
  CheckpointFolder const folder(place.path());
  auto training = linear().with_unlearner(FedEraser{.interval = 1}).start(clients);
  Checkpointer checkpoints(folder, training, {.every_rounds = 2});
  training.run(4, [&](auto const&) { checkpoints.save_if_due(training); });
  training.forget({3});
  // A folder that is not empty is not removed, also not for root.
  auto const stays = folder.file("training", 2, 0);
  std::filesystem::remove(stays);
  std::filesystem::create_directory(stays);
  put(stays / "file", "");
  CHECK_THROWS_WITH(checkpoints.save(training),
                    Contains("cannot remove " + stays.string()) && EndsWith("Directory not empty"));
  CHECK(checkpoints.saved_round() == 4);
  CHECK(checkpoints.due(training));
  auto restored = linear().with_unlearner(FedEraser{.interval = 1}).start(clients);
  CHECK_THROWS_WITH(Checkpointer(folder, restored, {}).restore(restored), Contains("cannot remove " + stays.string()));
  CHECK(restored.forgotten_clients() == std::vector<ClientId>{3});
  std::filesystem::remove(stays / "file");
  checkpoints.save(training);
  CHECK_FALSE(checkpoints.due(training));
  CHECK(files_in(folder.path()) == std::vector<std::string>{"training.0000000004.0-of-1.fltr"});
}

TEST_CASE("A checkpoint or folder that must not be read is an error, and not a missing checkpoint") {
  auto const data = toy_dataset();
  fltr::testing::TemporaryFolder const place;
  CheckpointFolder const folder(place.path());
  auto training = linear().start(split_iid(data, {.clients = 5, .interactions = 1}));
  Checkpointer checkpoints(folder, training, {});
  training.advance();
  checkpoints.save(training);
  auto const part = folder.file("training", 1, 0);
  REQUIRE(::chmod(place.path().c_str(), 0555) == 0);
  REQUIRE(::chmod(part.c_str(), 0) == 0);
  {
    WithoutPrivileges const user;
    CHECK_THROWS_WITH(checkpoints.restore(training), "cannot read " + part.string() + ": Permission denied");
    CHECK_THROWS_WITH(folder.clear(), "cannot remove " + part.string() + ": Permission denied");
  }
  REQUIRE(::chmod(place.path().c_str(), 0) == 0);
  {
    WithoutPrivileges const user;
    std::string const denied = "cannot read " + place.path().string() + ": Permission denied";
    CHECK_THROWS_WITH(checkpoints.restore(training), denied);
    CHECK_THROWS_WITH(folder.holds_checkpoints(), denied);
    CHECK_THROWS_WITH(folder.clear(), denied);
  }
  REQUIRE(::chmod(place.path().c_str(), 0700) == 0);
  REQUIRE(::chmod(part.c_str(), 0600) == 0);
  CHECK(checkpoints.restore(training));
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

TEST_CASE("Every policy and every bit of the hash of the data is part of a checkpoint's identity") {
  auto const data = toy_dataset();
  auto const clients = split_iid(data, {.clients = 5, .interactions = 1});
  auto const policies = [&](auto const& federation) { return checkpoint_identity(federation.start(clients)).policies; };
  std::vector<ContentHash> hashes{policies(linear())};
  LinearRanker other_start(5);
  other_start.parameters()[0] = 1.0F;
  hashes.push_back(policies(linear().with_ranker(other_start)));
  hashes.push_back(policies(linear().with_click_model(CascadeModel::perfect(3))));
  hashes.push_back(policies(linear(0.2F)));
  hashes.push_back(policies(linear().with_aggregator(Median{})));
  hashes.push_back(policies(linear().with_privatizer(Clip{1.0})));
  hashes.push_back(policies(linear().with_privatizer(Clip{2.0})));
  for (std::uint32_t const malicious : {1U, 2U})
    hashes.push_back(policies(linear().with_attack(
        ClickPoisoning<CascadeModel>{MaliciousClients::first(malicious), CascadeModel::poison(3)})));
  hashes.push_back(policies(linear().with_unlearner(FedEraser{.interval = 1})));
  hashes.push_back(policies(linear().with_unlearner(FedEraser{.interval = 2})));
  for (std::size_t i = 0; i < hashes.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) CHECK_FALSE(hashes[i] == hashes[j]);

  auto const training = linear().start(clients);
  auto const with = [&](ContentHash const& hash) { return checkpoint_identity(training, {.data = hash}).data; };
  for (unsigned bit = 0; bit < 64; ++bit) {
    CHECK_FALSE(with({std::uint64_t{1} << bit, 0}) == with({0, 0}));
    CHECK_FALSE(with({0, std::uint64_t{1} << bit}) == with({0, 0}));
    CHECK_FALSE(with({0, std::uint64_t{1} << bit}) == with({std::uint64_t{1} << bit, 0}));
  }
}

TEST_CASE(
    "Ids and interactions of all clients are part of a checkpoint's identity, also if the population hides them") {
  for (std::size_t const count : {1U, 3U, 65'535U, 65'536U, 65'537U, 131'073U}) {
    Computed::count = count;
    auto const training = make_federation(LinearRanker(1), NoClicks{}, SendsOnes{}, FedAvg{}).start(Computed{});
    auto const plain = checkpoint_identity(training);
    CHECK(plain.data == checkpoint_identity(training).data);
    for (std::size_t const place : {std::size_t{0}, count / 2, std::min<std::size_t>(count - 1, 65'535), count - 1}) {
      Computed::changed = place;
      Computed::other_id = 1'000'000;
      CHECK_FALSE(checkpoint_identity(training).data == plain.data);
      Computed::other_id = 0;
      Computed::more_interactions = 1;
      CHECK_FALSE(checkpoint_identity(training).data == plain.data);
      Computed::more_interactions = 0;
    }
  }
}

TEST_CASE("A checkpoint of another version of the format or of the library is refused") {
  auto const data = toy_dataset();
  auto training = linear().start(split_iid(data, {.clients = 5, .interactions = 1}));
  fltr::testing::TemporaryFolder const place;
  CheckpointFolder const folder(place.path());
  auto const identity = checkpoint_identity(training);
  CheckpointHeader header{.library = "0.0.9", .identity = identity, .round = 3};
  folder.write("training", header, field_bytes(training), {});
  CHECK_THROWS_WITH(folder.read("training", 3, identity), Contains("got version 0.0.9"));
  CHECK_THROWS_AS(folder.read("training", 3, identity), CheckpointMismatch);

  EnvelopeFormat format = detail::checkpoint_format;
  ++format.version;
  auto const bytes = enclose(format, {});
  put(folder.file("training", 4, 0), {reinterpret_cast<char const*>(bytes.data()), bytes.size()});
  CHECK_THROWS_WITH(folder.read("training", 4, identity),
                    Contains("checkpoint of version 2, this library reads version 1"));
  CHECK(folder.rounds("training") == std::vector<std::uint32_t>{4, 3});
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
  put(place.path() / "training.0000000005.2-of-4.fltr.123.0.partial", "half");
  CheckpointFolder const folder(place.path());
  CHECK(files_in(place.path()) == std::vector<std::string>{"other.partial"});
  CHECK_THROWS_WITH(CheckpointFolder(place.path()), Contains("another run writes checkpoints into"));

  // A rank above 0 does not know of the lock. The rank 1 of a run that is refused leaves the files of the other run.
  put(place.path() / "training.0000000005.1-of-3.fltr.123.0.partial", "half");
  CheckpointFolder const refused(place.path(), 1, 3);
  CHECK(files_in(place.path()).size() == 2);
  refused.write("another", {.round = 5}, {}, {});
  CHECK(files_in(place.path()).size() == 3);
  refused.write("training", {.round = 6}, {}, {});
  CHECK(files_in(place.path()) ==
        std::vector<std::string>{"another.0000000005.1-of-3.fltr", "other.partial", "training.0000000006.1-of-3.fltr"});
}

TEST_CASE("The lock is on a file that is open for writing, as NFS requires") {
  fltr::testing::TemporaryFolder const place;
  auto const lock = place.path() / "lock";
  {
    CheckpointFolder const folder(place.path());
    CHECK(flock_mode == O_RDWR);
    using std::filesystem::perms;
    CHECK(std::filesystem::status(lock).permissions() == (perms::owner_read | perms::owner_write));
  }
  for (int const without_locks : {ENOLCK, EOPNOTSUPP, EINTR}) {
    flock_error = without_locks;
    CHECK_NOTHROW(CheckpointFolder(place.path()));
  }
  for (int const other : {EBADF, EIO}) {
    flock_error = other;
    CHECK_THROWS_WITH(CheckpointFolder(place.path()), Contains("cannot lock " + lock.string()));
  }
  CHECK_NOTHROW(CheckpointFolder(place.path()));
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
  checkpoints.save(training);
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  CHECK_FALSE(checkpoints.due(training));  // this round is saved
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
  bool const disk_of_each = GENERATE(false, true);  // one folder for all, or a folder on a disk of each rank
  auto const folder_of = [&](std::size_t rank) {
    return disk_of_each ? place.path() / std::to_string(rank) : place.path();
  };
  auto const part = [&](std::uint32_t round, std::uint32_t rank) {
    return folder_of(rank) / ("training.000000000" + std::to_string(round) + '.' + std::to_string(rank) + "-of-3.fltr");
  };
  auto const parts = [&] {
    std::string text;  // the rounds of rank 0, of rank 1, of rank 2
    for (std::uint32_t rank = 0; rank < 3; ++rank, text += ' ')
      for (std::uint32_t round = 1; round < 10; ++round)
        if (std::filesystem::exists(part(round, rank))) text += std::to_string(round);
    return text;
  };
  // Returns the round that was restored and what was refused. The disk of rank `full` is full from round 4 on.
  auto const go_to = [&](Ranks const& ranks, std::uint32_t round, std::size_t full = 3) {
    CheckpointFolder const folder(folder_of(ranks.rank()), static_cast<std::uint32_t>(ranks.rank()), 3);
    auto training = federation.with_execution(ranks).start(clients);
    Checkpointer checkpoints(folder, training, {.every_rounds = 2, .every_seconds = 1e6});
    checkpoints.restore(training);
    std::uint32_t const from = training.number();
    std::string failures;
    training.run(round - from, [&](auto const&) {
      try {
        bool const fails = ranks.rank() == full && training.number() >= 4;
        fltr::testing::FileSizeLimit const limit(fails ? 100 : 1U << 30U);
        checkpoints.save_if_due(training);
      } catch (std::system_error const& error) {
        if (error.code() != std::errc::file_too_large) throw;
        failures += error.what();
      }
    });
    auto const own = training.ranker_of(149);
    if (round == 6) {
      if (!std::ranges::equal(own.parameters(), last)) throw std::runtime_error("another ranker");
      if (field_bytes(training.ranker()) != field_bytes(whole.ranker())) throw std::runtime_error("another ranker");
    }
    for (std::string const& sentence : checkpoints.refused()) failures += sentence;
    return std::pair(from, failures);
  };
  std::uint32_t from = 99;
  std::string told;
  auto const run_to = [&](std::uint32_t round, std::size_t full = 3) {
    std::string others = (place.path() / "told.").string();
    bool const good = Ranks::run(3, [&](Ranks const& ranks) {
      auto const [began, sentences] = go_to(ranks, round, full);
      put(others + std::to_string(ranks.rank()), std::to_string(began) + sentences);
      if (ranks.rank() != 0) return;
      from = began;
      told = sentences;
    });
    // All ranks go on from the same round and say the same.
    for (int rank = 1; rank < 3; ++rank) CHECK(bytes_of(others + std::to_string(rank)) == std::to_string(from) + told);
    return good;
  };
  REQUIRE(run_to(5));
  CHECK(parts() == "24 24 24 ");
  CHECK(told.empty());

  SECTION("whole") {
    CHECK(run_to(6));
    CHECK(from == 4);
    CHECK(told.empty());
    CHECK(parts() == "46 46 46 ");
  }
  SECTION("one part is damaged") {
    std::string bytes = bytes_of(part(4, 2));
    bytes.back() ^= 1;
    put(part(4, 2), bytes);
    CHECK(run_to(6));
    CHECK(from == 2);
    CHECK_THAT(told, Contains(part(4, 2).string()) && EndsWith(" (rank 2)"));
    CHECK(parts() == "46 46 46 ");
  }
  SECTION("one part is missing, as after the death of one rank") {
    std::filesystem::remove(part(4, 1));
    CHECK(run_to(6));
    CHECK(from == 2);
    CHECK_THAT(told, Contains("cannot read " + part(4, 1).string()) && EndsWith("No such file or directory (rank 1)"));
  }
  SECTION("one part is of another round under a false name") {
    put(part(4, 1), bytes_of(part(2, 1)));
    CHECK(run_to(6));
    CHECK(from == 2);
    CHECK_THAT(told, Contains("the name and the content of the file do not agree (rank 1)"));
  }
  SECTION("one part was saved in another state") {
    CheckpointHeader header = read_checkpoint(part(4, 1)).header;
    header.set.low ^= 1;
    auto const content = read_checkpoint(part(4, 1));
    write_checkpoint(part(4, 1), header, content.state, content.log);
    CHECK(run_to(6));
    CHECK(from == 2);
    CHECK_THAT(told, Contains(part(4, 1).filename().string() + ": required parts of one save, got parts of two"));
  }
  SECTION("one part is of another run") {
    CheckpointHeader header = read_checkpoint(part(4, 1)).header;
    header.identity.data.low ^= 1;
    auto const content = read_checkpoint(part(4, 1));
    write_checkpoint(part(4, 1), header, content.state, content.log);
    std::string const others = (place.path() / "told.").string();
    REQUIRE(Ranks::run(3, [&](Ranks const& ranks) {
      std::string sentence;
      try {
        go_to(ranks, 6);
      } catch (CheckpointMismatch const& error) {
        sentence = error.what();
      }
      put(others + std::to_string(ranks.rank()), sentence);
    }));
    for (int rank = 0; rank < 3; ++rank)
      CHECK_THAT(bytes_of(others + std::to_string(rank)), EndsWith("got one of other data (rank 1)"));
  }
  SECTION("the disk of one rank is full: all ranks learn of it and go on, and the earlier sets stay whole") {
    CHECK(run_to(6, 1));
    CHECK(from == 4);
    CHECK_THAT(told, Contains("cannot write " + part(6, 1).string()) && EndsWith(" (rank 1): File too large"));
    CHECK(parts() == "24 24 24 ");
    CHECK(run_to(6));
    CHECK(from == 4);
    CHECK(parts() == "46 46 46 ");
  }
  SECTION("another number of ranks is refused") {
    CheckpointFolder const folder(folder_of(0));
    auto training = federation.start(clients);
    Checkpointer checkpoints(folder, training, {});
    CHECK_THROWS_WITH(
        checkpoints.restore(training),
        Contains("required checkpoints of 1 process, got checkpoints of 3 processes; go on with mpirun -n 3"));
    folder.clear();
    CHECK_FALSE(std::filesystem::exists(part(4, 0)));
    CHECK(std::filesystem::exists(part(4, 1)) == disk_of_each);
  }
  SECTION("an Execution of one process cannot save the part of one of three") {
    CheckpointFolder const folder(folder_of(0), 0, 3);
    auto training = federation.start(clients);
    Checkpointer checkpoints(folder, training, {});
    CHECK_THROWS_AS(checkpoints.restore(training), std::logic_error);
  }
}

TEST_CASE("A save after forget that fails leaves the checkpoint of the same round, and is due again") {
  auto const data = toy_dataset();
  fltr::testing::TemporaryFolder const place;
  CheckpointFolder const folder(place.path());
  auto training =
      linear().with_unlearner(FedEraser{.interval = 1}).start(split_iid(data, {.clients = 5, .interactions = 1}));
  Checkpointer checkpoints(folder, training, {.every_rounds = 1});
  training.run(2, [&](auto const&) { checkpoints.save_if_due(training); });
  training.forget({3});
  {
    fltr::testing::FileSizeLimit const limit(100);
    CHECK_THROWS_AS(checkpoints.save(training), std::system_error);
  }
  CHECK(checkpoints.saved_round() == 2);
  CHECK(checkpoints.due(training));
  CHECK(files_in(place.path()).size() == 2);
  CHECK(checkpoints.save_if_due(training));
  CHECK_FALSE(checkpoints.due(training));
}
