#pragma once

#include <algorithm>
#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fltr/core/error.hpp>
#include <fltr/data/dataset.hpp>
#include <fltr/data/decimal.hpp>
#include <fltr/data/letor_chunk.hpp>
#include <fltr/data/letor_options.hpp>
#include <fltr/data/parallel_tasks.hpp>

namespace fltr {

/// What a LETOR text holds: the parts of a Dataset, but with the features apart.
template <class Values>
struct LetorContent {
  Values values;       ///< rows of parts.feature_count values, LetorAssembly::stride_for apart
  DatasetParts parts;  ///< without features
  LetorReport report;
};

/// The chunks of a LETOR text on their way to a matrix. `Values` holds it: AlignedFloats as in a Dataset, or a vector
/// of doubles.
template <class Values>
class LetorAssembly {
 public:
  using Value = std::remove_pointer_t<decltype(std::declval<Values&>().data())>;

  /// The distance between two rows. Those of floats are padded, as a Dataset wants them.
  [[nodiscard]] static constexpr std::size_t stride_for(std::size_t feature_count) noexcept {
    return std::same_as<Value, float> ? Dataset::stride_for(feature_count) : feature_count;
  }

  LetorAssembly(std::string_view text, std::string_view file, LetorOptions const& options)
      : file_(file), options_(options) {
    options.check();
    if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
    // The line reader stops at line feeds and looks ahead: the last lines are read from a copy that bears that.
    std::size_t const ahead = std::min(text.size(), decimal_read_ahead);
    std::size_t const safe = text.substr(0, text.size() - ahead).rfind('\n') + 1;  // npos + 1 = 0
    chunks_ = cut_letor_text(text.substr(0, safe), options.chunk_bytes);
    text.remove_prefix(safe);
    if (text.empty()) return;
    last_lines_.assign(text);
    if (!text.ends_with('\n')) last_lines_.push_back('\n');
    std::size_t const size = last_lines_.size();
    last_lines_.append(decimal_read_ahead, '\n');
    chunks_.emplace_back().text = std::string_view(last_lines_).substr(0, size);
  }
  template <std::same_as<std::string> Text>
  LetorAssembly(Text&&, std::string_view, LetorOptions const&) = delete;  // it would refer to a temporary text
  LetorAssembly(LetorAssembly const&) = delete;
  LetorAssembly& operator=(LetorAssembly const&) = delete;

  [[nodiscard]] LetorContent<Values> assemble() && {
    survey();
    std::size_t const columns = options_.feature_count != 0 ? options_.feature_count : widest();
    read(columns);
    // The survey was wrong where features are unsorted (too few) or a qid without features holds a colon (too many).
    if (options_.feature_count == 0 && widest() != columns) read(widest());
    join_queries();
    join_docids();
    if (returning_) gather_returning();
    LetorReport report;
    for (auto const& chunk : chunks_) report.clamped += chunk.clamped;
    return {std::move(values_), std::move(parts_), report};
  }

 private:
  struct Range {
    std::size_t begin;
    std::size_t end;
    std::size_t query;
  };

  [[nodiscard]] std::size_t widest() const noexcept {
    std::size_t most = 0;
    for (auto const& chunk : chunks_) most = std::max(most, chunk.widest);
    return most;
  }

  void survey() {
    parallel_tasks(chunks_.size(), options_.threads, [this](std::size_t i) { chunks_[i].survey(options_); });
    for (std::size_t i = 1; i < chunks_.size(); ++i) {
      chunks_[i].first_line = chunks_[i - 1].first_line + chunks_[i - 1].lines;
      chunks_[i].first_document = chunks_[i - 1].first_document + chunks_[i - 1].documents;
    }
    if (!chunks_.empty()) documents_ = chunks_.back().first_document + chunks_.back().documents;
    if (documents_ == 0)
      throw ParseError(file_, chunks_.empty() ? 1 : chunks_.back().first_line + chunks_.back().lines, 1,
                       "expected documents, but the file holds none");
  }

  void read(std::size_t columns) {
    parts_ = {};
    parts_.feature_count = columns;
    parts_.labels.resize(documents_);
    values_ = Values();  // gives memory back before more is asked for
    values_ = allocate(columns);
    LetorMatrix<Value> const matrix{columns, stride_for(columns), values_.data(), parts_.labels.data()};
    std::atomic<std::size_t> bad = chunks_.size();
    parallel_tasks(chunks_.size(), options_.threads, [&](std::size_t i) {
      if (bad.load(std::memory_order_relaxed) < i) return;  // nobody will ask for what is behind an error
      chunks_[i].read(file_, options_, matrix);
      if (!chunks_[i].error) return;
      for (auto first = bad.load(); i < first && !bad.compare_exchange_weak(first, i);) {
      }
    });
  }

  [[nodiscard]] Values allocate(std::size_t columns) const {
    try {
      return Values(documents_ * stride_for(columns));
    } catch (std::exception const&) {  // std::bad_alloc, or a vector's std::length_error
      throw std::runtime_error(std::string(file_) + ": " + std::to_string(documents_) + " documents with " +
                               std::to_string(columns) + " features do not fit into memory");
    }
  }

  void join_queries() {
    std::unordered_map<std::string_view, std::size_t> query_of;
    auto& offsets = parts_.query_offsets;
    std::string_view current;
    for (auto const& chunk : chunks_) {
      for (auto const& run : chunk.runs) {
        if (!ranges_.empty() && run.qid == current) continue;  // the query goes on in the next chunk
        current = run.qid;
        auto const [place, is_new] = query_of.emplace(run.qid, query_of.size());
        if (!is_new && options_.returning_qid == ReturningQid::error)
          throw ParseError(file_, run.line, run.column,
                           "expected the documents of query " + std::string(run.qid) +
                               " together, but it came before (see ReturningQid::merge)");
        returning_ = returning_ || !is_new;
        if (is_new) parts_.qids.push_back(run.qid);
        if (!ranges_.empty()) ranges_.back().end = run.document;
        ranges_.push_back({run.document, documents_, place->second});
      }
      if (chunk.error) throw *chunk.error;
    }
    if (!returning_)
      for (auto const& range : ranges_) offsets.push_back(range.begin);
    offsets.push_back(documents_);
  }

  void join_docids() {
    for (auto const& chunk : chunks_) {
      if (chunk.docids.empty()) continue;
      while (parts_.docids.size() < chunk.first_document) parts_.docids.push_back({});
      for (std::size_t i = 0; i < chunk.docids.size(); ++i) parts_.docids.push_back(chunk.docids[i]);
    }
    if (!parts_.docids.empty())
      while (parts_.docids.size() < documents_) parts_.docids.push_back({});
  }

  // Brings the ranges of each query together, in a second matrix.
  void gather_returning() {
    std::ranges::stable_sort(ranges_, {}, &Range::query);
    std::size_t const stride = stride_for(parts_.feature_count);
    Values sorted_values = allocate(parts_.feature_count);
    DatasetParts sorted;
    sorted.feature_count = parts_.feature_count;
    sorted.qids = std::move(parts_.qids);
    sorted.labels.reserve(documents_);
    for (auto const& range : ranges_) {
      std::size_t const to = sorted.labels.size();
      if (range.query == sorted.query_offsets.size()) sorted.query_offsets.push_back(to);
      std::copy_n(values_.data() + range.begin * stride, (range.end - range.begin) * stride,
                  sorted_values.data() + to * stride);
      for (std::size_t i = range.begin; i < range.end; ++i) {
        sorted.labels.push_back(parts_.labels[i]);
        if (!parts_.docids.empty()) sorted.docids.push_back(parts_.docids[i]);
      }
    }
    sorted.query_offsets.push_back(documents_);
    values_ = std::move(sorted_values);
    parts_ = std::move(sorted);
  }

  std::string file_;
  LetorOptions options_;
  std::string last_lines_;
  std::vector<LetorChunk> chunks_;
  std::size_t documents_ = 0;
  Values values_;
  DatasetParts parts_;
  std::vector<Range> ranges_;
  bool returning_ = false;
};

}  // namespace fltr
