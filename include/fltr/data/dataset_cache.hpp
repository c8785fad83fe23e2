#pragma once

#include <algorithm>
#include <array>
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

#include <fltr/core/aligned.hpp>
#include <fltr/core/error.hpp>
#include <fltr/core/fields.hpp>
#include <fltr/data/atomic_file.hpp>
#include <fltr/data/content_hash.hpp>
#include <fltr/data/dataset.hpp>
#include <fltr/data/letor_options.hpp>
#include <fltr/data/mapped_file.hpp>

namespace fltr {

/// The first bytes of a dataset cache. Behind them: grades, offsets, qids and docids as fields; zeros up to a multiple
/// of 64; the matrix. Every byte of the file is covered by one of the three hashes.
struct DatasetCacheHeader {
  static constexpr std::array<char, 8> right_magic{'f', 'l', 't', 'r', 'd', 'a', 't', 'a'};
  static constexpr std::uint64_t right_version = 2;  // of this layout

  std::array<char, 8> magic = right_magic;
  std::uint64_t version = right_version;
  ContentHash key;  ///< what it is a cache of
  std::uint64_t feature_count = 0;
  std::uint64_t field_bytes = 0;
  std::uint64_t matrix_offset = 0;
  std::uint64_t clamped = 0;  ///< LetorReport::clamped of the reading
  ContentHash fields_hash;    ///< up to the matrix
  ContentHash matrix_hash;
  ContentHash header_hash;  ///< of the members above

  [[nodiscard]] ContentHash hash() const {
    return content_hash(std::as_bytes(std::span(this, 1)).first(offsetof(DatasetCacheHeader, header_hash)));
  }
};
static_assert(sizeof(DatasetCacheHeader) == 8 * 14 && std::is_trivially_copyable_v<DatasetCacheHeader>);

/// Everything of a Dataset but its matrix.
struct DatasetFields {
  std::vector<Grade> labels;
  std::vector<std::uint64_t> query_offsets;
  StringList qids;
  StringList docids;
  auto fields(auto&& visit) { return visit(labels, query_offsets, qids, docids); }
};

/// Writes a Dataset and the report of its reader in a format that read_dataset_cache maps into memory. Throws
/// std::runtime_error if that fails; an existing file is then unchanged.
inline void write_dataset_cache(Dataset const& data, std::filesystem::path const& path, ContentHash key = {},
                                LetorReport const& report = {}) {
  auto const& parts = data.parts();
  FieldWriter writer;
  DatasetFields const fields{parts.labels, parts.query_offsets, parts.qids, parts.docids};
  writer.write(fields);
  auto field_bytes = std::move(writer).bytes();
  DatasetCacheHeader header;
  header.key = key;
  header.feature_count = data.feature_count();
  header.field_bytes = field_bytes.size();
  header.clamped = report.clamped;
  std::size_t const behind = sizeof header + field_bytes.size();
  header.matrix_offset = (behind + AlignedFloats::alignment - 1) / AlignedFloats::alignment * AlignedFloats::alignment;
  field_bytes.resize(header.matrix_offset - sizeof header);
  auto const matrix = std::as_bytes(parts.features.span());
  header.fields_hash = content_hash(field_bytes);
  header.matrix_hash = content_hash(matrix, 0, 0);
  header.header_hash = header.hash();
  AtomicFile file(path);
  file.write(std::as_bytes(std::span(&header, 1)));
  file.write(field_bytes);
  file.write(matrix);
  file.commit();
}

/// Maps a file of write_dataset_cache: the matrix stays in the file until it is looked at, and changes to it stay in
/// this process. All of it is checked first. Throws FormatError for anything but such a file, undamaged, of this
/// version and, if `key` is given, with this key; std::system_error where it cannot be read.
[[nodiscard]] inline Dataset read_dataset_cache(std::filesystem::path const& path,
                                                std::optional<ContentHash> key = std::nullopt,
                                                LetorReport* report = nullptr) {
  auto const expect = [&path](bool holds, char const* otherwise) {
    if (!holds) throw FormatError(path.string() + ": " + otherwise);
  };
  auto const file = std::make_shared<MappedFile>(path);
  auto const bytes = file->bytes();
  DatasetCacheHeader header;
  expect(bytes.size() >= sizeof header, "the file is too short for a dataset cache");
  std::memcpy(&header, bytes.data(), sizeof header);
  expect(header.magic == DatasetCacheHeader::right_magic, "the file is not a dataset cache");
  expect(header.version == DatasetCacheHeader::right_version, "the dataset cache has another version");
  expect(header.header_hash == header.hash(), "the dataset cache is damaged");
  expect(!key || *key == header.key, "the dataset cache belongs to another text or other options");
  expect(header.matrix_offset >= sizeof header && header.matrix_offset <= bytes.size() &&
             header.field_bytes <= header.matrix_offset - sizeof header,
         "the dataset cache is cut short");
  auto const field_bytes = bytes.subspan(sizeof header, header.matrix_offset - sizeof header);
  auto const matrix = bytes.subspan(header.matrix_offset);
  expect(content_hash(field_bytes) == header.fields_hash, "the dataset cache is damaged");
  expect(content_hash(matrix, 0, 0) == header.matrix_hash, "the dataset cache is damaged or cut short");

  // What follows can only fail for a file that was made wrong on purpose, or by a program with a fault.
  DatasetFields fields;
  FieldReader reader(field_bytes.first(header.field_bytes));
  reader.read(fields);
  reader.expect_end();
  for (auto* const list : {&fields.qids, &fields.docids})
    list->fields([&](std::string const& text, std::vector<std::uint64_t> const& ends) {
      expect(std::ranges::is_sorted(ends) && (ends.empty() ? text.empty() : ends.back() == text.size()),
             "the dataset cache contradicts itself");
    });
  std::size_t const columns = header.feature_count;
  expect(columns < (std::uint64_t{1} << 32U) && matrix.size() % sizeof(float) == 0 &&
             reinterpret_cast<std::uintptr_t>(matrix.data()) % AlignedFloats::alignment == 0,
         "the dataset cache contradicts itself");
  if (report != nullptr) report->clamped = header.clamped;
  std::shared_ptr<float> const features(file, reinterpret_cast<float*>(matrix.data()));
  try {
    return Dataset(DatasetParts{columns, AlignedFloats(features, matrix.size() / sizeof(float)),
                                std::move(fields.labels), std::move(fields.query_offsets), std::move(fields.qids),
                                std::move(fields.docids)});
  } catch (std::invalid_argument const&) {
    throw FormatError(path.string() + ": the dataset cache contradicts itself");
  }
}

}  // namespace fltr
