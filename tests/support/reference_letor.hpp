#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace fltr::testing {

/// A document of a LETOR text as ReferenceLetor reads it.
struct ReferenceDocument {
  int grade = 0;
  std::string qid;
  std::string docid;
  std::map<std::size_t, float> features;  ///< by number
};

/// A second, simple reader of LETOR text, which splits strings and parses numbers with the C library. Tests compare the
/// results of the real reader with it.
class ReferenceLetor {
 public:
  /// Returns std::nullopt if the text is malformed or has no documents.
  [[nodiscard]] static std::optional<std::vector<ReferenceDocument>> read(std::string text) {
    std::vector<ReferenceDocument> documents;
    std::set<std::string> finished;
    if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);
    for (std::string line : split(text, "\n")) {
      std::string comment;
      if (auto const hash = line.find('#'); hash != std::string::npos) {
        comment = line.substr(hash + 1);
        line.resize(hash);
      } else {
        while (line.ends_with('\r')) line.pop_back();
      }
      auto const words = split(line, " \t");
      if (words.empty()) continue;
      auto document = read_document(words);
      if (!document) return std::nullopt;
      document->docid = find_docid(comment);
      if (!documents.empty() && documents.back().qid != document->qid) finished.insert(documents.back().qid);
      if (finished.contains(document->qid)) return std::nullopt;
      documents.push_back(std::move(*document));
    }
    if (documents.empty()) return std::nullopt;
    return documents;
  }

 private:
  // The non-empty parts between the separators.
  [[nodiscard]] static std::vector<std::string> split(std::string const& text, char const* separators) {
    std::vector<std::string> words(1);
    for (char const byte : text) {
      if (std::string(separators).find(byte) == std::string::npos)
        words.back() += byte;
      else if (!words.back().empty())
        words.emplace_back();
    }
    if (words.back().empty()) words.pop_back();
    return words;
  }

  [[nodiscard]] static bool is_name(std::string const& text) {
    return !text.empty() &&
           std::ranges::none_of(text, [](char byte) { return (byte >= 0 && byte <= ' ') || byte == 0x7F; });
  }

  [[nodiscard]] static bool all_digits(std::string const& text) {
    return text.find_first_not_of("0123456789") == std::string::npos;
  }

  [[nodiscard]] static bool is_number(std::string text) {
    auto const drop_sign = [](std::string& from) {
      if (from.starts_with('-') || from.starts_with('+')) from.erase(0, 1);
    };
    drop_sign(text);
    if (auto const e = text.find_first_of("eE"); e != std::string::npos) {
      std::string power = text.substr(e + 1);
      drop_sign(power);
      if (power.empty() || !all_digits(power)) return false;
      text.resize(e);
    }
    if (auto const point = text.find('.'); point != std::string::npos) text.erase(point, 1);
    return !text.empty() && all_digits(text);
  }

  [[nodiscard]] static std::optional<ReferenceDocument> read_document(std::vector<std::string> const& words) {
    ReferenceDocument document;
    if (words.size() < 2 || !is_number(words[0]) || !words[1].starts_with("qid:")) return std::nullopt;
    double const grade = std::strtod(words[0].c_str(), nullptr);
    if (!(grade >= 0 && grade <= 30) || grade != std::floor(grade)) return std::nullopt;
    document.grade = static_cast<int>(grade);
    document.qid = words[1].substr(4);
    if (!is_name(document.qid)) return std::nullopt;
    for (std::size_t i = 2; i < words.size(); ++i) {
      auto const colon = words[i].find(':');
      if (colon == std::string::npos || colon == 0) return std::nullopt;
      std::string const id = words[i].substr(0, colon);
      std::string const text = words[i].substr(colon + 1);
      if (!all_digits(id) || !is_number(text)) return std::nullopt;
      double const number = std::strtod(id.c_str(), nullptr);
      if (!(number >= 1 && number <= 16'384)) return std::nullopt;
      double const exact = std::strtod(text.c_str(), nullptr);
      float const value = std::abs(exact) > 1e6 ? (exact > 0 ? 1e6F : -1e6F) : std::strtof(text.c_str(), nullptr);
      if (!document.features.emplace(static_cast<std::size_t>(number), value).second) return std::nullopt;
    }
    return document;
  }

  [[nodiscard]] static std::string find_docid(std::string text) {
    auto const skip = [&text](std::string const& word) {
      text.erase(0, text.find_first_not_of(" \t"));
      bool const found = text.starts_with(word);
      if (found) text.erase(0, word.size());
      return found;
    };
    if (!skip("docid") || !skip("=") || !skip("")) return "";
    auto const end = std::ranges::find_if(text, [](char byte) { return (byte >= 0 && byte <= ' ') || byte == 0x7F; });
    return {text.begin(), end};
  }
};

}  // namespace fltr::testing
