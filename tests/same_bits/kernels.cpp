// same bits: 189be689f16f31a0
// also with: -DFLTR_NO_INTRINSICS
//
// The elementary functions, NormalNoise and uniform numbers. The bits do not depend on -ffp-contract. Two kernels whose
// results are integers are compared with a loop instead; a difference is exit status 1.
#include <fltr/core/eight_doubles.hpp>
#include <fltr/core/exponential.hpp>
#include <fltr/core/logarithm.hpp>
#include <fltr/core/normal_cdf.hpp>
#include <fltr/core/normal_noise.hpp>
#include <fltr/core/power.hpp>
#include <fltr/core/random.hpp>
#include <fltr/core/sigmoid.hpp>
#include <fltr/core/sine_cosine.hpp>
#include <fltr/formats/detail/letor_line.hpp>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "probe.hpp"

namespace {

/// Whether EightDoubles::count_at_most and token_end give the results of plain loops.
bool integers_are_right() {
  fltr::Stream stream(2);
  for (int i = 0; i < 1000; ++i) {
    std::array<double, 8> lanes;
    for (double& lane : lanes) lane = stream.below(20);
    double const x = stream.below(20);
    std::size_t expected = 0;
    for (double const lane : lanes) expected += lane <= x ? 1 : 0;
    if (fltr::simd::EightDoubles::load(lanes.data()).count_at_most(x) != expected) return false;
    std::array<char, 16> text;
    for (char& byte : text) byte = static_cast<char>(stream.below(8) == 0 ? stream.below(33) : 33 + stream.below(223));
    std::size_t end = 0;
    while (end < text.size() && static_cast<unsigned char>(text[end]) > ' ') ++end;
    if (fltr::detail::token_end(text.data()) != text.data() + end) return false;
  }
  return true;
}

}  // namespace

int main() {
  if (!integers_are_right()) return 1;
  Probe probe;
  fltr::Stream stream(1);
  constexpr int count = 20'000;
  // A number with one of `exponents` exponents from `lowest` on. All factors below are powers of two, so that products
  // are exact and may be fused.
  auto const number = [&](std::uint32_t exponents, int lowest) {
    double const mantissa = 1.0 + stream.uniform();
    return std::ldexp(mantissa, static_cast<int>(stream.below(exponents)) + lowest);
  };
  for (int i = 0; i < count; ++i) probe.add(fltr::math::exp(2048.0 * stream.uniform() - 1024.0));
  for (int i = 0; i < count; ++i) probe.add(fltr::math::expm1(4.0 * stream.uniform() - 2.0));
  probe.part("exp");
  for (int i = 0; i < count; ++i) {
    double const any = number(2097, -1074);
    probe.add(fltr::math::log(any));
    probe.add(fltr::math::log2(any));
    double const near = 0.5 + stream.uniform();
    probe.add(fltr::math::log(near));
    probe.add(fltr::math::log2(near));
    probe.add(fltr::math::log1p(near - 1.0));
  }
  probe.part("log");
  for (int i = 0; i < count; ++i) {
    auto const [sine, cosine] = fltr::math::sine_cosine_of_turns(8.0 * stream.uniform() - 4.0);
    probe.add(sine);
    probe.add(cosine);
  }
  probe.part("sine and cosine");
  for (int i = 0; i < count; ++i) {
    double const base = number(60, -30);
    probe.add(fltr::math::pow(base, 32.0 * stream.uniform() - 16.0));
    double const rank = 1.0 + stream.below(100);
    probe.add(fltr::math::pow(rank, -2.0 * stream.uniform()));
  }
  probe.part("pow");
  for (int i = 0; i < count / 4; ++i) {
    probe.add(fltr::normal_cdf(64.0 * stream.uniform() - 48.0));
    probe.add(fltr::normal_cdf(8.0 * stream.uniform() - 4.0));
  }
  probe.part("normal_cdf");
  std::array<float, 61> floats;
  for (int i = 0; i < count / 10; ++i) {
    for (float& v : floats) v = static_cast<float>(256.0 * stream.uniform() - 128.0);
    fltr::simd::sigmoid_in_place(floats);
    for (float const v : floats) probe.add(v);
    fltr::NormalNoise(static_cast<std::uint64_t>(i)).fill(floats);
    for (float const v : floats) probe.add(v);
  }
  probe.part("sigmoid and NormalNoise");
  std::array<double, 61> numbers;
  auto secret = fltr::Stream::secret({1, 2, 3}, {4, 5, 6, 7});
  for (std::size_t n = 0; n <= numbers.size(); ++n) {
    for (fltr::Stream* source : {&stream, &secret}) {
      source->uniforms(std::span(numbers).first(n));
      for (double const v : std::span(numbers).first(n)) probe.add(v);
      source->normals(std::span(numbers).first(n));
      for (double const v : std::span(numbers).first(n)) probe.add(v);
    }
    for (std::size_t i = 0; i < n; ++i) numbers[i] = std::ldexp(stream.uniform(), static_cast<int>(i) - 30);
    fltr::simd::log_in_place(std::span(numbers).first(n));
    for (double const v : std::span(numbers).first(n)) probe.add(v);
  }
  probe.part("uniforms, normals and log_in_place");
  double const infinity = std::numeric_limits<double>::infinity();
  for (double const x : {0.0, -0.0, infinity, 5e-324, 1e308}) {
    probe.add(fltr::math::exp(x));
    probe.add(fltr::math::exp(-x));
    probe.add(fltr::math::log(x));
    probe.add(fltr::math::pow(x, 0.3));
    probe.add(fltr::normal_cdf(x));
    probe.add(fltr::normal_cdf(-x));
  }
  probe.part("special values");
  probe.print();
}
