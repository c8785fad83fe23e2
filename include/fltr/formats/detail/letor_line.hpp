#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <fltr/core/error.hpp>
#include <fltr/core/native_vector.hpp>
#include <fltr/core/number_text.hpp>
#include <fltr/data/dataset.hpp>
#include <fltr/formats/detail/decimal.hpp>
#include <fltr/formats/letor_options.hpp>

#if FLTR_INTRINSICS
#include <emmintrin.h>
#endif

namespace fltr::detail {

/// The first byte up to ' ' from `at` on, if it is among the next 16 bytes; otherwise at + 16. 16 bytes must be
/// readable.
[[nodiscard, gnu::always_inline]] inline char const* token_end(char const* at) noexcept {
#if FLTR_INTRINSICS
  auto const bytes = _mm_loadu_si128(reinterpret_cast<__m128i const*>(at));
  auto const small = _mm_cmpeq_epi8(_mm_min_epu8(bytes, _mm_set1_epi8(' ')), bytes);
  return at + std::countr_zero(static_cast<unsigned>(_mm_movemask_epi8(small)) | 0x1'0000U);
#else
  char const* const last = at + 16;
  while (at != last && static_cast<unsigned char>(*at) > ' ') ++at;
  return at;
#endif
}

/// Returns p. The compiler does not know that the result equals p.
[[nodiscard, gnu::always_inline]] inline char const* unrelated(char const* p) noexcept {
  __asm__("" : "+r"(p));
  return p;
}

/// Parses lines of LETOR text:
///
///     line     = [blanks document] blanks ["#" comment]
///     document = grade blanks "qid:" token {blanks id ":" value}
///     comment  = blanks "docid" blanks "=" blanks token …   the docid is kept, other comments are ignored
///
/// Blanks are spaces and tabs; a line may end in CR LF. A grade is a number (`2`, `2.0`) that is an integer of 0 to 30.
/// A token consists of any bytes except blanks, control bytes and `#` (a docid may contain `#`). Ids have any order and
/// are distinct. Throws ParseError at the first byte that does not fit; columns count bytes from 1.
class LetorLineReader {
 public:
  struct Document {
    Grade grade = 0;
    std::string_view qid;
    std::string_view docid;
  };

  /// Rows have `columns` features. A feature beyond options.feature_count is an error; if feature_count is 0, a feature
  /// beyond options.feature_limit is. Any other feature beyond the row is not stored, but `widest` records it.
  LetorLineReader(std::string_view file, LetorOptions const& options, std::size_t columns)
      : file_(file),
        options_(options),
        columns_(columns),
        seen_(options.feature_count != 0 ? options.feature_count : options.feature_limit, 0) {}

  /// The largest number of features of a line so far, including features beyond the rows.
  [[nodiscard]] std::size_t widest() const noexcept { return widest_; }
  /// The number of values so far that were clamped to the largest magnitude.
  [[nodiscard]] std::size_t clamped() const noexcept { return clamped_; }

  /// The first byte from `at` on that is not a blank.
  [[nodiscard]] static char const* skip_blanks(char const* at) noexcept {
    while (*at == ' ' || *at == '\t') ++at;
    return at;
  }

  /// Whether a line end or a comment begins at `at`.
  [[nodiscard]] static bool ends(char const* at) noexcept {
    if (*at == '\n' || *at == '#') return true;
    while (*at == '\r') ++at;
    return *at == '\n';
  }

  /// Reads the document on the line at `line` into `row` of floats or doubles, which must be all zeros. The line must
  /// end in a line feed, and decimal_read_ahead bytes after it must be readable. `on_qid(qid)` is called before the
  /// features are read, so that errors come in the order of the text.
  template <std::floating_point Value, class OnQid>
  Document read(char const* line, std::size_t line_number, Value* row, OnQid&& on_qid) {
    line_ = line;
    line_number_ = line_number;
    ++stamp_;
    Document document;
    char const* at = read_grade(skip_blanks(line), document.grade);
    at = read_qid(at, document.qid);
    on_qid(document.qid);
    for (;;) {
      char const* const next = skip_blanks(at);
      if (ends(next)) {
        if (*next == '#') document.docid = find_docid(next + 1);
        return document;
      }
      if (next == at) fail(at, "expected a blank, '#' or the end of the line");
      // The end of a value is known only after its digits were counted. The processor predicts that the end is the next
      // blank, and already reads the next feature from there.
      char const* const guess = token_end(next);
      at = read_feature(next, row);
      if (at == guess) [[likely]]
        at = unrelated(guess);
    }
  }

 private:
  [[noreturn, gnu::cold]] void fail(char const* at, std::string_view expected) const {
    throw ParseError(file_, line_number_, static_cast<std::size_t>(at - line_) + 1, expected);
  }

  static bool in_token(char byte) noexcept { return static_cast<unsigned char>(byte) > ' ' && byte != 0x7F; }

  char const* read_grade(char const* at, Grade& grade) const {
    if (is_digit(at[0]) && at[1] == ' ') [[likely]] {
      grade = static_cast<Grade>(at[0] - '0');
      return at + 1;
    }
    Decimal const number = read_decimal(at);
    if (!number.valid) fail(number.end, "expected a grade, an integer of 0 to 30");
    double const value = number.to_double();
    if (!(value >= 0 && value <= largest_grade && value == std::floor(value)))
      fail(at, "expected a grade, an integer of 0 to 30");
    grade = static_cast<Grade>(value);
    return number.end;
  }

  char const* read_qid(char const* at, std::string_view& qid) const {
    char const* const next = skip_blanks(at);
    if (next == at) fail(at, "expected a blank behind the grade");
    at = next;
    for (char const expected : {'q', 'i', 'd', ':'})
      if (*at++ != expected) fail(at - 1, "expected 'qid:' and the query's name");
    char const* const begin = at;
    while (in_token(*at) && *at != '#') ++at;
    if (at == begin) fail(at, "expected the query's name behind 'qid:'");
    qid = {begin, static_cast<std::size_t>(at - begin)};
    return at;
  }

  template <class Value>
  [[gnu::always_inline]] char const* read_feature(char const* at, Value* row) {
    DigitBlock const digits(at);
    char const* colon = at + digits.size();
    std::size_t column = seen_.size();
    if (digits.size() - 1U < 7U && *colon == ':') [[likely]]
      column = static_cast<std::size_t>(digits.value()) - options_.index_base;
    if (column >= seen_.size()) [[unlikely]] {
      char const* after_id = nullptr;  // an own variable: `colon` stays in a register
      column = read_any_id(at, after_id);
      colon = after_id;
    }
    if (seen_[column] == stamp_) [[unlikely]]
      fail(at, "expected each feature once, this one is repeated");
    seen_[column] = stamp_;
    widest_ = std::max(widest_, column + 1);
    double value = 0.0;
    char const* end = read_short_decimal(colon + 1, value);
    Value result = static_cast<Value>(value);
    if (end == nullptr || !cast_is_right<Value>(value)) [[unlikely]] {
      Value other{};
      end = read_any_value(colon + 1, other);
      result = other;
    }
    if (column < columns_) [[likely]]
      row[column] = result;
    return end;
  }

  /// Whether a cast of the nearest double is the result: no clamping, and no double rounding.
  template <class Value>
  [[nodiscard, gnu::always_inline]] bool cast_is_right(double value) const noexcept {
    if constexpr (std::same_as<Value, double>)
      return true;
    else
      return (int{std::abs(value) <= options_.clamp_to} & int{Decimal::rounds_twice_right(value)}) != 0;  // no branch
  }

  /// The largest magnitude of a value. Doubles are not clamped to clamp_to.
  template <class Value>
  [[nodiscard]] double largest() const noexcept {
    return std::same_as<Value, double> ? std::numeric_limits<double>::max() : options_.clamp_to;
  }

  template <class Value>
  [[gnu::noinline]] char const* read_any_value(char const* at, Value& result) {
    Decimal const number = read_decimal(at);
    if (!number.valid) fail(number.end, "expected a finite decimal number");
    double const value = number.to_double();
    if (std::abs(value) > largest<Value>()) {
      if (options_.huge_values == HugeValues::reject) fail_at_huge<Value>(at);
      result = static_cast<Value>(std::copysign(largest<Value>(), value));
      ++clamped_;
    } else if constexpr (std::same_as<Value, double>) {
      result = value;
    } else {
      result = number.to_float(value);
    }
    return number.end;
  }

  template <class Value>
  [[noreturn, gnu::cold]] void fail_at_huge(char const* at) const {
    std::string const limit = number_text(largest<Value>());
    fail(at, "expected a value from -" + limit + " to " + limit + (std::same_as<Value, double> ? "" : " (clamp_to)"));
  }

  [[gnu::noinline]] std::size_t read_any_id(char const* at, char const*& colon) const {
    std::uint64_t id = 0;
    colon = read_digits(at, id);
    if (colon == at) fail(at, "expected a feature's number");
    if (*colon != ':') fail(colon, "expected ':' behind the feature's number");
    bool const overflows = colon - at > 19;
    if (!overflows && id < options_.index_base)
      fail(at, "expected features numbered from 1 (0 only with index_base = 0)");
    if (overflows || id - options_.index_base >= seen_.size())
      fail(at, "expected a feature's number of at most " + std::to_string(seen_.size() - 1 + options_.index_base) +
                   (options_.feature_count != 0 ? " (feature_count)" : " (feature_limit)"));
    return static_cast<std::size_t>(id) - options_.index_base;
  }

  static std::string_view find_docid(char const* at) noexcept {
    at = skip_blanks(at);
    for (char const expected : {'d', 'o', 'c', 'i', 'd'})
      if (*at++ != expected) return {};
    at = skip_blanks(at);
    if (*at != '=') return {};
    char const* const begin = skip_blanks(at + 1);
    at = begin;
    while (in_token(*at)) ++at;
    return {begin, static_cast<std::size_t>(at - begin)};
  }

  std::string file_;
  LetorOptions options_;
  std::size_t columns_;
  std::vector<std::uint32_t> seen_;  // by column: the number of the last document with this feature
  std::uint32_t stamp_ = 0;
  std::size_t widest_ = 0;
  std::size_t clamped_ = 0;
  char const* line_ = nullptr;
  std::size_t line_number_ = 0;
};

}  // namespace fltr::detail
