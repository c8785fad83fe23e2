// Whether time grows linearly: FPDGD and FOLtR-ES with 1, 10 and 100 times as many clients, interactions, documents and
// features, on one core, from 50 clients of four interactions at 40 x 46. The time per unit stays the same, or falls where
// a fixed cost is shared by more units. `slope` compares the time of another unit between x 10 and x 100 with that
// between x 1 and x 10: 1 is linear. It is above 1 where the data no longer fits into a cache.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include <fltr/click_models/cascade_model.hpp>
#include <fltr/partition/iid.hpp>
#include <fltr/presets/foltr_es.hpp>
#include <fltr/presets/fpdgd.hpp>
#include <fltr/rankers/linear_ranker.hpp>

#include "support/fixed_shape.hpp"
#include "support/side_by_side.hpp"
#include "support/time_text.hpp"

namespace {

using namespace fltr;
using namespace fltr::benchmarks;

constexpr std::size_t factors[] = {1, 10, 100};

struct Size {
  std::size_t clients = 50;
  std::uint32_t interactions = 4;
  std::size_t documents = 40;
  std::size_t features = 46;
};

/// Prints the time per unit at ×1, ×10 and ×100. `sized(factor)` is the size, `units(size)` what is counted.
template <class Start, class Sized, class Units>
void print_row(char const* what, Start const& start, Sized const& sized, Units const& units) {
  std::vector<double> ns;
  for (std::size_t const factor : factors) {
    Size const size = sized(factor);
    // 2 million floats of features at every size, as far as possible, so that the caches hold the same share of them.
    std::size_t const queries =
        std::max<std::size_t>(20, 2'000'000 / (size.documents * Dataset::stride_for(size.features)));
    auto const data = fixed_shape(queries, size.documents, size.features, 3);
    auto const clients = split_iid(data, {.clients = size.clients, .interactions = size.interactions});
    auto training = start(size).start(clients);
    training.advance();
    std::vector<double> seconds;
    for (int round = 0; round < 9; ++round) {
      double const before = thread_seconds();
      std::size_t const calls = 200 / factor + 1;
      for (std::size_t call = 0; call < calls; ++call) training.advance();
      seconds.push_back((thread_seconds() - before) / static_cast<double>(calls));
    }
    std::ranges::nth_element(seconds, seconds.begin() + 4);
    ns.push_back(1e9 * seconds[4] / static_cast<double>(units(size)));
  }
  double const slope = (100 * ns[2] - 10 * ns[1]) / (10 * (10 * ns[1] - ns[0]));
  std::printf("%-34s %12s %12s %12s %8.2f\n", what, time_text(ns[0]).c_str(), time_text(ns[1]).c_str(),
              time_text(ns[2]).c_str(), slope);
  std::fflush(stdout);
}

template <class Start>
void print_rows(std::string const& method, Start const& start) {
  auto const row = [&](char const* what, auto const& sized, auto const& units) {
    print_row((method + ", per " + what).c_str(), start, sized, units);
  };
  row("client", [](std::size_t f) { return Size{.clients = 50 * f}; }, [](Size const& s) { return s.clients; });
  row(
      "interaction", [](std::size_t f) { return Size{.interactions = static_cast<std::uint32_t>(4 * f)}; },
      [](Size const& s) { return s.clients * s.interactions; });
  row(
      "document", [](std::size_t f) { return Size{.documents = 40 * f}; },
      [](Size const& s) { return s.clients * s.interactions * s.documents; });
  row(
      "feature", [](std::size_t f) { return Size{.features = 46 * f}; },
      [](Size const& s) { return s.clients * s.interactions * s.features; });
}

}  // namespace

int main() {
  std::printf("%-34s %12s %12s %12s %8s\n", "time per unit of a round", "x 1", "x 10", "x 100", "slope");
  print_rows("FPDGD",
             [](Size const& size) { return fpdgd(LinearRanker(size.features), CascadeModel::informational(3)); });
  print_rows("FOLtR-ES",
             [](Size const& size) { return foltr_es(LinearRanker(size.features), CascadeModel::informational(3)); });
}
