#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include <fltr/formats/detail/lightgbm_lines.hpp>
#include <fltr/formats/lightgbm_model.hpp>
#include <fltr/rankers/forest.hpp>
#include <fltr/rankers/tree.hpp>

namespace fltr::detail {

/// Parses a LightGBM text model, see parse_lightgbm_model.
template <class = void>
class LightGbmParser {
 public:
  /// `file` names the text in errors.
  LightGbmParser(std::string_view text, std::string file) : lines_(text, std::move(file)) {}

  [[nodiscard]] LightGbmModel parse() {
    read_header();
    while (lines_.line().starts_with("Tree=")) read_tree();
    if (lines_.line() != "end of trees")
      lines_.fail(lines_.number(), 1, "expected 'Tree=" + std::to_string(trees_.size()) + "' or 'end of trees'");
    check_sizes();
    if (average_)
      for (Tree& tree : trees_) tree.scale(1.0 / static_cast<double>(trees_.size()));
    model_.forest = Forest(std::move(trees_), features_);
    return std::move(model_);
  }

 private:
  using Value = LightGbmLines::Value;
  using Block = LightGbmLines::Block;

  void read_header() {
    lines_.skip_empty();
    std::size_t const begin = std::max<std::size_t>(lines_.number(), 1);
    if (lines_.line() != "tree") lines_.fail(begin, 1, "expected 'tree', the first line of a LightGBM model");
    Block header;
    while (lines_.next_line() && !lines_.line().starts_with("Tree=") && lines_.line() != "end of trees")
      if (!lines_.line().empty()) lines_.add_to(header, header_keys);
    auto const value = [&](std::string_view key) { return lines_.value(header, key, begin); };
    auto const format = value("version");
    if (format.text != "v3" && format.text != "v4") lines_.fail(format, "expected version v3 or v4");
    if (value("num_class").text != "1") lines_.fail(value("num_class"), "expected 1: a ranker has one score");
    if (header.contains("num_tree_per_iteration") && header["num_tree_per_iteration"].text != "1")
      lines_.fail(header["num_tree_per_iteration"], "expected 1: a ranker has one score");
    features_ = static_cast<std::size_t>(std::int64_t{lines_.number<std::int32_t>(value("max_feature_idx"), -1)} + 1);
    if (features_ > Forest::most_features) lines_.fail(value("max_feature_idx"), "expected fewer features");
    if (header.contains("label_index")) model_.label_index = lines_.number<std::int32_t>(header["label_index"], 0);
    if (header.contains("fltr_rows")) {
      model_.float_rows = header["fltr_rows"].text == "float";
      if (!model_.float_rows) lines_.fail(header["fltr_rows"], "expected 'float'");
    }
    model_.feature_names = lines_.words(value("feature_names"), features_);
    model_.feature_infos = lines_.words(value("feature_infos"), features_);
    std::unordered_set<std::string_view> const distinct(model_.feature_names.begin(), model_.feature_names.end());
    if (distinct.size() != features_) lines_.fail(value("feature_names"), "expected each feature's name once");
    model_.objective = header.contains("objective") ? std::string(header["objective"].text) : std::string();
    average_ = header.contains("average_output");
    if (header.contains("tree_sizes")) sizes_ = header["tree_sizes"];
  }

  void read_tree() {
    std::size_t const begin = lines_.number();
    starts_.push_back(lines_.offset());
    if (lines_.line().substr(5) != std::to_string(trees_.size()))
      lines_.fail(begin, 6, "expected " + std::to_string(trees_.size()) + ", the number of this tree");
    Block block;
    while (lines_.next_line() && !lines_.line().empty()) lines_.add_to(block, tree_keys);
    lines_.skip_empty();
    auto const is_zero = [&](std::string_view key) {
      return lines_.number<std::int32_t>(lines_.value(block, key, begin), 0) == 0;
    };
    if (!is_zero("num_cat")) lines_.fail(block["num_cat"], "expected 0: categorical splits are not supported");
    if (block.contains("is_linear") && !is_zero("is_linear"))
      lines_.fail(block["is_linear"], "expected 0: linear trees are not supported");
    auto const leaves =
        static_cast<std::size_t>(lines_.number<std::int32_t>(lines_.value(block, "num_leaves", begin), 1));
    trees_.push_back(read_arrays(block, leaves, begin));
    if (auto const fault = trees_.back().fault(features_); !fault.empty())
      lines_.fail(begin, 1, "expected a valid tree: " + fault);
  }

  Tree read_arrays(Block& block, std::size_t leaves, std::size_t begin) const {
    auto const required = [&]<class T>(std::string_view key, std::size_t size, std::vector<T>& out) {
      if (size > 0 || block.contains(key))
        out = lines_.numbers<T>(lines_.value(block, key, begin), std::numeric_limits<T>::lowest(), size);
    };
    auto const optional = [&](std::string_view key, std::size_t size, auto& out) {
      // LightGBM writes a tree of one leaf without statistics.
      if (block.contains(key) && !(leaves == 1 && block[key].text.empty())) required(key, size, out);
    };
    Tree tree;
    required("leaf_value", leaves, tree.leaf);
    required("split_feature", leaves - 1, tree.feature);
    required("threshold", leaves - 1, tree.threshold);
    required("left_child", leaves - 1, tree.left);
    required("right_child", leaves - 1, tree.right);
    optional("split_gain", leaves - 1, tree.gain);
    optional("decision_type", leaves - 1, tree.decision);
    optional("leaf_weight", leaves, tree.statistics.leaf_weight);
    optional("leaf_count", leaves, tree.statistics.leaf_count);
    optional("internal_value", leaves - 1, tree.statistics.inner_value);
    optional("internal_weight", leaves - 1, tree.statistics.inner_weight);
    optional("internal_count", leaves - 1, tree.statistics.inner_count);
    if (block.contains("shrinkage"))
      tree.shrinkage = lines_.number<double>(block["shrinkage"], std::numeric_limits<double>::lowest());
    if (std::ranges::any_of(tree.decision, [](unsigned bits) { return (bits & 1U) != 0U; }))
      lines_.fail(block["decision_type"], "expected numerical decisions: categorical splits are not supported");
    return tree;
  }

  /// LightGBM finds the trees by their sizes in bytes: with wrong sizes it would read another model.
  void check_sizes() {
    if (!sizes_) return;
    auto const sizes = lines_.numbers<std::uint64_t>(*sizes_, 0, trees_.size());
    starts_.push_back(lines_.offset());
    for (std::size_t t = 0; t < sizes.size(); ++t)
      if (sizes[t] != starts_[t + 1] - starts_[t])
        lines_.fail(*sizes_, "expected " + std::to_string(starts_[t + 1] - starts_[t]) + " bytes for tree " +
                                 std::to_string(t) + ", got " + std::to_string(sizes[t]));
  }

  static constexpr std::string_view header_keys =
      " version num_class num_tree_per_iteration label_index max_feature_idx objective average_output feature_names "
      "monotone_constraints feature_infos tree_sizes fltr_rows ";
  static constexpr std::string_view tree_keys =
      " num_leaves num_cat split_feature split_gain threshold decision_type left_child right_child leaf_value "
      "leaf_weight "
      "leaf_count internal_value internal_weight internal_count is_linear shrinkage cat_boundaries cat_threshold "
      "leaf_const num_features leaf_features leaf_coeff ";

  LightGbmLines lines_;
  LightGbmModel model_;
  std::vector<Tree> trees_;
  std::size_t features_ = 0;
  bool average_ = false;
  std::optional<Value> sizes_;
  std::vector<std::size_t> starts_;  // of the trees, in the text
};

}  // namespace fltr::detail
