#pragma once

#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <ios>
#include <span>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

namespace fltr {

/// A file that appears under its name complete or not at all: written beside it, renamed by `commit`. Without a commit
/// nothing remains. A link is followed; what is not a file (a pipe, a device) is written to as it is.
class AtomicFile {
 public:
  explicit AtomicFile(std::filesystem::path path) : path_(std::move(path)) {
    std::error_code none;
    if (std::filesystem::is_symlink(path_, none)) path_ = std::filesystem::weakly_canonical(path_);
    auto const kind = std::filesystem::status(path_, none).type();
    if (kind == std::filesystem::file_type::regular || kind == std::filesystem::file_type::not_found) name_partial();
    out_.open(partial_.empty() ? path_ : partial_, std::ios::binary | std::ios::trunc);
    if (!out_) {
      partial_.clear();
      throw std::runtime_error("cannot write " + path_.string());
    }
  }
  AtomicFile(AtomicFile const&) = delete;
  AtomicFile& operator=(AtomicFile const&) = delete;
  ~AtomicFile() {
    if (partial_.empty()) return;
    out_.close();
    std::error_code ignored;
    std::filesystem::remove(partial_, ignored);
  }

  [[nodiscard]] std::ostream& out() noexcept { return out_; }

  void write(std::span<std::byte const> bytes) {
    out_.write(reinterpret_cast<char const*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  }

  /// Ends the file and gives it its name. Throws if anything could not be written (a full disk).
  void commit() {
    out_.close();
    if (!out_) throw std::runtime_error("cannot write " + path_.string() + " (is the disk full?)");
    if (partial_.empty()) return;
    std::filesystem::rename(partial_, path_);
    partial_.clear();
  }

 private:
  void name_partial() {
    static std::atomic<std::uint64_t> counter{0};  // two writers in one process must not share a name
    partial_ = path_;
    partial_ += "." + std::to_string(::getpid()) + "." + std::to_string(counter++) + ".partial";
  }

  std::filesystem::path path_;
  std::filesystem::path partial_;  // empty: written directly, or finished
  std::ofstream out_;
};

}  // namespace fltr
