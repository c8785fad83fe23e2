// Facts about clients' data that the server sees outside of messages. No noise on messages covers them: the ledger says
// epsilon = infinity with the reason, unless the caller declares them public.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <fltr/accounting/audit.hpp>
#include <fltr/aggregators/fed_avg.hpp>
#include <fltr/click_models/no_clicks.hpp>
#include <fltr/data/normalize.hpp>
#include <fltr/federation/make_federation.hpp>
#include <fltr/partition/by_label.hpp>
#include <fltr/partition/by_quantity.hpp>
#include <fltr/partition/by_user.hpp>
#include <fltr/partition/dirichlet_over_grades.hpp>
#include <fltr/partition/dirichlet_over_queries.hpp>
#include <fltr/partition/dropout.hpp>
#include <fltr/partition/iid.hpp>
#include <fltr/partition/recorded_population.hpp>
#include <fltr/partition/sampled.hpp>
#include <fltr/partition/sampled_by_quantity.hpp>
#include <fltr/partition/shared_data.hpp>
#include <fltr/partition/stragglers.hpp>
#include <fltr/partition/with_absences.hpp>
#include <fltr/privatizers/laplace_noise.hpp>
#include <fltr/rankers/linear_ranker.hpp>

#include "frame/ranks.hpp"
#include "support/catch.hpp"
#include "support/datasets.hpp"

namespace {

using namespace fltr;
using fltr::testing::dataset_of;
using fltr::testing::Document;
using fltr::testing::random_dataset;

double const infinity = std::numeric_limits<double>::infinity();

/// Sends the mean of the first feature's absolute values over the client's documents.
struct SendsMean {
  using Message = LocalWeights;
  static constexpr bool shows_lists = false;
  std::uint32_t train(ParametricRanker auto& local, auto const& client, auto& session) const {
    double sum = 0.0;
    double count = 0.0;
    for (std::size_t q = 0; q < client.queries.size(); ++q) {
      QueryView const query = client.queries[q];
      for (std::size_t d = 0; d < query.document_count(); ++d, ++count)
        sum += std::abs(static_cast<double>(query.row(d)[0]));
    }
    local.parameters()[0] = count > 0 ? static_cast<float>(sum / count) : 0.0F;
    session.constrain(local.parameters());
    return client.interactions;
  }
};

/// Gathers messages; the model is their sum.
struct SumOfMessages {
  void aggregate(std::span<ClientMessage<LocalWeights> const> all, ParametricRanker auto& ranker) const {
    double sum = 0.0;
    for (auto const& sent : all) sum += static_cast<double>(sent.message.values[0]);
    ranker.parameters()[0] = static_cast<float>(sum);
  }
};

/// A source whose type says nothing about the scaling of features.
struct OnlyTheFirst {
  QueryPool pool;
  [[nodiscard]] std::size_t size() const { return pool.size(); }
  QueryView operator[](std::size_t i) const { return pool[i]; }
  QueryView draw(Stream&) const { return pool[0]; }
};
struct OddClient {
  ClientId id = 0;
  std::uint32_t interactions = 1;
  OnlyTheFirst queries;
};

LaplaceNoise const noise{.epsilon = 0.1, .sensitivity = 2.0};

template <class Clients>
PrivacyLoss loss_of(Clients const& clients, std::size_t features = 5) {
  auto const federation = make_federation(LinearRanker(features), NoClicks{}, SendsMean{}, SumOfMessages{}, noise);
  auto training = federation.start(clients, {.delta = 0.0});
  auto const before = training.worst_total().value();
  training.advance();
  auto const after = training.round().privacy.value();
  CHECK(before.epsilon_accounted == after.epsilon_accounted);  // the budget counts the same
  CHECK(before.reason == after.reason);
  return after;
}

/// n clients with one query each; a query has one document.
std::vector<Client> one_query_each(Dataset const& data) {
  std::vector<Client> out;
  for (std::uint32_t i = 0; i < data.size(); ++i) out.push_back({i, 1, QueryPool(data, std::vector<std::uint32_t>{i})});
  return out;
}

std::string const sampled_by_queries = "clients are sampled by their numbers of queries, which are not declared public";
std::string const scaled_together =
    "features were scaled by documents of several clients, which are not declared public";

}  // namespace

TEST_CASE("The ledger covers what a sample by numbers of queries shows of one client") {
  auto const data = random_dataset(251, {.queries = 1000, .features = 1, .most_documents = 1});
  constexpr std::uint64_t draws = 2000;
  std::uint64_t asked[2] = {0, 0};
  PrivacyLoss stated[2];
  for (std::size_t world : {0U, 1U}) {  // client 0 has 1 query or 1,000, the 19 others have 1 each
    std::vector<Client> clients;
    for (std::uint32_t i = 0; i < 20; ++i) clients.push_back({i, 1, QueryPool(data, {i})});
    if (world == 1) clients[0].queries = QueryPool(data);
    SampledByQuantity const sampled(clients, 1, ClientWeight::queries);
    for (std::uint64_t seed = 1; seed <= draws; ++seed) {
      Stream stream(seed);
      asked[world] += sampled.participants(1, stream).front() == 0 ? 1U : 0U;
    }
    stated[world] = loss_of(sampled, 1);
    CHECK(stated[world].reason == sampled_by_queries);
  }
  // P = 1/20 against 1000/1019: ln(.981 / .05) = 2.98; 2,000 draws prove at least 2.6.
  double const proven = proven_epsilon(asked[1], asked[0], draws, 0.001, 0.0);
  CHECK(proven > 2.6);
  for (auto const& loss : stated) CHECK(loss.epsilon_accounted >= proven);
}

TEST_CASE("What a population discloses is the loss of every client, also of those that were not asked") {
  auto const data = random_dataset(252, {.queries = 8});
  std::vector<Client> const clients{{0, 1, QueryPool(data, {0})}, {1, 1, QueryPool(data, {1, 2, 3})}};
  auto const federation = make_federation(LinearRanker(5), NoClicks{}, SendsMean{}, SumOfMessages{}, noise);
  auto training = federation.start(SampledByQuantity(clients, 1, ClientWeight::queries), {.seed = 1});
  training.advance();
  CHECK(training.privacy_of(0)->epsilon_accounted == infinity);
  CHECK(training.privacy_of(1)->epsilon_accounted == infinity);
  auto stopped = federation.start(SampledByQuantity(clients, 1, ClientWeight::queries), {.epsilon_budget = 1e6});
  CHECK(stopped.run(3) == 0);  // no budget covers it
  // Also if nobody who was asked answers.
  auto silent = federation.start(SampledByQuantity(Dropout{clients, 1.0}, 1, ClientWeight::queries), {.seed = 1});
  silent.advance();
  CHECK(silent.privacy_of(0)->epsilon_accounted == infinity);
}

TEST_CASE("Numbers of queries that are declared public, and interactions, are no loss") {
  auto const data = random_dataset(253, {.queries = 8});
  std::vector<Client> const clients{{0, 1, QueryPool(data, {0})}, {1, 3, QueryPool(data, {1, 2, 3})}};
  CHECK(loss_of(SampledByQuantity(clients, 1, ClientWeight::queries, Secrecy::published)).epsilon_accounted == 0.1);
  CHECK(loss_of(SampledByQuantity(clients, 1)).epsilon_accounted == 0.1);
  UserQueries const log{{"a", "b"}, {{0, 1}, {2, 3}}};
  CHECK(loss_of(ByUser{.log = log, .minimum_queries = 2, .quantities = Secrecy::published}.split(data))
            .epsilon_accounted == 0.1);
}

TEST_CASE("ByUser: the number of messages shows a user's number of queries, and the ledger says so") {
  auto const data = random_dataset(254, {.queries = 6});
  std::size_t messages[2] = {0, 0};
  for (std::uint32_t k : {1U, 2U}) {
    UserQueries log{{"a", "b", "c"}, {{0}, {2, 3}, {4, 5}}};
    if (k == 2) log.queries[0].push_back(1);
    auto const users = ByUser{.log = log, .minimum_queries = 2}.split(data);
    messages[k - 1] = users.size();
    auto const loss = loss_of(users);
    CHECK(loss.epsilon_accounted == infinity);  // in both worlds
    CHECK(loss.reason == "users with few queries are left out, and numbers of queries are not declared public");
  }
  CHECK(messages[0] != messages[1]);
  // A minimum of one query leaves out who has none.
  auto const with_queries = ByUser{.log = {{"a", "b"}, {{}, {2}}}, .minimum_queries = 1}.split(data);
  CHECK(with_queries.size() == 1);
  CHECK(loss_of(with_queries).epsilon_accounted == infinity);
  // By default all users are clients, also one without queries.
  for (auto const& first : {std::vector<std::uint32_t>{}, {0, 1}}) {
    auto const users = ByUser{.log = {{"a", "b"}, {first, {2}}}}.split(data);
    CHECK(users.size() == 2);
    CHECK(loss_of(users).epsilon_accounted == 0.1);
  }
}

TEST_CASE("Populations around another one forward what it discloses") {
  auto const data = random_dataset(255, {.queries = 6});
  UserQueries const log{{"a", "b"}, {{0, 1}, {2, 3}}};
  auto const users = ByUser{.log = log, .minimum_queries = 2}.split(data);
  std::string const reason = users.discloses();
  CHECK_FALSE(reason.empty());
  CHECK(Sampled{users, 1}.discloses() == reason);
  CHECK(SampledByQuantity(users, 1).discloses() == reason);
  CHECK(Dropout{users, 0.5}.discloses() == reason);
  CHECK(Stragglers{users, 60}.discloses() == reason);
  CHECK(WithAbsences{users, {}}.discloses() == reason);
  CHECK(WithInteractions(users, {2}).discloses() == reason);
  CHECK(ByQuantity{}.around(Sampled{Dropout{users, 0.1}, 2}).discloses() == reason);
  CHECK(loss_of(Sampled{Dropout{users, 0.0}, 2}).reason == reason);
  // SharedData makes new clients of those of a population.
  SharedData const sharing{.share = 0.2};
  struct Biased {
    std::vector<Client> clients;
    [[nodiscard]] std::size_t size() const { return clients.size(); }
    Client const& operator[](std::size_t i) const { return clients[i]; }
    [[nodiscard]] std::string discloses() const { return "clients were chosen by their data"; }
  };
  CHECK(sharing.give(Biased{{{0, 1, QueryPool(data)}}}, sharing.choose(data)).discloses() ==
        "clients were chosen by their data");
}

TEST_CASE("Populations whose participation is decided without data cost what the noise costs") {
  auto const data = random_dataset(256, {.queries = 12});
  CHECK(loss_of(split_iid(data, {.clients = 3})).epsilon_accounted == 0.1);
  CHECK(loss_of(Sampled{split_iid(data, {.clients = 3}), 2}).epsilon_accounted == 0.1);
  CHECK(loss_of(ByQuantity{}.split(data)).epsilon_accounted == 0.1);
  CHECK(loss_of(ByLabel{}.split(Dataset(data))).epsilon_accounted == 0.1);
  CHECK(loss_of(DirichletOverGrades{.clients = 2}.split(Dataset(data))).epsilon_accounted == 0.1);
  CHECK(loss_of(DirichletOverQueries{.clients = 2, .minimum_queries = 0}.split(data)).epsilon_accounted == 0.1);
  std::vector<ClickLog> const logs(2);
  CHECK(loss_of(RecordedPopulation(data, logs)).epsilon_accounted == 0.1);
}

TEST_CASE("The ledger covers what z-scores of all documents show of one client's documents") {
  // Client 0 has the feature 1 or 10^4, the others have ±1. With the mean and deviation of all n documents the others'
  // |x| is 1 or about 1/√n, so that the sum of the n messages moves by about n. Its noise has the deviation √(2 n) Δ/ε.
  // With Δ/ε = 20 and n = 800 that is 800, so the sum is above n/2 with P = .69 or .31: e^.8, of
  // which 300 draws prove about .3.
  constexpr std::size_t n = 800;
  constexpr std::uint64_t draws = 300;
  std::uint64_t above[2] = {0, 0};
  double stated = 0.0;
  for (std::size_t world : {0U, 1U}) {
    std::vector<std::vector<Document>> documents;
    for (std::size_t i = 0; i < n; ++i)
      documents.push_back({Document{0, {i == 0 ? (world == 0 ? 1.0F : 1e4F) : i % 2 == 0 ? 1.0F : -1.0F}}});
    auto const data = normalize_zscore(dataset_of(documents, 1));
    auto const federation = make_federation(LinearRanker(1), NoClicks{}, SendsMean{}, SumOfMessages{}, noise);
    for (std::uint64_t seed = 1; seed <= draws; ++seed) {
      auto training = federation.start(one_query_each(data), {.seed = seed + world * draws, .delta = 0.0});
      training.advance();
      above[world] += training.ranker().parameters()[0] > n / 2.0F ? 1U : 0U;
      stated = training.round().privacy->epsilon_accounted;
    }
  }
  double const proven = proven_epsilon(above[0], above[1], draws, 0.001, 0.0);
  CHECK(proven > 0.2);  // the noise alone has 0.1
  CHECK(stated >= proven);
}

TEST_CASE("Features that were scaled by documents of several clients cost infinity, whatever the population") {
  auto const raw = random_dataset(257, {.queries = 12});
  auto const zscores = normalize_zscore(raw);
  auto const by_query = normalize_per_query(raw);
  for (auto const& loss : {loss_of(split_iid(zscores, {.clients = 3})), loss_of(one_query_each(zscores)),
                           loss_of(Sampled{one_query_each(zscores), 2}), loss_of(ByLabel{}.split(Dataset(by_query))),
                           loss_of(DirichletOverGrades{.clients = 2}.split(Dataset(by_query))),
                           loss_of(ByUser{.log = {{"a", "b"}, {{0}, {1}}}}.split(zscores))}) {
    CHECK(loss.epsilon_accounted == infinity);
    CHECK(loss.reason == scaled_together);
  }
  // One such client is enough, wherever it is.
  for (std::ptrdiff_t const place : {0, 1, 2}) {
    std::vector<Client> some{{8, 1, QueryPool(raw, {1})}, {9, 1, QueryPool(raw, {2})}};
    some.insert(some.begin() + place, Client{0, 1, QueryPool(zscores, {0})});
    CHECK(loss_of(some).reason == scaled_together);
  }
  // Within a query of one client, or by statistics that are declared public.
  CHECK(loss_of(one_query_each(by_query)).epsilon_accounted == 0.1);
  auto const published = ZScore::fit(raw).apply(raw, Secrecy::published);
  CHECK(loss_of(one_query_each(published)).epsilon_accounted == 0.1);
  CHECK(loss_of(ByLabel{}.split(Dataset(published))).epsilon_accounted == 0.1);

  // Shared queries, in either pool of a client.
  SharedData const sharing{.share = 0.2, .fraction = 1.0};
  CHECK(loss_of(sharing.give(one_query_each(raw), sharing.choose(zscores))).reason == scaled_together);
  CHECK(loss_of(sharing.give(one_query_each(raw), sharing.choose(raw))).epsilon_accounted == 0.1);
}

TEST_CASE("All ranks know of features that were scaled together, also those whose own clients have no such data") {
  // 32 clients are two blocks: a rank has one of them, and empty pools for the clients of the other rank.
  auto const data = normalize_zscore(random_dataset(260, {.queries = 32}));
  CHECK(fltr::testing::Ranks::run(2, [&](fltr::testing::Ranks const& ranks) {
    auto clients = one_query_each(data);
    for (std::size_t i = 0; i < clients.size(); ++i)
      if (ranks.rank() == 0 || i < 16) clients[i].queries = QueryPool();
    auto const federation =
        make_federation(LinearRanker(5), NoClicks{}, SendsMean{}, SumOfMessages{}, noise).with_execution(ranks);
    auto training = federation.start(clients, {.epsilon_budget = 1.0, .delta = 0.0});
    if (training.worst_total()->reason != scaled_together || training.run(1) != 0) throw std::runtime_error("budget");
  }));
}

TEST_CASE("A round that asks nobody shows who is asked, if that depends on data") {
  struct Nobody {
    std::vector<Client> clients;
    std::string reason;
    [[nodiscard]] std::size_t size() const { return clients.size(); }
    Client const& operator[](std::size_t i) const { return clients[i]; }
    std::vector<std::uint32_t> participants(std::uint32_t, Stream&) const { return {}; }
    [[nodiscard]] std::string discloses() const { return reason; }
  };
  auto const data = random_dataset(261, {.queries = 3});
  CHECK(loss_of(Nobody{one_query_each(data), "clients are asked by their data"}).epsilon_accounted == infinity);
  CHECK(loss_of(Nobody{one_query_each(data), ""}).epsilon_accounted == 0.0);
}

TEST_CASE("Shared queries that clients keep cost infinity") {
  auto const data = random_dataset(258, {.queries = 12});
  SharedData const sharing{.share = 0.2, .removed = false};
  auto const loss = loss_of(sharing.give(one_query_each(data), sharing.choose(data)));
  CHECK(loss.epsilon_accounted == infinity);
  CHECK(loss.reason == "shared queries are still among clients' own, so that messages of other clients depend on them");
}

TEST_CASE("A source of queries that does not say how its features were scaled is an assumption of the loss") {
  auto const data = random_dataset(259, {.queries = 3});
  std::vector<OddClient> const odd{{0, 1, {QueryPool(data)}}, {1, 1, {QueryPool(data)}}};
  auto const loss = loss_of(odd);
  CHECK(loss.epsilon_accounted == 0.1);
  CHECK(loss.assumption == "assumes that clients' features do not depend on documents of other clients");
  CHECK(loss_of(one_query_each(data)).assumption.empty());
  // One such client is enough, wherever it is: a client without queries has nothing that could be scaled.
  for (std::size_t const place : {0U, 1U, 2U}) {
    std::vector<OddClient> some{{8, 1, {QueryPool()}}, {9, 1, {QueryPool()}}};
    CHECK(loss_of(some).assumption.empty());
    some.insert(some.begin() + static_cast<std::ptrdiff_t>(place), odd[0]);
    CHECK(loss_of(some).assumption == loss.assumption);
  }
}
