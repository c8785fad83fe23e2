// Whatever the bytes, the readers of .npy files accept them or throw FormatError. What they accept can be written and
// read again.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <span>
#include <string>

#include <fltr/core/error.hpp>
#include <fltr/formats/npy.hpp>

#include "fuzz/memory_file.hpp"
#include "fuzz/target.hpp"

namespace {

using fltr::testing::MemoryFile;
using fltr::testing::must;

template <class T, std::size_t N>
void read_twice(std::filesystem::path const& path) {
  try {
    auto const values = fltr::read_npy<T, N>(path);
    std::string file = fltr::detail::npy_header_bytes(fltr::detail::npy_type<T>(), values.shape());
    file.append(reinterpret_cast<char const*>(values.data()), values.size() * sizeof(T));
    MemoryFile const copy(std::as_bytes(std::span(file)));
    auto const again = fltr::read_npy<T, N>(copy.path());
    std::size_t const bytes = values.size() * sizeof(T);
    must(again.shape() == values.shape());
    must(bytes == 0 || std::memcmp(again.data(), values.data(), bytes) == 0);
  } catch (fltr::FormatError const&) {
  }
}

}  // namespace

FLTR_FUZZ_TARGET(npy) {
  MemoryFile const file(std::as_bytes(std::span(data, size)));
  read_twice<float, 2>(file.path());
  read_twice<double, 1>(file.path());
  read_twice<std::int64_t, 1>(file.path());
  read_twice<std::uint8_t, 2>(file.path());
  read_twice<bool, 1>(file.path());
  try {
    static_cast<void>(fltr::read_npy_dataset(file.path(), file.path(), file.path()));
  } catch (fltr::FormatError const&) {
  }
}
