// Partitions of MQ2008, in the folder of the environment variable FLTR_DATA.
#include <cmath>
#include <cstddef>
#include <cstdint>

#include <fltr/click_models/cascade_model.hpp>
#include <fltr/formats/letor_reader.hpp>
#include <fltr/metrics/online_measure.hpp>
#include <fltr/partition/by_label.hpp>
#include <fltr/partition/describe.hpp>
#include <fltr/presets/fpdgd.hpp>
#include <fltr/rankers/linear_ranker.hpp>

#include "support/catch.hpp"
#include "support/real_data.hpp"

using namespace fltr;

TEST_CASE("MQ2008 by grade: 3 clients for #R = 1, and an online nDCG of exactly 2/3 of its maximum") {
  auto const folder = fltr::testing::real_data("MQ2008");
  if (folder.empty()) return;
  Dataset const data = read_letor(folder / "Fold1" / "train.txt");
  REQUIRE(data.grade_count() == 3);
  constexpr std::uint32_t rounds = 200;
  double const sum = (1.0 - std::pow(.9995, rounds)) / (1.0 - .9995);
  for (std::uint32_t const interactions : {2U, 5U, 10U})
    for (std::size_t const clients : {3U, 6U}) {
      auto const population = ByLabel{.clients = clients, .interactions = interactions}.split(Dataset(data));
      auto const report = describe(population);
      CHECK(report.documents == data.document_count());
      CHECK(report.without_documents == 0);
      auto training = fpdgd(LinearRanker(data.feature_count()), CascadeModel::navigational(3)).start(population);
      OnlineMeasure online;
      training.run(rounds,
                   [&](auto const& round) { online.add(round.statistics.online_ndcg(), round.statistics.lists); });
      CHECK(online.value() == Approx(2.0 / 3 * sum).epsilon(1e-12));
    }
}
