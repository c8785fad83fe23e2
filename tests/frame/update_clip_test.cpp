// A privatizer may see the broadcast parameters: it clips the update and not the weights.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <fltr/click_models/cascade_model.hpp>
#include <fltr/federation/client_work.hpp>
#include <fltr/learners/pdgd.hpp>
#include <fltr/learners/personal.hpp>
#include <fltr/partition/iid.hpp>
#include <fltr/presets/fpdgd.hpp>
#include <fltr/privatizers/clip.hpp>
#include <fltr/rankers/linear_ranker.hpp>
#include <fltr/rankers/split_neural_ranker.hpp>

#include "support/catch.hpp"
#include "support/toy_dataset.hpp"

namespace {

using namespace fltr;
using fltr::testing::toy_dataset;

struct ClipsUpdate {
  double bound = 0.01;
  LocalWeights privatize(LocalWeights message, PrivacyContext const& context) const {
    require(context.broadcast.size() == message.values.size(), "ClipsUpdate", "broadcast parameters of the same size",
            context.broadcast.size());
    for (std::size_t k = 0; k < message.values.size(); ++k) message.values[k] -= context.broadcast[k];
    clip_norm(message.values, bound);
    for (std::size_t k = 0; k < message.values.size(); ++k) message.values[k] += context.broadcast[k];
    return message;
  }
};

double distance(auto const& a, auto const& b) {
  double squares = 0.0;
  for (std::size_t k = 0; k < a.size(); ++k) squares += std::pow(static_cast<double>(a[k] - b[k]), 2);
  return std::sqrt(squares);
}

}  // namespace

TEST_CASE("A privatizer can clip the update to the broadcast parameters, inside and outside of a Federation") {
  auto const data = toy_dataset();
  auto const clients = split_iid(data, {.clients = 1, .interactions = 50});
  LinearRanker const far(std::vector<float>{3.0F, -3.0F, 3.0F, -3.0F, 3.0F});  // its norm is far beyond the bound
  auto training = fpdgd(far, CascadeModel::informational(3), {}, ClipsUpdate{}).start(clients);
  training.advance();
  double const moved = distance(training.ranker().parameters(), far.parameters());
  CHECK(moved > 0.0);
  CHECK(moved <= 0.01001);

  NoState none;
  auto const message = simulated_message(Pdgd{}, CascadeModel::informational(3), ClipsUpdate{}, far, clients[0],
                                         RoundInfo{1, 1, 1}, none);
  CHECK(message.values ==
        std::vector<float>(training.ranker().parameters().begin(), training.ranker().parameters().end()));
}

TEST_CASE("The broadcast parameters are the shared parameters") {
  auto const data = toy_dataset();
  auto training = make_federation(SplitNeuralRanker(5, {.hidden = 3}), CascadeModel::informational(3), Personal<Pdgd>{},
                                  FedAvg{}, ClipsUpdate{})
                      .start(split_iid(data, {.clients = 4, .interactions = 5}));
  CHECK_NOTHROW(training.advance());
}
