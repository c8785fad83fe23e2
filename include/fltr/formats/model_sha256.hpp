#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include <fltr/concepts/ranker.hpp>
#include <fltr/core/fields.hpp>
#include <fltr/core/sha256.hpp>
#include <fltr/formats/saved_model.hpp>

namespace fltr {

/// The SHA-256 of a model, as 64 hexadecimal digits. It identifies the trained parameters, independent of the version
/// of the file format and of the normalisation that the file holds. These bytes are hashed, in this order:
///
/// 1. the characters of `R::model_name`,
/// 2. one zero byte,
/// 3. for a ParametricRanker: `ranker.parameters()` as 32-bit little-endian floats, without their number;
///    for any other ranker, such as a Forest: the bytes that FieldWriter writes for `ranker`.
///
/// Settings that are not parameters, such as the activation function of a NeuralRanker, are not hashed.
template <class R>
[[nodiscard]] std::string model_sha256(R const& ranker) {
  static_assert(composition::require_saved_model<R>());
  Sha256 hash;
  hash.update(std::string_view(R::model_name));
  hash.update(std::array{std::byte{0}});
  if constexpr (ParametricRanker<R>)
    hash.update(std::as_bytes(ranker.parameters()));
  else
    hash.update(field_bytes(ranker));
  return hash.hex();
}

}  // namespace fltr
