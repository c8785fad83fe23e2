// Reading data: LETOR text, its hash, the binary cache, normalisation. The text is random, with the format of
// MSLR-WEB10K (136 features, about 1,270 bytes per document). The time of text is that of a megabyte (10^6 bytes).
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <unistd.h>

#include <fltr/core/content_hash.hpp>
#include <fltr/core/random.hpp>
#include <fltr/data/normalize.hpp>
#include <fltr/formats/detail/dataset_cache.hpp>
#include <fltr/formats/letor_reader.hpp>

#include "hot_paths/suites.hpp"
#include "support/baselines.hpp"
#include "support/side_by_side.hpp"
#include "support/two_cores.hpp"

namespace fltr::benchmarks {

namespace {

// Groups of five features alternate: counts, ratios, positive and negative decimals. The last eleven are counts.
std::string mslr_text(std::size_t documents) {
  Stream stream(1);
  std::string text;
  text.reserve(documents * 1300);
  char decimal[32];
  for (std::size_t d = 0; d < documents; ++d) {
    text.append(std::to_string(stream.below(5))).append(" qid:").append(std::to_string(1 + 15 * (d / 120)));
    for (unsigned k = 1; k <= 136; ++k) {
      text.append(" ").append(std::to_string(k)).append(":");
      unsigned const group = k > 125 ? 0 : (k - 1) / 5 % 5;
      double const u = stream.uniform();
      if (group == 0)
        text.append(std::to_string(u < .4 ? 0 : stream.below(u < .8 ? 10 : k > 125 ? 30'000 : 500)));
      else if (u < (group == 1 ? .5 : .3))
        text.append(group == 1 && stream.bernoulli(.5) ? "1" : "0");
      else
        text.append(decimal, static_cast<std::size_t>(std::snprintf(decimal, sizeof decimal, "%.6f",
                                                                    group == 1   ? u
                                                                    : group == 2 ? 40 * u
                                                                                 : -25 * u)));
    }
    text += " \n";
  }
  return text;
}

std::size_t count_lines(std::string_view text) {
  std::size_t lines = 0;
  for (char const *at = text.data(), *const end = at + text.size(); at != end; ++lines)
    at = static_cast<char const*>(std::memchr(at, '\n', static_cast<std::size_t>(end - at))) + 1;
  return lines;
}

/// A file in the folder for temporary files, removed at the end.
struct TemporaryFile {
  std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("fltr-bench-" + std::to_string(::getpid()) + ".fltrcache");

  TemporaryFile() = default;
  TemporaryFile(TemporaryFile const&) = delete;
  ~TemporaryFile() {
    std::error_code ignored;
    std::filesystem::remove(path, ignored);
  }
};

}  // namespace

std::vector<Row> letor(std::size_t rounds) {
  using ankerl::nanobench::doNotOptimizeAway;
  std::string const text = mslr_text(20'000);
  auto const megabytes = static_cast<double>(text.size()) / 1e6;
  auto const data = parse_letor(text, "text");
  auto by_query = data, by_zscore = data;
  auto const queries = static_cast<double>(data.size());
  TemporaryFile const cache;
  fltr::detail::write_dataset_cache(data, cache.path);

  SideBySide bench(rounds);
  bench.baseline({"count lines", megabytes, 10, [&] { doNotOptimizeAway(count_lines(text)); }});
  bench.add({"LETOR parse 1 MB, one thread", megabytes, 1,
             [&] { doNotOptimizeAway(parse_letor(text, "text", {.threads = 1})); }},
            "count lines");
  if (two_cores("LETOR parse 1 MB, two threads"))
    bench.add({"LETOR parse 1 MB, two threads", megabytes, 1,
               [&] { doNotOptimizeAway(parse_letor(text, "text", {.threads = 2})); }},
              "LETOR parse 1 MB, one thread", SideBySide::Clock::elapsed);
  bench.add(
      {"content hash of 1 MB", megabytes, 10, [&] { doNotOptimizeAway(content_hash(std::as_bytes(std::span(text)))); }},
      "count lines");
  bench.baseline({"stream the matrix", queries, 5, [&] { stream_all(data); }});
  bench.add(
      {"cache load, per query", queries, 1, [&] { doNotOptimizeAway(fltr::detail::read_dataset_cache(cache.path)); }},
      "stream the matrix");
  bench.add(
      {"normalize per query, per query", queries, 1, [&] { by_query = normalize_per_query(std::move(by_query)); }},
      "stream the matrix");
  bench.add(
      {"normalize by z-score, per query", queries, 1, [&] { by_zscore = normalize_zscore(std::move(by_zscore)); }},
      "stream the matrix");
  return bench.run();
}

}  // namespace fltr::benchmarks
