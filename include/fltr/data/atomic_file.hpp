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
/// nothing remains.
class AtomicFile {
 public:
  explicit AtomicFile(std::filesystem::path path) : path_(std::move(path)) {
    static std::atomic<std::uint64_t> counter{0};  // two writers in one process must not share a name
    partial_ = path_;
    partial_ += "." + std::to_string(::getpid()) + "." + std::to_string(counter++) + ".partial";
    out_.open(partial_, std::ios::binary | std::ios::trunc);
    if (!out_)
      throw std::runtime_error("cannot write to " + path_.parent_path().string() + "/ (for " + path_.string() + ")");
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
    std::filesystem::rename(partial_, path_);
    partial_.clear();
  }

 private:
  std::filesystem::path path_;
  std::filesystem::path partial_;
  std::ofstream out_;
};

}  // namespace fltr
