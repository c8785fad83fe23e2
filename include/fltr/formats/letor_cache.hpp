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

#include <fltr/core/content_hash.hpp>
#include <fltr/core/error.hpp>
#include <fltr/core/version.hpp>
#include <fltr/data/dataset.hpp>
#include <fltr/formats/detail/dataset_cache.hpp>
#include <fltr/formats/letor_options.hpp>
#include <fltr/formats/letor_reader.hpp>
#include <fltr/formats/mapped_file.hpp>

namespace fltr {

/// `$XDG_CACHE_HOME/fltr` or `$HOME/.cache/fltr`; empty if neither variable is set. The folder may be deleted at any
/// time.
[[nodiscard]] inline std::filesystem::path default_cache_folder() {
  if (char const* const cache = std::getenv("XDG_CACHE_HOME"); cache != nullptr && *cache == '/')
    return std::filesystem::path(cache) / "fltr";
  if (char const* const home = std::getenv("HOME"); home != nullptr && *home != '\0')
    return std::filesystem::path(home) / ".cache" / "fltr";
  return {};
}

namespace detail {

/// The hash of everything on which a cached Dataset depends: the text, the options that change what is read from it,
/// and the version of the library.
[[nodiscard]] inline ContentHash letor_cache_key(std::span<std::byte const> text, LetorOptions const& options) {
  ContentHash const content = content_hash(text);
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

}  // namespace detail

/// Reads a LETOR file like read_letor, and saves the Dataset as a binary file in `cache_folder`. The next call with the
/// same text and options maps that file: the text is then hashed, but not parsed. A cache file that is missing, damaged
/// or of another version is written again. A cache file that cannot be written (no folder, no space) is not an error.
/// Several processes may use the folder at the same time. An empty `cache_folder` means no cache.
template <class = void>
[[nodiscard]] Dataset read_letor_cached(std::filesystem::path const& path, LetorOptions const& options = {},
                                        std::filesystem::path const& cache_folder = default_cache_folder(),
                                        LetorReport* report = nullptr) {
  if (cache_folder.empty()) return read_letor(path, options, report);
  options.check();
  MappedFile const file(path);
  ContentHash const key = detail::letor_cache_key(file.bytes(), options);
  auto const cache = cache_folder / (key.hex() + ".fltrcache");
  try {
    return detail::read_dataset_cache(cache, key, report);
  } catch (FormatError const&) {
    // A damaged cache file is written again.
  } catch (std::system_error const&) {
    // There is no cache file, or it cannot be read.
  }
  LetorReport read;
  Dataset data = parse_letor(file.text(), path.string(), options, &read);
  if (report != nullptr) *report = read;
  try {
    std::filesystem::create_directories(cache_folder);
    detail::write_dataset_cache(data, cache, key, read);
  } catch (std::exception const&) {
    // Without a cache file the next call reads the text again.
  }
  return data;
}

}  // namespace fltr
