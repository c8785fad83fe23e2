// One PDGD interaction of a neural ranker (64 hidden units, 40 x 46) on one core. It is compared with the two matrix
// products of this size in the BLAS: the inputs of the hidden units, and the gradient of their weights.
#include <cstddef>
#include <cstdio>
#include <vector>

#include <fltr/click_models/cascade_model.hpp>
#include <fltr/data/client.hpp>
#include <fltr/rankers/neural_ranker.hpp>

#include "hot_paths/suites.hpp"
#include "support/fixed_shape.hpp"
#include "support/local_work.hpp"
#include "support/side_by_side.hpp"

#ifdef FLTR_HAS_BLAS
extern "C" {
#include <xflens/cxxblas/drivers/cblas.h>
}
#endif

namespace fltr::benchmarks {

#ifdef FLTR_HAS_BLAS

std::vector<Row> neural(std::size_t rounds) {
  constexpr int documents = 40, features = 46, hidden = 64;
  auto const data = fixed_shape(1692, documents, features, 3);
  NeuralRanker ranker(features, {.hidden = hidden});
  Stream random(2);
  ranker.initialize(random);
  Client const client{0, 4, QueryPool(data)};
  LocalWork<NeuralRanker> work(ranker, client);
  auto const perfect = CascadeModel::perfect(3);
  std::vector<float> inputs(documents * hidden), gradient(hidden * features);
  auto const stride = static_cast<int>(data.stride());
  std::size_t query = 0;

  SideBySide bench(rounds);
  bench.baseline({"two gemms, 40 x 46 x 64", 64, 10, [&] {
                    for (int i = 0; i < 64; ++i, query = (query + 1) % data.size()) {
                      float const* const rows = data[query].rows();
                      cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, documents, hidden, features, 1.0F, rows,
                                  stride, ranker.parameters().data(), features, 0.0F, inputs.data(), hidden);
                      cblas_sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, hidden, features, documents, 1.0F,
                                  inputs.data(), hidden, rows, stride, 0.0F, gradient.data(), features);
                    }
                    ankerl::nanobench::doNotOptimizeAway(gradient[0]);
                  }});
  bench.add(
      {"neural interaction 40 x 46, 64 hidden units, perfect", work.interactions(), 10, [&] { work.run(perfect); }},
      "two gemms, 40 x 46 x 64");
  return bench.run();
}

#else

std::vector<Row> neural(std::size_t) {
  std::fputs("neural: no BLAS was found, so the row of the neural interaction is left out\n", stderr);
  return {};
}

#endif

}  // namespace fltr::benchmarks
