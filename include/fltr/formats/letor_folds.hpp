#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fltr/data/dataset.hpp>
#include <fltr/data/fold.hpp>
#include <fltr/data/pad_features.hpp>
#include <fltr/formats/detail/file_error.hpp>
#include <fltr/formats/letor_cache.hpp>
#include <fltr/formats/letor_options.hpp>

namespace fltr {

/// The files of a fold: `train.txt`, `vali.txt` and `test.txt` in the folder (LETOR, MSLR, Istella); else Yahoo's
/// `set1.train.txt`, `set1.valid.txt` and `set1.test.txt`, or those of set2; else, for a path such as `Yahoo/set2` that
/// is not a folder, `Yahoo/set2.train.txt` and so on. Throws std::runtime_error with the names of the required files.
template <class = void>
[[nodiscard]] std::array<std::filesystem::path, 3> fold_files(std::filesystem::path const& folder) {
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
  for (auto const& files : choices)
    for (auto file : files)
      if (!exists(file) && exists(file += ".gz")) text += "; unpack " + file.string() + " with gunzip";
  throw std::runtime_error(text);
}

/// Reads the three files of a fold, see fold_files. All get as many features as the widest of them has. With a
/// `cache_folder` each file is read by read_letor_cached. `report`, if given, gets the sums over the files.
template <class = void>
[[nodiscard]] Fold read_letor_fold(std::filesystem::path const& folder, LetorOptions const& options = {},
                                   std::filesystem::path const& cache_folder = {}, LetorReport* report = nullptr) {
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
    if (part->feature_count() < widest) *part = pad_features(std::move(*part), widest);
  return fold;
}

/// The folders Fold1, Fold2, … in `folder`, in the order of their numbers; empty if there are none. Throws
/// std::system_error, "cannot read PATH", if `folder` is not a folder that can be read.
template <class = void>
[[nodiscard]] std::vector<std::filesystem::path> fold_folders(std::filesystem::path const& folder) {
  std::vector<std::pair<std::uint64_t, std::filesystem::path>> found;
  std::error_code error;
  std::filesystem::directory_iterator const entries(folder, error);
  if (error) detail::throw_cannot_read(folder, error);
  for (auto const& entry : entries) {
    std::string const name = entry.path().filename().string();
    if (!entry.is_directory() || !(name.starts_with("Fold") || name.starts_with("fold"))) continue;
    std::uint64_t number = 0;
    auto const [end, wrong] = std::from_chars(name.data() + 4, name.data() + name.size(), number);
    if (wrong == std::errc{} && end == name.data() + name.size()) found.emplace_back(number, entry.path());
  }
  std::sort(found.begin(), found.end());
  std::vector<std::filesystem::path> folders;
  folders.reserve(found.size());
  for (auto& [number, path] : found) folders.push_back(std::move(path));
  return folders;
}

}  // namespace fltr
