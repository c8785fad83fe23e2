// A custom click guess: a curious server guesses from one message on which documents the client's user clicked. Learning
// raises the scores of clicked documents, so the server guesses a click where the score rose. Noise hides the clicks.
#include <iostream>
#include <span>
#include <vector>

#include <fltr/click_guesses/guess_quality.hpp>
#include <fltr/click_models/cascade_model.hpp>
#include <fltr/data/normalize.hpp>
#include <fltr/data/synthetic_fold.hpp>
#include <fltr/federation/observe_client.hpp>
#include <fltr/learners/pdgd.hpp>
#include <fltr/privatizers/laplace_noise.hpp>
#include <fltr/privatizers/no_privacy.hpp>
#include <fltr/rankers/linear_ranker.hpp>

struct RaisedScores {
  // `observed` is all that the server knows: the ranker that it sent, the update of its weights that it received, and
  // the documents that it delivered. For a linear ranker, the score of a document changes by <update, features>.
  void guess(auto const& observed, std::span<std::uint8_t> clicks, fltr::Stream&) const {
    std::size_t i = 0;
    for (auto const& list : observed.lists)
      for (std::size_t rank = 0; rank < list.size(); ++rank) {
        auto const features = list.documents().row(rank);
        double change = 0;
        for (std::size_t k = 0; k < features.size(); ++k) change += observed.update[k] * double{features[k]};
        clicks[i++] = change > 0 ? 1 : 0;
      }
  }
};
static_assert(fltr::ClickGuess<RaisedScores>);

/// Client q asks query q, and its user clicks relevant documents. The server guesses from the client's message.
fltr::GuessQuality attack(fltr::Dataset const& data, auto const& privatizer) {
  fltr::LinearRanker const global{data.feature_count()};
  fltr::GuessQuality quality;
  for (fltr::ClientId q = 0; q < data.size(); ++q) {
    fltr::Client const client{q, 1, fltr::QueryPool(data, {q})};
    auto const observed =
        fltr::observe_client(fltr::Pdgd{.negatives = fltr::Negatives::displayed}, fltr::CascadeModel::perfect(3),
                             privatizer, global, client, fltr::RoundInfo{.participants = data.size()});
    auto const update = fltr::update_of(global, observed.message);
    std::vector<std::uint8_t> guessed(observed.clicks.size());
    fltr::Stream stream;
    RaisedScores{}.guess(fltr::ObservedUpdate<fltr::LinearRanker>{global, update, observed.lists}, guessed, stream);
    quality.add(fltr::GuessCounts::of(guessed, observed.clicks));
  }
  return quality;
}

int main() {
  auto const data = fltr::normalize_zscore(fltr::synthetic_fold(fltr::SyntheticShape::mq2007(), 0.5).train);
  std::cout << "balanced accuracy, 0.5 without information\n"
            << "without noise:                       " << attack(data, fltr::NoPrivacy{}).balanced_accuracy() << '\n'
            << "with local Laplace noise, epsilon 1: "
            << attack(data, fltr::LaplaceNoise{.epsilon = 1.0}).balanced_accuracy() << '\n';
}
