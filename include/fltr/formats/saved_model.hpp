#pragma once

#include <concepts>
#include <string_view>

#include <fltr/core/fields.hpp>

namespace fltr {

/// A **SavedModel** is a ranker that a model file can hold.
///
/// | required           | meaning                                                                         |
/// | ------------------ | ------------------------------------------------------------------------------- |
/// | `R::model_name`    | a string that names the type in the file: "linear", for example                 |
/// | `r.fields(visit)`  | shows the members (see HasFields)                                               |
/// | `R()`              | a default-constructed ranker, whose members a reader then overwrites            |
///
/// | optional              | meaning                                                                      |
/// | --------------------- | ---------------------------------------------------------------------------- |
/// | `r.consistent()`      | const, returns bool; called after reading; false refuses the file            |
/// | `r.feature_count()`   | const; compared with the normalisation statistics in the file                |
///
/// Models: LinearRanker, NeuralRanker, Forest, StackedForest.
template <class R>
concept SavedModel = HasFields<R> && std::default_initializable<R> && requires {
  { R::model_name } -> std::convertible_to<std::string_view>;
};

namespace composition {

/// Compile-time checks of a SavedModel: one sentence for each member that is missing.
template <class R>
consteval bool require_saved_model() {
  static_assert(HasFields<R>,
                "fltr: the Ranker has no 'fields', so no model file can hold it (required: auto fields(auto&& visit) { "
                "return visit(members...); }, where every member can be written)");
  static_assert(
      requires {
        { R::model_name } -> std::convertible_to<std::string_view>;
      },
      "fltr: the Ranker has no 'model_name', so no model file can hold it (required: static constexpr "
      "std::string_view model_name)");
  static_assert(std::default_initializable<R>,
                "fltr: the Ranker has no default constructor, so it cannot be read from a model file");
  return true;
}

}  // namespace composition

}  // namespace fltr
