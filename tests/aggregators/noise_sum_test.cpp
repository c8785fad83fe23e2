#include <fltr/aggregators/detail/noise_sum.hpp>

#include <cstddef>
#include <cstdint>

#include <fltr/core/fields.hpp>

#include "support/catch.hpp"

using namespace fltr;
using fltr::detail::NoiseSum;

TEST_CASE("Merged partial sums equal the sum of all messages") {
  NoiseSum whole;
  whole.values.resize(40);
  auto left = whole;
  auto right = whole;
  for (std::uint64_t i = 0; i < 10; ++i) {
    EvolutionMessage const m{i, {static_cast<float>(i) / 10.0F, 0.3F}};
    whole.add(m);
    (i < 5 ? left : right).add(m);
  }
  left.merge(right);
  CHECK(left.count == whole.count);
  for (std::size_t i = 0; i < 40; ++i) CHECK(left.values[i] == Approx(whole.values[i]).margin(1e-12));
}

TEST_CASE("A sum that was read from bytes adds messages like the original") {
  for (bool const antithetic : {true, false}) {
    NoiseSum sum;
    sum.values.resize(4);
    sum.antithetic = antithetic;
    sum.add({7, {0.5F, 0.25F, 1.0F}});
    auto const bytes = field_bytes(sum);
    NoiseSum again;
    again.antithetic = !antithetic;
    FieldReader reader(bytes);
    reader.read(again);
    reader.expect_end();
    CHECK(again.antithetic == antithetic);
    sum.add({8, {1.0F, 0.0F, 0.5F, 0.75F}});
    again.add({8, {1.0F, 0.0F, 0.5F, 0.75F}});
    CHECK(again.values == sum.values);
    CHECK(again.count == sum.count);
  }
}
