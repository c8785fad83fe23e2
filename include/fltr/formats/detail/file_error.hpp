#pragma once

#include <filesystem>
#include <string>
#include <system_error>

#include <fltr/core/compiler.hpp>

/// Every failure of the operating system on a file is a std::system_error with one of these two texts. A file whose
/// content is wrong is a ParseError (text, with line and column) or a FormatError (binary).
namespace fltr::detail {

[[noreturn]] inline void throw_cannot_read(std::filesystem::path const& path, std::error_code error) {
  throw std::system_error(error, "cannot read " + path.string());
}
[[noreturn]] inline void throw_cannot_write(std::filesystem::path const& path, std::error_code error) {
  throw std::system_error(error, "cannot write " + path.string());
}

/// The error code of an errno.
[[nodiscard]] inline std::error_code error_code_of(int error) noexcept { return {error, std::generic_category()}; }

}  // namespace fltr::detail
