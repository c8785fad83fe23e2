#pragma once

#include <cstddef>
#include <type_traits>

#include <xsimd/xsimd.hpp>

namespace fltr::detail {

/// xsimd's batch of 8 numbers of 32 bits where the target has such registers, else of 4. Batches of 16 (AVX-512) are
/// not used, because sums are formed in 8 lanes.
template <class T>
using RegisterBatch = std::conditional_t<std::is_void_v<xsimd::make_sized_batch_t<T, 8>>,
                                         xsimd::make_sized_batch_t<T, 4>, xsimd::make_sized_batch_t<T, 8>>;

static_assert(!std::is_void_v<RegisterBatch<float>>, "fltr: required a target for which xsimd has batches of 4 floats");

}  // namespace fltr::detail
