#include "experiment.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include <fltr/core/content_hash.hpp>
#include <fltr/data/dataset.hpp>

#include "checkpoints.hpp"
#include "data_hash.hpp"
#include "interruption.hpp"
#include "ranks.hpp"
#include "stopwatch.hpp"

namespace fltr::examples {

namespace {

/// A hash of the grades and features of all queries.
std::string fingerprint(NamedFold const& fold) {
  std::uint64_t state = 0;
  auto const add = [&]<class T>(std::span<T const> values) { state = content_hash(std::as_bytes(values), state).low; };
  for (Dataset const* part : {&fold.train, &fold.vali, &fold.test}) {
    std::array const sizes{part->size(), part->document_count(), part->feature_count()};
    add(std::span<std::size_t const>(sizes));
    for (std::size_t q = 0; q < part->size(); ++q) {
      QueryView const query = (*part)[q];
      add(query.grades());
      for (std::size_t d = 0; d < query.document_count(); ++d) add(query.row(d));
    }
  }
  return std::to_string(state);
}

}  // namespace

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
    if (rank_count() > 1) require_same_on_ranks("data of " + fold.name, fingerprint(fold));
    recorder.add_seconds("load", source.seconds() - before);
    if (i == 0) recorder.dataset(summary_of(fold));
    if (!fold.equal_parts.empty()) recorder.warn(fold.equal_parts);
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
