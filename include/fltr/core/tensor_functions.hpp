#pragma once

/// The functions of xtensor that NumPy users expect: arithmetic and reductions (`xt::sum`, `xt::mean`), views
/// (`xt::view`, `xt::row`), sorting (`xt::sort`, `xt::median`). Like core/tensor.hpp, this header works with xtensor
/// before and after its headers moved into folders in version 0.26.
#include <fltr/core/tensor.hpp>

#if __has_include(<xtensor/containers/xadapt.hpp>)
#include <xtensor/core/xmath.hpp>
#include <xtensor/core/xnoalias.hpp>
#include <xtensor/misc/xsort.hpp>
#include <xtensor/views/xview.hpp>
#else
#include <xtensor/xmath.hpp>
#include <xtensor/xnoalias.hpp>
#include <xtensor/xsort.hpp>
#include <xtensor/xview.hpp>
#endif
