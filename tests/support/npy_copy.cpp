// npy_copy <dtype> <from> <to>...: reads .npy files of one dtype (f4, i8, …) and writes them to new files.
// tests/programs/numpy.cmake compares the files with NumPy.
#include <cstdint>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>

#include <fltr/formats/npy.hpp>

namespace {

template <class T>
void copy(char const* from, char const* to) {
  if (fltr::detail::NpyArray(from).dimension() == 1)
    fltr::write_npy(to, fltr::read_npy<T, 1>(from));
  else
    fltr::write_npy(to, fltr::read_npy<T, 2>(from));
}

using Copy = void (*)(char const*, char const*);

Copy copy_of(std::string const& type) {
  if (type == "f4") return copy<float>;
  if (type == "f8") return copy<double>;
  if (type == "b1") return copy<bool>;
  if (type == "i1") return copy<std::int8_t>;
  if (type == "i2") return copy<std::int16_t>;
  if (type == "i4") return copy<std::int32_t>;
  if (type == "i8") return copy<std::int64_t>;
  if (type == "u1") return copy<std::uint8_t>;
  if (type == "u2") return copy<std::uint16_t>;
  if (type == "u4") return copy<std::uint32_t>;
  if (type == "u8") return copy<std::uint64_t>;
  throw std::invalid_argument("npy_copy: unknown dtype " + type);
}

}  // namespace

int main(int argc, char** argv) try {
  for (int i = 2; i + 1 < argc; i += 2) copy_of(argv[1])(argv[i], argv[i + 1]);
  return argc < 4 ? 2 : 0;
} catch (std::exception const& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
