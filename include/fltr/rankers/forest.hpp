#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fltr/concepts/ranker.hpp>
#include <fltr/core/error.hpp>
#include <fltr/data/query_view.hpp>
#include <fltr/rankers/tree.hpp>

namespace fltr {

/// score(d) = Σ of the trees' leaves, in the order of the trees. A value that cannot be changed: copies share it.
class Forest {
 public:
  static constexpr std::string_view model_name = "forest";
  static constexpr std::string_view wire_name = "forest";

  Forest() : Forest(std::vector<Tree>(), 0) {}
  /// No tree yet: every score is 0.
  explicit Forest(std::size_t feature_count) : Forest(std::vector<Tree>(), feature_count) {}
  /// Throws std::invalid_argument where a tree has a fault.
  Forest(std::vector<Tree> trees, std::size_t feature_count) {
    for (std::size_t t = 0; t < trees.size(); ++t) {
      auto const fault = trees[t].fault(feature_count);
      require(fault.empty(), "Forest", "sound trees", "tree " + std::to_string(t) + " with " + fault);
    }
    content_ = std::make_shared<Content const>(Content{feature_count, std::move(trees)});
  }

  [[nodiscard]] std::span<Tree const> trees() const noexcept { return content_->trees; }
  [[nodiscard]] std::size_t feature_count() const noexcept { return content_->feature_count; }

  void score(QueryView query, std::span<float> scores) const {
    for (std::size_t i = 0; i < scores.size(); ++i) scores[i] = static_cast<float>(predict(query.row(i)));
  }

  /// The score of one document, of floats or doubles.
  template <class T>
  [[nodiscard]] double predict(std::span<T const> row) const {
    double sum = 0.0;
    for (Tree const& tree : trees()) sum += tree.leaf[tree.leaf_of(row)];
    return sum;
  }

 private:
  struct Content {
    std::uint64_t feature_count = 0;
    std::vector<Tree> trees;

    void fields(auto&& visit) { visit(feature_count, trees); }
    friend bool operator==(Content const&, Content const&) = default;
  };

  std::shared_ptr<Content const> content_;
};
static_assert(Ranker<Forest>);

}  // namespace fltr
