#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <fltr/core/compiler.hpp>

namespace fltr {

/// A list of short strings in one buffer, such as the identifiers of queries or documents.
class StringList {
 public:
  [[nodiscard]] std::size_t size() const noexcept { return ends_.size(); }
  [[nodiscard]] bool empty() const noexcept { return ends_.empty(); }
  [[nodiscard]] std::string_view operator[](std::size_t i) const& noexcept {
    std::size_t const begin = i == 0 ? 0 : ends_[i - 1];
    return std::string_view(text_).substr(begin, ends_[i] - begin);
  }
  void operator[](std::size_t) const&& = delete;
  void push_back(std::string_view item) {
    text_ += item;
    ends_.push_back(text_.size());
  }
  auto fields(auto&& visit) { return visit(text_, ends_); }

 private:
  std::string text_;
  std::vector<std::uint64_t> ends_;
};

}  // namespace fltr
