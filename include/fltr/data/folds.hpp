#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <fltr/core/error.hpp>
#include <fltr/core/random.hpp>
#include <fltr/data/binary_cache.hpp>
#include <fltr/data/dataset.hpp>
#include <fltr/data/letor_options.hpp>
#include <fltr/data/select.hpp>
#include <fltr/data/widen.hpp>

namespace fltr {

/// The files of a fold: `train.txt`, `vali.txt` and `test.txt` in the folder (LETOR, MSLR, Istella); else Yahoo's
/// `set1.train.txt`, `set1.valid.txt` and `set1.test.txt`, or those of set2; else, for a path such as `Yahoo/set2` that
/// is no folder, `Yahoo/set2.train.txt` and so on. Throws std::runtime_error that names what was looked for.
[[nodiscard]] inline std::array<std::filesystem::path, 3> fold_files(std::filesystem::path const& folder) {
  auto const with = [&folder](char const* name) { return folder / name; };
  auto const behind = [&folder](char const* ending) { return std::filesystem::path(folder) += ending; };
  std::array<std::array<std::filesystem::path, 3>, 4> const choices{
      {{with("train.txt"), with("vali.txt"), with("test.txt")},
       {with("set1.train.txt"), with("set1.valid.txt"), with("set1.test.txt")},
       {with("set2.train.txt"), with("set2.valid.txt"), with("set2.test.txt")},
       {behind(".train.txt"), behind(".valid.txt"), behind(".test.txt")}}};
  auto const exists = [](std::filesystem::path const& file) {
    std::error_code ignored;
    return std::filesystem::exists(file, ignored);
  };
  for (auto const& files : choices)
    if (std::ranges::all_of(files, exists)) return files;
  std::string text = folder.string() + ": found no fold; looked for train.txt, vali.txt and test.txt, and for " +
                     "set1.train.txt, set1.valid.txt and set1.test.txt (or set2)";
  for (auto const& files : choices)
    if (std::ranges::any_of(files, exists))
      for (auto const& file : files)
        if (!exists(file)) text += "; " + file.filename().string() + " is missing";
  throw std::runtime_error(text);
}

/// Reads the three files of a fold, see fold_files. All get as many features as the widest of them has. With a
/// `cache_folder` each file is read by read_letor_cached. `report`, if given, gets the sums over the files.
[[nodiscard]] inline Fold read_letor_fold(std::filesystem::path const& folder, LetorOptions const& options = {},
                                          std::filesystem::path const& cache_folder = {},
                                          LetorReport* report = nullptr) {
  auto const files = fold_files(folder);
  LetorReport sums;
  auto const read = [&](std::filesystem::path const& file) {
    LetorReport of_file;
    Dataset data = read_letor_cached(file, options, cache_folder, &of_file);
    sums.clamped += of_file.clamped;
    return data;
  };
  Fold fold{read(files[0]), read(files[1]), read(files[2])};
  if (report != nullptr) *report = sums;
  std::size_t const widest =
      std::max({fold.train.feature_count(), fold.vali.feature_count(), fold.test.feature_count()});
  for (Dataset* const part : {&fold.train, &fold.vali, &fold.test})
    if (part->feature_count() < widest) *part = widen(std::move(*part), widest);
  return fold;
}

/// The folders Fold1, Fold2, … in `folder`, by number; empty where there are none. Throws
/// std::filesystem::filesystem_error where `folder` is none.
[[nodiscard]] inline std::vector<std::filesystem::path> fold_folders(std::filesystem::path const& folder) {
  std::vector<std::pair<std::uint64_t, std::filesystem::path>> found;
  for (auto const& entry : std::filesystem::directory_iterator(folder)) {
    std::string const name = entry.path().filename().string();
    if (!entry.is_directory() || !(name.starts_with("Fold") || name.starts_with("fold"))) continue;
    std::uint64_t number = 0;
    auto const [end, error] = std::from_chars(name.data() + 4, name.data() + name.size(), number);
    if (error == std::errc{} && end == name.data() + name.size()) found.emplace_back(number, entry.path());
  }
  std::ranges::sort(found);
  std::vector<std::filesystem::path> folders;
  for (auto& [number, path] : found) folders.push_back(std::move(path));
  return folders;
}

/// Splits a Dataset by query, at random: `parts` are the shares of train, vali and test, such as {.6, .2, .2}. The
/// queries keep their order within each part. A function of the Dataset's size, the shares and the seed. Requires
/// shares of at least 0 with a sum above 0, and queries enough that no share above 0 stays empty.
[[nodiscard]] inline Fold split_by_query(Dataset const& data, std::array<double, 3> const& parts, std::uint64_t seed) {
  for (double const part : parts)
    require(part >= 0 && std::isfinite(part), "split_by_query", "finite shares >= 0", part);
  double const sum = parts[0] + parts[1] + parts[2];
  require(sum > 0 && std::isfinite(sum), "split_by_query", "shares with a sum > 0", sum);
  std::vector<std::uint32_t> queries(data.size());
  std::iota(queries.begin(), queries.end(), 0U);
  Stream stream = Streams{.seed = seed}.of(Purpose::partition);
  stream.shuffle(std::span(queries));
  std::array<Dataset, 3> result;
  std::size_t begin = 0;
  double share = 0.0;
  for (std::size_t i = 0; i < 3; ++i) {
    share += parts[i];
    auto const end =
        static_cast<std::size_t>(std::lround(static_cast<double>(data.size()) * std::min(share / sum, 1.0)));
    require(end > begin || parts[i] == 0, "split_by_query", "enough queries for every share", data.size());
    auto const chosen = std::span(queries).subspan(begin, end - begin);
    std::ranges::sort(chosen);
    result[i] = select_queries(data, chosen);
    begin = end;
  }
  return {std::move(result[0]), std::move(result[1]), std::move(result[2])};
}

}  // namespace fltr
