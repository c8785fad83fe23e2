// Learning from your own click logs: a CSV file of impressions and clicks, one log per client, becomes a population for
// FedIPS. Inverse propensities correct for position bias; clicks at face value do not.
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iostream>

#include <fltr/core/random.hpp>
#include <fltr/data/normalize.hpp>
#include <fltr/data/synthetic_fold.hpp>
#include <fltr/formats/click_log_reader.hpp>
#include <fltr/learners/naive_clicks.hpp>
#include <fltr/metrics/evaluate.hpp>
#include <fltr/metrics/ndcg.hpp>
#include <fltr/partition/logged_population.hpp>
#include <fltr/partition/recorded_population.hpp>
#include <fltr/presets/fedips.hpp>
#include <fltr/rankers/linear_ranker.hpp>

namespace {

/// Stands for your search engine: it ranks by one feature, and 50 users look at rank k with probability 1/k.
void write_log(std::filesystem::path const& path, fltr::Dataset const& data) {
  fltr::LinearRanker production{data.feature_count()};
  production.parameters()[3] = 1.0F;
  fltr::LoggedPopulation const users(data, production, {.clients = 50, .displayed = 10, .clicks = 200, .queries = 100});
  std::ofstream csv(path);
  csv << "client,qid,row,position,click,propensity\n";
  fltr::ClickLog buffer;
  for (std::uint32_t user = 0; user < users.size(); ++user) {
    auto const& log = users[user].log({.seed = 3, .round = 1, .client = user}, buffer);
    for (std::size_t i = 0; i < log.size(); ++i)
      for (auto const& shown : log[i].shown)
        csv << "user" << user << ',' << data.qid(log[i].query) << ',' << shown.document + 1 << ',' << shown.position
            << ',' << shown.clicked << ',' << shown.propensity << '\n';
  }
}

}  // namespace

int main() {
  auto const fold = fltr::synthetic_fold(fltr::SyntheticShape::mq2007(), 0.5);
  auto const data = fltr::normalize(fold, fltr::Normalization::query);
  auto const path = std::filesystem::temp_directory_path() / "fltr_own_click_logs.csv";
  write_log(path, data.train);
  auto const recorded = fltr::read_click_log(path, data.train);
  std::filesystem::remove(path);
  std::cout << recorded.clients.size() << " clients, first " << recorded.clients.front() << '\n';

  fltr::RecordedPopulation const clients(data.train, recorded.logs);
  auto const show = [&](char const* name, auto const& learner) {
    auto training = fltr::fedips(fltr::LinearRanker{data.train.feature_count()}, learner).start(clients);
    training.run(20);
    std::cout << name << ' ' << fltr::evaluate(training.ranker(), data.test, fltr::Ndcg{.cutoff = 10}) << '\n';
  };
  show("clicks at face value:", fltr::NaiveClicks<>{.learning_rate = 1e-4F});
  show("inverse propensities:", fltr::Ips<>{.learning_rate = 1e-4F});
}
