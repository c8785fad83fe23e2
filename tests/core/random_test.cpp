#include <fltr/core/random.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <set>
#include <span>
#include <stdexcept>
#include <vector>

#include <boost/math/distributions/gamma.hpp>

#include "support/catch.hpp"
#include "support/statistics.hpp"

namespace {

using fltr::Purpose;
using fltr::Stream;
using fltr::Streams;
using fltr::detail::philox4x32;
using namespace fltr::testing;

using Block = std::array<std::uint32_t, 4>;

/// The inverse of Philox for key 0: the counter whose block is `block`.
Block counter_of(Block block) {
  // The inverses of the two multipliers modulo 2^32, by Newton's iteration.
  auto const inverse = [](std::uint32_t m) {
    std::uint32_t x = m;
    for (int i = 0; i < 5; ++i) x *= 2U - m * x;
    return x;
  };
  std::uint32_t const m0 = 0xD2511F53U;
  std::uint32_t const m1 = 0xCD9E8D57U;
  for (std::uint32_t round = 10; round-- > 0;) {
    std::uint32_t const c0 = block[3] * inverse(m0);
    std::uint32_t const c2 = block[1] * inverse(m1);
    auto const high = [](std::uint32_t a, std::uint32_t b) {
      return static_cast<std::uint32_t>((std::uint64_t{a} * b) >> 32U);
    };
    block = {c0, block[0] ^ high(m1, c2) ^ (round * 0x9E3779B9U), c2, block[2] ^ high(m0, c0) ^ (round * 0xBB67AE85U)};
  }
  return block;
}

template <class Draw>
std::vector<double> sample(std::size_t n, Draw draw) {
  std::vector<double> values(n);
  for (double& v : values) v = draw();
  return values;
}

}  // namespace

TEST_CASE("A Stream gives the numbers of std::philox4x32 of C++26") {
  Stream stream(20111115);  // the default seed of std::philox4x32
  for (int i = 1; i < 10'000; ++i) stream();
  CHECK(stream() == 1955073260U);
}

TEST_CASE("A copy of a Stream continues at the same position") {
  for (int before = 0; before < 9; ++before) {
    Stream stream(7);
    for (int i = 0; i < before; ++i) stream();
    Stream copy = stream;
    for (int i = 0; i < 20; ++i) CHECK(copy() == stream());
  }
}

TEST_CASE("Streams of equal seed, round, client and purpose give equal numbers, and otherwise different ones") {
  std::vector<Streams> places;
  for (std::uint64_t const seed : {0ULL, 1ULL, 1ULL << 32U})
    for (std::uint32_t const round : {0U, 1U, 2U})
      for (std::uint32_t const client : {0U, 1U, 2U})
        for (bool const replay : {false, true}) places.push_back({seed, round, client, replay});
  std::set<std::uint64_t> first_numbers;
  std::size_t streams = 0;
  for (auto const& place : places)
    for (auto const purpose : {Purpose::start, Purpose::queries, Purpose::clicks, Purpose::privacy, Purpose::user}) {
      first_numbers.insert(place.of(purpose).bits64());
      Stream again = Streams{place}.of(purpose);
      CHECK(again.bits64() == place.of(purpose).bits64());
      ++streams;
    }
  // Two of 270 random 64-bit numbers are the same with probability 2e-15.
  CHECK(first_numbers.size() == streams);
}

TEST_CASE("The first numbers of neighbouring clients are independent") {
  // Each number is uniform, and pairs of neighbours are uniform on a 10 x 10 grid.
  std::vector<double> firsts;
  for (std::uint32_t client = 0; client < 100'000; ++client)
    firsts.push_back(Streams{.seed = 3, .round = 1, .client = client}.of(Purpose::queries).uniform());
  std::array<std::uint64_t, 100> grid{};
  for (std::size_t i = 0; i + 1 < firsts.size(); i += 2)
    ++grid[static_cast<std::size_t>(firsts[i] * 10) * 10 + static_cast<std::size_t>(firsts[i + 1] * 10)];
  CHECK(ks_distance(firsts, [](double x) { return x; }) < ks_critical(100'000));
  CHECK(chi_squared(grid) < chi2_critical_df99);
}

TEST_CASE("Stream::uniform passes a Kolmogorov-Smirnov test") {
  Stream stream(11);
  CHECK(ks_distance(sample(100'000, [&] { return stream.uniform(); }), [](double x) { return x; }) <
        ks_critical(100'000));
}

TEST_CASE("Stream::uniform is above 0 and below 1 for the smallest and largest bits") {
  REQUIRE(philox4x32(counter_of({1, 2, 3, 4}), {}) == Block{1, 2, 3, 4});
  // Streams that start with the smallest and the largest 64 bits.
  Stream const lowest({0, 0}, counter_of({0, 0, 0, 0}));
  Stream const highest({0, 0}, counter_of({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}));
  CHECK(Stream(lowest).uniform() == 0x1p-53);
  CHECK(Stream(highest).uniform() == 1.0 - 0x1p-53);
  CHECK(std::isfinite(Stream(lowest).laplace(1.0)));
  CHECK(std::isfinite(Stream(highest).laplace(1.0)));
  CHECK(std::isfinite(Stream(lowest).normal()));
  CHECK(std::isfinite(Stream(highest).normal()));
  CHECK(Stream(lowest).gamma(1e-3) == 0.0);
  CHECK(Stream(highest).bernoulli(1.0));
  CHECK(!Stream(lowest).bernoulli(0.0));
}

TEST_CASE("Stream::uniforms gives the numbers of Stream::uniform and leaves the stream at the same position") {
  fltr::Key256 const key{1, 2, 3};
  // The second stream wraps its counter around at 2^32.
  for (Stream const& start : {Stream(22), Stream({5, 6}, {0xFFFF'FFF3U, 1, 2, 3}), Stream::secret(key, {9, 1, 2, 3})})
    for (int before = 0; before < 9; ++before)
      for (std::size_t n = 0; n <= 70; ++n) {
        Stream one = start;
        for (int i = 0; i < before; ++i) one();
        Stream many = one;
        std::vector<double> numbers(n + 1, -1.0);
        many.uniforms(std::span(numbers).first(n));
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < n; ++i) wrong += numbers[i] == one.uniform() ? 0U : 1U;
        REQUIRE(wrong == 0);
        REQUIRE(numbers[n] == -1.0);
        for (int i = 0; i < 20; ++i) REQUIRE(many() == one());
      }
}

TEST_CASE("Stream::normal passes a Kolmogorov-Smirnov test") {
  Stream stream(12);
  CHECK(ks_distance(sample(100'000, [&] { return stream.normal(); }), normal_cdf) < ks_critical(100'000));
}

TEST_CASE("Stream::normals gives the bits of Stream::normal and leaves the stream at the same position") {
  for (Stream const& start : {Stream(23), Stream::secret({4, 5}, {9, 1, 2, 3})})
    for (int before = 0; before < 9; ++before)
      for (std::size_t n = 0; n <= 40; ++n) {
        Stream one = start;
        for (int i = 0; i < before; ++i) one();
        Stream many = one;
        std::vector<double> numbers(n);
        many.normals(numbers);
        for (double const x : numbers) REQUIRE(x == one.normal());
        for (int i = 0; i < 9; ++i) REQUIRE(many() == one());
      }
}

TEST_CASE("Stream::gamma passes a Kolmogorov-Smirnov test against the incomplete gamma function") {
  Stream stream(13);
  for (double const shape : {0.3, 1.0, 4.5}) {
    boost::math::gamma_distribution<> const exact(shape, 1.0);
    INFO("shape " << shape);
    CHECK(ks_distance(sample(100'000, [&] { return stream.gamma(shape); }),
                      [&](double x) { return boost::math::cdf(exact, x); }) < ks_critical(100'000));
  }
}

TEST_CASE("Stream::gamma of a tiny shape underflows to 0 and is never NaN") {
  Stream stream(14);
  std::size_t zeros = 0;
  for (double const shape : {1e-3, 1e-6, 1e-300, std::numeric_limits<double>::denorm_min()})
    for (int i = 0; i < 20'000; ++i) {
      double const g = stream.gamma(shape);
      REQUIRE((g >= 0.0 && std::isfinite(g)));
      if (shape == 1e-3 && g == 0.0) ++zeros;
    }
  // P(X < half the smallest double) is about (2.5e-324)^shape = exp(-.745).
  double const expected = std::exp(-0.745);
  CHECK(std::abs(static_cast<double>(zeros) / 20'000 - expected) < five_errors(expected, 20'000));
}

TEST_CASE("Stream::gamma and Stream::laplace throw for parameters outside their range") {
  Stream stream(15);
  double const nan = std::numeric_limits<double>::quiet_NaN();
  double const inf = std::numeric_limits<double>::infinity();
  for (double const shape : {0.0, -1.0, nan, inf}) CHECK_THROWS_AS(stream.gamma(shape), std::invalid_argument);
  for (double const scale : {-1.0, nan, inf}) CHECK_THROWS_AS(stream.laplace(scale), std::invalid_argument);
  CHECK(stream.laplace(0.0) == 0.0);
}

TEST_CASE("Stream::laplace passes a Kolmogorov-Smirnov test") {
  Stream stream(16);
  for (double const scale : {0.1, 3.0})
    CHECK(ks_distance(sample(100'000, [&] { return stream.laplace(scale); }),
                      [&](double x) { return laplace_cdf(x, scale); }) < ks_critical(100'000));
}

TEST_CASE("The sum of n differences of gamma numbers of shape 1/n has a Laplace distribution") {
  // FPDGD, algorithm 3: the sum of the noise of all clients is differentially private.
  double const scale = 5.0 / 4.5;
  for (std::uint32_t const n : {2U, 10U, 100U, 1000U}) {
    Stream stream(1000 + n);
    double const shape = 1.0 / n;
    auto const sum = [&] {
      double total = 0.0;
      for (std::uint32_t client = 0; client < n; ++client) {
        double const plus = stream.gamma(shape);
        total += scale * (plus - stream.gamma(shape));
      }
      return total;
    };
    std::size_t const sums = n < 1000 ? 10'000 : 5'000;
    INFO("clients " << n);
    CHECK(ks_distance(sample(sums, sum), [&](double x) { return laplace_cdf(x, scale); }) < ks_critical(sums));
  }
}

TEST_CASE("Stream::below is uniform, also if 2^32 is not a multiple of the bound") {
  Stream stream(17);
  std::array<std::uint64_t, 24> counts{};
  for (int i = 0; i < 100'000; ++i) ++counts[stream.below(24)];
  CHECK(chi_squared(counts) < chi2_critical_df23);
  CHECK(stream.below(1) == 0);

  // With this bound a multiplication without rejection gives one residue modulo 3 every second time.
  std::array<std::uint64_t, 3> residues{};
  std::array<std::uint64_t, 24> parts{};
  std::uint32_t const bound = 3U << 30U;
  for (int i = 0; i < 100'000; ++i) {
    std::uint32_t const drawn = stream.below(bound);
    REQUIRE(drawn < bound);
    ++residues[drawn % 3];
    ++parts[drawn / (bound / 24)];
  }
  CHECK(chi_squared(residues) < chi2_critical_df2);
  CHECK(chi_squared(parts) < chi2_critical_df23);
}

TEST_CASE("Stream::shuffle gives every order with the same probability") {
  Stream stream(18);
  std::array<std::uint64_t, 24> counts{};
  for (int i = 0; i < 100'000; ++i) {
    std::array<int, 4> items{0, 1, 2, 3};
    stream.shuffle(std::span<int>(items));
    std::array<int, 4> order{0, 1, 2, 3};
    std::size_t rank = 0;
    while (order != items) {
      REQUIRE(std::ranges::next_permutation(order).found);
      ++rank;
    }
    ++counts[rank];
  }
  CHECK(chi_squared(counts) < chi2_critical_df23);

  std::vector<int> few;
  stream.shuffle(std::span(few));
  CHECK(few.empty());
}

TEST_CASE("Stream::categorical draws in proportion to the weights") {
  Stream stream(19);
  std::vector<double> weights;  // 0 1 2 ... 24 0
  for (int i = 0; i <= 24; ++i) weights.push_back(i);
  weights.push_back(0.0);
  std::vector<std::uint64_t> counts(weights.size());
  for (int i = 0; i < 100'000; ++i) ++counts[stream.categorical(weights)];
  CHECK(counts.front() == 0);
  CHECK(counts.back() == 0);
  std::vector<double> probabilities(weights.begin() + 1, weights.end() - 1);
  for (double& p : probabilities) p /= 300.0;
  CHECK(chi_squared(std::span(counts).subspan(1, 24), probabilities) < chi2_critical_df23);
}

TEST_CASE("Stream::categorical never draws a weight of 0 and throws for negative, NaN, infinite and all-zero weights") {
  Stream const highest({0, 0}, counter_of({0xffffffff, 0xffffffff, 0, 0}));
  std::vector<double> const rounding{0.1, 0.2, 0.3, 0.4, 0.0};
  CHECK(Stream(highest).categorical(rounding) == 3);
  Stream const lowest({0, 0}, counter_of({0, 0, 0, 0}));
  CHECK(Stream(lowest).categorical(std::vector<double>{0.0, 1e300, 1.0}) == 1);

  Stream stream(20);
  double const nan = std::numeric_limits<double>::quiet_NaN();
  double const inf = std::numeric_limits<double>::infinity();
  using Weights = std::vector<double>;
  for (auto const& bad :
       {Weights{}, Weights{0, 0}, Weights{1, -1e-9}, Weights{1, nan}, Weights{1, inf}, Weights{1e308, 1e308}})
    CHECK_THROWS_AS(stream.categorical(bad), std::invalid_argument);
}

TEST_CASE("Stream::bernoulli is true with its probability") {
  Stream stream(21);
  std::size_t const n = 100'000;
  for (double const p : {0.01, 0.5, 0.95}) {
    std::size_t hits = 0;
    for (std::size_t i = 0; i < n; ++i) hits += stream.bernoulli(p) ? 1U : 0U;
    CHECK(std::abs(static_cast<double>(hits) / static_cast<double>(n) - p) < five_errors(p, n));
  }
}

TEST_CASE("A stream with a key gives the numbers of ChaCha20, which depend on the key and not on the seed") {
  fltr::Key256 const key{11, 12, 13};
  fltr::Streams const keyed{.seed = 5, .round = 2, .client = 3, .key = key};
  auto stream = keyed.of(fltr::Purpose::privacy);
  auto const block =
      fltr::chacha20_block(key, {0, static_cast<std::uint32_t>(fltr::Purpose::privacy), keyed.round, keyed.client});
  for (std::size_t i = 0; i < 8; ++i) CHECK(stream() == block[i]);
  auto const first = [](fltr::Streams const& streams) { return streams.of(fltr::Purpose::privacy).bits64(); };
  CHECK(first(keyed) == first({.seed = 999, .round = 2, .client = 3, .key = key}));  // independent of the seed
  CHECK(first(keyed) != first({.seed = 5, .round = 2, .client = 3}));
  CHECK(first(keyed) != first({.seed = 5, .round = 2, .client = 3, .key = fltr::Key256{11, 12, 14}}));
  CHECK(first(keyed) != first({.seed = 5, .round = 3, .client = 3, .key = key}));

  std::vector<std::uint64_t> counts(100);
  for (int i = 0; i < 100'000; ++i) ++counts[stream.below(100)];
  CHECK(chi_squared(counts) < chi2_critical_df99);
}

TEST_CASE("Derived streams differ from their source, with a seed and with a key") {
  for (auto const& streams : {fltr::Streams{.seed = 5}, fltr::Streams{.seed = 5, .key = fltr::Key256{1}}}) {
    auto source = streams.of(fltr::Purpose::privacy);
    auto const first = streams.derived(source);
    auto const second = streams.derived(source);
    CHECK(static_cast<bool>(first.key) == static_cast<bool>(streams.key));
    auto const number = [](fltr::Streams const& s) { return s.of(fltr::Purpose::privacy).bits64(); };
    CHECK(number(first) != number(second));
    CHECK(number(first) != number(streams));
    if (streams.key) CHECK(first.key != second.key);
  }
}

TEST_CASE("Stream::below64 is uniform, also for bounds above 2^32") {
  fltr::Stream stream(191);
  std::uint64_t const bound = (std::uint64_t{1} << 40U) + 12345;
  std::vector<std::uint64_t> counts(100);
  for (int i = 0; i < 100'000; ++i) {
    std::uint64_t const drawn = stream.below64(bound);
    REQUIRE(drawn < bound);
    ++counts[static_cast<std::size_t>(static_cast<double>(drawn) / static_cast<double>(bound) * 100.0)];
  }
  CHECK(chi_squared(counts) < chi2_critical_df99);
  for (int i = 0; i < 100; ++i) CHECK(stream.below64(1) == 0);
}

TEST_CASE("No stream of a secret key gives out the key of the streams that are bound to a content") {
  fltr::Key256 const key{1, 2, 3};
  auto const bound = fltr::Streams{.key = key}.bound_to(0x0000000600000005U, 0x0000000800000007U);
  REQUIRE(bound.key);
  auto stream = fltr::Stream::secret(key, {5, 6, 7, 8});
  for (int i = 0; i < 64; ++i) {
    std::uint32_t const drawn = stream();
    for (std::uint32_t const word : *bound.key) CHECK(drawn != word);
  }
}

TEST_CASE("Streams that are bound to two contents are independent if any bit of the contents differs") {
  for (auto const& streams : {fltr::Streams{.seed = 5}, fltr::Streams{.seed = 5, .key = fltr::Key256{1}}}) {
    auto const number = [&](std::uint64_t low, std::uint64_t high) {
      return streams.bound_to(low, high).of(fltr::Purpose::privacy).bits64();
    };
    std::set<std::uint64_t> seen{number(0, 0), streams.of(fltr::Purpose::privacy).bits64()};
    for (unsigned bit = 0; bit < 64; ++bit) {
      seen.insert(number(std::uint64_t{1} << bit, 0));
      seen.insert(number(0, std::uint64_t{1} << bit));
    }
    CHECK(seen.size() == 130);
    CHECK(number(3, 4) == number(3, 4));
  }
}

TEST_CASE("Streams that are bound to a content keep 128 bits of it") {
  fltr::Streams const streams{.seed = 5, .round = 3, .client = 9};
  auto const number = [](fltr::Streams const& s) { return s.of(fltr::Purpose::privacy).bits64(); };
  std::set<std::pair<std::uint64_t, std::uint64_t>> seen;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    auto const bound = streams.bound_to(i, 7);
    CHECK(bound.round == 3);
    CHECK(bound.client == 9);
    seen.insert({bound.seed, bound.content});
  }
  CHECK(seen.size() == 1000);
  auto const bound = streams.bound_to(1, 2);
  std::set<std::uint64_t> numbers{number(bound)};
  for (unsigned bit = 0; bit < 64; ++bit) {
    auto other = bound;
    other.seed ^= std::uint64_t{1} << bit;
    numbers.insert(number(other));
    other = bound;
    other.content ^= std::uint64_t{1} << bit;
    numbers.insert(number(other));
  }
  CHECK(numbers.size() == 129);
}
