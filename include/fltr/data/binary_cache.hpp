#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <span>
#include <system_error>

#include <fltr/core/error.hpp>
#include <fltr/core/version.hpp>
#include <fltr/data/content_hash.hpp>
#include <fltr/data/dataset.hpp>
#include <fltr/data/dataset_cache.hpp>
#include <fltr/data/letor_options.hpp>
#include <fltr/data/letor_reader.hpp>
#include <fltr/data/mapped_file.hpp>

namespace fltr {

/// `$XDG_CACHE_HOME/fltr` or `$HOME/.cache/fltr`; empty where neither is set. It may be deleted at any time.
[[nodiscard]] inline std::filesystem::path default_cache_folder() {
  if (char const* const cache = std::getenv("XDG_CACHE_HOME"); cache != nullptr && *cache == '/')
    return std::filesystem::path(cache) / "fltr";
  if (char const* const home = std::getenv("HOME"); home != nullptr && *home != '\0')
    return std::filesystem::path(home) / ".cache" / "fltr";
  return {};
}

/// What a cached Dataset depends on: all of the text, the options that change what is read from it, and the version of
/// the reader.
[[nodiscard]] inline ContentHash letor_cache_key(std::span<std::byte const> text, LetorOptions const& options) {
  ContentHash const content = content_hash(text, 0, options.threads);
  std::array<std::uint64_t, 10> const all{content.low,
                                          content.high,
                                          text.size(),
                                          content_hash(std::as_bytes(std::span(version))).low,
                                          options.index_base,
                                          options.feature_count,
                                          static_cast<std::uint64_t>(options.returning_qid),
                                          static_cast<std::uint64_t>(options.huge_values),
                                          std::bit_cast<std::uint64_t>(options.clamp_to),
                                          options.feature_limit};
  return content_hash(std::as_bytes(std::span(all)));
}

/// Like read_letor, but keeps what it read in a binary file in `cache_folder`, and maps that the next time: the text is
/// then only hashed, not parsed. The cache is a convenience: one that is missing, damaged or of another version is
/// built again, and one that cannot be written (no folder, no space) is done without. Processes may share the folder.
/// An empty `cache_folder` means no cache.
[[nodiscard]] inline Dataset read_letor_cached(std::filesystem::path const& path, LetorOptions const& options = {},
                                               std::filesystem::path const& cache_folder = default_cache_folder(),
                                               LetorReport* report = nullptr) {
  if (cache_folder.empty()) return read_letor(path, options, report);
  options.check();
  MappedFile const file(path);
  ContentHash const key = letor_cache_key(file.bytes(), options);
  auto const cache = cache_folder / (key.hex() + ".fltrcache");
  try {
    return read_dataset_cache(cache, key, report);
  } catch (FormatError const&) {
  } catch (std::system_error const&) {
  }
  LetorReport read;
  Dataset data = parse_letor(file.text(), path.string(), options, &read);
  if (report != nullptr) *report = read;
  try {
    std::filesystem::create_directories(cache_folder);
    write_dataset_cache(data, cache, key, read);
  } catch (std::exception const&) {
  }
  return data;
}

}  // namespace fltr
