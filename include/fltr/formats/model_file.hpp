#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fltr/concepts/ranker.hpp>
#include <fltr/core/envelope.hpp>
#include <fltr/core/error.hpp>
#include <fltr/core/fields.hpp>
#include <fltr/core/sha256.hpp>
#include <fltr/formats/atomic_file.hpp>
#include <fltr/formats/mapped_file.hpp>
#include <fltr/formats/model_input.hpp>
#include <fltr/formats/saved_model.hpp>

namespace fltr {

namespace detail {

/// The payload of a model file: these fields, then those of the ranker.
struct ModelPreamble {
  std::string name;
  std::optional<ModelInput> input;
  auto fields(auto&& visit) { return visit(name, input); }
};

inline constexpr EnvelopeFormat model_format{"model file", "model", 3, 1};

/// Files of versions 1 and 2 begin with the characters FLTRMODL and a version of 4 bytes, and end with the SHA-256 of
/// all preceding bytes. Between them are the preamble and the ranker; version 1 has no ModelInput.
inline constexpr std::string_view old_model_magic = "FLTRMODL";

[[nodiscard]] inline bool is_old_model(std::span<std::byte const> bytes) noexcept {
  return bytes.size() >= old_model_magic.size() &&
         std::memcmp(bytes.data(), old_model_magic.data(), old_model_magic.size()) == 0;
}

struct OldModelPayload {
  std::uint32_t version = 0;
  std::span<std::byte const> bytes;
};

[[nodiscard]] inline OldModelPayload old_model_payload(std::span<std::byte const> bytes) {
  OldModelPayload payload;
  std::size_t const head = old_model_magic.size() + sizeof payload.version;
  constexpr std::size_t digest_size = sizeof(Sha256::Digest);
  if (bytes.size() < head + digest_size) throw FormatError("the model file is cut short");
  std::memcpy(&payload.version, bytes.data() + old_model_magic.size(), sizeof payload.version);
  if (payload.version < 1 || payload.version > 2)
    throw FormatError("model file of version " + std::to_string(payload.version) +
                      ", this library reads versions 1 to 3");
  Sha256 hash;
  hash.update(bytes.first(bytes.size() - digest_size));
  if (!std::ranges::equal(hash.digest(), bytes.last(digest_size)))
    throw FormatError("the model file is damaged: its checksum differs");
  payload.bytes = bytes.subspan(head, bytes.size() - head - digest_size);
  return payload;
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

}  // namespace detail

/// The bytes of a model file, as `write_model` writes them. Without `input`, the reader of the file must know how the
/// documents are normalised. Requires normalisation statistics for the ranker's number of features.
template <class R>
[[nodiscard]] std::vector<std::byte> model_bytes(R const& ranker,
                                                 std::optional<ModelInput> const& input = std::nullopt) {
  static_assert(composition::require_saved_model<R>());
  require(!input || input->consistent(ranker), "model_bytes", "normalisation statistics of the ranker's features",
          input ? input->normalization.zscore().mean.size() : 0);
  FieldWriter writer;
  writer.write(detail::ModelPreamble{std::string(R::model_name), input});
  writer.write(ranker);
  return enclose(detail::model_format, writer.bytes());
}

/// Saves a model. The file appears complete or not at all. Throws std::invalid_argument for weights that are not
/// finite, because readers refuse such a file, and std::system_error if the file cannot be written.
template <class R>
void write_model(std::filesystem::path const& path, R const& ranker,
                 std::optional<ModelInput> const& input = std::nullopt) {
  static_assert(composition::require_saved_model<R>());
  if (auto const weight = detail::non_finite_parameter(ranker))
    throw_requirement("write_model", "finite weights", *weight);
  AtomicFile file(path);
  file.write(model_bytes(ranker, input));
  file.commit();
}

/// A model file of version 1, 2 or 3 with a correct checksum. The caller asks for its `name` and then reads the ranker
/// of that type.
class ModelFile {
 public:
  /// Throws std::system_error if the file cannot be read, and FormatError if it is not an undamaged model file.
  explicit ModelFile(std::filesystem::path const& path) : path_(path.string()) {
    MappedFile const file(path);
    try {
      read_preamble(file.bytes());
    } catch (FormatError const& error) {
      throw FormatError(path_ + ": " + error.what());
    }
  }

  /// The name of the ranker in the file: `LinearRanker::model_name`, for example.
  [[nodiscard]] std::string const& name() const& noexcept { return preamble_.name; }
  [[nodiscard]] std::string name() && { return std::move(preamble_.name); }

  /// How to prepare the documents that the model scores. Empty for files of version 1 and for files written without it.
  [[nodiscard]] std::optional<ModelInput> const& input() const& noexcept { return preamble_.input; }
  [[nodiscard]] std::optional<ModelInput> input() && { return std::move(preamble_.input); }

  /// The ranker. Throws FormatError if the file holds a ranker of another name, or one that is not valid.
  template <class R>
  [[nodiscard]] R read() const {
    static_assert(composition::require_saved_model<R>());
    if (name() != R::model_name)
      throw FormatError(path_ + ": required a model '" + std::string(R::model_name) + "', got '" + name() + "'");
    R ranker;
    try {
      FieldReader reader{std::span<std::byte const>(ranker_bytes_)};
      reader.read(ranker);
      reader.expect_end();
    } catch (FormatError const& error) {
      throw FormatError(path_ + ": " + error.what());
    }
    if constexpr (composition::NamesHook_consistent<R>) {
      static_assert(
          requires(R const& read) {
            { read.consistent() } -> std::same_as<bool>;
          }, "fltr: the model's hook 'consistent' must be callable as bool consistent() const");
      if (!std::as_const(ranker).consistent()) throw FormatError(path_ + ": the sizes in the model do not agree");
    }
    if (auto const weight = detail::non_finite_parameter(ranker))
      throw FormatError(path_ + ": required finite weights, got " + std::to_string(*weight));
    if (input() && !input()->consistent(ranker))
      throw FormatError(path_ + ": the normalisation in the file does not fit the ranker");
    return ranker;
  }

 private:
  void read_preamble(std::span<std::byte const> bytes) {
    std::span<std::byte const> payload;
    std::uint32_t file_version = detail::model_format.version;
    if (detail::is_old_model(bytes)) {
      auto const old = detail::old_model_payload(bytes);
      payload = old.bytes;
      file_version = old.version;
    } else {
      payload = payload_of(detail::model_format, bytes);
    }
    FieldReader reader(payload);
    reader.read(preamble_.name);
    if (file_version > 1) reader.read(preamble_.input);
    ranker_bytes_.assign(reader.rest().begin(), reader.rest().end());
  }

  std::string path_;
  detail::ModelPreamble preamble_;
  std::vector<std::byte> ranker_bytes_;
};

/// The model in a file that holds a ranker of type R. Throws as ModelFile does.
template <class R>
[[nodiscard]] R read_model(std::filesystem::path const& path) {
  return ModelFile(path).read<R>();
}

}  // namespace fltr
