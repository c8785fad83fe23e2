#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <numeric>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fltr/core/error.hpp>
#include <fltr/formats/atomic_file.hpp>
#include <fltr/formats/lightgbm_model.hpp>
#include <fltr/rankers/tree.hpp>

namespace fltr {

namespace detail {

/// Appends numbers as LightGBM reads them: the shortest decimals that are read as the same bits, separated by blanks.
template <class T>
void append_numbers(std::string& text, std::span<T const> numbers) {
  std::array<char, 32> digits;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (i > 0) text += ' ';
    auto const end = std::to_chars(digits.data(), digits.data() + digits.size(), numbers[i]).ptr;
    text.append(digits.data(), end);
  }
}

/// Appends the block of one tree.
template <class = void>
void append_lightgbm_tree(std::string& text, Tree const& tree, std::size_t number) {
  auto const line = [&text]<class T>(std::string_view key, std::vector<T> const& numbers) {
    append_numbers(text.append(key).append("="), std::span(numbers));
    text += '\n';
  };
  auto const optional_line = [&](std::string_view key, auto const& numbers) {
    if (!numbers.empty()) line(key, numbers);
  };
  text += "Tree=" + std::to_string(number) + "\nnum_leaves=" + std::to_string(tree.leaf_count()) + "\nnum_cat=0\n";
  line("split_feature", tree.feature);
  optional_line("split_gain", tree.gain);
  line("threshold", tree.threshold);
  optional_line("decision_type", std::vector<int>(tree.decision.begin(), tree.decision.end()));
  line("left_child", tree.left);
  line("right_child", tree.right);
  line("leaf_value", tree.leaf);
  optional_line("leaf_weight", tree.statistics.leaf_weight);
  optional_line("leaf_count", tree.statistics.leaf_count);
  optional_line("internal_value", tree.statistics.inner_value);
  optional_line("internal_weight", tree.statistics.inner_weight);
  optional_line("internal_count", tree.statistics.inner_count);
  text += "is_linear=0\n";
  line("shrinkage", std::vector<double>{tree.shrinkage});
  text += "\n\n";
}

}  // namespace detail

/// The model as a LightGBM text of version v4. LightGBM loads it and computes the same scores as the Forest. Throws
/// std::invalid_argument for names that the format cannot hold.
template <class = void>
[[nodiscard]] std::string lightgbm_text(LightGbmModel const& model) {
  auto const& names = model.feature_names;
  std::size_t const features = model.forest.feature_count();
  require(names.size() == features && model.feature_infos.size() == features, "lightgbm_text",
          "a name and an info for each of " + std::to_string(features) + " features", names.size());
  require(std::set<std::string_view>(names.begin(), names.end()).size() == features, "lightgbm_text",
          "features of different names", "one name twice");
  require(model.objective.find_first_of("\r\n") == std::string::npos, "lightgbm_text", "an objective of one line",
          "'" + model.objective + "'");
  auto const words = [](std::vector<std::string> const& of) {
    std::string out;
    for (auto const& word : of) {
      require(!word.empty() && word.find_first_of(" \t\r\n") == std::string::npos, "lightgbm_text",
              "feature names and infos without blanks", "'" + word + "'");
      out += (out.empty() ? "" : " ") + word;
    }
    return out;
  };

  std::string blocks;
  std::vector<std::size_t> sizes;
  for (Tree const& tree : model.forest.trees()) {
    std::size_t const before = blocks.size();
    detail::append_lightgbm_tree(blocks, tree, sizes.size());
    sizes.push_back(blocks.size() - before);
  }
  // The index of the last column: −1 if there are no columns.
  auto const last_feature = static_cast<std::int64_t>(features) - 1;
  std::string text =
      "tree\nversion=v4\nnum_class=1\nnum_tree_per_iteration=1\nlabel_index=" + std::to_string(model.label_index) +
      "\nmax_feature_idx=" + std::to_string(last_feature) + '\n';
  if (model.float_rows) text += "fltr_rows=float\n";  // LightGBM ignores unknown keys
  if (!model.objective.empty()) text += "objective=" + model.objective + '\n';
  text += "feature_names=" + words(names) + "\nfeature_infos=" + words(model.feature_infos) + "\ntree_sizes=";
  detail::append_numbers(text, std::span<std::size_t const>(sizes));
  text += "\n\n" + blocks + "end of trees\n\nfeature_importances:\n";

  auto const splits = model.forest.split_importance();
  std::vector<std::size_t> order(features);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return splits[a] > splits[b]; });
  for (std::size_t const f : order)
    if (splits[f] > 0) text += names[f] + '=' + std::to_string(static_cast<std::uint64_t>(splits[f])) + '\n';
  return text;
}

/// Writes a LightGBM text model. The file appears complete or not at all. Throws std::system_error if it cannot be
/// written.
template <class = void>
void write_lightgbm_model(std::filesystem::path const& path, LightGbmModel const& model) {
  AtomicFile file(path);
  file.out() << lightgbm_text(model);
  file.commit();
}

}  // namespace fltr
