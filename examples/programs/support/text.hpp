#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "usage_error.hpp"

namespace fltr::examples {

/// The shortest decimals that read back as the same number: 0.1, 1e-05, inf.
[[nodiscard]] std::string shortest(double value);

/// 1234567 as "1,234,567".
[[nodiscard]] std::string grouped(std::uint64_t value);

/// A rate or a count with three digits: 950, 12.3k, 4.56M.
[[nodiscard]] std::string abbreviated(double value);

/// A duration: 0.42 s, 12.3 s, 4:05, 2:03:10.
[[nodiscard]] std::string duration(double seconds);

/// The number, or nothing if the whole text is not a finite number.
[[nodiscard]] std::optional<double> parse_number(std::string_view text);
[[nodiscard]] std::optional<std::uint64_t> parse_whole(std::string_view text);

/// The parts between separators, also empty ones; an empty text has no part.
[[nodiscard]] std::vector<std::string> split_text(std::string_view text, char separator);
[[nodiscard]] std::string join(std::vector<std::string> const& parts, std::string_view separator);

/// A field of a CSV file, in quotes where RFC 4180 requires them.
[[nodiscard]] std::string csv_field(std::string_view text);

/// Text for an XML file. Control characters, which XML cannot hold, and bytes that are not UTF-8 become U+FFFD.
[[nodiscard]] std::string xml_text(std::string_view text);

/// The number of characters of a UTF-8 text.
[[nodiscard]] std::size_t character_count(std::string_view text) noexcept;

/// The end of a path, in whole names: ".../MQ2008/Fold1". At most `width` characters, unless its last name is longer. A
/// short path is returned as it is.
[[nodiscard]] std::string shortened_path(std::string const& path, std::size_t width);

/// The error of the library without the names of its types and members, which a command line does not have: without
/// "ByLabel: " at the front, and without " (see ReturningQid::merge)".
[[nodiscard]] std::string without_library_names(std::string_view error);

/// make(), of which a std::invalid_argument becomes a UsageError that names the option.
template <class Make>
[[nodiscard]] auto for_option(std::string_view option, Make const& make) -> decltype(make()) {
  try {
    return make();
  } catch (std::invalid_argument const& error) {
    throw UsageError(std::string(option) + ": " + without_library_names(error.what()));
  }
}

/// The text broken into lines of at most `width` characters, at blanks.
[[nodiscard]] std::vector<std::string> wrapped(std::string_view text, std::size_t width);

}  // namespace fltr::examples
