#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <fltr/core/error.hpp>
#include <fltr/core/random.hpp>
#include <fltr/data/dataset.hpp>
#include <fltr/data/grade.hpp>
#include <fltr/data/intents.hpp>
#include <fltr/partition/detail/k_means.hpp>

namespace fltr {

/// The parameters of IntentClusters.
struct IntentClusterOptions {
  std::size_t intents = 4;
  Grade relevant_from = 1;              ///< documents of this grade and above are relevant
  std::size_t most_documents = 20'000;  ///< clusters are computed from this many random relevant documents; >= intents
  std::size_t most_steps = 50;          ///< of k-means
  std::uint64_t seed = 1;
};

/// Synthetic intents for a data set that has none: clusters of relevant documents with similar features. A relevant
/// document is relevant for the intent of its cluster and for no other intent. Clusters are computed once, from the
/// training part, and then label all parts: intent k means the same in all queries, and in training and test.
///
/// Features are compared within a query: the mean of the query's documents is subtracted, and each feature is divided by
/// the standard deviation of these differences. So neither features that are constant within a query nor the scales of
/// the features decide which documents are similar. Clusters by k-means (Lloyd 1982; start of Arthur and Vassilvitskii
/// 2007).
class IntentClusters {
 public:
  /// Requires at least as many relevant documents as intents.
  template <class = void>
  explicit IntentClusters(Dataset const& data, IntentClusterOptions options = {}) : options_(options) {
    require(options.intents > 0, "IntentClusters", "at least one intent", options.intents);
    require(options.relevant_from > 0, "IntentClusters", "relevant_from >= 1", int{options.relevant_from});
    require(options.most_documents >= options.intents, "IntentClusters",
            "most_documents >= " + std::to_string(options.intents) + ", the number of intents", options.most_documents);
    features_ = data.feature_count();
    Stream stream = Streams{options.seed, 0, 0}.of(Purpose::partition);
    auto const drawn = drawn_documents(data, stream);
    require(drawn.count >= options.intents, "IntentClusters",
            "at least " + std::to_string(options.intents) + " relevant documents, one per intent", drawn.count);
    scale_.assign(features_, 1.0F);
    std::vector<float> rows;
    rows.reserve(drawn.count * features_);
    each_relevant(data, [&](std::size_t document, std::span<float const> row) {
      if (drawn.chosen[document] != 0) rows.insert(rows.end(), row.begin(), row.end());
    });
    set_scale(rows);
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i] *= scale_[i % features_];
    centers_ = detail::k_means(rows, features_, options.intents, options.most_steps, stream);
  }

  /// The number of intents.
  [[nodiscard]] std::size_t size() const noexcept { return options_.intents; }

  /// The intents of the documents of a Dataset, as grades 0 and 1. Requires the same number of features.
  template <class = void>
  [[nodiscard]] Intents label(Dataset const& data) const {
    require(data.feature_count() == features_, "IntentClusters::label", std::to_string(features_) + " features",
            data.feature_count());
    Intents out;
    out.grades.assign(size(), std::vector<Grade>(data.document_count()));
    each_relevant(data, [&](std::size_t document, std::span<float const> row) {
      out.grades[detail::nearest_center(row, centers_).center][document] = 1;
    });
    return out;
  }

 private:
  struct Drawn {
    std::vector<std::uint8_t> chosen;  // by document
    std::size_t count = 0;
  };

  /// Relevant documents, at most `most_documents`. Every choice is equally likely (Knuth, algorithm S).
  [[nodiscard]] Drawn drawn_documents(Dataset const& data, Stream& stream) const {
    auto const& grades = data.parts().grades;
    std::size_t left = 0;
    for (Grade const grade : grades) left += grade >= options_.relevant_from ? 1U : 0U;
    Drawn out{std::vector<std::uint8_t>(grades.size()), 0};
    std::size_t wanted = std::min(left, options_.most_documents);
    for (std::size_t d = 0; d < grades.size(); ++d) {
      if (grades[d] < options_.relevant_from) continue;
      if (stream.uniform() * static_cast<double>(left--) >= static_cast<double>(wanted)) continue;
      out.chosen[d] = 1;
      ++out.count;
      --wanted;
    }
    return out;
  }

  /// Calls visit(document, row) for each relevant document, with the scaled differences from the mean of its query.
  template <class Visit>
  void each_relevant(Dataset const& data, Visit const& visit) const {
    std::vector<double> mean(features_);
    std::vector<float> row(features_);
    for (std::size_t q = 0; q < data.size(); ++q) {
      auto const query = data[q];
      if (query.document_count() == 0 || query.ideal()[0] < options_.relevant_from) continue;
      mean.assign(features_, 0.0);
      for (std::size_t d = 0; d < query.document_count(); ++d)
        for (std::size_t k = 0; k < features_; ++k) mean[k] += static_cast<double>(query.row(d)[k]);
      for (double& m : mean) m /= static_cast<double>(query.document_count());
      for (std::size_t d = 0; d < query.document_count(); ++d) {
        if (query.grades()[d] < options_.relevant_from) continue;
        for (std::size_t k = 0; k < features_; ++k)
          row[k] = static_cast<float>(static_cast<double>(query.row(d)[k]) - mean[k]) * scale_[k];
        visit(data.first_document(q) + d, std::span<float const>(row));
      }
    }
  }

  /// 1 / standard deviation of each feature; 0 for a feature that does not vary.
  void set_scale(std::span<float const> rows) {
    std::vector<double> sum(features_);
    std::vector<double> squares(features_);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      double const x = static_cast<double>(rows[i]);
      sum[i % features_] += x;
      squares[i % features_] += x * x;
    }
    double const n = static_cast<double>(rows.size() / features_);
    for (std::size_t k = 0; k < features_; ++k) {
      double const variance = squares[k] / n - sum[k] / n * (sum[k] / n);
      scale_[k] =
          variance > 1e-12 * (squares[k] / n) && variance > 0.0 ? static_cast<float>(1.0 / std::sqrt(variance)) : 0.0F;
    }
  }

  IntentClusterOptions options_;
  std::size_t features_ = 0;
  std::vector<float> scale_;
  std::vector<float> centers_;  // intents × features
};

}  // namespace fltr
