#pragma once

/// Linear algebra by xtensor-blas. Programs that include this header link a BLAS with LAPACK, for example OpenBLAS. The
/// last bits of its results differ between BLAS libraries, processors and numbers of BLAS threads.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include <fltr/core/error.hpp>
#include <fltr/core/tensor_functions.hpp>

#include <xtensor-blas/xlinalg.hpp>

namespace fltr {

/// A dense column-major matrix, the layout of LAPACK.
using ColumnMatrix = xt::xtensor<double, 2, xt::layout_type::column_major>;

/// The x of least ‖x‖₂ among those that minimise ‖A x − b‖₂, by the singular value decomposition of A (LAPACK's
/// dgelsd). Singular values below `rank_tolerance` times the largest one count as 0, so that equal columns share their
/// coefficient and a rank below the number of columns is no error. Requires finite values. A matrix without rows or
/// columns has the solution 0.
[[nodiscard]] inline std::vector<double> least_squares(ColumnMatrix const& a, std::span<double const> b,
                                                       double rank_tolerance = 1e-6) {
  std::size_t const rows = a.shape()[0];
  std::size_t const columns = a.shape()[1];
  require(b.size() == rows, "least_squares", std::to_string(rows) + " values, one for each row", b.size());
  require(rank_tolerance >= 0.0 && rank_tolerance < 1.0, "least_squares", "a rank_tolerance in [0, 1)", rank_tolerance);
  std::vector<double> x(columns, 0.0);
  if (rows == 0 || columns == 0) return x;
  for (double const v : std::span(a.data(), rows * columns))
    require(std::isfinite(v), "least_squares", "a finite matrix", v);
  for (double const v : b) require(std::isfinite(v), "least_squares", "finite values", v);
  auto right = xt::xtensor<double, 1>::from_shape({rows});
  std::copy(b.begin(), b.end(), right.begin());
  auto const solution = std::get<0>(xt::linalg::lstsq(a, right, rank_tolerance));
  for (std::size_t i = 0; i < columns; ++i) x[i] = solution(i);
  return x;
}

}  // namespace fltr
