// A user of one's own: clicks whatever is relevant, but gives up after three documents in a row that were not.
// One function makes it a fltr::ClickModel.
#include <cstddef>
#include <cstdint>
#include <span>

#include <fltr/fltr.hpp>

#include <fmt/core.h>
#include <range/v3/view/take.hpp>

struct ImpatientUser {
  std::size_t patience = 3;
  double mistakes = 0.1;  ///< how often a document is taken for what it is not

  void click(std::span<fltr::Grade const> grades, std::span<std::uint8_t> clicks, fltr::Stream& stream) const {
    std::size_t disappointments = 0;
    for (std::size_t i = 0; i < grades.size(); ++i) {
      clicks[i] = 0;
      if (disappointments == patience) continue;  // already gone
      bool const looks_good = (grades[i] > 0) != stream.bernoulli(mistakes);
      clicks[i] = looks_good ? 1 : 0;
      disappointments = looks_good ? 0 : disappointments + 1;
    }
  }
};
static_assert(fltr::ClickModel<ImpatientUser>);

int main(int argc, char**) {
  if (argc > 1) {
    fmt::print(stderr, "usage: custom_click_model, without arguments\n");
    return 2;
  }
  auto const data =
      fltr::normalize(fltr::synthetic_fold(fltr::SyntheticShape::mq2007(), 0.5), fltr::Normalization::query);
  auto const clients = fltr::split_iid(data.train, {.clients = 100, .interactions = 4});
  auto const show = [&](char const* name, auto const& federation) {
    for (auto const& round : federation.rounds(clients) | ranges::views::take(30))
      if (round.number == 30)
        fmt::print("{:10} offline {:.4f}, online {:.4f}\n", name, fltr::evaluate(round.ranker, data.test, fltr::Ndcg{}),
                   round.tally.online_ndcg());
  };
  fltr::LinearRanker const ranker{data.train.feature_count()};
  show("perfect", fltr::fpdgd(ranker, fltr::CascadeModel::perfect(3)));
  show("impatient", fltr::fpdgd(ranker, ImpatientUser{}));
  show("hasty", fltr::fpdgd(ranker, ImpatientUser{.patience = 1}));
}
