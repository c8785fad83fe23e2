// A custom click model: a user who clicks relevant documents and stops after three documents in a row that did not look
// relevant. One function makes it a fltr::ClickModel.
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <span>

#include <fltr/click_models/cascade_model.hpp>
#include <fltr/concepts/click_model.hpp>
#include <fltr/data/normalize.hpp>
#include <fltr/data/synthetic_fold.hpp>
#include <fltr/metrics/evaluate.hpp>
#include <fltr/metrics/ndcg.hpp>
#include <fltr/partition/iid.hpp>
#include <fltr/presets/fpdgd.hpp>
#include <fltr/rankers/linear_ranker.hpp>

struct ImpatientUser {
  std::size_t patience = 3;  ///< documents in a row without a click
  double mistakes = 0.1;     ///< the probability that the user misjudges a document

  void click(std::span<fltr::Grade const> grades, std::span<std::uint8_t> clicks, fltr::Stream& stream) const {
    std::size_t unclicked = 0;
    for (std::size_t i = 0; i < grades.size(); ++i) {
      clicks[i] = 0;
      if (unclicked == patience) continue;  // the user has stopped
      bool const looks_good = (grades[i] > 0) != stream.bernoulli(mistakes);
      clicks[i] = looks_good ? 1 : 0;
      unclicked = looks_good ? 0 : unclicked + 1;
    }
  }
};
static_assert(fltr::ClickModel<ImpatientUser>);

int main() {
  auto const fold = fltr::synthetic_fold(fltr::SyntheticShape::mq2007(), 0.5);
  auto const data = fltr::normalize(fold, fltr::Normalization::query);
  auto const show = [&](char const* name, auto const& federation) {
    auto training = federation.start(fltr::split_iid(data.train, {.clients = 100, .interactions = 4}));
    training.run(30);
    std::cout << name << " offline " << fltr::evaluate(training.ranker(), data.test, fltr::Ndcg{.cutoff = 10})
              << ", online " << training.round().statistics.online_ndcg() << '\n';
  };
  fltr::LinearRanker const ranker{data.train.feature_count()};
  show("perfect  ", fltr::fpdgd(ranker, fltr::CascadeModel::perfect(3)));
  show("patience 3", fltr::fpdgd(ranker, ImpatientUser{}));
  show("patience 1", fltr::fpdgd(ranker, ImpatientUser{.patience = 1}));
}
