// The time to read data: LETOR text, its hash, the binary cache, normalisation. The text is random, with the format of
// MSLR-WEB10K (136 features, about 1,270 bytes per document). `letor 1200000` has the size of MSLR-WEB10K and needs 4
// GB of memory and 0.7 GB of disk.
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <unistd.h>

#include <fltr/core/random.hpp>
#include <fltr/data/normalize.hpp>
#include <fltr/formats/content_hash.hpp>
#include <fltr/formats/detail/dataset_cache.hpp>
#include <fltr/formats/letor_reader.hpp>

#include "support/nanobench.hpp"

namespace {

// Groups of five features alternate: counts, ratios, positive and negative decimals. The last eleven are counts.
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

// Runs an operation as a row of the table. Returns its shortest processor time, on which other programs have less
// influence than on the wall-clock time.
template <class Op>
double processor_seconds(ankerl::nanobench::Bench& bench, std::string const& name, Op const& op) {
  std::clock_t least = std::numeric_limits<std::clock_t>::max();
  bench.run(name, [&] {
    std::clock_t const before = std::clock();
    op();
    least = std::min(least, std::clock() - before);
  });
  return static_cast<double>(least) / CLOCKS_PER_SEC;
}

}  // namespace

int main(int argc, char** argv) {
  std::size_t const documents = argc > 1 ? std::stoul(argv[1]) : 40'000;
  std::string const text = mslr_text(documents);
  auto const megabytes = static_cast<double>(text.size()) / 1e6;

  ankerl::nanobench::Bench bench;
  bench.title("LETOR text, " + std::to_string(documents) + " documents").unit("byte").epochs(11).epochIterations(1);
  bench.batch(text.size()).relative(true);
  double const baseline = processor_seconds(bench, "baseline: count lines with memchr",
                                            [&] { bench.doNotOptimizeAway(count_lines(text)); });
  double const hash = processor_seconds(bench, "content_hash, one thread", [&] {
    bench.doNotOptimizeAway(fltr::content_hash(std::as_bytes(std::span(text))));
  });
  double const parse = processor_seconds(bench, "parse_letor, one thread", [&] {
    bench.doNotOptimizeAway(fltr::parse_letor(text, "text", {.threads = 1}));
  });
  bench.run("parse_letor, all cores", [&] { bench.doNotOptimizeAway(fltr::parse_letor(text, "text")); });

  auto data = fltr::parse_letor(text, "text");
  auto const path =
      std::filesystem::temp_directory_path() / ("fltr-letor-" + std::to_string(::getpid()) + ".fltrcache");
  bench.title("the documents as a matrix").unit("document").batch(documents).relative(false);
  bench.run("write_dataset_cache", [&] { fltr::detail::write_dataset_cache(data, path); });
  double const load = processor_seconds(bench, "read_dataset_cache, in the page cache",
                                        [&] { bench.doNotOptimizeAway(fltr::detail::read_dataset_cache(path)); });
  std::filesystem::remove(path);
  double const query = processor_seconds(bench, "normalize_per_query, in place",
                                         [&] { data = fltr::normalize_per_query(std::move(data)); });
  double const zscore =
      processor_seconds(bench, "normalize_zscore, in place", [&] { data = fltr::normalize_zscore(std::move(data)); });

  std::printf("\n%.0f MB of text, processor time of all threads, best of 11:\n", megabytes);
  std::printf("  count lines       %8.3f s %8.0f MB/s\n", baseline, megabytes / baseline);
  std::printf("  hash the text     %8.3f s %8.0f MB/s %8.1f x\n", hash, megabytes / hash, hash / baseline);
  std::printf("  parse the text    %8.3f s %8.0f MB/s %8.1f x\n", parse, megabytes / parse, parse / baseline);
  std::printf("  load the cache    %8.3f s\n", load);
  std::printf("  scale per query   %8.3f s\n", query);
  std::printf("  scale by z-score  %8.3f s\n", zscore);
}
