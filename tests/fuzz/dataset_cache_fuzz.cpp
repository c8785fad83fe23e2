// Whatever the bytes, the reader of dataset caches accepts them or throws FormatError. The bytes are also read as the
// payload of a file whose checksum is correct. Every document of what it accepts can be read.
#include <cstddef>
#include <cstdint>
#include <span>

#include <fltr/core/envelope.hpp>
#include <fltr/core/error.hpp>
#include <fltr/formats/detail/dataset_cache.hpp>

#include "fuzz/memory_file.hpp"
#include "fuzz/target.hpp"

namespace {

void read(std::span<std::byte const> bytes) {
  fltr::testing::MemoryFile const file(bytes);
  try {
    fltr::Dataset const data = fltr::detail::read_dataset_cache(file.path());
    std::size_t documents = 0;
    for (std::size_t q = 0; q < data.size(); ++q) {
      fltr::QueryView const query = data[q];
      static_cast<void>(data.qid(q));
      for (std::size_t d = 0; d < query.document_count(); ++d) {
        fltr::testing::must(query.row(d).size() == data.feature_count());
        if (data.has_docids()) static_cast<void>(data.docid(data.first_document(q) + d));
      }
      documents += query.document_count();
    }
    fltr::testing::must(documents == data.document_count());
  } catch (fltr::FormatError const&) {
  }
}

}  // namespace

FLTR_FUZZ_TARGET(dataset_cache) {
  auto const bytes = std::as_bytes(std::span(data, size));
  read(bytes);
  read(fltr::enclose(fltr::detail::dataset_cache_format, bytes));
}
