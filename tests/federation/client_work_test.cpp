#include <fltr/federation/client_work.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include <fltr/click_models/cascade_model.hpp>
#include <fltr/learners/evolution_strategy.hpp>
#include <fltr/learners/pdgd.hpp>
#include <fltr/privatizers/chain.hpp>
#include <fltr/privatizers/clip.hpp>
#include <fltr/privatizers/laplace_noise.hpp>
#include <fltr/privatizers/no_privacy.hpp>
#include <fltr/rankers/linear_ranker.hpp>

#include "support/after_destruction.hpp"
#include "support/catch.hpp"
#include "support/left_on_stack.hpp"
#include "support/toy_dataset.hpp"

namespace {

using namespace fltr;
using fltr::testing::contains;
using fltr::testing::left_on_stack;
using fltr::testing::toy_dataset;

}  // namespace

TEST_CASE("A real client's message leaves neither its key nor the client's secret on the stack") {
  auto const data = toy_dataset();
  Key256 const secret{0x12345678U, 0x23456789U, 0x3456789AU, 0x456789ABU,
                      0x56789ABCU, 0x6789ABCDU, 0x789ABCDEU, 0x89ABCDEFU};
  auto const block = chacha20_block(secret, {});
  Key256 next{};     // the client's secret afterwards
  Key256 message{};  // the key of the message
  for (std::size_t i = 0; i < next.size(); ++i) {
    next[i] = block[i];
    message[i] = block[next.size() + i];
  }
  auto const key = std::make_unique<ClientKey>(ClientKey::repeatable(secret));  // not on the stack
  LinearRanker const global(5);
  NoState state;
  auto const check = [&](auto const& learner, auto const& privatizer) {
    *key = ClientKey::repeatable(secret);
    auto const left = left_on_stack([&] {
      static_cast<void>(client_message(learner, CascadeModel::informational(3), privatizer, global,
                                       Client{0, 3, QueryPool(data)}, RoundInfo{1, 1, 10}, state, *key));
    });
    for (Key256 const& one : {secret, next, message}) CHECK_FALSE(contains(left, one));
  };
  check(Pdgd{}, NoPrivacy{});
  check(Pdgd{}, LaplaceNoise{});
  check(Pdgd{}, Chain(Clip{}, LaplaceNoise{}));
  check(EvolutionStrategy<>{}, NoPrivacy{});

  // The search finds what is there.
  auto const found = left_on_stack([&] {
    Key256 copy = secret;
    asm volatile("" : : "r"(&copy) : "memory");
  });
  CHECK(contains(found, secret));
}
