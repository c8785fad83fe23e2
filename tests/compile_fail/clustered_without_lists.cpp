// build error: fltr: Clustered chooses by clicks on displayed lists, so it needs a Learner that shows lists
#include <fltr/learners/clustered.hpp>
#include <fltr/learners/lambda_rank.hpp>

fltr::Clustered<fltr::LambdaRank> learner;
