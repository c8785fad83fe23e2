#include <cstddef>
#include <span>
#include <vector>

#include <fltr/core/pull_toward.hpp>
#include <fltr/core/random.hpp>

#include "support/catch.hpp"

using namespace fltr;

TEST_CASE("pull_toward equals y - factor * (x - anchor), rounded after each operation, for every length") {
  Stream stream(4);
  for (std::size_t n = 0; n < 70; ++n) {
    std::vector<float> anchor(n);
    std::vector<float> x(n);
    std::vector<float> y(n);
    for (auto* values : {&anchor, &x, &y})
      for (float& v : *values) v = static_cast<float>(stream.normal());
    std::vector<float> expected = y;
    for (std::size_t i = 0; i < n; ++i) {
      float const apart = x[i] - anchor[i];
      float const product = 0.3F * apart;
      expected[i] -= product;
    }
    simd::pull_toward(anchor, x, 0.3F, y);
    CHECK(y == expected);
  }
}
