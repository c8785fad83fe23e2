// replay <folder>: runs every fuzzing target on each file of <folder>/<target>, and on an empty input. A finding ends the
// program.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <utility>
#include <vector>

#define FLTR_FUZZ_TARGETS(use) \
  use(checkpoint) use(click_log) use(dataset_cache) use(letor) use(lightgbm) use(model_file) use(npy) use(wire)

#define FLTR_DECLARE(name) void fuzz_##name(std::uint8_t const* data, std::size_t size);
FLTR_FUZZ_TARGETS(FLTR_DECLARE)

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "replay: required a folder with one folder per target\n";
    return 2;
  }
  using Target = void (*)(std::uint8_t const*, std::size_t);
#define FLTR_ENTRY(name) std::pair<char const*, Target>{#name, fuzz_##name},
  for (auto const& [name, target] : {FLTR_FUZZ_TARGETS(FLTR_ENTRY)}) {
    std::vector<std::filesystem::path> files;
    std::error_code error;
    for (auto const& entry : std::filesystem::directory_iterator(std::filesystem::path(argv[1]) / name, error))
      files.push_back(entry.path());
    if (files.empty()) {
      std::cerr << "replay: required files of the target " << name << " in " << argv[1] << ", got none\n";
      return 1;
    }
    std::ranges::sort(files);
    target(nullptr, 0);
    for (auto const& file : files) {
      std::cout << name << ' ' << file.filename().string() << std::endl;  // flushed: a finding ends the program
      std::ifstream stream(file, std::ios::binary);
      std::vector<std::uint8_t> const bytes{std::istreambuf_iterator<char>(stream), {}};
      target(bytes.data(), bytes.size());
    }
    std::cout << name << ": " << files.size() << " files without a finding\n";
  }
}
