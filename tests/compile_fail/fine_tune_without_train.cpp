// build error: fltr: fine_tune needs a Learner with 'train'
#include "parts.hpp"

#include <fltr/federation/fine_tune.hpp>
#include <fltr/presets/foltr_es.hpp>

void run(fltr::Dataset const& data) {
  auto training = fltr::foltr_es(fltr::LinearRanker(5), fltr::NoClicks{}).start(fltr::split_iid(data));
  static_cast<void>(fltr::fine_tune(training));
}
