#pragma once

#include <fcntl.h>
#include <sys/types.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <ostream>
#include <span>
#include <streambuf>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <fltr/formats/detail/file_error.hpp>

namespace fltr {

namespace detail {

/// Synchronises the names in a folder with the disk, so that a new name survives a power loss. A failure is not an
/// error: some file systems cannot.
inline void sync_folder(std::filesystem::path const& folder) noexcept {
  int const descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  static_cast<void>(::fsync(descriptor));
  ::close(descriptor);
}

/// Writes to a file descriptor and keeps errno of the first failed write, which std::ofstream loses.
class DescriptorBuffer final : public std::streambuf {
 public:
  DescriptorBuffer() { setp(bytes_.data(), bytes_.data() + bytes_.size()); }
  DescriptorBuffer(DescriptorBuffer const&) = delete;
  DescriptorBuffer& operator=(DescriptorBuffer const&) = delete;
  ~DescriptorBuffer() override {
    if (descriptor_ >= 0) ::close(descriptor_);
  }

  void open(int descriptor) noexcept { descriptor_ = descriptor; }
  [[nodiscard]] bool is_open() const noexcept { return descriptor_ >= 0; }
  /// errno of the first failure, or 0.
  [[nodiscard]] int error() const noexcept { return error_; }

  /// Writes the buffered bytes and closes the file. `durable`: calls fsync first. Returns `error()`.
  int close(bool durable) {
    if (descriptor_ < 0) return error_;
    flush();
    // File systems without fsync report EINVAL or ENOTSUP.
    if (durable && error_ == 0 && ::fsync(descriptor_) != 0 && errno != EINVAL && errno != ENOTSUP) error_ = errno;
    if (::close(std::exchange(descriptor_, -1)) != 0 && error_ == 0 && errno != EINTR) error_ = errno;
    return error_;
  }

 protected:
  int_type overflow(int_type c) override {
    if (!flush()) return traits_type::eof();
    if (traits_type::eq_int_type(c, traits_type::eof())) return traits_type::not_eof(c);
    return sputc(traits_type::to_char_type(c));
  }
  std::streamsize xsputn(char const* bytes, std::streamsize count) override {
    if (count < static_cast<std::streamsize>(bytes_.size())) return std::streambuf::xsputn(bytes, count);
    return flush() && write({bytes, static_cast<std::size_t>(count)}) ? count : 0;
  }
  int sync() override { return flush() ? 0 : -1; }

 private:
  bool flush() {
    std::string_view const waiting(pbase(), static_cast<std::size_t>(pptr() - pbase()));
    setp(bytes_.data(), bytes_.data() + bytes_.size());
    return write(waiting);
  }
  bool write(std::string_view bytes) {
    while (error_ == 0 && !bytes.empty()) {
      ::ssize_t const written = ::write(descriptor_, bytes.data(), bytes.size());
      if (written >= 0)
        bytes.remove_prefix(static_cast<std::size_t>(written));
      else if (errno != EINTR)
        error_ = errno;
    }
    return error_ == 0;
  }

  int descriptor_ = -1;
  int error_ = 0;
  std::array<char, 1 << 14> bytes_;
};

}  // namespace detail

/// A file that appears under its name complete or not at all. A temporary file in the same folder is written, and
/// `commit` renames it. Without a commit the temporary file is removed, and an existing file is unchanged. A committed
/// file survives a power loss. Symbolic links are followed. Pipes and devices are written directly. A failure is a
/// std::system_error, "cannot write PATH", with the error code of the first failed call.
class AtomicFile {
 public:
  /// `mode`: the permissions of a new file before the umask is applied. A replaced file keeps its permissions; if `mode`
  /// is not 0666, it keeps only those that `mode` has.
  explicit AtomicFile(std::filesystem::path path, ::mode_t mode = 0666) : path_(std::move(path)), mode_(mode) {
    std::error_code none;
    if (std::filesystem::is_symlink(path_, none)) path_ = std::filesystem::weakly_canonical(path_);
    auto const status = std::filesystem::status(path_, none);
    bool const replaces = status.type() == std::filesystem::file_type::regular;
    if (replaces || status.type() == std::filesystem::file_type::not_found)
      open_partial();
    else
      open_target();
    if (replaces) {
      auto const kept = mode_ == 0666 ? std::filesystem::perms::mask : static_cast<std::filesystem::perms>(mode_);
      std::filesystem::permissions(partial_, status.permissions() & kept, none);
    }
  }
  AtomicFile(AtomicFile const&) = delete;
  AtomicFile& operator=(AtomicFile const&) = delete;
  ~AtomicFile() {
    if (buffer_.is_open()) buffer_.close(false);
    remove_partial();
  }

  [[nodiscard]] std::ostream& out() noexcept { return out_; }

  void write(std::span<std::byte const> bytes) {
    out_.write(reinterpret_cast<char const*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  }

  /// Completes the temporary file on the disk, without renaming it. Throws if a byte could not be written (a full
  /// disk). A second call does nothing.
  void finish() {
    bool const failed = !out_;
    if (int const error = buffer_.close(!partial_.empty()); error != 0 || failed) fail(error != 0 ? error : EIO);
  }

  /// Calls `finish` and gives the file its name.
  void commit() { commit_as(path_); }

  /// Like `commit`, but appends `ending` to the name.
  void commit_beside(std::string_view ending) {
    auto name = path_;
    name += ending;
    commit_as(name);
  }

 private:
  void commit_as(std::filesystem::path const& name) {
    finish();
    if (partial_.empty()) return;
    std::error_code error;
    std::filesystem::rename(partial_, name, error);
    if (error) detail::throw_cannot_write(name, error);
    partial_.clear();
    detail::sync_folder(name.has_parent_path() ? name.parent_path() : std::filesystem::path("."));
  }

  /// Creates a file in the folder of the target under a name that no other writer uses. A process number alone is not
  /// unique: processes in different containers may have the same number.
  void open_partial() {
    static std::atomic<std::uint64_t> counter{0};
    for (;;) {
      partial_ = path_;
      // The dot is added by itself: g++ 12 warns at -O3 that "." + std::string() overlaps itself (GCC bug 105651).
      partial_ += '.';
      partial_ += std::to_string(::getpid()) + "." + std::to_string(counter++) + ".partial";
      int const descriptor = ::open(partial_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode_);
      if (descriptor >= 0) return buffer_.open(descriptor);
      if (errno != EEXIST) {
        int const error = errno;
        partial_.clear();
        fail(error);
      }
    }
  }

  void open_target() {
    int descriptor = -1;
    do descriptor = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode_);
    while (descriptor < 0 && errno == EINTR);
    if (descriptor < 0) fail(errno);
    buffer_.open(descriptor);
  }

  void remove_partial() noexcept {
    if (partial_.empty()) return;
    std::error_code ignored;
    std::filesystem::remove(partial_, ignored);
    partial_.clear();
  }

  [[noreturn]] void fail(int error) const { detail::throw_cannot_write(path_, detail::error_code_of(error)); }

  std::filesystem::path path_;
  ::mode_t mode_;
  std::filesystem::path partial_;  // empty: written directly, or finished
  detail::DescriptorBuffer buffer_;
  std::ostream out_{&buffer_};
};

}  // namespace fltr
