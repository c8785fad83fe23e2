// build error: fltr: the Attack's 'clicks' has no effect: this Learner never shows a list
#include <fltr/learners/lambda_rank.hpp>

#include "parts.hpp"

struct ClicksBadly {
  struct {
    bool contains(fltr::ClientId) const { return true; }
  } malicious;
  fltr::NoClicks clicks(fltr::NoClicks const&) const { return {}; }
};
void run(fltr::Dataset const& data) {
  fltr::make_federation(fltr::LinearRanker(5), fltr::NoClicks{}, fltr::LambdaRank{}, fltr::FedAvg{})
      .with_attack(ClicksBadly{})
      .start(fltr::split_iid(data));
}
