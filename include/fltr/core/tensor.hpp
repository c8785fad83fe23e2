#pragma once

/// This header and core/tensor_functions.hpp alone name xtensor's headers, which moved into folders in 0.26.
#if __has_include(<xtensor/containers/xadapt.hpp>)
#include <xtensor/containers/xadapt.hpp>
#include <xtensor/containers/xtensor.hpp>
#else
#include <xtensor/xadapt.hpp>
#include <xtensor/xtensor.hpp>
#endif

namespace fltr {

/// A dense row-major matrix of a user's own, e.g. to make a Dataset from.
template <class T>
using Matrix = xt::xtensor<T, 2>;

}  // namespace fltr
