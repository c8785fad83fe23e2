#pragma once

#include <span>
#include <vector>

#include <fltr/aggregators/fed_avg.hpp>
#include <fltr/click_models/no_clicks.hpp>
#include <fltr/federation/make_federation.hpp>
#include <fltr/learners/pdgd.hpp>
#include <fltr/partition/iid.hpp>
#include <fltr/rankers/linear_ranker.hpp>
