// The memory of 1,000 clients above the Dataset that they share: clients with grades of their own (non-IID type 1) and
// clients with documents of one grade (non-IID type 2). For comparison, a Dataset for each client. Then the same for each
// partitioner of the library, and the memory of a round of FPDGD with a million clients.
#include <malloc.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fltr/click_models/cascade_model.hpp>
#include <fltr/core/random.hpp>
#include <fltr/data/client.hpp>
#include <fltr/data/regroup.hpp>
#include <fltr/data/select_queries.hpp>
#include <fltr/data/synthetic_fold.hpp>
#include <fltr/execution/threads.hpp>
#include <fltr/partition/by_label.hpp>
#include <fltr/partition/by_preference.hpp>
#include <fltr/partition/by_quantity.hpp>
#include <fltr/partition/by_user.hpp>
#include <fltr/partition/dirichlet_over_grades.hpp>
#include <fltr/partition/dirichlet_over_queries.hpp>
#include <fltr/partition/iid.hpp>
#include <fltr/partition/intent_clusters.hpp>
#include <fltr/presets/fpdgd.hpp>
#include <fltr/rankers/linear_ranker.hpp>

#include "support/fixed_shape.hpp"

namespace {

using namespace fltr;

constexpr std::uint32_t client_count = 1000;
constexpr std::uint32_t intent_count = 10;

/// The number of bytes that are allocated now.
double allocated() {
  auto const info = mallinfo2();
  return static_cast<double>(info.uordblks + info.hblkhd);
}

double megabytes(double bytes) { return bytes / (1024 * 1024); }

double peak_megabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

/// Sets the peak to the memory that is resident now. On systems other than Linux the peak is that of the whole run.
void reset_peak() {
  malloc_trim(0);
  if (std::FILE* const file = std::fopen("/proc/self/clear_refs", "w")) {
    std::fputs("5", file);
    std::fclose(file);
  }
}

/// Prints the memory that `build` allocates.
template <class Build>
auto measured(char const* name, Build const& build) {
  reset_peak();
  double const before = allocated();
  double const peak = peak_megabytes();
  auto result = build();
  std::printf("%-62s %8.2f MB, peak RSS +%.1f MB\n", name, megabytes(allocated() - before), peak_megabytes() - peak);
  return result;
}

/// Random grades of a client or an intent.
std::vector<Grade> own_grades(std::size_t documents, std::uint32_t seed) {
  Stream stream(seed);
  std::vector<Grade> grades(documents);
  for (Grade& grade : grades) grade = static_cast<Grade>(stream.below(5));
  return grades;
}

/// The queries of each client: every thousandth query of a random order.
std::vector<std::vector<std::uint32_t>> distributed_queries(Dataset const& data) {
  std::vector<std::uint32_t> order(data.size());
  std::iota(order.begin(), order.end(), 0U);
  Stream stream(1);
  stream.shuffle(std::span(order));
  std::vector<std::vector<std::uint32_t>> chosen(client_count);
  for (auto& queries : chosen) queries.reserve(order.size() / client_count + 1);
  for (std::size_t i = 0; i < order.size(); ++i) chosen[i % client_count].push_back(order[i]);
  for (auto& queries : chosen) std::ranges::sort(queries);
  return chosen;
}

std::vector<Client> graded_by_client(Dataset const& data, std::vector<std::vector<std::uint32_t>> const& chosen) {
  std::vector<Client> clients;
  clients.reserve(client_count);
  for (std::uint32_t c = 0; c < client_count; ++c) {
    QueryPool const pool(data, chosen[c]);
    clients.push_back({c, 4, pool.with_grades(own_grades(pool.document_count(), c))});
  }
  return clients;
}

std::vector<Client> graded_by_intent(Dataset const& data) {
  std::vector<Client> clients;
  clients.reserve(client_count);
  for (std::uint32_t intent = 0; intent < intent_count; ++intent) {
    QueryPool const pool = QueryPool(data).with_grades(own_grades(data.document_count(), intent));
    for (std::uint32_t i = 0; i < client_count / intent_count; ++i)
      clients.push_back({static_cast<ClientId>(clients.size()), 4, pool});
  }
  return clients;
}

/// A Dataset for each client: the alternative to QueryPool::with_grades.
std::vector<Dataset> copied(Dataset const& data, std::vector<std::vector<std::uint32_t>> const& chosen) {
  std::vector<Dataset> sets;
  sets.reserve(client_count);
  for (std::uint32_t c = 0; c < client_count; ++c) {
    DatasetParts parts = select_queries(data, chosen[c]).release();
    parts.grades = own_grades(parts.grades.size(), c);
    sets.emplace_back(std::move(parts));
  }
  return sets;
}

/// The client of each document. A client has one grade. The documents of a grade are distributed among its clients one
/// by one, or all documents of a query together.
std::vector<std::uint32_t> client_of_grade(Dataset const& data, bool together) {
  auto const grades = static_cast<std::uint32_t>(data.grade_count());
  std::uint32_t const clients_of_grade = client_count / grades;
  std::vector<std::uint32_t> next(grades);
  std::vector<std::uint32_t> client_of;
  client_of.reserve(data.document_count());
  for (std::uint32_t q = 0; q < data.size(); ++q)
    for (Grade const grade : data[q].grades()) {
      std::uint32_t const turn = together ? q : next[grade]++;
      client_of.push_back(grade * clients_of_grade + turn % clients_of_grade);
    }
  return client_of;
}

struct RegroupedClients {
  RegroupedDataset regrouped;
  std::vector<Client> clients;
};

/// On the heap: the pools refer to the regrouped Dataset, which must not move.
std::unique_ptr<RegroupedClients> regrouped_clients(Dataset data, std::span<std::uint32_t const> client_of) {
  auto out = std::make_unique<RegroupedClients>();
  out->regrouped = regroup(std::move(data), client_of);
  out->clients.reserve(client_count);
  for (auto& pool : out->regrouped.pools(client_count))
    out->clients.push_back({static_cast<ClientId>(out->clients.size()), 4, pool});
  return out;
}

Dataset training_set() { return synthetic_fold(SyntheticShape::mslr()).train; }

std::size_t checksum(std::vector<Client> const& clients) {
  std::size_t sum = 0;
  for (Client const& client : clients)
    if (client.queries.size() > 0) sum += client.queries.size() * (1U + client.queries[0].grades()[0]);
  return sum;
}

/// The number of queries of all clients.
template <Population P>
std::size_t query_count(P const& population) {
  std::size_t sum = 0;
  for (std::size_t i = 0; i < population.size(); ++i) {
    auto const& client = population[i];
    sum += client.queries.size();
  }
  return sum;
}

/// The partitioners that refer to a Dataset.
std::size_t referring_partitions(Dataset const& data) {
  std::size_t sum = 0;
  sum += query_count(measured("ByPreference, 4 intents, with the intents", [&] {
    return ByPreference{.intents = IntentClusters(data).label(data), .clients = client_count}.split(data);
  }));
  sum += query_count(measured("ByQuantity", [&] { return ByQuantity{.clients = client_count}.split(data); }));
  sum += query_count(measured("DirichletOverQueries, alpha 0.5", [&] {
    return DirichletOverQueries{.clients = client_count, .minimum_queries = 0}.split(data);
  }));
  sum += query_count(measured("ByUser, 1,000 users", [&] {
    UserQueries log;
    log.users.resize(client_count);
    log.queries.resize(client_count);
    for (std::uint32_t u = 0; u < client_count; ++u) log.users[u] = std::to_string(u);
    for (std::uint32_t q = 0; q < data.size(); ++q) log.queries[q % client_count].push_back(q);
    return ByUser{.log = std::move(log)}.split(data);
  }));
  return sum;
}

/// The partitioners that take a Dataset.
std::size_t taking_partitions() {
  std::size_t sum = 0;
  Dataset data = training_set();
  sum += query_count(
      measured("ByLabel, one grade each", [&] { return ByLabel{.clients = client_count}.split(std::move(data)); }));
  for (double const alpha : {0.5, 0.01}) {
    data = training_set();
    sum +=
        query_count(measured(alpha == 0.5 ? "DirichletOverGrades, alpha 0.5" : "DirichletOverGrades, alpha 0.01", [&] {
          return DirichletOverGrades{.alpha = alpha, .clients = client_count, .minimum_documents = 0}.split(
              std::move(data));
        }));
  }
  return sum;
}

}  // namespace

int main() {
  double const at_start = allocated();
  std::size_t sum = 0;
  {
    Dataset const data = training_set();
    auto const features = static_cast<double>(data.parts().features.size() * sizeof(float));
    std::printf("synthetic:mslr, train: %zu queries, %zu documents, %zu features\n", data.size(), data.document_count(),
                data.feature_count());
    std::printf("%-62s %8.2f MB\n", "features", megabytes(features));
    std::printf("%-62s %8.2f MB\n\n", "Dataset", megabytes(allocated() - at_start));

    auto const chosen = distributed_queries(data);
    std::printf("A Dataset for each client or intent\n");
    {
      auto const sets = measured("type 1, 1,000 clients, by select_queries", [&] { return copied(data, chosen); });
      for (Dataset const& set : sets) sum += set.document_count();
    }
    std::printf("%-62s %8.2f MB (computed: one copy of the features per intent)\n", "type 1, 10 intents x 100 clients",
                megabytes(intent_count * features));
    std::printf("%-62s %8.2f MB (computed: one copy of the features)\n\n", "type 2, 1,000 clients",
                megabytes(features));

    std::printf("One Dataset for all, above the Dataset\n");
    sum += checksum(
        measured("type 1, 1,000 clients, queries distributed", [&] { return graded_by_client(data, chosen); }));
    sum += checksum(
        measured("type 1, 10 intents x 100 clients, all queries for each", [&] { return graded_by_intent(data); }));
  }
  std::printf("\nPartitioners of the library, 1,000 clients, above the Dataset\n");
  {
    Dataset const data = training_set();
    sum += referring_partitions(data);
  }
  sum += taking_partitions();
  std::printf("type 3 (ByClickBehaviour) chooses click models and stores no clients\n\n");
  for (bool const together : {false, true}) {
    Dataset data = training_set();
    auto const client_of = client_of_grade(data, together);
    float const* const rows = data.parts().features.data();
    // The Dataset is moved into the RegroupedDataset. The difference is the memory of regrouping and of the clients.
    auto const grouped = measured(together ? "type 2, 1,000 clients, one grade each, distributed by query"
                                           : "type 2, 1,000 clients, one grade each, distributed by document",
                                  [&] { return regrouped_clients(std::move(data), client_of); });
    std::printf("  %zu queries; features %s\n", grouped->regrouped.size(),
                grouped->regrouped.data().parts().features.data() == rows ? "not copied" : "COPIED");
    sum += checksum(grouped->clients);
  }
  {
    auto const data = benchmarks::fixed_shape(1692, 40, 46, 3);
    auto const reported = measured("a round of 1,000,000 clients at 40 x 46", [&] {
      auto training = fpdgd(LinearRanker(46), CascadeModel::informational(3))
                          .with_execution(Threads{2})
                          .start(split_iid(data, {.clients = 1'000'000, .interactions = 1}));
      training.advance();
      return training.round().statistics.reported;
    });
    std::printf("  %llu clients reported\n", static_cast<unsigned long long>(reported));
  }
  std::printf("checksum %zu\n", sum);
}
