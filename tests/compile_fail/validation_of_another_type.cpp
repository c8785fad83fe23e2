// build error: fltr: the client's member 'validation' must be a QueryPool
#include <fltr/federation/make_federation.hpp>
#include <fltr/presets/merge_forests.hpp>

#include <vector>

// `validation` is a function instead of a QueryPool. Without the check, training would not stop early.
struct Organisation : fltr::Client {
  fltr::QueryPool merge;
  fltr::QueryPool validation() const { return merge; }
};
void run(std::vector<Organisation> const& clients) {
  fltr::make_federation(fltr::Forest(5), fltr::NoClicks{}, fltr::LambdaMart{}, fltr::EqualWeights{})
      .start(clients)
      .advance();
}
