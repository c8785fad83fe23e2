#pragma once

#include <algorithm>
#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstring>
#include <exception>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fltr/core/error.hpp>
#include <fltr/core/parallel_tasks.hpp>
#include <fltr/data/dataset.hpp>
#include <fltr/formats/detail/decimal.hpp>
#include <fltr/formats/detail/letor_line.hpp>
#include <fltr/formats/letor_options.hpp>

namespace fltr::detail {

/// The memory for the documents of all chunks: rows of floats or doubles, `stride` apart, and grades.
template <std::floating_point Value>
struct LetorMatrix {
  std::size_t feature_count;
  std::size_t stride;
  Value* values;
  Grade* grades;
};

/// Some whole lines of a LETOR text, and the content of these lines. Threads read chunks in parallel, in two passes:
/// `survey` counts documents, which gives each chunk its place in the matrix; `read` writes the values there. Both cut
/// lines by their own memchr loop, because LineReader would store a number and an offset for each line.
struct LetorChunk {
  /// Consecutive documents of one query.
  struct Run {
    std::string_view qid;
    std::size_t document;  ///< the first one, counted over all chunks
    std::size_t line;
    std::size_t column;
  };

  std::string_view text;  ///< ends in a line feed

  std::size_t lines = 0;
  std::size_t documents = 0;
  std::size_t widest = 0;   ///< largest number of features of a document; estimated until the chunk is read
  std::size_t clamped = 0;  ///< values that were clamped, see LetorOptions::clamp_to

  std::size_t first_line = 1;
  std::size_t first_document = 0;

  std::vector<Run> runs;
  StringList docids;                ///< of the documents up to the last one with a docid
  std::optional<ParseError> error;  ///< the first error; `runs` end there

  /// Counts lines and documents. Estimates `widest` by the last feature of each line, the largest one if they are
  /// sorted.
  void survey(LetorOptions const& options) {
    std::size_t const limit = options.feature_count != 0 ? options.feature_count : options.feature_limit;
    for_each_line([&](char const* line, char const* end) {
      ++lines;
      if (LetorLineReader::ends(LetorLineReader::skip_blanks(line))) return;
      ++documents;
      if (auto const* comment = std::memchr(line, '#', static_cast<std::size_t>(end - line)))
        end = static_cast<char const*>(comment);
      while (end != line && *end != ':') --end;
      std::size_t id = 0;
      std::size_t scale = 1;
      for (; end != line && is_digit(end[-1]) && id <= limit; --end, scale *= 10)
        id += scale * static_cast<std::size_t>(end[-1] - '0');
      std::size_t const count = id + 1 - options.index_base;
      if (scale > 1 && count <= limit) widest = std::max(widest, count);  // otherwise read() reports it
    });
  }

  /// Writes the documents to their rows of the matrix.
  template <std::floating_point Value>
  void read(std::string_view file, LetorOptions const& options, LetorMatrix<Value> const& matrix) {
    runs.clear();
    docids = {};
    error.reset();
    LetorLineReader reader(file, options, matrix.feature_count);
    std::size_t line_number = first_line;
    std::size_t document = first_document;
    try {
      for_each_line([&](char const* line, char const*) {
        if (!LetorLineReader::ends(LetorLineReader::skip_blanks(line))) {
          Value* const row = matrix.values + document * matrix.stride;
          std::fill_n(row, matrix.stride, Value{0});
          auto const found = reader.read(line, line_number, row, [&](std::string_view qid) {
            if (runs.empty() || runs.back().qid != qid)
              runs.push_back({qid, document, line_number, static_cast<std::size_t>(qid.data() - line) + 1});
          });
          matrix.grades[document] = found.grade;
          keep_docid(found.docid, document - first_document);
          ++document;
        }
        ++line_number;
      });
    } catch (ParseError const& first) {
      error = first;
    }
    widest = reader.widest();
    clamped = reader.clamped();
  }

 private:
  template <class OnLine>
  void for_each_line(OnLine&& on_line) const {
    for (char const *line = text.data(), *const last = line + text.size(); line != last;) {
      auto const* const end = static_cast<char const*>(std::memchr(line, '\n', static_cast<std::size_t>(last - line)));
      on_line(line, end);
      line = end + 1;
    }
  }

  void keep_docid(std::string_view docid, std::size_t place) {
    if (docid.empty()) return;
    while (docids.size() < place) docids.push_back({});
    docids.push_back(docid);
  }
};

/// The content of a LETOR text: the parts of a Dataset, with the features in a member of their own.
template <class Values>
struct LetorContent {
  Values values;       ///< rows of parts.feature_count values, LetorText::stride_for apart
  DatasetParts parts;  ///< without features
  LetorReport report;
};

/// Reads a LETOR text in chunks. `Values` holds the matrix: AlignedFloats as in a Dataset, or a vector of doubles.
template <class Values>
class LetorText {
 public:
  using Value = std::remove_pointer_t<decltype(std::declval<Values&>().data())>;

  /// The distance between two rows. Rows of floats are padded as in a Dataset.
  [[nodiscard]] static constexpr std::size_t stride_for(std::size_t feature_count) noexcept {
    return std::same_as<Value, float> ? Dataset::stride_for(feature_count) : feature_count;
  }

  LetorText(std::string_view text, std::string_view file, LetorOptions const& options)
      : file_(file), options_(options) {
    options.check();
    if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
    // LetorLineReader reads up to decimal_read_ahead bytes behind a line: the last lines are copied and padded.
    std::size_t const ahead = std::min(text.size(), decimal_read_ahead);
    std::size_t const safe = text.substr(0, text.size() - ahead).rfind('\n') + 1;  // npos + 1 = 0
    cut(text.substr(0, safe));
    text.remove_prefix(safe);
    if (text.empty()) return;
    last_lines_.assign(text);
    if (!text.ends_with('\n')) last_lines_.push_back('\n');
    std::size_t const size = last_lines_.size();
    last_lines_.append(decimal_read_ahead, '\n');
    chunks_.emplace_back().text = std::string_view(last_lines_).substr(0, size);
  }
  LetorText(LetorText const&) = delete;  // chunks refer to last_lines_
  LetorText& operator=(LetorText const&) = delete;

  /// Throws ParseError at the first error of the text.
  [[nodiscard]] LetorContent<Values> read() && {
    survey();
    std::size_t const columns = options_.feature_count != 0 ? options_.feature_count : widest();
    read_chunks(columns);
    // The estimate is too small if features are unsorted, and too large if a qid without features contains a colon.
    if (options_.feature_count == 0 && widest() != columns) read_chunks(widest());
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

  /// Cuts a text into chunks of whole lines, each about options_.chunk_bytes long. The text ends in a line feed.
  void cut(std::string_view text) {
    while (!text.empty()) {
      std::size_t const size = text.find('\n', std::min(text.size(), options_.chunk_bytes) - 1) + 1;
      chunks_.emplace_back().text = text.substr(0, size);
      text.remove_prefix(size);
    }
  }

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

  void read_chunks(std::size_t columns) {
    parts_ = {};
    parts_.feature_count = columns;
    parts_.grades.resize(documents_);
    values_ = Values();  // releases the memory before more is allocated
    values_ = allocate(columns);
    LetorMatrix<Value> const matrix{columns, stride_for(columns), values_.data(), parts_.grades.data()};
    std::atomic<std::size_t> bad = chunks_.size();
    parallel_tasks(chunks_.size(), options_.threads, [&](std::size_t i) {
      if (bad.load(std::memory_order_relaxed) < i) return;  // chunks behind the first error are not used
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
        if (!ranges_.empty() && run.qid == current) continue;  // the query continues in the next chunk
        current = run.qid;
        auto const [place, is_new] = query_of.emplace(run.qid, query_of.size());
        if (!is_new && options_.returning_qid == ReturningQid::error)
          throw ParseError(file_, run.line, run.column,
                           "expected consecutive documents of query " + std::string(run.qid) +
                               ", but it came before (see ReturningQid::merge)");
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

  /// Copies the documents to a second matrix in which those of each query are consecutive.
  void gather_returning() {
    std::ranges::stable_sort(ranges_, {}, &Range::query);
    std::size_t const stride = stride_for(parts_.feature_count);
    Values sorted_values = allocate(parts_.feature_count);
    DatasetParts sorted;
    sorted.feature_count = parts_.feature_count;
    sorted.qids = std::move(parts_.qids);
    sorted.grades.reserve(documents_);
    for (auto const& range : ranges_) {
      std::size_t const to = sorted.grades.size();
      if (range.query == sorted.query_offsets.size()) sorted.query_offsets.push_back(to);
      std::copy_n(values_.data() + range.begin * stride, (range.end - range.begin) * stride,
                  sorted_values.data() + to * stride);
      for (std::size_t i = range.begin; i < range.end; ++i) {
        sorted.grades.push_back(parts_.grades[i]);
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

}  // namespace fltr::detail
