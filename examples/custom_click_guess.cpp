// A custom click guess: a curious server guesses from one message on which documents the client clicked. Learning
// raises the scores of clicked documents, so the server guesses a click where the score rose. Noise hides the clicks.
#include <algorithm>
#include <iostream>
#include <numeric>
#include <span>
#include <vector>

#include <fltr/click_models/cascade_model.hpp>
#include <fltr/concepts/click_guess.hpp>
#include <fltr/data/synthetic_fold.hpp>
#include <fltr/privatizers/laplace_noise.hpp>
#include <fltr/privatizers/no_privacy.hpp>
#include <fltr/rankers/linear_ranker.hpp>

struct RaisedScores {
  void guess(fltr::ParametricRanker auto const& global, fltr::LocalWeights const& message, fltr::QueryView query,
             std::span<std::uint32_t const> order, std::span<std::uint8_t> clicks, fltr::Stream&) const {
    std::vector<float> before(query.document_count());
    std::vector<float> after(query.document_count());
    global.score(query, before);
    auto local = global;
    std::ranges::copy(message.values, local.parameters().begin());
    local.score(query, after);
    for (std::size_t i = 0; i < order.size(); ++i) clicks[i] = after[order[i]] > before[order[i]] ? 1 : 0;
  }
};
static_assert(fltr::ClickGuess<RaisedScores>);

/// The share of displayed documents for which the guess is right. Client q displays the first documents of query q and
/// moves its weights once: toward clicked documents, away from the others.
double accuracy(fltr::Dataset const& data, auto const& privatizer) {
  fltr::LinearRanker const global{data.feature_count()};
  std::size_t right = 0;
  std::size_t displayed = 0;
  for (fltr::ClientId q = 0; q < data.size(); ++q) {
    fltr::Streams const streams{.client = q};
    auto stream = streams.of(fltr::Purpose::clicks);
    std::vector<std::uint32_t> order(std::min<std::size_t>(10, data[q].document_count()));
    std::iota(order.begin(), order.end(), 0U);
    std::vector<std::uint8_t> clicks(order.size());
    fltr::CascadeModel::perfect(3).click(data[q].grades().first(order.size()), clicks, stream);
    std::vector<float> score_gradient(data[q].document_count());
    for (std::size_t i = 0; i < order.size(); ++i) score_gradient[i] = clicks[i] != 0 ? 0.1F : -0.1F;
    fltr::LocalWeights message{std::vector<float>(data.feature_count()), 1};
    global.backward(data[q], score_gradient, message.values);
    std::vector<std::uint8_t> guessed(order.size());
    message = privatizer.privatize(message, {.participants = 1, .interactions = 1, .streams = streams});
    RaisedScores{}.guess(global, message, data[q], order, guessed, stream);
    for (std::size_t i = 0; i < order.size(); ++i) right += guessed[i] == clicks[i] ? 1U : 0U;
    displayed += order.size();
  }
  return static_cast<double>(right) / static_cast<double>(displayed);
}

int main() {
  auto const data = fltr::synthetic_fold(fltr::SyntheticShape::mq2007(), 0.5).train;
  std::cout << "clicks guessed right without noise: " << accuracy(data, fltr::NoPrivacy{}) << '\n'
            << "with Laplace noise of epsilon 1:    " << accuracy(data, fltr::LaplaceNoise{.epsilon = 1.0}) << '\n';
}
