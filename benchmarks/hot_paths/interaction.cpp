// Scoring, drawing a list, clicking, and one PDGD interaction of a linear ranker (choose a query, score, draw a list,
// click, score_gradient, backward, step) on one core. At 40 x 46 an interaction is compared with scoring the same
// queries: reading them takes half or twice as long, depending on who else uses the shared cache.
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <fltr/click_models/cascade_model.hpp>
#include <fltr/data/client.hpp>
#include <fltr/learners/plackett_luce.hpp>
#include <fltr/privatizers/gamma_noise.hpp>
#include <fltr/rankers/linear_ranker.hpp>

#include "hot_paths/suites.hpp"
#include "support/baselines.hpp"
#include "support/fixed_shape.hpp"
#include "support/local_work.hpp"
#include "support/side_by_side.hpp"

namespace fltr::benchmarks {

namespace {

/// Draws lists of ten from the scores of different queries.
class DrawnLists {
 public:
  DrawnLists(Dataset const& data, LinearRanker const& ranker)
      : scores_(lists, std::vector<float>(data[0].grades().size())) {
    for (std::size_t q = 0; q < lists; ++q) ranker.score(data[q], scores_[q]);
  }
  static constexpr std::size_t lists = 256;
  void draw() {
    PlackettLuce list(work_);
    for (auto const& scores : scores_) {
      work_.scores = scores;
      list.prepare();
      list.sample(10, stream_);
    }
    ankerl::nanobench::doNotOptimizeAway(work_.order[0]);
  }

 private:
  std::vector<std::vector<float>> scores_;
  LearnerWorkspace work_;
  Stream stream_{3};
};

/// Clicks on lists of ten documents with random grades.
class ClickedLists {
 public:
  explicit ClickedLists(Dataset const& data) {
    for (std::size_t q = 0; q < lists; ++q) grades_[q].assign(data[q].grades().begin(), data[q].grades().begin() + 10);
  }
  static constexpr std::size_t lists = 256;
  void click(CascadeModel const& model) {
    for (auto const& grades : grades_) model.click(grades, clicks_, stream_);
    ankerl::nanobench::doNotOptimizeAway(clicks_[0]);
  }

 private:
  std::array<std::vector<Grade>, lists> grades_;
  std::array<std::uint8_t, 10> clicks_{};
  Stream stream_{4};
};

/// Adds the rows of PDGD interactions with features of one shape. They are compared with reading or with scoring.
struct Shape {
  std::string name;
  Dataset data;
  LinearRanker ranker;
  Client client{0, 4, QueryPool(data)};
  LocalWork<LinearRanker> work{ranker, client};
  std::vector<float> scores = std::vector<float>(data[0].document_count());
  std::uint32_t round = 0;

  Shape(std::size_t queries, std::size_t documents, std::size_t features, Grade grades)
      : name(std::to_string(documents) + " x " + std::to_string(features)),
        data(fixed_shape(queries, documents, features, grades)),
        ranker(with_random_weights(LinearRanker(features), 0.3F)) {}
  Shape(Shape const&) = delete;

  [[nodiscard]] SideBySide::Operation operation(std::string const& what, std::uint64_t calls, auto run) {
    return {what, work.interactions(), calls, std::move(run)};
  }
  [[nodiscard]] SideBySide::Operation stream(std::uint64_t calls) {
    return operation("stream " + name, calls, [this] {
      for (std::uint32_t i = 0; i < work.clients; ++i) stream_queries(client, ++round);
    });
  }
  [[nodiscard]] SideBySide::Operation score(std::uint64_t calls) {
    return operation("score " + name, calls, [this] {
      for (std::uint32_t i = 0; i < work.clients; ++i) score_queries(client, ++round, ranker, scores);
    });
  }
  template <class Privacy = NoPrivacy>
  [[nodiscard]] SideBySide::Operation interact(std::string const& users, CascadeModel const& clicks,
                                               std::uint64_t calls, Privacy privacy = {}) {
    return operation("interaction " + name + ", " + users, calls,
                     [this, clicks, privacy] { work.run(clicks, privacy); });
  }
};

}  // namespace

std::vector<Row> interaction(std::size_t rounds) {
  SideBySide bench(rounds);
  auto const perfect = CascadeModel::perfect(3);
  auto const informational = CascadeModel::informational(3);

  Shape small(1692, 40, 46, 3);
  DrawnLists short_lists(small.data, small.ranker);
  ClickedLists clicked(small.data);
  bench.baseline(small.stream(100));
  bench.add(small.score(100), "stream 40 x 46");
  bench.add({"draw a list, 40 documents", DrawnLists::lists, 20, [&] { short_lists.draw(); }}, "score 40 x 46");
  bench.add({"click, perfect", ClickedLists::lists, 20, [&] { clicked.click(perfect); }}, "score 40 x 46");
  bench.add({"click, informational", ClickedLists::lists, 20, [&] { clicked.click(informational); }}, "score 40 x 46");
  bench.add(small.interact("perfect", perfect, 100), "score 40 x 46");
  bench.add(small.interact("informational", informational, 100), "score 40 x 46");
  bench.add(small.interact("informational, clipped", informational, 100, GammaNoise{}), "score 40 x 46");

  Shape large(10'000, 125, 136, 5);
  DrawnLists long_lists(large.data, large.ranker);
  bench.baseline(large.stream(20));
  bench.add(large.score(20), "stream 125 x 136");
  bench.add({"draw a list, 125 documents", DrawnLists::lists, 20, [&] { long_lists.draw(); }}, "score 125 x 136");
  bench.add(large.interact("perfect", CascadeModel::perfect(5), 20), "stream 125 x 136");
  bench.add(large.interact("informational", CascadeModel::informational(5), 20), "stream 125 x 136");
  return bench.run();
}

}  // namespace fltr::benchmarks
