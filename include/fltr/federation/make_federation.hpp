#pragma once

#include <utility>

#include <fltr/federation/federation.hpp>

namespace fltr {

/// Makes a federation from its policies, in the order of the data flow. `with_attack`, `with_unlearner` and
/// `with_execution` replace the other policies.
template <class R, class C, class L, class A, class P = NoPrivacy>
[[nodiscard]] auto make_federation(R ranker, C click_model, L learner, A aggregator, P privatizer = {}) {
  return Federation<R, C, L, A, P>({std::move(ranker),
                                    std::move(click_model),
                                    std::move(learner),
                                    std::move(aggregator),
                                    std::move(privatizer),
                                    {},
                                    {},
                                    {}});
}

}  // namespace fltr
