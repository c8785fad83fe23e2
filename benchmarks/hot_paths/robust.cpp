// Robust aggregation of 1,000 messages of 136 parameters, of which 100 are malicious, and of ten messages in a round.
// Krum is compared with the least that a Gram matrix needs: one sgemm, and nth_element over the rows of distances. Median
// and TrimmedMean are compared with nth_element over the columns. The rows "with xtensor" are the rules as expressions of
// xtensor and xtensor-blas in float; Krum's score is then that of the Gram matrix, which loses the digits of common offsets.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include <fltr/aggregators/krum.hpp>
#include <fltr/aggregators/median.hpp>
#include <fltr/aggregators/multi_krum.hpp>
#include <fltr/aggregators/trimmed_mean.hpp>
#include <fltr/click_models/cascade_model.hpp>
#include <fltr/core/random.hpp>
#include <fltr/partition/iid.hpp>
#include <fltr/presets/fpdgd.hpp>
#include <fltr/rankers/linear_ranker.hpp>

#include "hot_paths/suites.hpp"
#include "support/fixed_shape.hpp"
#include "support/side_by_side.hpp"

#ifdef FLTR_HAS_BLAS
#if !defined(__clang__)
#pragma GCC diagnostic ignored "-Warray-bounds"  // false, at -O3 in xt::sort
#endif
#include <fltr/core/tensor_functions.hpp>
#include <xtensor-blas/xlinalg.hpp>
#endif

namespace fltr::benchmarks {

namespace {

constexpr std::size_t clients = 1000, parameters = 136, malicious = 100;

MessageRows normal_messages() {
  MessageRows rows(clients, parameters);
  Stream random(1);
  for (std::size_t c = 0; c < clients; ++c)
    for (float& v : rows.row(c)) v = static_cast<float>(random.normal());
  return rows;
}

auto message(std::string name, auto run) { return SideBySide::Operation{std::move(name), 1.0, 1, std::move(run)}; }

#ifdef FLTR_HAS_BLAS

constexpr std::size_t neighbours = clients - malicious - 2;

/// One sgemm, and nth_element over the rows of distances. The Gram matrix is overwritten by the distances.
std::size_t gram_matrix(MessageRows const& rows, std::vector<float>& gram) {
  constexpr auto n = static_cast<int>(clients);
  constexpr auto d = static_cast<int>(parameters);
  cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, n, n, d, 1.0F, rows.values().data(), d, rows.values().data(), d,
              0.0F, gram.data(), n);
  std::vector<float> squares(clients);
  for (std::size_t i = 0; i < clients; ++i) squares[i] = gram[i * clients + i];
  std::size_t best = 0;
  float lowest = 0.0F;
  for (std::size_t i = 0; i < clients; ++i) {
    float* const row = gram.data() + i * clients;
    for (std::size_t j = 0; j < clients; ++j) row[j] = squares[i] + squares[j] - 2.0F * row[j];
    std::nth_element(row, row + neighbours, row + clients);
    if (i == 0 || row[neighbours] < lowest) {
      best = i;
      lowest = row[neighbours];
    }
  }
  return best;
}

void add_xtensor(SideBySide& bench, MessageRows const& rows) {
  auto const values = [&] {
    return xt::adapt(rows.values().data(), clients * parameters, xt::no_ownership(),
                     std::array<std::size_t, 2>{clients, parameters});
  };
  bench.add(message("Krum with xtensor, 1,000 x 136",
                    [&, values] {
                      auto const x = values();
                      xt::xtensor<float, 2> const gram = xt::linalg::dot(x, xt::transpose(x));
                      xt::xtensor<float, 1> const squares = xt::diagonal(gram);
                      xt::xtensor<float, 2> const distances =
                          xt::view(squares, xt::all(), xt::newaxis()) + squares - 2.0F * gram;
                      xt::xtensor<float, 2> const sorted = xt::partition(distances, neighbours, 1);
                      xt::xtensor<float, 1> const scores =
                          xt::sum(xt::view(sorted, xt::all(), xt::range(std::size_t{0}, neighbours + 1)), 1);
                      ankerl::nanobench::doNotOptimizeAway(xt::argmin(scores)());
                    }),
            "Krum, 1,000 x 136");
  bench.add(message("Median with xtensor, 1,000 x 136",
                    [&, values] {
                      auto x = values();
                      xt::xtensor<float, 1> const median = xt::median(x, 0);
                      ankerl::nanobench::doNotOptimizeAway(median(0));
                    }),
            "Median, 1,000 x 136");
  bench.add(message("TrimmedMean with xtensor, 1,000 x 136",
                    [&, values] {
                      xt::xtensor<float, 2> const sorted = xt::sort(values(), 0);
                      xt::xtensor<float, 1> const mean =
                          xt::mean(xt::view(sorted, xt::range(malicious, clients - malicious), xt::all()), 0);
                      ankerl::nanobench::doNotOptimizeAway(mean(0));
                    }),
            "TrimmedMean, 1,000 x 136");
}

#endif

}  // namespace

std::vector<Row> robust(std::size_t rounds) {
  auto const rows = normal_messages();
  std::vector<float> columns(clients * parameters);
  for (std::size_t k = 0; k < parameters; ++k)
    for (std::size_t c = 0; c < clients; ++c) columns[k * clients + c] = rows.row(c)[k];
  std::vector<float> column(clients);

  SideBySide bench(rounds);
  auto const combine = [&](auto const& rule) {
    return [&rows, rule] { ankerl::nanobench::doNotOptimizeAway(rule.combine(rows, {})[0]); };
  };
#ifdef FLTR_HAS_BLAS
  std::vector<float> gram(clients * clients);
  std::string const gram_name = "sgemm + nth_element over rows, 1,000 x 136";
  bench.baseline(message(gram_name, [&] { ankerl::nanobench::doNotOptimizeAway(gram_matrix(rows, gram)); }));
  bench.add(message("Krum, 1,000 x 136", combine(Krum{.malicious = malicious})), gram_name);
  bench.add(message("MultiKrum, 1,000 x 136", combine(MultiKrum{.malicious = malicious})), gram_name);
#else
  std::fputs("robust: no BLAS was found, so the rows of Krum and of xtensor are left out\n", stderr);
#endif
  std::string const columns_name = "nth_element over columns, 1,000 x 136";
  bench.baseline(message(columns_name, [&] {
    for (std::size_t k = 0; k < parameters; ++k) {
      std::copy_n(columns.begin() + static_cast<std::ptrdiff_t>(k * clients), clients, column.begin());
      std::nth_element(column.begin(), column.begin() + clients / 2, column.end());
      ankerl::nanobench::doNotOptimizeAway(column[clients / 2]);
    }
  }));
  bench.add(message("Median, 1,000 x 136", combine(Median{.malicious = malicious})), columns_name);
  bench.add(message("TrimmedMean, 1,000 x 136", combine(TrimmedMean{.malicious = malicious})), columns_name);
#ifdef FLTR_HAS_BLAS
  add_xtensor(bench, rows);
#endif

  // A round of ten clients, five interactions each, at 40 x 46: the cost of a robust rule relative to the whole round.
  auto const data = fixed_shape(1692, 40, 46, 3);
  auto const federation = fpdgd(LinearRanker(46), CascadeModel::informational(3));
  auto const ten = split_iid(data, {.clients = 10, .interactions = 5});
  auto average = federation.start(ten);
  auto krum = federation.with_aggregator(Krum{.malicious = 2}).start(ten);
  auto median = federation.with_aggregator(Median{.malicious = 2}).start(ten);
  std::string const round_name = "round, 10 clients x 5, FedAvg";
  bench.baseline({round_name, 1, 200, [&] { average.advance(); }});
  bench.add({"round, 10 clients x 5, Krum", 1, 200, [&] { krum.advance(); }}, round_name);
  bench.add({"round, 10 clients x 5, Median", 1, 200, [&] { median.advance(); }}, round_name);
  return bench.run();
}

}  // namespace fltr::benchmarks
