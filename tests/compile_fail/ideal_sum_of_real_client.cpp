// build error: fltr: a seal without exchanges \(IdealSum\) hides nothing from a server
#include <fltr/aggregators/fed_avg.hpp>
#include <fltr/aggregators/ideal_sum.hpp>
#include <fltr/federation/sealed_client.hpp>
#include <fltr/learners/pdgd.hpp>
#include <fltr/privatizers/laplace_noise.hpp>

#include "parts.hpp"

fltr::LocalWeights message(fltr::SealedClient<fltr::IdealSum<fltr::FedAvg>> const& sealed, fltr::Client const& client,
                           fltr::ClientKey& key, fltr::ClientAccount& account) {
  fltr::NoState state;
  return fltr::client_message(fltr::Pdgd{}, fltr::NoClicks{}, fltr::LaplaceNoise{}, fltr::LinearRanker(2), client,
                              sealed, state, key, account);
}
