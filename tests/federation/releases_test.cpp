#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <fltr/click_models/no_clicks.hpp>
#include <fltr/concepts/execution.hpp>
#include <fltr/core/error.hpp>
#include <fltr/core/serial.hpp>
#include <fltr/data/client.hpp>
#include <fltr/execution/interruptible.hpp>
#include <fltr/federation/checkpoint.hpp>
#include <fltr/federation/detail/releases.hpp>
#include <fltr/federation/make_federation.hpp>
#include <fltr/federation/saved_training.hpp>
#include <fltr/federation/training.hpp>
#include <fltr/formats/checkpoint_folder.hpp>
#include <fltr/messages/client_message.hpp>
#include <fltr/partition/dropout.hpp>
#include <fltr/partition/stragglers.hpp>
#include <fltr/privatizers/chain.hpp>
#include <fltr/privatizers/clip.hpp>
#include <fltr/privatizers/gamma_noise.hpp>
#include <fltr/privatizers/laplace_noise.hpp>
#include <fltr/rankers/linear_ranker.hpp>
#include <fltr/unlearners/retrain.hpp>

#include "support/catch.hpp"
#include "support/temporary.hpp"

// Every way to repeat the number of a round, and what it costs.
namespace {

using namespace fltr;

struct OneValue {
  ClientId id = 0;
  std::uint32_t interactions = 1;
  float value = 0.0F;
};

/// Local weights that depend on the client's secret and on the broadcast ranker.
struct Scaled {
  using Message = LocalWeights;
  static constexpr bool shows_lists = false;

  std::uint32_t train(ParametricRanker auto& local, OneValue const& client, auto&) const {
    for (float& p : local.parameters()) p *= client.value;
    return client.interactions;
  }
};

/// A server that writes down the message of the first client. It fails when `fails` counts down to 0.
struct Seen {
  std::vector<double> messages{};
  int fails = -1;
  std::function<void()> after = nullptr;  // is called when the server has aggregated
  bool deaf = false;                      // the messages do not change the ranker
};
struct CuriousServer {
  Seen* seen;

  void aggregate(std::span<ClientMessage<LocalWeights> const> all, ParametricRanker auto& ranker) const {
    if (!all.empty()) seen->messages.push_back(static_cast<double>(all[0].message.values[0]));
    if (seen->fails >= 0 && seen->fails-- == 0) throw std::runtime_error("disk full");
    if (seen->deaf) return;
    double sum = 0.0;
    for (auto const& m : all) sum += static_cast<double>(m.message.values[0]);
    ranker.parameters()[0] = static_cast<float>(sum / static_cast<double>(all.size()));
    if (seen->after) seen->after();
  }
  auto members(auto&& visit) const { return visit(); }
};

constexpr double epsilon = 0.01;

auto federation(Seen& seen, double own_epsilon = epsilon, float parameter = 1.0F) {
  LinearRanker start{1};
  start.parameters()[0] = parameter;
  return make_federation(start, NoClicks{}, Scaled{}, CuriousServer{&seen},
                         Chain{Clip{.bound = 0.5}, LaplaceNoise{.epsilon = own_epsilon, .sensitivity = 1.0}})
      .with_unlearner(Retrain{});
}
std::vector<OneValue> clients(float secret) { return {{0, 1, secret}, {1, 1, 0.1F}, {2, 1, 0.1F}}; }
constexpr RunOptions options(std::uint64_t seed = 1) { return {.seed = seed, .delta = 0.0}; }

/// Clients whose data can change during a training, which is not allowed.
struct Changeable {
  std::vector<OneValue> const* all;

  [[nodiscard]] std::size_t size() const { return all->size(); }
  OneValue operator[](std::size_t i) const { return (*all)[i]; }
};

double spent(auto const& training) { return training.round().privacy->epsilon_accounted; }

/// Two Laplace numbers of scale 1/ε differ by at most 1 with a probability below ε/2 = .005, see below. With the same noise
/// the messages differ by at most the clip, 1.
bool same_noise(double a, double b) { return std::abs(a - b) <= 1.0; }

}  // namespace

TEST_CASE("A round that fails costs its price, and nothing more when it is run again") {
  Seen seen;
  auto training = federation(seen).start(clients(0.3F), options());
  training.advance();
  CHECK(spent(training) == Approx(epsilon));
  seen.fails = 0;
  CHECK_THROWS(training.advance());
  CHECK(spent(training) == Approx(2 * epsilon));
  CHECK(training.privacy_of(0)->epsilon_accounted == Approx(2 * epsilon));
  CHECK(training.number() == 1);
  training.advance();
  CHECK(spent(training) == Approx(2 * epsilon));
  CHECK(seen.messages[1] == seen.messages[2]);  // the server learns nothing new

  Seen undisturbed;
  auto other = federation(undisturbed).start(clients(0.3F), options());
  other.run(2);
  CHECK(save(other) == save(training));
}

TEST_CASE("A failed round stays charged after forget, and its noise is not used again") {
  int repeated = 0;
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    Seen seen;
    auto training = federation(seen).start(clients(0.3F), options(seed));
    training.advance();
    seen.fails = 0;
    CHECK_THROWS(training.advance());
    double const failed = seen.messages.back();
    training.forget({2});
    CHECK(spent(training) == Approx(3 * epsilon));  // round 1, the failed one, round 1 replayed
    training.advance();
    CHECK(spent(training) == Approx(4 * epsilon));
    repeated += same_noise(failed, seen.messages.back()) ? 1 : 0;
  }
  // Different noise: P(within 1) < 1 · ε / 2 = .005 each, so 3 or more of 50 have a probability below .002.
  CHECK(repeated < 3);
}

TEST_CASE("A copy that forgets does not repeat the noise of the original") {
  int repeated = 0;
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    Seen seen;
    auto training = federation(seen).start(clients(0.4F), options(seed));
    training.advance();
    auto copy = training;
    training.advance();
    double const original = seen.messages.back();
    copy.forget({2});
    copy.advance();
    repeated += same_noise(original, seen.messages.back()) ? 1 : 0;
  }
  CHECK(repeated < 3);
}

TEST_CASE("What was spent stays spent when an earlier state is restored") {
  Seen seen;
  auto training = federation(seen).start(clients(0.3F), options());
  training.run(2);
  auto const early = save(training);
  training.run(3);
  auto const late = save(training);
  restore(training, early);
  CHECK(training.number() == 2);
  CHECK(spent(training) == Approx(5 * epsilon));

  SECTION("the same rounds again are the same messages, and cost nothing") {
    training.run(3);
    CHECK(save(training) == late);
    CHECK(spent(training) == Approx(5 * epsilon));
    training.advance();
    CHECK(spent(training) == Approx(6 * epsilon));
  }
  SECTION("after a forget they are other messages") {
    training.forget({2});
    CHECK(spent(training) == Approx(7 * epsilon));  // two replayed rounds
    training.run(3);
    CHECK(spent(training) == Approx(10 * epsilon));
  }
  SECTION("a state from before a forget keeps the price of the replay") {
    training.forget({2});
    restore(training, early);
    CHECK(training.forgotten_clients().empty());
    CHECK(spent(training) == Approx(7 * epsilon));
    restore(training, early);
    CHECK(spent(training) == Approx(7 * epsilon));
    restore(training, late);  // of the first branch, which ran all its rounds before
    CHECK(spent(training) == Approx(7 * epsilon));
    training.advance();
    CHECK(spent(training) == Approx(8 * epsilon));
  }
  SECTION("two histories that differ cannot be joined") {
    auto other = federation(seen).start(clients(0.3F), options());
    restore(other, early);
    other.forget({1});
    auto const foreign = save(other);
    training.forget({2});
    auto const before = save(training);
    CHECK_THROWS_WITH(restore(training, foreign), Catch::Contains("another history"));
    CHECK(save(training) == before);
  }
  SECTION("rounds after the place where another history branches off are not part of it") {
    auto other = federation(seen).start(clients(0.3F), options());
    restore(other, early);
    other.forget({1});
    other.run(5);  // to a later round than this training
    auto const before = save(training);
    CHECK_THROWS_WITH(restore(training, save(other)), Catch::Contains("another history"));
    CHECK(save(training) == before);
  }
  SECTION("a later state of the same history has its own price") {
    auto fresh = federation(seen).start(clients(0.3F), options());
    restore(fresh, early);
    CHECK(spent(fresh) == Approx(2 * epsilon));
    restore(fresh, late);
    CHECK(spent(fresh) == Approx(5 * epsilon));
  }
  SECTION("a failed round stays charged when another branch is restored") {
    restore(training, late);
    seen.fails = 0;
    CHECK_THROWS(training.advance());
    CHECK(spent(training) == Approx(6 * epsilon));
    restore(training, early);
    CHECK(spent(training) == Approx(6 * epsilon));
    training.run(3);  // to the round before the failed one
    CHECK(spent(training) == Approx(6 * epsilon));
    training.advance();
    CHECK(spent(training) == Approx(6 * epsilon));
  }
}

TEST_CASE("An interrupted round costs nothing if no client made its message") {
  Seen seen;
  bool stop = false;
  auto training = federation(seen)
                      .with_execution(Interruptible(Serial{}, [&stop] { return stop; }))
                      .start(clients(0.3F), options());
  training.advance();
  stop = true;
  CHECK_THROWS_AS(training.advance(), Interrupted);
  stop = false;
  CHECK(spent(training) == Approx(epsilon));
  SECTION("run again") {
    training.advance();
    CHECK(spent(training) == Approx(2 * epsilon));
  }
  SECTION("not run again") {
    CHECK(training.last_begun() == 1);
    training.forget({2});
    CHECK(spent(training) == Approx(2 * epsilon));  // and the replay of round 1
  }
  SECTION("a failure before it stays charged") {
    seen.fails = 0;
    CHECK_THROWS_WITH(training.advance(), "disk full");
    stop = true;
    CHECK_THROWS_AS(training.advance(), Interrupted);
    stop = false;
    CHECK(spent(training) == Approx(2 * epsilon));
  }
}

namespace {

/// A streaming server that reads each message as it arrives.
struct ReadingServer {
  std::vector<double>* read;

  struct Sum {
    std::vector<double>* read = nullptr;
    double total = 0.0;
    void add(LocalWeights const& message) {
      total += static_cast<double>(message.values[0]);
      if (read != nullptr) read->push_back(static_cast<double>(message.values[0]));
    }
    void merge(Sum const& other) { total += other.total; }
    auto fields(auto&& visit) { return visit(total); }
  };
  [[nodiscard]] Sum sum(auto const&) const { return {read}; }
  void aggregate(Sum const& sum, ParametricRanker auto& ranker) const {
    ranker.parameters()[0] = static_cast<float>(sum.total);
  }
  auto members(auto&& visit) const { return visit(); }
};

/// Serial, as if the blocks ran in other processes.
struct OtherMemory {
  template <class Leaf>
  [[nodiscard]] auto reduce(std::size_t blocks, Leaf const& leaf) const {
    return Serial{}.reduce(blocks, leaf);
  }
};
static_assert(!SharedMemoryExecution<OtherMemory>);

}  // namespace

TEST_CASE("An interrupted round of which a message was made costs its worst loss until it is run again") {
  std::vector<double> read;
  std::size_t stop_at = 99;
  std::vector<OneValue> many;
  for (ClientId id = 0; id < 48; ++id) many.push_back({id, 1, 0.3F});
  auto const start = [&](auto execution) {
    LinearRanker ranker{1};
    ranker.parameters()[0] = 1.0F;
    return make_federation(ranker, NoClicks{}, Scaled{}, ReadingServer{&read},
                           Chain{Clip{.bound = 0.5}, LaplaceNoise{.epsilon = epsilon, .sensitivity = 1.0}})
        .with_unlearner(Retrain{})
        .with_execution(Interruptible(
            execution, [&](std::size_t block, std::size_t blocks) { return blocks > 0 && block == stop_at; }))
        .start(many, options());
  };
  SECTION("the server has read two of three blocks") {
    auto training = start(Serial{});
    training.advance();
    auto const before = save(training);
    read.clear();
    stop_at = 2;
    CHECK_THROWS_AS(training.advance(), Interrupted);
    stop_at = 99;
    CHECK(training.number() == 1);
    CHECK(read.size() == 32);
    CHECK(spent(training) == Approx(2 * epsilon));
    CHECK(training.privacy_of(47)->epsilon_accounted == Approx(2 * epsilon));  // it may have been any client
    CHECK(training.last_begun() == 2);

    SECTION("run again") {
      auto const first = read;
      read.clear();
      training.advance();
      CHECK(std::vector<double>(read.begin(), read.begin() + 32) == first);
      CHECK(spent(training) == Approx(2 * epsilon));
    }
    SECTION("interrupted again") {
      stop_at = 0;
      CHECK_THROWS_AS(training.advance(), Interrupted);
      CHECK(spent(training) == Approx(2 * epsilon));
    }
    SECTION("not run again") {
      restore(training, before);
      CHECK(spent(training) == Approx(2 * epsilon));
      training.forget({2});
      CHECK(spent(training) == Approx(3 * epsilon));
    }
    SECTION("saved and restored") {
      auto other = start(Serial{});
      restore(other, save(training));
      CHECK(spent(other) == Approx(2 * epsilon));
    }
  }
  SECTION("an Execution without shared memory cannot tell whether a message was made") {
    auto training = start(OtherMemory{});
    stop_at = 0;
    CHECK_THROWS_AS(training.advance(), Interrupted);
    CHECK(read.empty());
    CHECK(spent(training) == Approx(epsilon));
    stop_at = 99;
    training.advance();
    CHECK(spent(training) == Approx(epsilon));
  }
}

TEST_CASE("After any sequence of operations the account has every message that the server saw") {
  enum class Step : std::uint8_t {
    advance,
    fail,
    interrupt,
    interrupt_late,
    save,
    restore,
    forget,
    fail_forget,
    foreign
  };
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Stream random(seed);
    Seen seen;
    bool stop = false;
    bool stop_late = false;
    seen.after = [&] { stop = stop || std::exchange(stop_late, false); };
    std::vector<OneValue> many = clients(0.3F);
    for (ClientId id = 3; id < 8; ++id) many.push_back({id, 1, 0.1F});
    auto training = federation(seen)
                        .with_execution(Interruptible(Serial{}, [&stop] { return stop; }))
                        .start(Dropout<std::vector<OneValue>>{many, 0.0}, options(seed));
    std::vector<std::vector<std::byte>> saved{save(training)};
    std::vector<std::vector<std::byte>> foreign;  // of trainings of other data and other parameters
    for (bool const other_data : {true, false}) {
      Seen ignored;
      auto others = many;
      others[0].value = other_data ? -0.3F : 0.3F;
      auto other = federation(ignored, other_data ? epsilon : 0.5 * epsilon)
                       .with_execution(Interruptible(Serial{}, [] { return false; }))
                       .start(Dropout<std::vector<OneValue>>{others, 0.0}, options(seed));
      for (int n = 0; n < 4; ++n) {
        foreign.push_back(save(other));
        other.advance();
      }
      other.forget({2});
      other.advance();
      foreign.push_back(save(other));
    }
    std::string history;
    auto const attempt = [&](auto const& act) {
      try {
        act();
      } catch (Interrupted const&) {
      } catch (std::runtime_error const&) {
      } catch (std::invalid_argument const&) {
      }
      stop = stop_late = false;
      seen.fails = -1;
    };
    for (int n = 0; n < 12; ++n) {
      auto const step = static_cast<Step>(random.below(9));
      history += std::to_string(static_cast<int>(step)) + ' ';
      attempt([&] {
        switch (step) {
          case Step::fail:
          case Step::fail_forget:
            seen.fails = static_cast<int>(random.below(3));
            break;
          case Step::interrupt:
            stop = true;
            break;
          case Step::interrupt_late:
            stop_late = true;
            break;
          default:
            break;
        }
        if (step == Step::save)
          saved.push_back(save(training));
        else if (step == Step::restore)
          restore(training, saved[random.below(static_cast<std::uint32_t>(saved.size()))]);
        else if (step == Step::foreign)
          restore(training, foreign[random.below(static_cast<std::uint32_t>(foreign.size()))]);
        else if (step == Step::forget || step == Step::fail_forget)
          training.forget({1 + static_cast<ClientId>(random.below(7))});
        else
          training.advance();
      });
    }
    std::set<double> const distinct(seen.messages.begin(), seen.messages.end());
    INFO("seed " << seed << ", steps " << history);
    CHECK(spent(training) > epsilon * (static_cast<double>(distinct.size()) - 0.5));
    CHECK(training.privacy_of(0)->epsilon_accounted > epsilon * (static_cast<double>(distinct.size()) - 0.5));
  }
}

TEST_CASE("Equal messages of two branches have different noise: equal noise would tell that they are equal") {
  // The message of client 0 is 0 on every branch. Both releases are charged, so they must be independent.
  Seen seen;
  auto training = federation(seen).start(clients(0.0F), options());
  training.advance();
  auto const before = save(training);
  training.advance();
  double const first = seen.messages.back();
  restore(training, before);
  training.forget({2});
  training.advance();
  double const second = seen.messages.back();
  CHECK(spent(training) == Approx(4 * epsilon));
  CHECK(first != second);
}

TEST_CASE("An interruption after the server used the messages leaves the round charged") {
  Seen seen;
  seen.after = [] { throw Interrupted(); };
  auto training = federation(seen).start(clients(0.3F), options());
  CHECK_THROWS_AS(training.advance(), Interrupted);
  CHECK(seen.messages.size() == 1);
  CHECK(training.number() == 0);
  CHECK(spent(training) == Approx(epsilon));
  seen.after = nullptr;
  training.advance();
  CHECK(spent(training) == Approx(epsilon));
  seen.after = [] { throw Interrupted(); };
  CHECK_THROWS_AS(training.forget({2}), Interrupted);
  CHECK(spent(training) == Approx(2 * epsilon));
}

TEST_CASE("A budget counts a failed round once, and all rounds of a restored training") {
  Seen seen;
  RunOptions limited = options();
  limited.epsilon_budget = 3 * epsilon;
  auto training = federation(seen).start(clients(0.3F), limited);
  auto const start = save(training);
  training.advance();
  seen.fails = 0;
  CHECK_THROWS_WITH(training.advance(), "disk full");
  CHECK(training.run(10) == 2);
  restore(training, start);
  CHECK(training.run(10) == 3);  // the same rounds again
  CHECK(spent(training) == Approx(3 * epsilon));
}

TEST_CASE("Rounds that a killed process ran after its checkpoint are charged until they are run again") {
  fltr::testing::TemporaryFolder const files;
  Seen seen;
  auto const path = files.path() / "checkpoints";
  double first = 0.0;
  {
    CheckpointFolder const folder(path);
    auto training = federation(seen).start(clients(0.3F), options());
    Checkpointer checkpoints(folder, training, {.every_rounds = 2});
    training.run(2, [&](auto const&) { checkpoints.save_if_due(training); });
    training.advance();  // killed after it
    first = seen.messages.back();
  }
  CheckpointFolder const folder(path);
  auto training = federation(seen).start(clients(0.3F), options());
  Checkpointer checkpoints(folder, training, {.every_rounds = 2});
  REQUIRE(checkpoints.restore(training));
  CHECK(training.number() == 2);
  CHECK(spent(training) == Approx(3 * epsilon));
  CHECK(training.privacy_of(1)->epsilon_accounted == Approx(3 * epsilon));
  CHECK(training.charged_privacy()->epsilon_accounted == Approx(2 * epsilon));

  SECTION("not if the training runs them again") {
    training.advance();
    CHECK(seen.messages.back() == first);
    CHECK(spent(training) == Approx(3 * epsilon));
    training.forget({2});
    CHECK(spent(training) == Approx(6 * epsilon));
  }
  SECTION("before the training runs them again") {
    training.forget({2});
    CHECK(spent(training) == Approx(5 * epsilon));  // three rounds and two replayed ones
    training.advance();
    CHECK_FALSE(same_noise(seen.messages.back(), first));
  }
}

TEST_CASE("A failed round stays charged in the next process until it is run again") {
  fltr::testing::TemporaryFolder const files;
  Seen seen;
  auto const process = [&](auto const& work) {
    CheckpointFolder const folder(files.path() / "checkpoints");
    auto training = federation(seen).start(clients(0.3F), options());
    Checkpointer checkpoints(folder, training, {.every_rounds = 1});
    static_cast<void>(checkpoints.restore(training));
    work(training, checkpoints);
  };
  process([&](auto& training, Checkpointer& checkpoints) {
    checkpoints.note_begun(training);
    seen.fails = 0;
    CHECK_THROWS_WITH(training.advance(), "disk full");  // before the first checkpoint
  });
  process([&](auto& training, Checkpointer& checkpoints) {
    CHECK(spent(training) == Approx(epsilon));
    training.advance();
    CHECK(spent(training) == Approx(epsilon));
    checkpoints.save_if_due(training);
    seen.fails = 0;
    CHECK_THROWS_WITH(training.advance(), "disk full");
    CHECK(spent(training) == Approx(2 * epsilon));
  });
  process([&](auto& training, Checkpointer&) {
    CHECK(training.number() == 1);
    CHECK(spent(training) == Approx(2 * epsilon));
    CHECK(training.privacy_of(0)->epsilon_accounted == Approx(2 * epsilon));
    CHECK(training.round().privacy->epsilon_any_stop == Approx(2 * epsilon));
    training.advance();
    CHECK(spent(training) == Approx(2 * epsilon));
    CHECK(seen.messages[0] == seen.messages[1]);
    CHECK(seen.messages[2] == seen.messages[3]);
  });
}

TEST_CASE("A run that ended has no round more than it ran, and no assumption, when it is restored") {
  fltr::testing::TemporaryFolder const files;
  Seen seen;
  RunOptions how = options();
  auto const process = [&](auto const& work) {
    CheckpointFolder const folder(files.path() / "checkpoints");
    auto training = federation(seen).start(clients(0.3F), how);
    Checkpointer checkpoints(folder, training, {.every_rounds = 2});
    static_cast<void>(checkpoints.restore(training));
    work(training, checkpoints);
  };
  auto const run = [](std::uint32_t rounds) {
    return [rounds](auto& training, Checkpointer& checkpoints) {
      checkpoints.note_begun(training);
      training.run(rounds, [&](auto const&) { checkpoints.save_if_due(training); });
    };
  };
  auto const end = [](auto& training, Checkpointer& checkpoints) {
    checkpoints.note_ended(training);
    checkpoints.save(training);
  };
  auto const has = [&](double rounds, bool assumes = false) {
    process([&](auto& training, Checkpointer&) {
      CHECK(spent(training) == Approx(rounds * epsilon));
      CHECK(training.round().privacy->assumption.empty() == !assumes);
    });
  };
  SECTION("a call says that it ended") {
    process([&](auto& training, Checkpointer& checkpoints) {
      run(3)(training, checkpoints);
      end(training, checkpoints);
    });
    has(3);
    has(3);
    process(run(2));
    has(6);  // the next round may have begun: nobody says that this run ended
    process(end);
    has(6);  // rounds 5 and 6 are not run again
    process([&](auto& training, Checkpointer& checkpoints) {
      run(2)(training, checkpoints);
      end(training, checkpoints);
    });
    has(6);
  }
  SECTION("the next round would exceed the budget") {
    how.epsilon_budget = 4 * epsilon;
    process(run(9));
    has(4);
  }
}

TEST_CASE("A table of rounds is that of an undisturbed run, and the reported loss has all rounds that were begun") {
  fltr::testing::TemporaryFolder const files;
  Seen seen;
  constexpr std::uint32_t last = 100;
  auto const start = [&] {
    return federation(seen).start(Dropout<std::vector<OneValue>>{clients(0.3F), 0.9}, options(3));
  };
  std::vector<double> table;
  auto whole = start();
  whole.run(last, [&](auto const& round) { table.push_back(round.privacy->epsilon_accounted); });
  REQUIRE(table.back() < 0.5 * last * epsilon);
  CheckpointFolder const folder(files.path() / "checkpoints");
  auto killed = start();
  Checkpointer saves(folder, killed, {.every_rounds = 10});
  killed.run(last - 1, [&](auto const& round) {
    if (round.number <= 10) saves.save_if_due(killed);
    saves.note_begun(killed);
  });
  auto training = start();
  REQUIRE(Checkpointer(folder, training, {.every_rounds = 10}).restore(training));
  REQUIRE(training.number() == 10);
  REQUIRE(training.last_begun() == last);
  double before = spent(training);
  CHECK(before == Approx(table[9] + 90 * epsilon));  // at the worst loss
  double exact = table[9] + 90 * epsilon;
  training.run(last - 10, [&](auto const& round) {
    CHECK(training.charged_privacy()->epsilon_accounted == table[round.number - 1]);
    exact = table[round.number - 1] + (last - round.number) * epsilon;
    double const now = round.privacy->epsilon_accounted;
    CHECK(now <= before + 1e-12);
    CHECK(now >= exact - 1e-12);
    before = now;
  });
  CHECK(spent(training) == table.back());
  CHECK(save(training) == save(whole));
}

TEST_CASE("The note of begun rounds survives kills before the first checkpoint and during the repetition") {
  fltr::testing::TemporaryFolder const files;
  auto const path = files.path() / "checkpoints";
  Seen seen;
  auto const process = [&](auto const& work) {
    CheckpointFolder const folder(path);
    auto training = federation(seen).start(clients(0.3F), options());
    Checkpointer checkpoints(folder, training, {.every_rounds = 10});
    static_cast<void>(checkpoints.restore(training));
    work(training, checkpoints);
  };
  auto const rounds = [](std::uint32_t count) {
    return [count](auto& training, Checkpointer& checkpoints) {
      training.run(count, [&](auto const&) { checkpoints.save_if_due(training); });
    };
  };
  SECTION("killed before the first checkpoint") {
    process(rounds(4));
    process([&](auto& training, Checkpointer& checkpoints) {
      CHECK(training.number() == 0);
      rounds(1)(training, checkpoints);
      training.forget({2});
      // Rounds 1 to 4, round 5 that may have begun, and the replay of round 1.
      CHECK(spent(training) == Approx(6 * epsilon));
    });
  }
  SECTION("killed again while the rounds are repeated") {
    process(rounds(19));
    process(rounds(1));
    process([&](auto& training, Checkpointer&) {
      CHECK(training.number() == 10);
      training.forget({2});
      CHECK(spent(training) == Approx(30 * epsilon));  // rounds 1 to 20, and ten replayed ones
    });
  }
}

TEST_CASE("A checkpoint of other parameters or other data is refused, whatever wraps them") {
  fltr::testing::TemporaryFolder const files;
  CheckpointFolder const folder(files.path() / "checkpoints");
  Seen seen;
  auto training = federation(seen).start(clients(0.3F), options());
  Checkpointer(folder, training, {.every_rounds = 1}).save(training);
  auto other_epsilon = federation(seen, 2 * epsilon).start(clients(0.3F), options());
  Checkpointer refused(folder, other_epsilon, {.every_rounds = 1});
  CHECK_THROWS_AS(refused.restore(other_epsilon), CheckpointMismatch);
  auto other_data = federation(seen).start(clients(-0.3F), options());
  Checkpointer also_refused(folder, other_data, {.every_rounds = 1});
  CHECK_THROWS_AS(also_refused.restore(other_data), CheckpointMismatch);
  auto same = federation(seen).start(clients(0.3F), options());
  CHECK(Checkpointer(folder, same, {.every_rounds = 1}).restore(same));
}

TEST_CASE("Late messages are charged, because they reach the server") {
  auto const run = [](auto population) {
    LinearRanker start{1};
    Seen seen;
    auto training = make_federation(start, NoClicks{}, Scaled{}, CuriousServer{&seen},
                                    LaplaceNoise{.epsilon = 1.0, .sensitivity = 1.0})
                        .start(std::move(population), RunOptions{.delta = 0.0});
    training.run(3);
    return training;
  };
  SECTION("all of them late") {
    auto const training = run(Stragglers<std::vector<OneValue>>{clients(0.3F), 0.0});
    CHECK(training.round().statistics.late == 3);
    CHECK(training.round().statistics.dropped == 3);
    CHECK(spent(training) == Approx(3.0));
  }
  SECTION("some of them late") {
    auto const training = run(Dropout<std::vector<OneValue>>{clients(0.3F), 0.0, 0.0, 0.0, 0.5});
    for (std::size_t i = 0; i < 3; ++i) CHECK(training.privacy_of(i)->epsilon_accounted == Approx(3.0));
  }
  SECTION("a client that does not answer sends nothing") {
    auto const training = run(Dropout<std::vector<OneValue>>{clients(0.3F), 1.0});
    CHECK(spent(training) == 0.0);
  }
}

TEST_CASE("A failed round stays charged if an earlier process is known to have run fewer rounds") {
  Seen seen;
  auto training = federation(seen).start(clients(0.3F), options());
  training.advance();
  seen.fails = 0;
  CHECK_THROWS_WITH(training.advance(), "disk full");
  training.expect_released(1);
  CHECK(spent(training) == Approx(2 * epsilon));
  training.forget({2});
  CHECK(spent(training) == Approx(3 * epsilon));
}

TEST_CASE("A forgotten client pays for no later round, also not for one that fails") {
  Seen seen;
  auto training = federation(seen).start(clients(0.3F), options());
  training.advance();
  training.forget({2});
  auto const of = [&](std::size_t i) { return training.privacy_of(i)->epsilon_accounted; };
  double const forgotten = of(2);
  double const other = of(0);
  training.advance();
  CHECK(of(0) == Approx(other + epsilon));
  CHECK(of(2) == forgotten);
  seen.fails = 0;
  CHECK_THROWS_WITH(training.advance(), "disk full");
  CHECK(of(0) == Approx(other + 2 * epsilon));
  CHECK(of(2) == forgotten);
  training.forget({1});
  CHECK(of(2) == forgotten);
}

TEST_CASE("Around forget, a failed round costs its price once, whichever branch runs it again") {
  Seen seen;
  auto training = federation(seen).start(clients(0.3F), options());
  training.run(2);
  auto const early = save(training);
  seen.fails = 0;
  CHECK_THROWS_WITH(training.advance(), "disk full");
  training.forget({2});
  CHECK(spent(training) == Approx(5 * epsilon));  // three rounds and two replayed ones
  SECTION("the first round after forget fails") {
    seen.fails = 0;
    CHECK_THROWS_WITH(training.advance(), "disk full");
    CHECK(spent(training) == Approx(6 * epsilon));
    training.advance();
    CHECK(spent(training) == Approx(6 * epsilon));
  }
  SECTION("the round from before forget is run again") {
    restore(training, early);
    training.advance();
    CHECK(spent(training) == Approx(5 * epsilon));
  }
}

TEST_CASE("Bytes of another training are refused, because the account does not have its rounds") {
  Seen seen;
  auto training = federation(seen).start(clients(0.3F), options());
  training.run(3);
  auto const before = save(training);
  auto const refuses = [&](auto const& other) {
    CHECK_THROWS_WITH(restore(training, save(other)), Catch::Contains("another history"));
    CHECK(save(training) == before);
    auto fresh = federation(seen).start(clients(0.3F), options());  // has spent nothing itself
    CHECK_NOTHROW(restore(fresh, save(other)));
    CHECK(spent(fresh) == Approx(spent(other)));
  };
  SECTION("of another epsilon") {
    auto other = federation(seen, 2 * epsilon).start(clients(0.3F), options());
    refuses(other);
    other.run(2);
    refuses(other);
    other.run(2);
    refuses(other);
  }
  SECTION("of other client data") {
    auto other = federation(seen).start(clients(-0.3F), options());
    other.run(2);
    refuses(other);
    other.run(2);
    refuses(other);
    other.forget({2});
    refuses(other);
  }
  SECTION("of another start ranker, also before its first round") {
    auto other = federation(seen, epsilon, 2.0F).start(clients(0.3F), options());
    refuses(other);
    other.run(1);
    refuses(other);
  }
  SECTION("but not before its first round if only the data are others: nothing depends on them yet") {
    restore(training, save(federation(seen).start(clients(-0.3F), options())));
    training.run(3);
    CHECK(spent(training) == Approx(3 * epsilon));
  }
}

TEST_CASE("A failed round is charged if the restored state has another round of its number") {
  Seen seen;
  auto training = federation(seen).start(clients(0.3F), options());
  seen.fails = 0;
  CHECK_THROWS_WITH(training.advance(), "disk full");
  auto other = federation(seen).start(clients(-0.3F), options());
  other.advance();
  restore(training, save(other));
  CHECK(spent(training) == Approx(2 * epsilon));
  training.advance();
  CHECK(spent(training) == Approx(3 * epsilon));
}

TEST_CASE("Discarded rounds whose messages the server saw belong to the history") {
  RunOptions all = options();
  all.minimum_reports = 3;
  Seen seen;
  auto const start = [&](float secret) {
    return federation(seen).start(Dropout<std::vector<OneValue>>{clients(secret), 0.5}, all);
  };
  while (true) {  // a seed with which client 0 sends messages, and no round counts
    auto trial = start(0.3F);
    trial.run(4);
    if (trial.discarded_rounds() == 4 && trial.privacy_of(0)->epsilon_accounted > 1.5 * epsilon) break;
    ++all.seed;
  }
  auto training = start(0.3F);
  training.advance();
  auto const early = save(training);
  training.run(2);
  double const three = spent(training);
  restore(training, early);
  training.run(2);
  CHECK(spent(training) == three);

  auto other = start(-0.3F);
  other.run(4);
  CHECK(other.ranker().parameters()[0] == training.ranker().parameters()[0]);
  CHECK_THROWS_WITH(restore(training, save(other)), Catch::Contains("another history"));
}

TEST_CASE("A round with other data is charged again, also if the ranker does not change") {
  Seen seen;
  seen.deaf = GENERATE(false, true);
  std::vector<OneValue> data = clients(0.3F);
  auto training = federation(seen).start(Changeable{&data}, options());
  training.advance();
  auto const early = save(training);
  training.run(2);
  auto const late = save(training);
  restore(training, early);
  SECTION("other data") {
    data[0].value = -0.3F;
    training.run(2);
    std::set<double> const distinct(seen.messages.begin(), seen.messages.end());
    CHECK(distinct.size() == 5);
    CHECK(spent(training) == Approx(5 * epsilon));
    training.advance();
    CHECK(spent(training) == Approx(6 * epsilon));
    CHECK_NOTHROW(restore(training, late));
    CHECK(spent(training) == Approx(6 * epsilon));
  }
  SECTION("other data, and a round that failed later") {
    restore(training, late);
    seen.fails = 0;
    CHECK_THROWS_WITH(training.advance(), "disk full");
    restore(training, early);
    data[0].value = -0.3F;
    training.advance();
    CHECK(spent(training) == Approx(5 * epsilon));  // rounds 1 to 4, and round 2 of the other data
  }
  SECTION("the same data") {
    training.run(2);
    CHECK(save(training) == late);
  }
}

TEST_CASE("An attempt at a round that failed is charged if the next one sends other messages") {
  Seen seen;
  std::vector<OneValue> data = clients(0.3F);
  auto training = federation(seen).start(Changeable{&data}, options());
  seen.fails = 0;
  CHECK_THROWS_WITH(training.advance(), "disk full");
  data[0].value = -0.3F;
  SECTION("that one succeeds") {
    training.advance();
    CHECK(spent(training) == Approx(2 * epsilon));
  }
  SECTION("that one fails, too") {
    seen.fails = 0;
    CHECK_THROWS_WITH(training.advance(), "disk full");
    CHECK(spent(training) == Approx(2 * epsilon));
    data[0].value = 0.3F;
    training.advance();
    CHECK(seen.messages[0] == seen.messages[2]);
    CHECK(spent(training) == Approx(2 * epsilon));
  }
}

TEST_CASE("A forget that is done again replays at its price, and the rounds after it cost nothing more") {
  Seen seen;
  auto training = federation(seen).start(clients(0.3F), options());
  training.run(2);
  auto const early = save(training);
  training.forget({2});
  training.advance();
  CHECK(spent(training) == Approx(5 * epsilon));
  double const first = seen.messages.back();
  restore(training, early);
  training.forget({2});
  CHECK(spent(training) == Approx(7 * epsilon));
  training.advance();
  CHECK(seen.messages.back() == first);
  CHECK(spent(training) == Approx(7 * epsilon));
  restore(training, early);
  training.forget({1});
  training.advance();
  CHECK(spent(training) == Approx(10 * epsilon));
}

TEST_CASE("A training that continues a saved one assumes that the other one stopped there") {
  // Client 2 wants to be forgotten. A program replays from the last state before its first message, in a training
  // without it, whose account has none of the rounds that the first training ran after that state.
  auto const assumes = [](auto const& training) {
    bool const total = training.round().privacy->assumption.find("ran no further round") != std::string::npos;
    CHECK((training.privacy_of(0)->assumption.find("ran no further round") != std::string::npos) == total);
    return total;
  };
  fltr::testing::TemporaryFolder const files;
  Seen seen;
  auto training = federation(seen).start(clients(0.3F), options());
  auto const start = save(training);
  training.run(2);
  auto const before = save(training);
  training.run(3);
  CHECK_FALSE(assumes(training));
  auto replay = federation(seen).start(clients(0.3F), options());
  restore(replay, start);  // like a training of its own
  CHECK_FALSE(assumes(replay));
  restore(replay, before);
  CHECK(assumes(replay));
  replay.run(3);
  CHECK(assumes(replay));
  restore(replay, before);
  CHECK(assumes(replay));

  restore(training, before);
  CHECK_FALSE(assumes(training));
  restore(training, save(replay));  // has run no round that the training has not run
  CHECK_FALSE(assumes(training));

  CheckpointFolder const folder(files.path() / "checkpoints");
  auto const resumed = [&](auto const& saved) {
    Checkpointer(folder, saved, {.every_rounds = 1}).save(saved);
    auto out = federation(seen).start(clients(0.3F), options());
    REQUIRE(Checkpointer(folder, out, {.every_rounds = 1}).restore(out));
    out.advance();
    return out;
  };
  CHECK_FALSE(assumes(resumed(training)));
  CHECK(assumes(resumed(replay)));
}

TEST_CASE("No bound holds after a process that was killed inside of forget") {
  fltr::testing::TemporaryFolder const files;
  auto const path = files.path() / "checkpoints";
  Seen seen;
  auto const process = [&](auto const& work) {
    CheckpointFolder const folder(path);
    auto training = federation(seen).start(clients(0.3F), options());
    Checkpointer checkpoints(folder, training, {.every_rounds = 2});
    static_cast<void>(checkpoints.restore(training));
    work(training, checkpoints);
  };
  auto const bounded = [](auto const& training) { return spent(training) < std::numeric_limits<double>::infinity(); };
  process([](auto& training, Checkpointer& checkpoints) {
    training.run(3, [&](auto const&) { checkpoints.save_if_due(training); });
    checkpoints.note_forget(training);
    checkpoints.note_begun(training);  // does not take it back
  });
  SECTION("killed before the next checkpoint") {
    process([&](auto& training, Checkpointer& checkpoints) {
      CHECK_FALSE(bounded(training));
      CHECK_THAT(training.round().privacy->reason, Catch::Contains("killed inside of forget"));
      training.advance();
      checkpoints.note_begun(training);
    });
    process([&](auto& training, Checkpointer& checkpoints) {  // killed again
      CHECK_FALSE(bounded(training));
      checkpoints.save(training);
    });
    process([&](auto& training, Checkpointer&) {
      CHECK_FALSE(bounded(training));
      auto const saved = save(training);
      auto fresh = federation(seen).start(clients(0.3F), options());
      restore(fresh, saved);
      CHECK_FALSE(bounded(fresh));
    });
  }
  SECTION("not after a checkpoint with the replay") {
    std::filesystem::remove_all(path);
    process([&](auto& training, Checkpointer& checkpoints) {
      training.run(2, [&](auto const&) { checkpoints.save_if_due(training); });
      checkpoints.note_forget(training);
      training.forget({2});
      CHECK(checkpoints.save_if_due(training));
      checkpoints.note_ended(training);
    });
    process([&](auto& training, Checkpointer&) {
      CHECK(training.forgotten_clients().size() == 1);
      CHECK(spent(training) == Approx(4 * epsilon));
    });
  }
}

TEST_CASE("Forgetting the same client after other rounds begins another branch, whose rounds are charged") {
  Seen seen;
  auto training = federation(seen).start(clients(0.3F), options());
  training.run(2);
  auto const early = save(training);
  training.run(2);
  training.forget({2});  // replays rounds 1 to 4
  training.run(2);
  CHECK(spent(training) == Approx(10 * epsilon));
  restore(training, early);
  training.forget({2});  // replays rounds 1 and 2
  CHECK(spent(training) == Approx(12 * epsilon));
  training.run(4);  // rounds 3 to 6, from another model than after four replayed rounds
  CHECK(spent(training) == Approx(16 * epsilon));
  CHECK(training.privacy_of(0)->epsilon_accounted == Approx(16 * epsilon));
}

TEST_CASE("A branch is that of all calls of forget before it: after which rounds, and of which replays") {
  std::set<std::uint64_t> branches{0};
  std::size_t count = 1;
  auto const both = {std::uint32_t{3}, std::uint32_t{4}};
  for (std::uint32_t const round : both)
    for (std::uint64_t const replay : {11U, 12U}) {
      detail::Releases once;
      once.begin_branch(round, replay);
      branches.insert(once.branch);
      CHECK(branches.size() == ++count);
      for (std::uint32_t const later : both)
        for (std::uint64_t const next : {11U, 12U}) {
          detail::Releases twice = once;
          twice.begin_branch(later, next);
          branches.insert(twice.branch);
          CHECK(branches.size() == ++count);
          CHECK(twice.last_charged() == later);
        }
    }
}

TEST_CASE("The last round of which messages may have left is not lower after an earlier state is restored") {
  // A Checkpointer writes it down for the time after a kill.
  Seen seen;
  auto training = federation(seen).start(clients(0.3F), options());
  training.run(2);
  auto const early = save(training);
  training.run(3);
  SECTION("of the same branch") {}
  SECTION("of the branch before a forget") { training.forget({2}); }
  restore(training, early);
  CHECK(training.number() == 2);
  CHECK(training.last_begun() == 5);
}

TEST_CASE("A replay that is tried again has other messages than the one that failed: both are charged") {
  Seen seen;
  auto training = federation(seen).start(clients(0.3F), options());
  training.run(2);
  std::vector<double> first;
  for (int failures = 0; failures < 3; ++failures) {
    seen.fails = 0;
    CHECK_THROWS_WITH(training.forget({2}), "disk full");  // after the messages of round 1
    first.push_back(seen.messages.back());
  }
  std::size_t const before = seen.messages.size();
  training.forget({2});
  first.push_back(seen.messages[before]);
  CHECK(std::set<double>(first.begin(), first.end()).size() == first.size());
  CHECK(spent(training) == Approx((2 + 3 + 2) * epsilon));
}
