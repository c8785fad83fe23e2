#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <fltr/core/aligned_floats.hpp>
#include <fltr/core/content_hash.hpp>
#include <fltr/core/envelope.hpp>
#include <fltr/core/error.hpp>
#include <fltr/core/fields.hpp>
#include <fltr/data/dataset.hpp>
#include <fltr/formats/atomic_file.hpp>
#include <fltr/formats/letor_options.hpp>
#include <fltr/formats/mapped_file.hpp>

namespace fltr::detail {

inline constexpr EnvelopeFormat dataset_cache_format{"dataset cache", "dataset", 3};

/// The first bytes of the payload of a dataset cache. After them follow the DatasetFields, zeros up to a multiple of
/// 64, and the matrix. An Envelope has 64 bytes, so that the matrix is also aligned in the file.
struct DatasetCacheHeader {
  ContentHash key;  ///< identifies the text and the options from which the Dataset was read
  std::uint64_t feature_count = 0;
  std::uint64_t field_bytes = 0;
  std::uint64_t matrix_offset = 0;  ///< in the payload
  std::uint64_t clamped = 0;        ///< LetorReport::clamped of the reading
};
static_assert(sizeof(DatasetCacheHeader) == 48 && std::is_trivially_copyable_v<DatasetCacheHeader>);
static_assert(sizeof(Envelope) % AlignedFloats::alignment == 0);

/// All members of a Dataset except its matrix.
struct DatasetFields {
  std::vector<Grade> grades;
  std::vector<std::uint64_t> query_offsets;
  StringList qids;
  StringList docids;
  auto fields(auto&& visit) { return visit(grades, query_offsets, qids, docids); }
};

/// Writes a Dataset and the report of its reader in a format that read_dataset_cache maps into memory. Throws
/// std::system_error if the file cannot be written; an existing file is then unchanged.
template <class = void>
void write_dataset_cache(Dataset const& data, std::filesystem::path const& path, ContentHash key = {},
                         LetorReport const& report = {}) {
  auto const& parts = data.parts();
  FieldWriter writer;
  writer.write(DatasetFields{parts.grades, parts.query_offsets, parts.qids, parts.docids});
  auto field_bytes = std::move(writer).bytes();
  DatasetCacheHeader header{key, data.feature_count(), field_bytes.size(), 0, report.clamped};
  std::size_t const fields_end = sizeof header + field_bytes.size();
  header.matrix_offset =
      (fields_end + AlignedFloats::alignment - 1) / AlignedFloats::alignment * AlignedFloats::alignment;
  field_bytes.resize(header.matrix_offset - sizeof header);
  auto const head = std::as_bytes(std::span(&header, 1));
  auto const matrix = std::as_bytes(parts.features.span());
  Envelope const envelope = make_envelope(dataset_cache_format, {head, field_bytes, matrix});
  AtomicFile file(path);
  file.write(std::as_bytes(std::span(&envelope, 1)));
  file.write(head);
  file.write(field_bytes);
  file.write(matrix);
  file.commit();
}

/// The Dataset in the payload of a dataset cache. `file` keeps the payload in memory. Throws FormatError.
template <class = void>
[[nodiscard]] Dataset dataset_of_payload(std::shared_ptr<MappedFile> const& file, std::span<std::byte> payload,
                                         std::optional<ContentHash> key, LetorReport* report) {
  auto const expect = [](bool holds, char const* otherwise) {
    if (!holds) throw FormatError(otherwise);
  };
  constexpr char const* inconsistent = "the sizes in the dataset cache do not agree";
  DatasetCacheHeader header;
  expect(payload.size() >= sizeof header, inconsistent);
  std::memcpy(&header, payload.data(), sizeof header);
  expect(!key || *key == header.key, "the dataset cache belongs to another text or to other options");
  // The checksum is correct: the following checks fail only for a file that a faulty or malicious program wrote.
  expect(header.matrix_offset >= sizeof header && header.matrix_offset <= payload.size() &&
             header.field_bytes <= header.matrix_offset - sizeof header,
         inconsistent);
  auto const matrix = payload.subspan(header.matrix_offset);
  DatasetFields fields;
  FieldReader reader(payload.subspan(sizeof header, header.field_bytes));
  reader.read(fields);
  reader.expect_end();
  for (auto* const list : {&fields.qids, &fields.docids})
    list->fields([&](std::string const& text, std::vector<std::uint64_t> const& ends) {
      expect(std::ranges::is_sorted(ends) && (ends.empty() ? text.empty() : ends.back() == text.size()), inconsistent);
    });
  expect(header.feature_count < (std::uint64_t{1} << 32U) && matrix.size() % sizeof(float) == 0 &&
             reinterpret_cast<std::uintptr_t>(matrix.data()) % AlignedFloats::alignment == 0,
         inconsistent);
  if (report != nullptr) report->clamped = header.clamped;
  std::shared_ptr<float> const features(file, reinterpret_cast<float*>(matrix.data()));
  try {
    return Dataset(DatasetParts{header.feature_count, AlignedFloats(features, matrix.size() / sizeof(float)),
                                std::move(fields.grades), std::move(fields.query_offsets), std::move(fields.qids),
                                std::move(fields.docids)});
  } catch (std::invalid_argument const&) {
    throw FormatError(inconsistent);
  }
}

/// Maps a file of write_dataset_cache. The matrix is not copied; changes to it stay in this process. All bytes are
/// checked first. Throws std::system_error if the file cannot be read, and FormatError if it is not an undamaged
/// dataset cache of this version or, where `key` is given, has another key.
template <class = void>
[[nodiscard]] Dataset read_dataset_cache(std::filesystem::path const& path,
                                         std::optional<ContentHash> key = std::nullopt, LetorReport* report = nullptr) {
  auto const file = std::make_shared<MappedFile>(path);
  try {
    std::size_t const payload_size = payload_of(dataset_cache_format, file->bytes()).size();
    return dataset_of_payload(file, file->bytes().last(payload_size), key, report);
  } catch (FormatError const& error) {
    throw FormatError(path.string() + ": " + error.what());
  }
}

}  // namespace fltr::detail
