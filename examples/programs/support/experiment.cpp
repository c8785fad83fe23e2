#include "experiment.hpp"

#include "checkpoints.hpp"
#include "data_hash.hpp"
#include "interruption.hpp"
#include "stopwatch.hpp"

namespace fltr::examples {

void for_each_run(CommonOptions const& options, Recorder& recorder,
                  std::function<void(NamedFold const& fold, Run& run)> const& body,
                  std::function<void(NamedFold& fold)> const& prepare) {
  DataSource source(options);
  DataHash hash;
  recorder.expect_runs(source.size() * options.repeats);
  for (std::size_t i = 0; i < source.size(); ++i) {
    if (stop_here()) return;
    double const before = source.seconds();
    NamedFold fold = source.load(i);
    if (prepare) prepare(fold);
    recorder.add_seconds("load", source.seconds() - before);
    if (i == 0) recorder.dataset(summary_of(fold));
    if (!options.out.empty()) {  // only run.json shows the hash
      Stopwatch const watch;
      hash.add(fold.name);
      recorder.add_seconds("load", watch.seconds());
    }
    recorder.checkpoints().data(fold);
    recorder.data_source(absolute_data_path(options.data), hash.hex());
    for (std::uint32_t repeat = 0; repeat < options.repeats; ++repeat) {
      if (stop_here()) return;
      try {
        body(fold, recorder.start_run(fold.number, options.seed + repeat));
      } catch (Interrupted const&) {
        if (recorder.run_count() == 1) throw;
        return recorder.drop_run();
      }
      recorder.end_run();
    }
  }
}

}  // namespace fltr::examples
