#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include <fltr/partition/detail/decimal_text.hpp>
#include <fltr/partition/skew_report.hpp>

namespace fltr {

namespace detail {

/// The picture of `svg`.
template <class = void>
class SkewPicture {
 public:
  explicit SkewPicture(SkewReport const& report) : report_(report), bars_(drawn_clients(report)) {}

  [[nodiscard]] std::string draw() {
    out_ =
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"800\" height=\"480\" viewBox=\"0 0 800 480\" "
        "font-family=\"sans-serif\" font-size=\"13\" fill=\"#222\">\n"
        "<rect width=\"800\" height=\"480\" fill=\"white\"/>\n";
    std::string const clients = std::to_string(report_.clients.size());
    text(left, 24, "start",
         "Grades and interactions of " + clients + " clients" +
             (report_.without_documents > 0 ? " (" + std::to_string(report_.without_documents) + " without documents)"
                                            : std::string()),
         16);
    text(left, 44, "start",
         (bars_.size() < report_.clients.size()
              ? std::to_string(bars_.size()) + " of " + clients + " clients, evenly spaced in the order of mean grade"
              : std::string("One bar per client")) +
             "; mean divergence from the whole " + three_decimals(report_.mean_divergence));
    axis(share_top, share_height, 1.0, "share of documents");
    double const most = most_interactions();
    axis(interactions_top, interactions_height, most, "interactions");
    // The last bar, apart from the others, is the whole.
    double const step = (right - left) / (static_cast<double>(bars_.size()) + 2.5);
    double const width = std::min(step * 0.85, 60.0);
    for (std::size_t b = 0; b < bars_.size(); ++b) bar(b, left + step * (static_cast<double>(b) + 0.75), width, most);
    double const x = left + step * (static_cast<double>(bars_.size()) + 1.75);
    stack(report_.whole, report_.documents, x, width, "all clients");
    text(x, below, "middle", "all");
    text(left - 8, below, "end", "client");
    text(left, 470, "start", "Divergence compares grades only: intents, click behaviour and quantity do not count.");
    legend();
    return out_ + "</svg>\n";
  }

 private:
  static constexpr double left = 60;
  static constexpr double right = 690;
  static constexpr double share_top = 64;
  static constexpr double share_height = 260;
  static constexpr double below = 342;  // the names of the bars
  static constexpr double interactions_top = 368;
  static constexpr double interactions_height = 80;
  static constexpr std::size_t most_bars = 60;

  /// All clients, or 60 of them: evenly spaced in the order of their mean grade.
  [[nodiscard]] static std::vector<std::size_t> drawn_clients(SkewReport const& report) {
    std::vector<std::size_t> order(report.clients.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (order.size() <= most_bars) return order;
    std::vector<double> mean(order.size(), -1.0);  // a client without documents comes first
    for (std::size_t i = 0; i < order.size(); ++i) {
      if (report.clients[i].documents == 0) continue;
      double sum = 0.0;
      for (std::size_t grade = 0; grade < report.grade_count(); ++grade)
        sum += static_cast<double>(grade * report.grades_of(i)[grade]);
      mean[i] = sum / static_cast<double>(report.clients[i].documents);
    }
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return mean[i]; });
    std::vector<std::size_t> out;
    for (std::size_t b = 0; b < most_bars; ++b) out.push_back(order[b * (order.size() - 1) / (most_bars - 1)]);
    return out;
  }

  [[nodiscard]] double most_interactions() const {
    double most = 1.0;
    for (ClientSkew const& client : report_.clients) most = std::max(most, static_cast<double>(client.interactions));
    return most;
  }

  /// Light grey for grade 0; from light to dark blue for the others.
  [[nodiscard]] std::string color(std::size_t grade) const {
    if (grade == 0) return "#d9d9d9";
    double const t = report_.grade_count() <= 2
                         ? 1.0
                         : static_cast<double>(grade - 1) / static_cast<double>(report_.grade_count() - 2);
    char text[8];
    std::snprintf(text, sizeof text, "#%02x%02x%02x", static_cast<unsigned>(std::lround(180 - 172 * t)) & 0xFFU,
                  static_cast<unsigned>(std::lround(212 - 164 * t)) & 0xFFU,
                  static_cast<unsigned>(std::lround(233 - 126 * t)) & 0xFFU);
    return text;
  }

  void bar(std::size_t b, double x, double width, double most) {
    ClientSkew const& client = report_.clients[bars_[b]];
    std::string const id = std::to_string(client.id);
    stack(report_.grades_of(bars_[b]), client.documents, x, width,
          "client " + id + ": " + std::to_string(client.queries) + " queries, " + std::to_string(client.documents) +
              " documents, " + std::to_string(client.interactions) + " interactions per round");
    double const height = interactions_height * static_cast<double>(client.interactions) / most;
    box(x - width / 2, interactions_top + interactions_height - height, width, height, "#7f7f7f");
    std::size_t const every = (bars_.size() + 19) / 20;
    if (b % every == 0) text(x, below, "middle", id, bars_.size() > 12 ? 10 : 13);
  }

  void stack(std::span<std::uint64_t const> counts, std::uint64_t documents, double x, double width,
             std::string const& title) {
    out_ += "<g><title>" + title + "</title>\n";
    double bottom = share_top + share_height;
    for (std::size_t grade = 0; grade < counts.size(); ++grade) {
      if (counts[grade] == 0) continue;
      double const height = share_height * static_cast<double>(counts[grade]) / static_cast<double>(documents);
      box(x - width / 2, bottom -= height, width, height, color(grade));
    }
    out_ += "</g>\n";
  }

  void axis(double top, double height, double most, std::string const& name) {
    for (int tick = 0; tick <= 2; ++tick) {
      double const y = top + height * (1.0 - tick / 2.0);
      line(left, y, right, y, tick == 0 ? "#222" : "#ddd");
      text(left - 8, y + 4, "end", number(most * tick / 2.0));
    }
    out_ += "<text transform=\"translate(16 " + number(top + height / 2) + ") rotate(-90)\" text-anchor=\"middle\">" +
            name + "</text>\n";
  }

  void legend() {
    double y = share_top + 12;
    text(right + 16, y, "start", "grade");
    std::size_t const every = (report_.grade_count() + 11) / 12;  // at most 12 entries
    for (std::size_t grade = 0; grade < report_.grade_count(); grade += every) {
      y += 20;
      box(right + 16, y - 11, 14, 14, color(grade));
      text(right + 36, y, "start", std::to_string(grade));
    }
  }

  [[nodiscard]] static std::string number(double value) { return decimal_text(value, std::chars_format::general, 5); }
  void box(double x, double y, double width, double height, std::string const& fill) {
    out_ += "<rect x=\"" + number(x) + "\" y=\"" + number(y) + "\" width=\"" + number(width) + "\" height=\"" +
            number(height) + "\" fill=\"" + fill + "\"/>\n";
  }
  void line(double x1, double y1, double x2, double y2, std::string const& stroke) {
    out_ += "<line x1=\"" + number(x1) + "\" y1=\"" + number(y1) + "\" x2=\"" + number(x2) + "\" y2=\"" + number(y2) +
            "\" stroke=\"" + stroke + "\"/>\n";
  }
  void text(double x, double y, std::string const& anchor, std::string const& content, int size = 13) {
    out_ += "<text x=\"" + number(x) + "\" y=\"" + number(y) + "\" text-anchor=\"" + anchor + "\" font-size=\"" +
            std::to_string(size) + "\">" + content + "</text>\n";
  }

  SkewReport const& report_;
  std::vector<std::size_t> bars_;  // clients
  std::string out_;
};

}  // namespace detail

/// The report as an SVG picture of 800 × 480 pixels, without scripts or other files: a bar of grade shares for each
/// client and one for the whole, and below it a bar of interactions per round. Of more than 60 clients, 60 are drawn,
/// evenly spaced in the order of their mean grade; the picture says so. Its divergence compares grades only: intents,
/// click behaviour and quantity do not count.
template <class = void>
[[nodiscard]] std::string svg(SkewReport const& report) {
  return detail::SkewPicture(report).draw();
}

}  // namespace fltr
