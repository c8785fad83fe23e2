// Data from NumPy, scores and weights back to NumPy. In Python:
//
//   numpy.save("features.npy", features)   # documents x features, float32 or float64
//   numpy.save("labels.npy", labels)       # one grade of 0 to 30 per document
//   numpy.save("qids.npy", qids)           # one integer per document; the documents of a query are consecutive
//   (run numpy_in_and_out features.npy labels.npy qids.npy scores.npy weights.npy)
//   scores = numpy.load("scores.npy")      # one float32 per document, equal to features @ weights
//
// The program trains a linear ranker with 20 rounds of federated PDGD: 50 clients with simulated clicks.
#include <exception>
#include <iostream>

#include <fltr/click_models/cascade_model.hpp>
#include <fltr/formats/npy.hpp>
#include <fltr/metrics/ndcg.hpp>
#include <fltr/partition/iid.hpp>
#include <fltr/presets/fpdgd.hpp>
#include <fltr/rankers/linear_ranker.hpp>
#include <fltr/tensor.hpp>

int main(int argc, char** argv) try {
  if (argc != 6) {
    std::cerr << "usage: numpy_in_and_out features.npy labels.npy qids.npy scores.npy weights.npy\n";
    return 2;
  }
  auto const data = fltr::read_npy_dataset(argv[1], argv[2], argv[3]);
  std::cout << data.size() << " queries, " << data.document_count() << " documents, " << data.feature_count()
            << " features\n";

  auto const federation = fltr::fpdgd(fltr::LinearRanker{data.feature_count()}, fltr::CascadeModel::perfect(5));
  auto const clients = fltr::split_iid(data, {.clients = 50, .interactions = 4});
  auto training = federation.start(clients);
  training.run(20);

  auto const& ranker = training.ranker();
  fltr::write_npy(argv[4], fltr::document_scores(ranker, data));
  fltr::write_npy(argv[5], fltr::parameters_tensor(ranker));
  std::cout << "nDCG@10 " << xt::nanmean(fltr::query_values(ranker, data, fltr::Ndcg{.cutoff = 10}))() << '\n';
} catch (std::exception const& error) {
  std::cerr << "numpy_in_and_out: " << error.what() << '\n';
  return 1;
}
