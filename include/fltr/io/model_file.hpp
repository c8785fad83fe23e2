#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <ios>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fltr/concepts/ranker.hpp>
#include <fltr/core/error.hpp>
#include <fltr/core/fields.hpp>
#include <fltr/core/hooks.hpp>
#include <fltr/core/sha256.hpp>
#include <fltr/data/atomic_file.hpp>
#include <fltr/data/letor_options.hpp>
#include <fltr/data/normalize.hpp>

namespace fltr {

FLTR_HOOK(consistent);
FLTR_HOOK(feature_count);

/// A ranker that can be saved: it has fields and a name. Optional: `bool consistent() const`, called after reading.
template <class R>
concept SavedModel = HasFields<R> && std::default_initializable<R> && requires {
  { R::model_name } -> std::convertible_to<std::string_view>;
};

/// How documents of a text file are prepared for a model: the reader clamps the feature values, then they are
/// normalised as in training. The ranker knows the number of features.
struct ModelInput {
  double clamp_to = LetorOptions{}.clamp_to;  ///< LetorOptions::clamp_to of the training
  FittedNormalization normalization{};

  auto fields(auto&& visit) { return visit(clamp_to, normalization); }
  friend bool operator==(ModelInput const&, ModelInput const&) = default;

  /// Whether the statistics fit the ranker's number of features. A ranker without feature_count() is not checked.
  template <class R>
  [[nodiscard]] bool consistent(R const& ranker) const noexcept {
    std::size_t features = normalization.zscore().mean.size();
    if constexpr (NamesHook_feature_count<R>) {
      static_assert(
          requires {
            { ranker.feature_count() } -> std::convertible_to<std::size_t>;
          },
          "fltr: the model's hook 'feature_count' must be callable as std::size_t feature_count() const");
      features = ranker.feature_count();
    }
    return clamp_to > 0 && normalization.consistent(features);
  }
};

/// The head of a model file. After it follow a ModelInput, if there is one, the ranker's fields, and the SHA-256 of all
/// preceding bytes. Files of version 1 have no ModelInput.
struct ModelHeader {
  static constexpr std::uint64_t magic_number = 0x4C444F4D52544C46;  // "FLTRMODL"
  static constexpr std::uint32_t current_version = 2;

  std::uint64_t magic = magic_number;
  std::uint32_t version = current_version;
  std::string name;
  bool has_input = false;

  auto fields(auto&& visit) { return visit(magic, version, name, has_input); }
};

/// The bytes of a model file: `write_model` writes them, and the SHA-256 of a model is computed from them. Give `input`
/// if it is known: without it, the reader of the file must know how to normalise. Requires statistics for the ranker's
/// number of features.
template <SavedModel R>
[[nodiscard]] std::vector<std::byte> model_bytes(R const& ranker,
                                                 std::optional<ModelInput> const& input = std::nullopt) {
  require(!input || input->consistent(ranker), "model_bytes", "normalisation statistics of the ranker's features",
          input ? input->normalization.zscore().mean.size() : 0);
  FieldWriter writer;
  writer.write(ModelHeader{ModelHeader::magic_number, ModelHeader::current_version, std::string(R::model_name),
                           input.has_value()});
  if (input) writer.write(*input);
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
[[nodiscard]] std::string model_sha256(R const& ranker, std::optional<ModelInput> const& input = std::nullopt) {
  Sha256 hash;
  hash.update(model_bytes(ranker, input));
  return hash.hex();
}

/// The first parameter of a model that is NaN or infinite, if there is one. Forests are validated on construction.
template <class R>
[[nodiscard]] std::optional<float> non_finite_parameter(R const& ranker) {
  if constexpr (ParametricRanker<R>) {
    auto const weights = ranker.parameters();
    auto const found = std::ranges::find_if_not(weights, [](float w) { return std::isfinite(w); });
    if (found != weights.end()) return *found;
  }
  return std::nullopt;
}

/// Saves a model; the file appears complete or not at all. Throws std::invalid_argument for weights that are not
/// finite, because readers refuse such a file.
template <SavedModel R>
void write_model(std::filesystem::path const& path, R const& ranker,
                 std::optional<ModelInput> const& input = std::nullopt) {
  if (auto const weight = non_finite_parameter(ranker)) throw_requirement("write_model", "finite weights", *weight);
  AtomicFile file(path);
  file.write(model_bytes(ranker, input));
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
  [[nodiscard]] std::string const& name() const& noexcept { return header_.name; }
  [[nodiscard]] std::string name() && { return std::move(header_.name); }

  /// How to prepare the documents that the model scores. Empty for files of version 1 and for files written without it.
  [[nodiscard]] std::optional<ModelInput> const& input() const& noexcept { return input_; }
  [[nodiscard]] std::optional<ModelInput> input() && { return std::move(input_); }

  template <SavedModel R>
  [[nodiscard]] R read() const {
    if (header_.name != R::model_name)
      throw FormatError(path_ + ": holds a model '" + header_.name + "', not '" + std::string(R::model_name) + "'");
    R ranker;
    try {
      FieldReader reader(std::span<std::byte const>(bytes_).subspan(fields_begin_, fields_end_ - fields_begin_));
      reader.read(ranker);
      reader.expect_end();
    } catch (FormatError const& error) {
      throw FormatError(path_ + ": " + error.what());
    }
    if constexpr (NamesHook_consistent<R>) {
      static_assert(
          requires(R const& read) {
            { read.consistent() } -> std::same_as<bool>;
          },
          "fltr: the model's hook 'consistent' must be callable as bool consistent() const");
      if (!std::as_const(ranker).consistent()) throw FormatError(path_ + ": the sizes in it do not agree");
    }
    if (auto const weight = non_finite_parameter(ranker))
      throw FormatError(path_ + ": required finite weights, got " + std::to_string(*weight));
    if (input_ && !input_->consistent(ranker))
      throw FormatError(path_ + ": the normalisation in it does not fit the ranker");
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
    if (header_.version < 1 || header_.version > ModelHeader::current_version)
      throw FormatError(path_ + ": a model file of version " + std::to_string(header_.version) +
                        ", this library reads versions 1 to " + std::to_string(ModelHeader::current_version));
    auto const content = std::span<std::byte const>(bytes_).first(bytes_.size() - digest_size);
    Sha256 hash;
    hash.update(content);
    auto const digest = hash.digest();
    if (!std::equal(digest.begin(), digest.end(), bytes_.end() - static_cast<std::ptrdiff_t>(digest_size)))
      throw damaged();
    reader = FieldReader(content.subspan(sizeof header_.magic + sizeof header_.version));
    try {
      reader.read(header_.name);
      if (header_.version > 1) reader.read(header_.has_input);
      if (header_.has_input) reader.read(input_.emplace());
    } catch (FormatError const& error) {
      throw FormatError(path_ + ": " + error.what());
    }
    fields_begin_ = content.size() - reader.rest().size();
    fields_end_ = content.size();
  }
  [[nodiscard]] FormatError damaged() const { return FormatError(path_ + ": damaged (its checksum differs)"); }

  std::string path_;
  std::vector<std::byte> bytes_;
  ModelHeader header_;
  std::optional<ModelInput> input_;
  std::size_t fields_begin_ = 0;  // in bytes_: a copy of this object refers to its own bytes
  std::size_t fields_end_ = 0;
};

/// A model of a known kind.
template <SavedModel R>
[[nodiscard]] R read_model(std::filesystem::path const& path) {
  return ModelFile(path).read<R>();
}

}  // namespace fltr
