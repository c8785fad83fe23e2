// Time, bytes and memory of a round of SecureSum, with all clients and the server in one process:
//   secure_rounds [--clients N] [--values D] [--corrupt C] [--malicious] [--dropout P] [--neighbours K --threshold T]
//                 [--threads T] [--table]
// The share P of the clients is lost when messages are due, which is the most work for the server. --table measures a
// set of settings, each in a process of its own, and prints a table in Markdown.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include <fltr/aggregators/fed_avg.hpp>
#include <fltr/aggregators/secure_sum.hpp>
#include <fltr/core/parallel_tasks.hpp>
#include <fltr/federation/sealed_client.hpp>
#include <fltr/federation/sealed_round.hpp>
#include <fltr/rankers/linear_ranker.hpp>

namespace {

using namespace fltr;

struct Options {
  std::size_t clients = 1000;
  std::size_t values = 136;
  double corrupt = 0.05;
  bool malicious = false;
  double dropout = 0.3;
  std::size_t neighbours = 0;  // 0: the smallest that is secure
  std::size_t threshold = 0;
  std::size_t threads = 2;
};

/// What a client that stays until the end sends and gets in a phase, in bytes, and what the phase takes.
struct PhaseCost {
  double elapsed = 0.0;
  double sent = 0.0;
  double got = 0.0;
};

struct Cost {
  SecureGraph graph{};
  std::vector<PhaseCost> phases{};
  double client = 0.0;  // seconds of processor time of a client that stays until the end
  double server = 0.0;  // seconds of processor time
  double round = 0.0;   // of all clients and the server
  double opening = 0.0;
  double elapsed = 0.0;
  double megabytes = 0.0;  // the peak of the process
  bool opened = false;
  bool exact = false;
};

double seconds_of(clockid_t clock) {
  std::timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}
double thread_seconds() { return seconds_of(CLOCK_THREAD_CPUTIME_ID); }
double process_seconds() { return seconds_of(CLOCK_PROCESS_CPUTIME_ID); }

template <SecureServer S>
Cost measure(Options const& o) {
  using Seal = SecureSum<FedAvg, S, std::uint32_t>;
  using Clock = std::chrono::steady_clock;
  auto const elapsed = [](Clock::time_point from) {
    return std::chrono::duration<double>(Clock::now() - from).count();
  };
  std::vector<ClientId> asked(o.clients);
  std::iota(asked.begin(), asked.end(), ClientId{0});
  Seal seal{.setting = {.dropout = o.dropout, .corrupt = o.corrupt}, .grid = {.step = 0x1p-16}, .threads = o.threads};
  if (o.neighbours > 0) seal.graph = {o.clients, o.neighbours, o.threshold};
  seal = seal.prepared_for(o.clients);
  if constexpr (S == SecureServer::malicious) seal.identities = Identities::simulated(asked);
  LinearRanker ranker(o.values);
  std::vector<float> const broadcast(o.values);
  SealRound const round{1, asked, broadcast, 1};
  std::vector<SealedClient<Seal>> clients;
  for (ClientId const id : asked) {
    ClientAccount account({.most_participants = o.clients, .most_interactions = 1});
    clients.emplace_back(seal, SealContext{round, id, 1, Streams{1, 1, id}}, account);
  }
  SealedRound<Seal, LocalWeights> server(seal, round);

  Cost cost{.graph = seal.graph};
  // The first clients are lost. Their places on the ring of the neighbour graph are random.
  auto const lost = static_cast<std::size_t>(std::floor(o.dropout * static_cast<double>(o.clients) + 1e-9));
  auto const staying = static_cast<double>(o.clients - lost);
  std::vector<double> seconds(o.clients);  // of processor time of each client
  double const processor = process_seconds();
  auto const start = Clock::now();
  while (!server.finished()) {
    auto const from = Clock::now();
    std::size_t const phase = server.phase();
    auto const waiting = server.waiting();
    std::vector<Letter> answers(waiting.size());
    std::vector<std::size_t> sizes(waiting.size());
    parallel_tasks(waiting.size(), o.threads, [&](std::size_t i) {
      ClientId const id = waiting[i];
      if (phase == Seal::exchanges_before && id < lost) return;
      Letter const question = server.question(id);
      sizes[i] = question.size();
      double const before = thread_seconds();
      answers[i] = phase == Seal::exchanges_before
                       ? clients[id].seal(LocalWeights{std::vector<float>(o.values, 0.5F), 1}, question)
                       : clients[id].answer(question);
      seconds[id] += thread_seconds() - before;
    });
    PhaseCost of;
    for (std::size_t i = 0; i < waiting.size(); ++i) {
      if (waiting[i] >= lost) {
        of.sent += static_cast<double>(answers[i].size()) / staying;
        of.got += static_cast<double>(sizes[i]) / staying;
      }
      if (!answers[i].empty()) server.receive(waiting[i], answers[i]);
    }
    server.next_phase();
    of.elapsed = elapsed(from);
    cost.phases.push_back(of);
  }
  auto const opening = Clock::now();
  NoState state;
  cost.opened = !server.aggregate(ranker, state).discarded;
  cost.opening = elapsed(opening);
  cost.elapsed = elapsed(start);
  cost.round = process_seconds() - processor;
  cost.server = cost.round - std::accumulate(seconds.begin(), seconds.end(), 0.0);
  cost.client = std::accumulate(seconds.begin() + static_cast<std::ptrdiff_t>(lost), seconds.end(), 0.0) / staying;
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  cost.megabytes = static_cast<double>(usage.ru_maxrss) / 1024.0;
  cost.exact = cost.opened && std::ranges::all_of(ranker.parameters(), [](float v) { return v == 0.5F; });
  return cost;
}

Cost measured(Options const& o) {
  return o.malicious ? measure<SecureServer::malicious>(o) : measure<SecureServer::curious>(o);
}

int print_round(Options const& o) {
  Cost const cost = measured(o);
  std::printf("%zu clients, %zu values, %s server, %.0f %% corrupt, %.0f %% lost: %s\n", o.clients, o.values,
              o.malicious ? "malicious" : "curious", 100 * o.corrupt, 100 * o.dropout, describe(cost.graph).c_str());
  double sent = 0.0;
  double got = 0.0;
  for (std::size_t p = 0; p < cost.phases.size(); ++p) {
    auto const& of = cost.phases[p];
    std::printf("  phase %zu: %.2f s; a client sends %.0f bytes and gets %.0f\n", p, of.elapsed, of.sent, of.got);
    sent += of.sent;
    got += of.got;
  }
  std::printf("  opening: %.2f s\n", cost.opening);
  std::printf("processor time: %.1f ms for a client, %.2f s for the server, %.2f s in all\n", 1e3 * cost.client,
              cost.server, cost.round);
  std::printf("elapsed: %.2f s on %zu threads; a client sends %.0f bytes and gets %.0f; %.0f MB of memory\n",
              cost.elapsed, o.threads, sent, got, cost.megabytes);
  std::printf("%s\n", cost.exact    ? "the sum is exact"
                      : cost.opened ? "the sum is WRONG"
                                    : "the sum could not be opened: too few clients stayed for this threshold");
  return cost.exact ? 0 : 1;
}

// ---- the table

int print_row(Options const& o) {
  Cost const cost = measured(o);
  double sent = 0.0;
  double got = 0.0;
  for (auto const& of : cost.phases) {
    sent += of.sent;
    got += of.got;
  }
  std::printf("| %zu | %zu | %s | %.0f %% | %llu | %llu | %.1f | %.2f | %.2f | %.2f | %.0f | %.0f | %.0f |\n",
              o.clients, o.values, o.malicious ? "malicious" : "curious", 100 * o.corrupt,
              static_cast<unsigned long long>(cost.graph.neighbours),
              static_cast<unsigned long long>(cost.graph.threshold), 1e3 * cost.client, cost.server, cost.round,
              cost.elapsed, sent, got, cost.megabytes);
  return cost.exact ? 0 : 1;
}

/// Microseconds of processor time of one call.
template <class Operation>
double microseconds(Operation const& operation) {
  constexpr int calls = 5000;
  double const before = thread_seconds();
  for (int i = 0; i < calls; ++i) operation();
  return 1e6 * (thread_seconds() - before) / calls;
}

/// What most of the time of a round is made of.
void print_primitives() {
  namespace s = detail::secure;
  s::require_sodium();
  s::Key32 secret;
  secret.bytes.fill(7);
  s::Bytes32 const other = s::x25519_public(secret);
  s::Key32 common;
  bool good = true;
  double const agreement = microseconds([&] { good = s::x25519_agree(secret, other, common) && good; });
  auto const key = SigningKey::from_seed(secret.bytes);
  auto const signature = key.sign(other);
  double const verification = microseconds([&] { good = s::signed_by(key.identity(), other, signature) && good; });
  std::vector<std::uint32_t> words(137);
  double const mask = microseconds([&] { s::add_mask(std::span(words), secret, false); });
  std::printf(
      "\nProcessor time: X25519 agreement %.1f µs, Ed25519 verification %.1f µs, ChaCha20 mask of 137 words %.2f "
      "µs%s\n",
      agreement, verification, mask, good ? "" : " (WRONG)");
}

int print_table(Options const& all) {
  std::printf(
      "| clients | values | server | corrupt | k | t | client, ms | server, s | round, s | elapsed, s | bytes sent | "
      "bytes got | MB |\n| ---: | ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: "
      "|\n");
  std::vector<Options> rows;
  auto const add = [&](std::size_t clients, std::size_t values, double corrupt, bool malicious) {
    Options row = all;
    row.clients = clients;
    row.values = values;
    row.corrupt = corrupt;
    row.malicious = malicious;
    rows.push_back(row);
  };
  for (std::size_t const clients : {100U, 300U, 1000U, 3000U}) add(clients, 136, 0.1, false);
  for (std::size_t const values : {46U, 1000U}) add(1000, values, 0.1, false);
  for (double const corrupt : {0.05, 0.2}) add(1000, 136, corrupt, false);
  for (std::size_t const clients : {100U, 300U, 1000U}) add(clients, 136, 0.1, true);
  add(1000, 136, 0.05, true);
  bool good = true;
  for (Options const& row : rows) {
    std::fflush(stdout);
    pid_t const child = fork();  // so that the peak of the memory is that of this row
    if (child == 0) {
      int const result = print_row(row);
      std::fflush(stdout);
      std::_Exit(result);
    }
    int status = 0;
    good = child > 0 && waitpid(child, &status, 0) == child && status == 0 && good;
  }
  print_primitives();
  std::printf("%s\n", good ? "All sums are exact." : "A row failed.");
  return good ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) try {
  Options o;
  bool table = false;
  for (int i = 1; i < argc; ++i) {
    std::string const name = argv[i];
    if (name == "--malicious" || name == "--table") {
      (name == "--table" ? table : o.malicious) = true;
      continue;
    }
    char const* const value = i + 1 < argc ? argv[++i] : nullptr;
    if (value != nullptr && name == "--clients") {
      o.clients = std::strtoull(value, nullptr, 10);
    } else if (value != nullptr && name == "--values") {
      o.values = std::strtoull(value, nullptr, 10);
    } else if (value != nullptr && name == "--corrupt") {
      o.corrupt = std::strtod(value, nullptr);
    } else if (value != nullptr && name == "--dropout") {
      o.dropout = std::strtod(value, nullptr);
    } else if (value != nullptr && name == "--neighbours") {
      o.neighbours = std::strtoull(value, nullptr, 10);
    } else if (value != nullptr && name == "--threshold") {
      o.threshold = std::strtoull(value, nullptr, 10);
    } else if (value != nullptr && name == "--threads") {
      o.threads = std::strtoull(value, nullptr, 10);
    } else {
      std::fprintf(stderr,
                   "secure_rounds: required --clients N, --values D, --corrupt C, --malicious, --dropout P, "
                   "--neighbours K, --threshold T, --threads T or --table, got %s\n",
                   name.c_str());
      return 2;
    }
  }
  bool const own_graph = o.neighbours > 0 || o.threshold > 0;
  if (own_graph && (o.neighbours == 0 || o.threshold == 0 || table)) {
    std::fprintf(stderr, "secure_rounds: required --neighbours and --threshold together and without --table, got %s\n",
                 table               ? "--table"
                 : o.neighbours == 0 ? "--threshold alone"
                                     : "--neighbours alone");
    return 2;
  }
  return table ? print_table(o) : print_round(o);
} catch (std::invalid_argument const& e) {
  std::fprintf(stderr, "secure_rounds: %s\n", e.what());
  return 2;
}
