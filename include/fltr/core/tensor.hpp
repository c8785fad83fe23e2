#pragma once

#include <fltr/core/compiler.hpp>

/// Includes xtensor's containers. Only this header and core/tensor_functions.hpp include xtensor, because its headers
/// moved into folders in version 0.26.
#if __has_include(<xtensor/containers/xadapt.hpp>)
#include <xtensor/containers/xadapt.hpp>
#include <xtensor/containers/xtensor.hpp>
#else
#include <xtensor/xadapt.hpp>
#include <xtensor/xtensor.hpp>
#endif

namespace fltr {

/// A dense row-major matrix, for example of the features for make_dataset.
template <class T>
using Matrix = xt::xtensor<T, 2>;

}  // namespace fltr
