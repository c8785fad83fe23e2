#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <fltr/concepts/message.hpp>
#include <fltr/concepts/metric.hpp>
#include <fltr/concepts/ranker.hpp>
#include <fltr/core/compiler.hpp>
#include <fltr/core/error.hpp>
#include <fltr/core/tensor.hpp>
#include <fltr/core/tensor_functions.hpp>
#include <fltr/data/dataset.hpp>
#include <fltr/data/make_dataset.hpp>
#include <fltr/data/query_view.hpp>
#include <fltr/messages/client_message.hpp>
#include <fltr/metrics/evaluate.hpp>
#include <fltr/rankers/score_all.hpp>

/// Tensors at the boundary of fltr, for NumPy-like code with xtensor. fltr.hpp does not
/// include this header, because xtensor's functions take seconds to compile. `make_dataset` (data/dataset.hpp) takes
/// tensors; `read_npy` and `write_npy` (formats/npy.hpp) exchange them with NumPy.
namespace fltr {

namespace detail {

template <class T, std::size_t N, xt::layout_type Layout>
using Adaptor =
    xt::xtensor_adaptor<xt::xbuffer_adaptor<T*, xt::no_ownership, std::allocator<std::remove_const_t<T>>>, N, Layout>;

/// An adaptor of mutable values is wrapped by xt::view. Assigning one adaptor to another only exchanges pointers;
/// assigning one view to another copies the values, as in NumPy.
template <class T, std::size_t N>
[[nodiscard]] auto tensor_view(T* data, std::array<std::size_t, N> const& shape) {
  using Tensor = Adaptor<T, N, xt::layout_type::row_major>;
  std::size_t const size = std::accumulate(shape.begin(), shape.end(), std::size_t{1}, std::multiplies<>());
  Tensor tensor(typename Tensor::storage_type(std::move(data), size), shape);
  if constexpr (std::is_const_v<T>)
    return tensor;
  else if constexpr (N == 1)
    return xt::view(std::move(tensor), xt::all());
  else
    return xt::view(std::move(tensor), xt::all(), xt::all());
}

}  // namespace detail

/// A tensor of 1 or 2 dimensions over memory that it does not own. The memory must outlive the tensor. `T const` is
/// read-only. Otherwise an assignment writes the values of the right side to the memory; a right side that cannot be
/// broadcast to the shape is an exception.
template <class T, std::size_t N>
requires(N == 1 || N == 2)
using TensorView = decltype(detail::tensor_view(std::declval<T*>(), std::declval<std::array<std::size_t, N>>()));

/// Rows of a Dataset, documents × features, read-only. The rows are padded, so the layout is dynamic: some functions of
/// xtensor (`xt::sort`, `xt::median`) throw "Layout not supported" and need a copy, `fltr::Matrix<float>(view)`.
using FeatureView = detail::Adaptor<float const, 2, xt::layout_type::dynamic>;

namespace detail {

[[nodiscard]] inline FeatureView feature_view(float const* rows, std::size_t documents, std::size_t features,
                                              std::size_t stride) {
  // xtensor takes the size of the shape for the size of the buffer, also where rows are padded.
  return {FeatureView::storage_type(std::move(rows), documents * features),  // NOLINT(performance-move-const-arg)
          FeatureView::shape_type{documents, features},
          FeatureView::strides_type{static_cast<std::ptrdiff_t>(stride), 1}};
}

}  // namespace detail

template <class T>
concept TensorElement = std::is_arithmetic_v<T>;

/// A 1-D view of a span: no copy.
template <TensorElement T>
[[nodiscard]] TensorView<T, 1> as_tensor(std::span<T> values) {
  return detail::tensor_view(values.data(), std::array{values.size()});
}

/// A rows × columns view of a span, row after row: no copy.
template <TensorElement T>
[[nodiscard]] TensorView<T, 2> as_tensor(std::span<T> values, std::size_t rows, std::size_t columns) {
  require(columns == 0 ? values.empty() : values.size() % columns == 0 && values.size() / columns == rows, "as_tensor",
          "a span of " + std::to_string(rows) + " x " + std::to_string(columns) + " values", values.size());
  return detail::tensor_view(values.data(), std::array{rows, columns});
}

/// The features of a query, documents × features: a view of the Dataset's rows, no copy.
[[nodiscard]] inline FeatureView as_tensor(QueryView query) {
  return detail::feature_view(query.rows(), query.document_count(), query.feature_count(), query.stride());
}

/// The features of all documents, documents × features: a view of the Dataset's rows, no copy.
[[nodiscard]] inline FeatureView as_tensor(Dataset const& data) {
  return detail::feature_view(data.parts().features.data(), data.document_count(), data.feature_count(), data.stride());
}
FLTR_UNAVAILABLE("a tensor refers to its Dataset, so the Dataset must not be a temporary: give it a name")
FeatureView as_tensor(Dataset const&&);

/// The grades of a query's documents: a view, no copy. Grades are bytes: `xt::cast<float>(grades)` before arithmetic.
[[nodiscard]] inline TensorView<Grade const, 1> grades_tensor(QueryView query) { return as_tensor(query.grades()); }

/// The grades of all documents: a view, no copy.
[[nodiscard]] inline TensorView<Grade const, 1> grades_tensor(Dataset const& data) {
  return as_tensor(std::span(data.parts().grades));
}
FLTR_UNAVAILABLE("a tensor refers to its Dataset, so the Dataset must not be a temporary: give it a name")
TensorView<Grade const, 1> grades_tensor(Dataset const&&);

/// The values of all messages, clients × parameters, in the order of the messages. A copy: each message owns a separate
/// vector. Requires messages of one length.
template <FlatMessage M>
[[nodiscard]] xt::xtensor<float, 2> as_tensor(std::span<ClientMessage<M> const> messages) {
  std::size_t const parameters = messages.empty() ? 0 : messages.front().message.values.size();
  xt::xtensor<float, 2> values(std::array{messages.size(), parameters});
  for (std::size_t c = 0; c < messages.size(); ++c) {
    auto const& row = messages[c].message.values;
    if (row.size() != parameters)
      throw_requirement("as_tensor", "messages of " + std::to_string(parameters) + " values like the first one",
                        std::to_string(row.size()) + " values from client " + std::to_string(messages[c].client));
    std::ranges::copy(row, values.data() + c * parameters);
  }
  return values;
}
template <FlatMessage M>
[[nodiscard]] xt::xtensor<float, 2> as_tensor(std::vector<ClientMessage<M>> const& messages) {
  return as_tensor(std::span(messages));
}

/// The parameters of a ranker: a view, no copy. An assignment changes the ranker.
template <ParametricRanker R>
[[nodiscard]] TensorView<float, 1> parameters_tensor(R& ranker) {
  return as_tensor(ranker.parameters());
}
template <ParametricRanker R>
[[nodiscard]] TensorView<float const, 1> parameters_tensor(R const& ranker) {
  return as_tensor(ranker.parameters());
}
template <ParametricRanker R>
FLTR_UNAVAILABLE("a tensor refers to its ranker, so the ranker must not be a temporary: give it a name")
TensorView<float const, 1> parameters_tensor(R const&&);

/// The score of each document, in the order of the Dataset.
template <Ranker R>
[[nodiscard]] xt::xtensor<float, 1> document_scores(R const& ranker, Dataset const& data) {
  xt::xtensor<float, 1> scores(std::array{data.document_count()});
  score_all(ranker, data, std::span<float>(scores.data(), scores.size()));
  return scores;
}

/// The metric of each query; NaN where the metric skips the query. `xt::nanmean` of it is what `evaluate` returns, up
/// to rounding.
template <Ranker R, Metric M>
[[nodiscard]] xt::xtensor<double, 1> query_values(R const& ranker, Dataset const& data, M const& metric) {
  xt::xtensor<double, 1> values(std::array{data.size()});
  std::ranges::transform(evaluate_queries(ranker, data, metric), values.data(), [](std::optional<double> value) {
    return value.value_or(std::numeric_limits<double>::quiet_NaN());
  });
  return values;
}

}  // namespace fltr
