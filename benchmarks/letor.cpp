// Reading data: LETOR text, its hash, the binary cache, scaling. The text is made up, in the shape of MSLR-WEB10K (136
// features, about 1,270 bytes per document); `letor 1200000` is its real size and needs 4 GB of memory and 0.7 GB of
// disk.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <unistd.h>

#include <fltr/core/random.hpp>
#include <fltr/data/content_hash.hpp>
#include <fltr/data/dataset_cache.hpp>
#include <fltr/data/letor_reader.hpp>
#include <fltr/data/normalize.hpp>

#include "support/nanobench.hpp"

namespace {

// Groups of five features take turns: counts, ratios, positive and negative decimals. The last eleven are counts.
std::string mslr_text(std::size_t documents) {
  fltr::Stream stream(1);
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

double seconds(ankerl::nanobench::Bench const& bench) {
  return bench.results().back().minimum(ankerl::nanobench::Result::Measure::elapsed);
}

}  // namespace

int main(int argc, char** argv) {
  std::size_t const documents = argc > 1 ? std::stoul(argv[1]) : 40'000;
  std::string const text = mslr_text(documents);
  auto const megabytes = static_cast<double>(text.size()) / 1e6;

  ankerl::nanobench::Bench bench;
  bench.title("LETOR text, " + std::to_string(documents) + " documents").unit("byte").epochs(11).epochIterations(1);
  bench.batch(text.size()).relative(true);
  bench.run("baseline: count lines with memchr", [&] { bench.doNotOptimizeAway(count_lines(text)); });
  double const baseline = seconds(bench);
  bench.run("content_hash, one thread",
            [&] { bench.doNotOptimizeAway(fltr::content_hash(std::as_bytes(std::span(text)))); });
  double const hash = seconds(bench);
  bench.run("parse_letor, one thread",
            [&] { bench.doNotOptimizeAway(fltr::parse_letor(text, "text", {.threads = 1})); });
  double const parse = seconds(bench);
  bench.run("parse_letor, all cores", [&] { bench.doNotOptimizeAway(fltr::parse_letor(text, "text")); });
  double const parallel = seconds(bench);

  auto data = fltr::parse_letor(text, "text");
  auto const path =
      std::filesystem::temp_directory_path() / ("fltr-letor-" + std::to_string(::getpid()) + ".fltrcache");
  bench.title("the same as a matrix").unit("document").batch(documents).relative(false);
  bench.run("write_dataset_cache", [&] { fltr::write_dataset_cache(data, path); });
  bench.run("read_dataset_cache (in the page cache)", [&] { bench.doNotOptimizeAway(fltr::read_dataset_cache(path)); });
  double const load = seconds(bench);
  std::filesystem::remove(path);
  bench.run("normalize_per_query, in place", [&] { data = fltr::normalize_per_query(std::move(data)); });
  double const per_query = seconds(bench);
  bench.run("normalize_zscore, in place", [&] { data = fltr::normalize_zscore(std::move(data)); });
  double const zscore = seconds(bench);

  std::printf("\n%.0f MB of text, best of 11:\n", megabytes);
  std::printf("  parse, one thread   %8.0f MB/s   %6.1f times counting lines\n", megabytes / parse, parse / baseline);
  std::printf("  parse, all cores    %8.0f MB/s   %6.1f times counting lines\n", megabytes / parallel,
              parallel / baseline);
  std::printf("  content hash        %8.0f MB/s   %6.1f times counting lines\n", megabytes / hash, hash / baseline);
  std::printf("  load the cache      %8.3f s      %6.3f times parsing on one thread\n", load, load / parse);
  std::printf("  scale per query     %8.3f s\n  scale by z-score    %8.3f s\n", per_query, zscore);
}
