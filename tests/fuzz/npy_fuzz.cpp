// libFuzzer: whatever the bytes, the readers of .npy files accept or throw FormatError. What they accept can be written
// and read again.
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>

#include <fltr/core/error.hpp>
#include <fltr/formats/npy.hpp>

namespace {

/// A file in memory.
class MemoryFile {
 public:
  MemoryFile(std::uint8_t const* data, std::size_t size) : descriptor_(::memfd_create("npy", 0)) {
    if (descriptor_ < 0 || ::write(descriptor_, data, size) != static_cast<::ssize_t>(size)) std::abort();
  }
  MemoryFile(MemoryFile const&) = delete;
  MemoryFile& operator=(MemoryFile const&) = delete;
  ~MemoryFile() { ::close(descriptor_); }
  [[nodiscard]] std::filesystem::path path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  int descriptor_;
};

template <class T, std::size_t N>
void read_twice(std::filesystem::path const& path) {
  try {
    auto const values = fltr::read_npy<T, N>(path);
    std::string file = fltr::detail::npy_header_bytes(fltr::detail::npy_type<T>(), values.shape());
    file.append(reinterpret_cast<char const*>(values.data()), values.size() * sizeof(T));
    MemoryFile const copy(reinterpret_cast<std::uint8_t const*>(file.data()), file.size());
    auto const again = fltr::read_npy<T, N>(copy.path());
    std::size_t const bytes = values.size() * sizeof(T);
    if (again.shape() != values.shape()) std::abort();
    if (bytes > 0 && std::memcmp(again.data(), values.data(), bytes) != 0) std::abort();
  } catch (fltr::FormatError const&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  MemoryFile const file(data, size);
  read_twice<float, 2>(file.path());
  read_twice<double, 1>(file.path());
  read_twice<std::int64_t, 1>(file.path());
  read_twice<std::uint8_t, 2>(file.path());
  read_twice<bool, 1>(file.path());
  try {
    static_cast<void>(fltr::read_npy_dataset(file.path(), file.path(), file.path()));
  } catch (fltr::FormatError const&) {
  }
  return 0;
}
