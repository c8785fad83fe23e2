#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include <fltr/aggregators/fed_avg.hpp>
#include <fltr/aggregators/secure_sum.hpp>
#include <fltr/core/fields.hpp>
#include <fltr/federation/sealed_client.hpp>
#include <fltr/federation/sealed_round.hpp>
#include <fltr/messages/local_weights.hpp>
#include <fltr/rankers/linear_ranker.hpp>

#include "support/client_limits.hpp"

namespace fltr::testing {

/// The phases of a round with a curious server; a malicious one has the list between message and unmasking.
enum class SecurePhase : std::uint8_t { keys, shares, message, unmasking };

/// Runs rounds of SecureSum over bytes, without a Federation. The grid has steps of 1, so that weights are integers.
template <SecureServer S = SecureServer::curious, class Word = std::uint64_t>
struct SecureRounds {
  using Seal = SecureSum<FedAvg, S, Word>;

  Seal seal{.grid = {.step = 1.0}, .threads = 1};
  std::vector<ClientId> asked{};
  std::vector<float> broadcast = std::vector<float>(4);
  std::vector<std::vector<float>> values{};  ///< by the place in `asked`
  std::uint64_t minimum_reports = 1;
  std::uint64_t seed = 1;
  std::uint32_t number = 1;
  std::uint64_t attempt = 0;

  explicit SecureRounds(std::size_t clients, SecureGraph graph = {},
                        SecureSetting setting = {.dropout = 0.3, .corrupt = 0.0}) {
    seal.setting = setting;
    for (std::size_t i = 0; i < clients; ++i) {
      asked.push_back(static_cast<ClientId>(7 * i + 3));
      values.push_back({});
      for (std::size_t k = 0; k < broadcast.size(); ++k)
        values.back().push_back(static_cast<float>((i * 37 + k * 101) % 1001) - 500.0F);
    }
    if (clients < 7) seal.setting.dropout = 0.0;
    seal.graph = graph;
    if constexpr (S == SecureServer::malicious) seal.identities = Identities::simulated(asked);
    seal = seal.prepared_for(clients);
  }

  [[nodiscard]] SealRound round() const { return {number, asked, broadcast, minimum_reports, 0, attempt}; }
  [[nodiscard]] SealContext context(std::size_t i) const {
    return {round(), asked[i], 1, Streams{seed, number, asked[i]}};
  }
  [[nodiscard]] LocalWeights message(std::size_t i) const { return {values[i], 1}; }

  /// A client's half as a value, for tests that go several ways from one state. A SealedClient cannot be copied.
  struct Half {
    SecureRounds const* rounds = nullptr;
    std::size_t place = 0;  ///< in `asked`
    typename Seal::Secret secret{};

    [[nodiscard]] Letter reply(std::size_t phase, Letter const& question) {
      auto const context = rounds->context(place);
      if (phase != Seal::exchanges_before) return rounds->seal.answer(phase, secret, question, context);
      return field_bytes(rounds->seal.seal(rounds->message(place), secret, question, context));
    }
  };

  struct Outcome {
    RoundStatistics statistics{};
    std::vector<float> weights{};  ///< after the round
  };

  /// Changes letters on their way: (to the server?, phase, client, letter). An empty letter is lost.
  using Post = std::function<void(bool, std::size_t, std::size_t, Letter&)>;

  /// One round. `post` may lose and change letters.
  [[nodiscard]] Outcome run(Post const& post = {}) const {
    std::vector<SealedClient<Seal>> halves;
    for (std::size_t i = 0; i < asked.size(); ++i) {
      auto account = generous_account();
      halves.emplace_back(seal, context(i), account);
    }
    SealedRound<Seal, LocalWeights> server(seal, round());
    while (!server.finished()) {
      for (std::size_t i = 0; i < asked.size(); ++i) {
        if (!server.waits_for(asked[i])) continue;
        std::size_t const phase = server.phase();
        Letter question = server.question(asked[i]);
        bool const empty = question.empty();
        if (post) post(false, phase, i, question);
        if (!empty && question.empty()) continue;
        Letter answer =
            phase == Seal::exchanges_before ? halves[i].seal(message(i), question) : halves[i].answer(question);
        if (post) post(true, phase, i, answer);
        if (!answer.empty()) server.receive(asked[i], answer);
      }
      server.next_phase();
    }
    LinearRanker ranker(broadcast.size());
    std::ranges::copy(broadcast, ranker.parameters().begin());
    NoState state;
    Outcome out{server.aggregate(ranker, state), {}};
    out.weights.assign(ranker.parameters().begin(), ranker.parameters().end());
    return out;
  }

  /// The mean of the values of the clients for which `reports` holds.
  [[nodiscard]] std::vector<float> mean(std::function<bool(std::size_t)> const& reports) const {
    std::vector<double> sum(broadcast.size());
    double count = 0.0;
    for (std::size_t i = 0; i < asked.size(); ++i) {
      if (!reports(i)) continue;
      ++count;
      for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += static_cast<double>(values[i][k]);
    }
    std::vector<float> out;
    for (double const v : sum) out.push_back(static_cast<float>(v / count));
    return out;
  }
};

}  // namespace fltr::testing
