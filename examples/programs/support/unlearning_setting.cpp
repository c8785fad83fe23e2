#include "unlearning_setting.hpp"

#include <set>

#include <fmt/core.h>

#include "text.hpp"

namespace fltr::examples {

void declare_unlearning(Program& program, UnlearningOptions& o) {
  o.clients = 10;
  o.interactions = 5;
  o.rounds = 10'000;
  program.common(o, {Common::dropout});
  for (char const* option : {"--dropout", "--minimum-reports"})
    program.refuse(option, "it compares trainings in which every client reports");
  program.whole("--forget", o.forget, "number of clients to forget; they send poisoned models before", 1);
  program.whole("--interval", o.eraser.interval,
                "rounds between two kept updates; forgetting repeats only rounds with kept updates", 1);
  program.whole("--local-steps", o.eraser.local_steps, "local steps of a client in a replayed round", 1);
  program.number("--poison-scale", o.poison_scale, "z: a poisoned model is -z times the client's model", at_least(0));
  program.choice("--store", o.eraser.store, {{"norm", FedEraser::Store::norm}, {"update", FedEraser::Store::update}},
                 "what clients keep: norm = the length of an update, which the new update gets; update = the whole "
                 "update, which gets the length of the new one");
  program.flag("--grid", o.grid, "also forgets with every pair of --grid-intervals and --grid-local-steps");
  program.list("--grid-intervals", o.grid_intervals, "values of --interval in the grid (default 5,10,20)");
  program.list("--grid-local-steps", o.grid_local_steps, "values of --local-steps in the grid (default 1,2,3,4)");
  program.whole("--leak-pairs", o.leak_pairs,
                "pairs of trainings that the leak test counts, on the first fold; half as many more choose the "
                "distinguisher; 0: no leak test");
  program.whole("--leak-rounds", o.leak_rounds, "rounds of each training of the leak test", 1);
  program.choice("--candidates", o.candidates, {{"opposite", Candidates::opposite}, {"halves", Candidates::halves}},
                 "the two data sets of the forgotten clients in the leak test: opposite = the training queries with "
                 "their grades, or with reversed grades; halves = two halves of the training queries");
}

void check_unlearning(Program& program, UnlearningOptions const& o) {
  if (o.forget >= o.clients)
    throw UsageError(fmt::format("--forget: required fewer than the {} clients, got {}", o.clients, o.forget));
  if (o.eraser.local_steps > o.interactions)
    throw UsageError(fmt::format("--local-steps: required at most the {} of --interactions, got {}", o.interactions,
                                 o.eraser.local_steps));
  if (o.grid)
    static_cast<void>(unlearning_grid(o));  // throws if a list is wrong
  else
    for (char const* option : {"--grid-intervals", "--grid-local-steps"}) program.ignore(option, "belongs to --grid");
  if (o.leak_pairs == 0)
    for (char const* option : {"--leak-rounds", "--candidates"})
      program.ignore(option, "belongs to the leak test, which --leak-pairs 0 turns off");
  else if (o.leak_pairs < 4)
    throw UsageError(fmt::format("--leak-pairs: required 0 or at least 4, got {}", o.leak_pairs));
  if (o.ranker == RankerKind::neural)
    program.ignore("--start", "belongs to --ranker linear: a neural ranker always starts at random");
}

UnlearningGrid unlearning_grid(UnlearningOptions const& o) {
  auto const values = [](std::string const& option, std::vector<std::string> const& words, std::uint64_t most) {
    std::set<std::uint32_t> found;
    for (std::string const& word : words) {
      auto const value = parse_whole(word);
      if (!value || *value < 1 || *value > most)
        throw UsageError(
            fmt::format("{}: required whole numbers from 1 to {} between commas, got \"{}\"", option, most, word));
      found.insert(static_cast<std::uint32_t>(*value));
    }
    return std::vector<std::uint32_t>(found.begin(), found.end());
  };
  UnlearningGrid grid{values("--grid-intervals", o.grid_intervals, o.rounds),
                      values("--grid-local-steps", o.grid_local_steps, o.interactions)};
  if (grid.intervals.empty()) grid.intervals = {5, 10, 20};
  for (std::uint32_t steps = 1; o.grid_local_steps.empty() && steps <= 4 && steps <= o.interactions; ++steps)
    grid.local_steps.push_back(steps);
  return grid;
}

ConfigurationNames configuration_names(UnlearningOptions const& o) {
  return {fmt::format("{}H-{}M", o.clients - o.forget, o.forget), fmt::format("{}H-0M", o.clients),
          fmt::format("{}H-0M", o.clients - o.forget)};
}

std::vector<ClientId> forgotten_clients(UnlearningOptions const& o) {
  std::vector<ClientId> ids;
  for (ClientId id = o.clients - o.forget; id < o.clients; ++id) ids.push_back(id);
  return ids;
}

}  // namespace fltr::examples
