// Whatever the bytes, the reader of model files accepts them or throws FormatError. The bytes are also read as the
// payload of a file whose checksum is correct. What it accepts can be written and read again.
#include <cstddef>
#include <span>
#include <vector>

#include <fltr/core/envelope.hpp>
#include <fltr/core/error.hpp>
#include <fltr/formats/model_file.hpp>
#include <fltr/rankers/forest.hpp>
#include <fltr/rankers/linear_ranker.hpp>
#include <fltr/rankers/neural_ranker.hpp>

#include "fuzz/memory_file.hpp"
#include "fuzz/target.hpp"

namespace {

using fltr::testing::MemoryFile;

template <class R>
void read_twice(fltr::ModelFile const& model) {
  if (model.name() != R::model_name) return;
  auto const bytes = fltr::model_bytes(model.read<R>(), model.input());
  MemoryFile const file(bytes);
  fltr::ModelFile const again(file.path());
  fltr::testing::must(fltr::model_bytes(again.read<R>(), again.input()) == bytes);
}

void read(std::span<std::byte const> bytes) {
  MemoryFile const file(bytes);
  try {
    fltr::ModelFile const model(file.path());
    read_twice<fltr::LinearRanker>(model);
    read_twice<fltr::NeuralRanker>(model);
    read_twice<fltr::Forest>(model);
  } catch (fltr::FormatError const&) {
  }
}

}  // namespace

FLTR_FUZZ_TARGET(model_file) {
  auto const bytes = std::as_bytes(std::span(data, size));
  read(bytes);
  read(fltr::enclose(fltr::detail::model_format, bytes));
}
