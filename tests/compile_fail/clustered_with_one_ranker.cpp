// build error: fltr: this Learner cannot train this Ranker
#include "parts.hpp"

#include <fltr/aggregators/per_cluster.hpp>
#include <fltr/learners/clustered.hpp>

auto federation =
    fltr::make_federation(fltr::LinearRanker(5), fltr::NoClicks{}, fltr::Clustered<fltr::Pdgd>{}, fltr::PerCluster<>{});
