// Data from NumPy, scores and weights back to NumPy. In Python:
//
//   numpy.save("features.npy", features)   # documents x features, float32 or float64
//   numpy.save("labels.npy", labels)       # one grade of 0 to 30 per document
//   numpy.save("qids.npy", qids)           # one integer per document; the documents of a query are consecutive
//   (run numpy_in_and_out features.npy labels.npy qids.npy scores.npy weights.npy)
//   scores = numpy.load("scores.npy")      # one float32 per document, equal to features @ weights
//
// Between them a linear ranker is trained for 20 rounds of federated PDGD by 50 clients with simulated clicks.
#include <cstddef>
#include <exception>

#include <fltr/fltr.hpp>
#include <fltr/io/npy.hpp>
#include <fltr/tensor.hpp>

#include <fmt/core.h>

int main(int argc, char** argv) try {
  if (argc != 6) {
    fmt::print(stderr, "usage: numpy_in_and_out features.npy labels.npy qids.npy scores.npy weights.npy\n");
    return 2;
  }
  auto const data = fltr::read_npy_dataset(argv[1], argv[2], argv[3]);
  fmt::print("{} queries, {} documents, {} features\n", data.size(), data.document_count(), data.feature_count());

  auto const federation = fltr::fpdgd(fltr::LinearRanker{data.feature_count()}, fltr::CascadeModel::perfect(5));
  auto const clients = fltr::split_iid(data, {.clients = 50, .interactions = 4});
  auto training = federation.start(clients);
  for (int round = 0; round < 20; ++round) training.advance();

  auto const& ranker = training.ranker();
  fltr::write_npy(argv[4], fltr::document_scores(ranker, data));
  fltr::write_npy(argv[5], fltr::parameters_tensor(ranker));
  fmt::print("nDCG@10 {:.4f}\n", xt::nanmean(fltr::query_values(ranker, data, fltr::Ndcg{.cutoff = 10}))());
} catch (std::exception const& error) {
  fmt::print(stderr, "numpy_in_and_out: {}\n", error.what());
  return 1;
}
