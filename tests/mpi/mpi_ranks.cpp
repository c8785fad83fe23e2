// mpirun -n N mpi_ranks <case>: checks MpiRanks on N ranks. Rank 0 prints "<case>: ok on N ranks", or the sentence of an
// exception; the exit status is then 1. tests/mpi/ranks.cmake runs it.
#include <fltr/execution/mpi.hpp>

#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <fltr/aggregators/fed_avg.hpp>
#include <fltr/aggregators/krum.hpp>
#include <fltr/aggregators/linear_combination.hpp>
#include <fltr/attacks/little_is_enough.hpp>
#include <fltr/click_models/cascade_model.hpp>
#include <fltr/core/collected.hpp>
#include <fltr/data/client.hpp>
#include <fltr/data/select_queries.hpp>
#include <fltr/execution/interruptible.hpp>
#include <fltr/execution/threads.hpp>
#include <fltr/federation/checkpoint.hpp>
#include <fltr/federation/fine_tune.hpp>
#include <fltr/federation/make_federation.hpp>
#include <fltr/federation/train_alone.hpp>
#include <fltr/learners/pdgd.hpp>
#include <fltr/learners/personal.hpp>
#include <fltr/metrics/evaluate.hpp>
#include <fltr/metrics/ndcg.hpp>
#include <fltr/partition/iid.hpp>
#include <fltr/partition/merging_client.hpp>
#include <fltr/presets/fpdgd.hpp>
#include <fltr/presets/merge_forests.hpp>
#include <fltr/privatizers/gamma_noise.hpp>
#include <fltr/privatizers/laplace_noise.hpp>
#include <fltr/rankers/linear_ranker.hpp>
#include <fltr/rankers/split_neural_ranker.hpp>
#include <fltr/unlearners/fed_eraser.hpp>

#include "frame/masked_sum.hpp"
#include "support/merge_order.hpp"
#include "support/toy_dataset.hpp"

namespace {

using namespace fltr;
using Ranks = MpiRanks<Threads>;

void expect(bool holds, std::string const& what) {
  if (!holds) throw std::logic_error("wrong: " + what);
}

/// A result of any size.
struct Text : testing::MergeOrder {
  auto fields(auto&& visit) { return visit(text); }
};
Text leaf(std::size_t i) { return {{std::to_string(i)}}; }

/// Every part of the library gives the bits of Serial, on each rank with 1 to 3 threads.
void bits(Ranks const& all) {
  auto const data = testing::toy_dataset();
  auto const clients = split_iid(data, {.clients = 70, .interactions = 3});
  for (int const threads : {1, 2, 3}) {
    auto const ranks = all.with_inner(Threads{threads});
    for (std::size_t blocks = 1; blocks <= 40; ++blocks)
      expect(ranks.reduce(blocks, leaf).text == Serial{}.reduce(blocks, leaf).text, std::to_string(blocks) + " blocks");

    auto const check = [&](auto const& federation, std::string const& name) {
      auto serial = federation.start(clients, {.seed = 5});
      auto training = federation.with_execution(ranks).start(clients, {.seed = 5});
      for (int i = 0; i < 2; ++i) {
        serial.advance();
        training.advance();
      }
      expect(save(training) == save(serial), name);
      expect(evaluate_on(ranks, training.ranker(), data, Ndcg{})[0].mean() ==
                 evaluate_on(Serial{}, training.ranker(), data, Ndcg{})[0].mean(),
             "the evaluation after " + name);
    };
    auto const federation = fpdgd(LinearRanker(5), CascadeModel::informational(3), {}, GammaNoise{});
    check(federation, "FPDGD");
    check(federation.with_aggregator(Krum{}), "Krum");
    check(federation.with_aggregator(testing::MaskedSum{}), "a masked sum");
    check(federation.with_privatizer(NoPrivacy{}).with_attack(LittleIsEnough{.malicious = MaliciousClients{3}}),
          "an attack");
  }
}

/// Client states, personal rankers, forgetting and saved trainings.
void states(Ranks const& ranks) {
  auto const data = testing::toy_dataset();
  std::vector<Client> clients;
  for (std::uint32_t i = 0; i < 72; ++i) clients.push_back({i, 3, QueryPool(data, {i % 40, (39 + i) % 40})});
  auto const federation =
      make_federation(SplitNeuralRanker(5, {.hidden = 4}), CascadeModel::perfect(3), Personal<Pdgd>{}, FedAvg{})
          .with_unlearner(FedEraser{.interval = 2, .local_steps = 1});
  auto const all = [&](Client const&) -> Dataset const& { return data; };
  auto serial = federation.start(clients);
  auto training = federation.with_execution(ranks).start(clients);
  for (int i = 0; i < 4; ++i) {
    serial.advance();
    training.advance();
  }
  auto const [first, last] = ranks.own_clients(clients.size());
  for (std::size_t i = 0; i < clients.size(); ++i) {
    bool const here = i >= first && i < last;
    expect(training.client_states()[i].learner.own.empty() != here, "where states are");
    expect(field_bytes(training.ranker_of(i)) == field_bytes(serial.ranker_of(i)), "ranker_of");
    expect(field_bytes(training.client_state(i)) == field_bytes(serial.client_state(i)), "client_state");
  }
  expect(training.evaluate_personal(Ndcg{}, all) == serial.evaluate_personal(Ndcg{}, all), "evaluate_personal");
  expect(fine_tune(training).evaluate_personal(Ndcg{}, all) == fine_tune(serial).evaluate_personal(Ndcg{}, all),
         "fine_tune");
  AloneOptions const alone{.rounds = 2};
  expect(train_alone(federation.with_execution(ranks), clients, alone).evaluate_personal(Ndcg{}, all) ==
             train_alone(federation, clients, alone).evaluate_personal(Ndcg{}, all),
         "train_alone");

  // A training saved on ranks goes on in one process, and the other way round.
  auto const saved = save(training);
  expect(saved == save(serial), "save");
  auto continued = federation.start(clients);
  restore(continued, saved);
  auto spread = federation.with_execution(ranks).start(clients);
  restore(spread, save(serial));
  serial.advance();
  continued.advance();
  spread.advance();
  expect(save(continued) == save(serial) && save(spread) == save(serial), "restore");

  serial.forget({4, 37});
  spread.forget({4, 37});
  expect(save(spread) == save(serial), "forget");
}

/// Each rank has a Dataset with the queries of its own clients, merges their forests, and saves a training.
void own_data(Ranks const& ranks) {
  constexpr std::size_t count = 40;
  auto const data = testing::toy_dataset(count);
  auto const forest_clients = [&](auto const& pool_of) {
    std::vector<MergingClient> clients;
    for (std::uint32_t i = 0; i < count; ++i)
      clients.push_back({.id = i, .queries = pool_of(i, i), .merge = pool_of(i, (i + 1) % count)});
    return clients;
  };
  auto const click_clients = [&](auto const& pool_of) {
    std::vector<Client> clients;
    for (std::uint32_t i = 0; i < count; ++i) clients.push_back({i, 3, pool_of(i, i)});
    return clients;
  };
  auto const everything = [&](std::uint32_t, std::uint32_t query) { return QueryPool(data, {query}); };

  auto const [first, last] = ranks.own_clients(count);
  std::vector<std::uint32_t> queries;
  for (std::size_t i = first; i < last; ++i)
    for (std::size_t const query : {i, (i + 1) % count}) queries.push_back(static_cast<std::uint32_t>(query));
  Dataset const mine = queries.empty() ? Dataset() : select_queries(data, queries);
  auto const only_mine = [&, from = first, to = last](std::uint32_t client, std::uint32_t query) {
    if (client < from || client >= to) return QueryPool();
    auto const place = 2 * (client - from) + (query == client ? 0 : 1);
    return QueryPool(mine, {static_cast<std::uint32_t>(place)});
  };

  auto const forests = merge_forests(5, LambdaMart{.trees = 3, .leaves = 4, .min_data = 1});
  auto serial = forests.start(forest_clients(everything));
  auto spread = forests.with_execution(ranks).start(forest_clients(only_mine));
  serial.advance();
  spread.advance();
  expect(save(spread) == save(serial), "merged forests of spread data");
  auto const clicks = fpdgd(LinearRanker(5), CascadeModel::informational(3), {}, GammaNoise{});
  auto whole = clicks.start(click_clients(everything));
  auto parts = clicks.with_execution(ranks).start(click_clients(only_mine));
  whole.run(3);
  parts.run(3);
  expect(save(parts) == save(whole), "FPDGD on spread data");

  // The hash of the data in a checkpoint is that of the rank's own data.
  auto const place = std::filesystem::temp_directory_path() / ("fltr.own_data." + std::to_string(ranks.rank()));
  {
    CheckpointFolder const folder(place, static_cast<std::uint32_t>(ranks.rank()),
                                  static_cast<std::uint32_t>(ranks.size()));
    Checkpointer checkpoints(folder, parts, {.data = Fingerprint().add(mine).value()});
    checkpoints.save(parts);
    auto resumed = clicks.with_execution(ranks).start(click_clients(only_mine));
    expect(checkpoints.restore(resumed).has_value(), "a checkpoint on spread data");
    whole.expect_released(4);  // the checkpoint says that round 4 may have begun
    expect(save(resumed) == save(whole), "the training from a checkpoint on spread data");
  }
  std::filesystem::remove_all(place);
}

/// The caller initialises MPI, and finalises it before the end of the last copy of MpiRanks.
int finalized_by_caller() {
  int provided = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
  Ranks const ranks(Threads{2});
  bool const good = ranks.reduce(5, leaf).text == Serial{}.reduce(5, leaf).text;
  MPI_Finalize();
  if (ranks.rank() == 0) std::printf("finalized_by_caller: %s on %zu ranks\n", good ? "ok" : "wrong", ranks.size());
  return good ? 0 : 1;
}

/// The caller initialises MPI for one thread: Serial works, and an Execution with threads is an error.
int single_thread() {
  int provided = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SINGLE, &provided);
  MpiRanks<> const ranks;
  bool good = ranks.reduce(5, leaf).text == Serial{}.reduce(5, leaf).text;
  auto const is_refused = [](auto const& make) {
    try {
      static_cast<void>(make());
      return false;
    } catch (std::runtime_error const& error) {
      return std::string(error.what()).find("required MPI_THREAD_FUNNELED") != std::string::npos;
    }
  };
  if (provided == MPI_THREAD_SINGLE) {  // an MPI may provide more than is asked for
    good = good && is_refused([] { return Ranks(Threads{2}); });
    good = good && is_refused([&] { return ranks.with_inner(Threads{2}); });
    good = good && ranks.reduce(3, leaf).text == Serial{}.reduce(3, leaf).text;
  }
  MPI_Finalize();
  if (ranks.rank() == 0) std::printf("single_thread: %s on %zu ranks\n", good ? "ok" : "wrong", ranks.size());
  return good ? 0 : 1;
}

/// Results of 0 to 200 kB cross whole, also if a message may only have 1000 bytes.
void long_results(Ranks const& ranks) {
  for (std::size_t const size : {0U, 1U, 7000U, 9000U, 50000U}) {
    auto const wide = [&](std::size_t i) { return Text{{std::string(size, static_cast<char>('a' + i))}}; };
    expect(ranks.reduce(4, wide).text == Serial{}.reduce(4, wide).text, std::to_string(size) + " bytes");
  }
  // The messages of MPI are counted in int, so a long result is several messages.
  detail::RankGroup group(MPI_COMM_WORLD);
  group.longest_message = 1000;
  std::vector<std::byte> all(10'500, static_cast<std::byte>(ranks.rank()));
  auto const take = [&](std::vector<std::byte> const& part) { all.insert(all.end(), part.begin(), part.end()); };
  auto const own = [&] { return all; };
  auto const result = group.exchange(1, nullptr, take, own, own);
  expect(result.size() == 10'500 * ranks.size(), "the length of a result in several messages");
  for (std::size_t i = 0; i < result.size(); ++i)
    expect(result[i] == static_cast<std::byte>(i / 10'500), "the order of a result in several messages");
}

/// An exception in a block of the last rank.
void throwing_leaf(Ranks const& ranks) {
  std::string caught;
  try {
    (void)ranks.reduce(8, [](std::size_t i) {
      if (i >= 7) throw std::invalid_argument("Leaf: required a block below 7, got " + std::to_string(i));
      return leaf(i);
    });
  } catch (std::invalid_argument const& error) {
    caught = error.what();
  }
  std::string const text = "Leaf: required a block below 7, got 7";
  std::string const elsewhere = text + " (rank " + std::to_string(ranks.size() - 1) + ")";
  expect(caught == (ranks.rank() + 1 == ranks.size() ? text : elsewhere), caught);
  expect(ranks.reduce(8, leaf).text == Serial{}.reduce(8, leaf).text, "a reduction after an exception");
  // A leaf may not reduce on the ranks.
  caught.clear();
  try {
    (void)ranks.reduce(8, [&](std::size_t) { return ranks.reduce(2, leaf); });
  } catch (std::logic_error const& error) {
    caught = error.what();
  }
  expect(ranks.size() == 1 || caught.starts_with("MpiRanks: required one reduction at a time"), caught);
}

/// An exception on the last rank, outside of a reduction, while the others reduce.
void throwing_rank(Ranks const& ranks) {
  (void)ranks.reduce(8, leaf);
  if (ranks.rank() + 1 == ranks.size()) throw std::runtime_error("there is no data on this machine");
  (void)ranks.reduce(8, leaf);
  (void)ranks.reduce(8, leaf);
}

/// The last rank has more clients than the others.
void other_clients(Ranks const& ranks) {
  auto const data = testing::toy_dataset();
  auto const federation = fpdgd(LinearRanker(5), CascadeModel::perfect(3)).with_execution(ranks);
  auto training = federation.start(split_iid(data, {.clients = ranks.rank() + 1 == ranks.size() ? 70U : 50U}));
  training.advance();
}

/// A rank leaves before the others.
void early_end(Ranks const& ranks) {
  if (ranks.rank() + 1 == ranks.size()) return;
  (void)ranks.reduce(8, leaf);
}

/// The last rank asks to stop in round 5. All ranks end after the same round.
void stopped(Ranks const& ranks) {
  auto const data = testing::toy_dataset();
  auto const federation = fpdgd(LinearRanker(5), CascadeModel::perfect(3)).with_execution(ranks);
  auto training = federation.start(split_iid(data, {.clients = 70, .interactions = 1}));
  training.run(1000, [&](auto const& round) {
    if (ranks.rank() + 1 == ranks.size() && round.number == 5) ranks.ask_to_stop(15);
    return ranks.stop() == 0;
  });
  // The other ranks learn of it in round 6.
  expect(training.number() == (ranks.size() == 1 ? 5U : 6U) && ranks.stop() == 15, "the round of the stop");
}

/// The last rank is told to stop in the middle of round 3. The round throws Interrupted on all ranks and has no effect.
void interrupted(Ranks const& ranks) {
  auto const data = testing::toy_dataset();
  auto const clients = split_iid(data, {.clients = 70, .interactions = 1});
  auto const federation = fpdgd(LinearRanker(5), CascadeModel::perfect(3));
  auto serial = federation.start(clients);
  serial.run(2);
  auto const before = save(serial);
  serial.advance();
  bool const last = ranks.rank() + 1 == ranks.size();
  auto const check = [&](auto const& make, std::string const& where) {
    std::atomic<int> left = -1;  // questions until the stop; -1: no stop
    auto const stop = [&] { return left >= 0 && left-- == 0; };
    auto training = federation.with_execution(make(stop)).start(clients);
    training.run(2);
    if (last) left = 0;
    bool caught = false;
    try {
      training.advance();
    } catch (Interrupted const& error) {
      caught = std::string(error.what()).ends_with(last ? "stop" : "(rank " + std::to_string(ranks.size() - 1) + ")");
    }
    expect(caught, "an interrupted round throws Interrupted, " + where);
    expect(save(training) == before, "an interrupted round has no effect, " + where);
    training.advance();
    expect(save(training) == save(serial), "the round after an interrupted one, " + where);
  };
  check([&](auto const& stop) { return Interruptible(ranks, stop); }, "outside");
  check([&](auto const& stop) { return ranks.with_inner(Interruptible(Threads{2}, stop)); }, "inside");
}

/// PDGD whose last client fails while `fails` is true.
struct FailingPdgd : Pdgd {
  bool const* fails = nullptr;
  ClientId client = 0;

  auto members(auto&& visit) const { return visit(static_cast<Pdgd const&>(*this)); }
  template <class R>
  std::uint32_t train(R& local, Client const& at, auto& session) const {
    if (*fails && at.id == client) throw std::runtime_error("the battery is empty");
    return Pdgd::train(local, at, session);
  }
};

/// The mean of all messages, by a server that fails while `fails` is true.
struct FailingMean : FedAvg {
  bool const* fails = nullptr;

  auto members(auto&& visit) const { return visit(); }
  void aggregate(Sum const& total, auto& ranker) const {
    if (*fails) throw std::runtime_error("the disk is full");
    FedAvg::aggregate(total, ranker);
  }
};

/// The privacy loss so far on each rank.
std::vector<double> charges(Ranks const& ranks, auto const& training) {
  double const own = training.round().privacy->epsilon_accounted;
  return ranks
      .reduce(ranks.size(),
              [own](std::size_t) {
                Collected<double> one;
                one.add(own);
                return one;
              })
      .take();
}

/// The last client fails in round 3, and in a replay: the block runs on one rank, and all ranks charge the same as Serial.
/// Then the server fails on the last rank only: it has charged what the others have.
void failed_rounds(Ranks const& ranks) {
  auto const data = testing::toy_dataset();
  auto const clients = split_iid(data, {.clients = 70, .interactions = 1});
  LaplaceNoise const noise{.epsilon = 0.5, .sensitivity = 1.0};
  auto const same = [&](auto const& training, double epsilon, std::string const& when) {
    for (double const charged : charges(ranks, training))
      expect(std::abs(charged - epsilon) < 1e-9,
             "the charge " + when + ": required " + std::to_string(epsilon) + ", got " + std::to_string(charged));
  };
  bool fails = false;
  auto const throws = [&](auto const& work, std::string const& what) {
    fails = true;
    std::string caught;
    try {
      work();
    } catch (std::runtime_error const& error) {
      caught = error.what();
    }
    fails = false;
    expect(caught.starts_with(what), "what a failed round throws: " + caught);
  };

  FailingPdgd learner;
  learner.fails = &fails;
  learner.client = 69;
  auto const federation = make_federation(LinearRanker(5), CascadeModel::perfect(3), learner, FedAvg{}, noise)
                              .with_unlearner(FedEraser{.interval = 1, .local_steps = 1});
  RunOptions const options{.seed = 3, .delta = 0.0};  // without δ the losses of rounds add up
  auto serial = federation.start(clients, options);
  auto training = federation.with_execution(ranks).start(clients, options);
  auto const both = [&](auto const& work) {
    work(serial);
    work(training);
  };
  both([](auto& t) { t.run(2); });
  same(training, 1.0, "after two rounds");
  both([&](auto& t) { throws([&] { t.advance(); }, "the battery is empty"); });
  same(training, 1.5, "after a failed round");
  expect(training.number() == 2 && save(training) == save(serial), "the state after a failed round");
  both([&](auto& t) { throws([&] { t.forget({4}); }, "the battery is empty"); });
  same(training, serial.round().privacy->epsilon_accounted, "after a replay that failed in its first round");
  same(training, 2.0, "after a replay that failed in its first round");
  both([](auto& t) { t.forget({4}); });
  same(training, 3.0, "after forget: two rounds more");
  both([](auto& t) { t.advance(); });
  same(training, 3.5, "after a round that succeeded");
  expect(save(training) == save(serial), "the state after forget and a round");

  FailingMean mean;
  mean.fails = &fails;
  auto server = make_federation(LinearRanker(5), CascadeModel::perfect(3), Pdgd{}, mean, noise)
                    .with_execution(ranks)
                    .start(clients, options);
  server.run(2);
  if (ranks.rank() + 1 == ranks.size())
    throws([&] { server.advance(); }, "the disk is full");
  else
    server.advance();
  same(server, 1.5, "after a round whose aggregation failed on one rank");
}

}  // namespace

int main(int argc, char** argv) {
  std::map<std::string, std::function<void(Ranks const&)>> const cases{{"bits", bits},
                                                                       {"states", states},
                                                                       {"own_data", own_data},
                                                                       {"long_results", long_results},
                                                                       {"throwing_leaf", throwing_leaf},
                                                                       {"throwing_rank", throwing_rank},
                                                                       {"other_clients", other_clients},
                                                                       {"early_end", early_end},
                                                                       {"stopped", stopped},
                                                                       {"interrupted", interrupted},
                                                                       {"failed_rounds", failed_rounds}};
  std::string const name = argc > 1 ? argv[1] : "";
  if (name == "finalized_by_caller") return finalized_by_caller();
  if (name == "single_thread") return single_thread();
  auto const found = cases.find(name);
  if (found == cases.end()) {
    std::fprintf(stderr, "mpi_ranks: required a case, got \"%s\"\n", name.c_str());
    return 2;
  }
  Ranks const ranks(Threads{2});
  try {
    ranks.run([&] { found->second(ranks); });
    if (ranks.rank() == 0) std::printf("%s: ok on %zu ranks\n", name.c_str(), ranks.size());
    return 0;
  } catch (std::exception const& error) {
    if (ranks.rank() == 0) std::fprintf(stderr, "mpi_ranks: error: %s\n", error.what());
    return 1;
  }
}
