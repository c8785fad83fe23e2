// The curves of Laplace noise. The divergence at one order: accountant_test.cpp.

#include <fltr/accounting/laplace_renyi.hpp>

#include <cstddef>
#include <vector>

#include <fltr/concepts/renyi_orders.hpp>

#include "support/catch.hpp"

using namespace fltr;

TEST_CASE("A curve belongs to its arguments, whatever curves were asked for before") {
  for (double const shift : {0.5, 0.5, 2.0})
    for (double const step : {0.0, 0.25, 0x1p-23}) {
      auto const curve = laplace_renyi_curve(shift, step);
      REQUIRE(curve.size() == renyi_orders.size());
      for (std::size_t i = 0; i < curve.size(); ++i) CHECK(curve[i] == laplace_renyi(renyi_orders[i], shift, step));
    }
  for (double const shift : {0.5, 0.5, 2.0})
    for (std::size_t const dimension : {1U, 46U, 136U}) {
      auto const curve = laplace_renyi_l2_curve(shift, dimension);
      REQUIRE(curve.size() == renyi_orders.size());
      for (std::size_t i = 0; i < curve.size(); ++i)
        CHECK(curve[i] == laplace_renyi_l2(renyi_orders[i], shift, dimension));
    }
}
