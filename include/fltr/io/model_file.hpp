#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <ios>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fltr/core/error.hpp>
#include <fltr/core/fields.hpp>
#include <fltr/core/sha256.hpp>
#include <fltr/data/atomic_file.hpp>

namespace fltr {

/// A ranker that can be saved: it has fields and a name. Optional: `consistent()`, asked after reading.
template <class R>
concept SavedModel = HasFields<R> && std::default_initializable<R> && requires {
  { R::model_name } -> std::convertible_to<std::string_view>;
};

/// The head of a model file. Behind it: the fields, and the SHA-256 of all before it.
struct ModelHeader {
  static constexpr std::uint64_t magic_number = 0x4C444F4D52544C46;  // "FLTRMODL"
  static constexpr std::uint32_t current_version = 1;

  std::uint64_t magic = magic_number;
  std::uint32_t version = current_version;
  std::string name;

  void fields(auto&& visit) { visit(magic, version, name); }
};

/// The bytes of a model file: what `write_model` writes and what the SHA-256 of a model is taken of.
template <SavedModel R>
[[nodiscard]] std::vector<std::byte> model_bytes(R const& ranker) {
  FieldWriter writer;
  writer.write(ModelHeader{ModelHeader::magic_number, ModelHeader::current_version, std::string(R::model_name)});
  writer.write(ranker);
  auto bytes = std::move(writer).bytes();
  Sha256 hash;
  hash.update(bytes);
  auto const digest = hash.digest();
  bytes.insert(bytes.end(), digest.begin(), digest.end());
  return bytes;
}

/// The SHA-256 of the model's file, as sha256sum prints it.
template <SavedModel R>
[[nodiscard]] std::string model_sha256(R const& ranker) {
  Sha256 hash;
  hash.update(model_bytes(ranker));
  return hash.hex();
}

/// Saves a model; the file appears complete or not at all.
template <SavedModel R>
void write_model(std::filesystem::path const& path, R const& ranker) {
  AtomicFile file(path);
  file.write(model_bytes(ranker));
  file.commit();
}

/// A model file whose checksum was found right, before it is known which ranker it holds.
class ModelFile {
 public:
  explicit ModelFile(std::filesystem::path const& path) : path_(path.string()) {
    std::ifstream in(path, std::ios::binary);
    if (!in) throw FormatError(path_ + ": cannot be opened");
    std::vector<char> const text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    auto const all = std::as_bytes(std::span(text));
    bytes_.assign(all.begin(), all.end());
    read_header();
  }

  /// The name of the ranker in it: `LinearRanker::model_name`, for example.
  [[nodiscard]] std::string const& name() const noexcept { return header_.name; }

  template <SavedModel R>
  [[nodiscard]] R read() const {
    if (header_.name != R::model_name)
      throw FormatError(path_ + ": holds a model '" + header_.name + "', not '" + std::string(R::model_name) + "'");
    R ranker;
    try {
      FieldReader reader(fields_);
      reader.read(ranker);
      reader.expect_end();
    } catch (FormatError const& error) {
      throw FormatError(path_ + ": " + error.what());
    }
    if constexpr (requires { ranker.consistent(); })
      if (!ranker.consistent()) throw FormatError(path_ + ": the sizes in it do not agree");
    return ranker;
  }

 private:
  void read_header() {
    constexpr std::size_t digest_size = 32;
    FieldReader reader(bytes_);
    if (bytes_.size() >= sizeof header_.magic) reader.read(header_.magic);
    if (bytes_.size() < sizeof header_.magic || header_.magic != ModelHeader::magic_number)
      throw FormatError(path_ + ": not a model file of fltr");
    if (bytes_.size() < sizeof header_.magic + sizeof header_.version + digest_size) throw damaged();
    reader.read(header_.version);
    if (header_.version != ModelHeader::current_version)
      throw FormatError(path_ + ": a model file of version " + std::to_string(header_.version) +
                        ", this library reads version " + std::to_string(ModelHeader::current_version));
    auto const content = std::span<std::byte const>(bytes_).first(bytes_.size() - digest_size);
    Sha256 hash;
    hash.update(content);
    auto const digest = hash.digest();
    if (!std::equal(digest.begin(), digest.end(), bytes_.end() - static_cast<std::ptrdiff_t>(digest_size)))
      throw damaged();
    reader = FieldReader(content.subspan(sizeof header_.magic + sizeof header_.version));
    reader.read(header_.name);
    fields_ = reader.rest();
  }
  [[nodiscard]] FormatError damaged() const { return FormatError(path_ + ": damaged (its checksum differs)"); }

  std::string path_;
  std::vector<std::byte> bytes_;
  ModelHeader header_;
  std::span<std::byte const> fields_;
};

/// A model of a known kind.
template <SavedModel R>
[[nodiscard]] R read_model(std::filesystem::path const& path) {
  return ModelFile(path).read<R>();
}

}  // namespace fltr
