// Time and bytes of a round of SecureSum: secure_rounds [--clients N] [--values D] [--corrupt C] [--malicious]
// [--threads T]. 30 % of the clients are lost when messages are due, which is the most work for the server.
#include <sys/resource.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <fltr/aggregators/fed_avg.hpp>
#include <fltr/aggregators/secure_sum.hpp>
#include <fltr/core/parallel_tasks.hpp>
#include <fltr/federation/sealed_round.hpp>
#include <fltr/rankers/linear_ranker.hpp>

namespace {

using namespace fltr;

struct Options {
  std::size_t clients = 1000;
  std::size_t values = 136;
  double corrupt = 0.05;
  bool malicious = false;
  std::size_t threads = 2;
};

template <SecureServer S>
int measure(Options const& o) {
  using Seal = SecureSum<FedAvg, S, std::uint32_t>;
  using Clock = std::chrono::steady_clock;
  auto const seconds = [](Clock::time_point from) {
    return std::chrono::duration<double>(Clock::now() - from).count();
  };
  std::vector<ClientId> asked;
  for (std::size_t i = 0; i < o.clients; ++i) asked.push_back(static_cast<ClientId>(i));
  Seal seal{.setting = {.dropout = 0.3, .corrupt = o.corrupt}, .grid = {.step = 0x1p-16}, .threads = o.threads};
  if constexpr (S == SecureServer::malicious) seal.identities = Identities::simulated(asked);
  seal = seal.prepared_for(o.clients);
  LinearRanker ranker(o.values);
  std::vector<float> const broadcast(o.values);
  SealRound const round{1, asked, broadcast, 1};
  std::vector<SealedClient<Seal>> clients;
  for (ClientId const id : asked) clients.emplace_back(seal, SealContext{round, id, 1, Streams{1, 1, id}});
  SealedRound<Seal, LocalWeights> server(seal, round);

  std::printf("%zu clients, %zu values, %s server, %.0f %% corrupt: %s\n", o.clients, o.values,
              o.malicious ? "malicious" : "curious", 100 * o.corrupt, describe(seal.graph).c_str());
  double up = 0.0;
  double down = 0.0;
  auto const start = Clock::now();
  while (!server.finished()) {
    auto const from = Clock::now();
    std::size_t const phase = server.phase();
    auto const waiting = server.waiting();
    std::vector<Letter> answers(waiting.size());
    std::vector<std::size_t> sizes(waiting.size());
    parallel_tasks(waiting.size(), o.threads, [&](std::size_t i) {
      ClientId const id = waiting[i];
      if (phase == 2 && id % 10 < 3) return;  // lost
      Letter const question = server.question(id);
      sizes[i] = question.size();
      answers[i] = phase == 2 ? clients[id].seal(LocalWeights{std::vector<float>(o.values, 0.5F), 1}, question)
                              : clients[id].answer(question);
    });
    double phase_up = 0.0;
    double phase_down = 0.0;
    for (std::size_t i = 0; i < waiting.size(); ++i) {
      phase_up += static_cast<double>(answers[i].size());
      phase_down += static_cast<double>(sizes[i]);
      if (!answers[i].empty()) server.receive(waiting[i], answers[i]);
    }
    server.next_phase();
    auto const each = static_cast<double>(waiting.size());
    std::printf("  phase %zu: %.2f s; a client sends %.0f bytes and gets %.0f\n", phase, seconds(from), phase_up / each,
                phase_down / each);
    up += phase_up;
    down += phase_down;
  }
  auto const opening = Clock::now();
  NoState state;
  auto const statistics = server.aggregate(ranker, state);
  std::printf("  opening: %.2f s\n", seconds(opening));
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  auto const n = static_cast<double>(o.clients);
  auto const processor = static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                         1e-6 * static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
  std::printf(
      "round: %.2f s on %zu threads (%.2f s of processor time), %.0f bytes sent and %.0f received per client, "
      "%.0f MB of memory\n",
      seconds(start), o.threads, processor, up / n, down / n, static_cast<double>(usage.ru_maxrss) / 1024.0);
  bool const right = !statistics.discarded && ranker.parameters()[0] == 0.5F;
  std::printf("%s\n", right ? "the sum is exact" : "the sum is WRONG");
  return right ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  Options o;
  for (int i = 1; i < argc; ++i) {
    std::string const name = argv[i];
    if (name == "--malicious") {
      o.malicious = true;
      continue;
    }
    char const* const value = i + 1 < argc ? argv[++i] : nullptr;
    if (value != nullptr && name == "--clients") {
      o.clients = std::strtoull(value, nullptr, 10);
    } else if (value != nullptr && name == "--values") {
      o.values = std::strtoull(value, nullptr, 10);
    } else if (value != nullptr && name == "--corrupt") {
      o.corrupt = std::strtod(value, nullptr);
    } else if (value != nullptr && name == "--threads") {
      o.threads = std::strtoull(value, nullptr, 10);
    } else {
      std::fprintf(stderr,
                   "secure_rounds: required --clients N, --values D, --corrupt C, --threads T or --malicious, got %s\n",
                   argv[i]);
      return 2;
    }
  }
  return o.malicious ? measure<SecureServer::malicious>(o) : measure<SecureServer::curious>(o);
}
