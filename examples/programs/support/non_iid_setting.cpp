#include "non_iid_setting.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include <fmt/core.h>

#include <fltr/click_models/by_click_behaviour.hpp>
#include <fltr/formats/intents_reader.hpp>
#include <fltr/formats/user_queries_reader.hpp>
#include <fltr/partition/by_label.hpp>
#include <fltr/partition/by_preference.hpp>
#include <fltr/partition/by_quantity.hpp>
#include <fltr/partition/by_user.hpp>
#include <fltr/partition/describe.hpp>
#include <fltr/partition/dirichlet_over_grades.hpp>
#include <fltr/partition/dirichlet_over_queries.hpp>
#include <fltr/partition/iid.hpp>
#include <fltr/partition/intent_clusters.hpp>
#include <fltr/partition/shared_data.hpp>

#include "text.hpp"
#include "usage_error.hpp"

namespace fltr::examples {

namespace {

template <Population P>
SharedClients<AnyClient> any_clients(P const& population) {
  std::vector<AnyClient> clients;
  clients.reserve(population.size());
  for (std::size_t i = 0; i < population.size(); ++i) {
    auto const& client = population[i];
    clients.push_back({client.id, client.interactions, AnyQueries(client.queries)});
  }
  return SharedClients<AnyClient>(std::move(clients));
}

CascadeModel cascade(Clicks clicks, std::size_t grades) {
  switch (clicks) {
    case Clicks::navigational:
      return CascadeModel::navigational(grades);
    case Clicks::informational:
      return CascadeModel::informational(grades);
    case Clicks::perfect:
      break;
  }
  return CascadeModel::perfect(grades);
}

template <ClickModel M>
std::pair<Users, Users> by_client(ByClickBehaviour<M> const& types) {
  Users users;
  for (M const& behaviour : types.behaviours) users.behaviours.push_back({behaviour});
  return {users, Users{{AnyBehaviour{types.mixture()}}}};
}

/// The users of the clients and of their IID twins.
std::pair<Users, Users> users_of(NonIidOptions const& o, std::size_t grades) {
  if (!o.by_clicks()) {
    Users const all{{AnyBehaviour{cascade(o.clicks, grades)}}};
    return {all, all};
  }
  if (o.click_model == ClickKind::cascade) return by_client(ByClickBehaviour<CascadeModel>::cascade(grades));
  return by_client(ByClickBehaviour<PositionModel>::position(grades));
}

/// Puts the clients of a population into the setting: their report, type 4, and the shared queries.
class Assembly {
 public:
  Assembly(NonIidOptions const& options, NamedFold const& fold, std::uint64_t seed, std::size_t grades)
      : options_(options), fold_(fold), seed_(seed), grades_(grades) {}

  /// `shared_grades`: the training queries with the grades that users click by.
  template <Population P>
  NonIidSetting operator()(P const& population, QueryPool const& shared_grades) const {
    if (!options_.by_quantity()) return with_quantities(population, shared_grades);
    // Evolution strategies need at least two interactions, one for each sign.
    ByQuantity numbers;
    if (options_.learner == LearnerKind::es)
      for (std::uint32_t& number : numbers.interactions) number *= 2;
    return with_quantities(numbers.around(population), shared_grades);
  }

 private:
  /// As many clients that all draw from `queries`, with as many interactions in total, divided evenly.
  template <Population P>
  [[nodiscard]] static SharedClients<AnyClient> twin(P const& population, QueryPool const& queries) {
    std::uint64_t total = 0;
    for (std::size_t i = 0; i < population.size(); ++i) total += population[i].interactions;
    std::uint64_t const each = total / population.size();
    std::uint64_t const more = total % population.size();
    std::vector<AnyClient> all;
    all.reserve(population.size());
    for (std::size_t i = 0; i < population.size(); ++i)
      all.push_back(
          {static_cast<ClientId>(i), static_cast<std::uint32_t>(each + (i < more ? 1 : 0)), AnyQueries(queries)});
    return SharedClients<AnyClient>(std::move(all));
  }

  template <Population P>
  NonIidSetting with_quantities(P const& population, QueryPool const& queries) const {
    auto [users, twin_users] = users_of(options_, grades_);
    auto const clients = any_clients(population);
    NonIidSetting setting{.clients = clients,
                          .plain_clients = clients,
                          .twin = twin(population, queries),
                          .users = std::move(users),
                          .twin_users = std::move(twin_users)};
    setting.skew = describe(population);
    setting.owner = std::make_shared<P const>(population);
    setting.test = {QueryPool(fold_.test)};
    if constexpr (std::same_as<std::remove_cvref_t<decltype(population[std::size_t{}].queries)>, QueryPool>) {
      if (options_.remedy == Remedy::data_sharing) {
        SharedData const sharing{.share = options_.share, .fraction = options_.share_fraction, .seed = seed_};
        QueryPool const chosen = sharing.choose(fold_.train);
        std::vector<std::uint32_t> numbers(chosen.size());
        for (std::size_t i = 0; i < chosen.size(); ++i) numbers[i] = chosen.index(i);
        setting.shared = queries.only(numbers);
        setting.clients = any_clients(sharing.give(population, setting.shared));
      }
    }
    return setting;
  }

  NonIidOptions const& options_;
  NamedFold const& fold_;
  std::uint64_t seed_;
  std::size_t grades_;
};

/// The number of sets of k of n things, n at most 31.
std::uint64_t ways_to_choose(std::uint64_t n, std::uint64_t k) {
  std::uint64_t ways = 1;
  for (std::uint64_t i = 0; i < k; ++i) ways = ways * (n - i) / (i + 1);
  return ways;
}

NonIidSetting preference_setting(NonIidOptions const& o, NamedFold const& fold, std::uint64_t seed) {
  Intents train;
  Intents test;
  if (o.intent_grades.empty()) {
    IntentClusters const clusters(fold.train, {.intents = o.intents});
    train = clusters.label(fold.train);
    test = clusters.label(fold.test);
  } else {
    train = read_intents(o.intent_grades, fold.train);
    test = read_intents(o.intent_grades_test, fold.test);
    if (test.size() != train.size())
      throw std::runtime_error(fmt::format("--intent-grades-test: required {} intents, as in --intent-grades, got {}",
                                           train.size(), test.size()));
  }
  Grade highest = 1;
  for (Intents const* const part : {&train, &test})
    for (Grade const grade : part->merged()) highest = std::max(highest, grade);
  std::size_t const grades = highest == 1 ? 2 : highest == 2 ? 3 : 5;
  if (highest > 4)
    throw std::runtime_error(
        fmt::format("--intent-grades: required grades of 0 to 4, for which there are click tables, got {}", highest));

  auto const clients = ByPreference{.intents = std::move(train),
                                    .clients = o.clients,
                                    .interactions = o.interactions,
                                    .shuffle = o.intent_shuffle,
                                    .seed = seed}
                           .split(fold.train);
  NonIidSetting setting = Assembly(o, fold, seed, grades)(clients, clients.merged());
  setting.test = intent_pools(fold.test, std::move(test), o.intent_shuffle, seed);
  for (std::size_t i = 0; i < clients.intent_count(); ++i)
    setting.train_by_intent.push_back(clients.queries_of_intent(i));
  setting.train_merged = clients.merged();
  return setting;
}

}  // namespace

NonIidSetting make_setting(NonIidOptions const& o, NamedFold const& fold, std::uint64_t seed) {
  if (o.by_preference()) return preference_setting(o, fold, seed);
  require_click_tables(fold);
  Assembly const assemble(o, fold, seed, fold.grade_count());
  QueryPool const whole(fold.train);
  if (o.by_label()) {
    if (o.labels_per_client > fold.train.grade_count())
      throw UsageError(fmt::format("--labels-per-client: required at most {}, the number of grades, got {}",
                                   fold.train.grade_count(), o.labels_per_client));
    if (std::uint64_t const choices = ways_to_choose(fold.train.grade_count(), o.labels_per_client);
        o.clients > 0 && o.clients < choices)
      throw UsageError(
          fmt::format("--clients: required at least {}, one for each choice of {} of the {} grades in --data, got {}",
                      choices, o.labels_per_client, fold.train.grade_count(), o.clients));
    return assemble(ByLabel{.labels_per_client = o.labels_per_client,
                            .clients = o.clients,
                            .interactions = o.interactions,
                            .seed = seed}
                        .split(Dataset(fold.train)),
                    whole);
  }
  if (o.type == NonIidType::dirichlet) try {
      std::size_t const clients = o.clients == 0 ? 10 : o.clients;
      if (o.over == DirichletOver::grades)
        return assemble(DirichletOverGrades{.alpha = o.alpha,
                                            .clients = clients,
                                            .interactions = o.interactions,
                                            .minimum_documents = o.minimum,
                                            .seed = seed}
                            .split(Dataset(fold.train)),
                        whole);
      return assemble(DirichletOverQueries{.alpha = o.alpha,
                                           .clients = clients,
                                           .interactions = o.interactions,
                                           .minimum_queries = o.minimum,
                                           .seed = seed}
                          .split(fold.train),
                      whole);
    } catch (std::invalid_argument const& error) {
      std::string text = without_library_names(error.what());
      for (std::string const name : {"minimum_documents = ", "minimum_queries = "})
        if (std::size_t const at = text.find(name); at != std::string::npos) text.erase(at, name.size());
      throw UsageError("--minimum: " + text);
    }
  if (o.type == NonIidType::user)
    return assemble(
        ByUser{.log = read_user_queries(o.metadata, fold.train), .interactions = o.interactions}.split(fold.train),
        whole);
  // Types 3 and 4: all clients draw from the whole data.
  std::size_t const standard = !o.by_clicks() ? 5 : o.click_model == ClickKind::cascade ? 3 : 5;
  return assemble(
      split_iid(fold.train, {.clients = o.clients == 0 ? standard : o.clients, .interactions = o.interactions}), whole);
}

}  // namespace fltr::examples
