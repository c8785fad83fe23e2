// compare_output <expected file> <program> [argument]...
//
// Runs the program and compares its stdout with the file. Numbers with a fraction are compared with a tolerance. All
// other text, integers included, must be equal. The number of blanks between two words does not matter.
//
// The results of the library have the same bits with every compiler and on every x86-64 processor (tests/same_bits).
// The tolerance is for policies of the examples that use reductions of xtensor or functions of the standard library,
// whose last bits may differ. One different bit changes a click, and with it the rest of a run.
//
// The tolerance t means |expected - got| <= t max(1, |expected|). It is 0.001. The first line of the file may set
// another one, followed by the reason: "# tolerance 0.02 (reason)". That line is not compared.

#include <sys/wait.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace {

struct Token {
  std::string_view text;
  std::optional<double> fraction;  // integers are compared as text
};

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// The number with a fraction or an exponent that starts here, if there is one.
std::optional<Token> fraction_at(std::string_view rest) {
  std::size_t const sign = rest.front() == '-' || rest.front() == '+' ? 1 : 0;
  auto const unsigned_part = rest.substr(sign);
  if (unsigned_part.empty() || !(is_digit(unsigned_part.front()) || unsigned_part.front() == '.')) return {};
  double value = 0;
  auto const [end, error] = std::from_chars(unsigned_part.data(), unsigned_part.data() + unsigned_part.size(), value);
  if (error != std::errc{}) return {};
  auto const text = rest.substr(0, sign + static_cast<std::size_t>(end - unsigned_part.data()));
  if (text.find_first_of(".eE") == std::string_view::npos) return {};
  return Token{text, rest.front() == '-' ? -value : value};
}

std::vector<Token> tokens_of(std::string_view line) {
  std::vector<Token> tokens;
  for (std::size_t i = 0; i < line.size();) {
    if (std::isspace(static_cast<unsigned char>(line[i])) != 0) {
      ++i;
    } else if (auto const number = fraction_at(line.substr(i))) {
      tokens.push_back(*number);
      i += number->text.size();
    } else {
      std::size_t end = i + 1;
      if (is_word(line[i]))
        while (end < line.size() && is_word(line[end])) ++end;
      tokens.push_back({line.substr(i, end - i), {}});
      i = end;
    }
  }
  return tokens;
}

bool same(Token const& expected, Token const& got, double tolerance) {
  if (expected.fraction && got.fraction)
    return std::abs(*expected.fraction - *got.fraction) <= tolerance * std::max(1.0, std::abs(*expected.fraction));
  return expected.text == got.text;
}

bool same_line(std::string_view expected, std::string_view got, double tolerance) {
  auto const a = tokens_of(expected);
  auto const b = tokens_of(got);
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [tolerance](Token const& x, Token const& y) { return same(x, y, tolerance); });
}

std::vector<std::string> lines_of(std::istream& in) {
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

/// The argument as one quoted word for the shell.
std::string quoted(std::string_view argument) {
  std::string out = "'";
  for (char const c : argument) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

int fail(std::string const& why) {
  std::cerr << why << '\n';
  return EXIT_FAILURE;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return fail("usage: compare_output <expected file> <program> [argument]...");
  std::ifstream file(argv[1]);
  if (!file) return fail(std::string("cannot read ") + argv[1] + ", the expected output");
  auto expected = lines_of(file);

  double tolerance = 0.001;
  constexpr std::string_view header = "# tolerance ";
  if (!expected.empty() && expected.front().starts_with(header)) {
    tolerance = std::stod(expected.front().substr(header.size()));
    expected.erase(expected.begin());
  }

  std::string command;
  for (int i = 2; i < argc; ++i) command += quoted(argv[i]) + ' ';
  std::FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return fail("cannot run " + command);
  std::string output;
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) output += static_cast<char>(c);
  int const status = pclose(pipe);
  std::istringstream stream(output);
  auto const got = lines_of(stream);

  int differences = 0;
  for (std::size_t i = 0; i < std::max(expected.size(), got.size()); ++i) {
    std::string_view const want = i < expected.size() ? std::string_view(expected[i]) : "(end of output)";
    std::string_view const have = i < got.size() ? std::string_view(got[i]) : "(end of output)";
    if (same_line(want, have, tolerance)) continue;
    ++differences;
    std::cout << "line " << i + 1 << "\n  expected: " << want << "\n  got:      " << have << '\n';
  }
  if (status != 0) {
    std::cout << "the program ended with "
              << (WIFEXITED(status) ? "status " + std::to_string(WEXITSTATUS(status))
                                    : "signal " + std::to_string(WTERMSIG(status)))
              << '\n';
  }
  if (differences == 0 && status == 0) return EXIT_SUCCESS;
  std::cout << "\nthe whole output:\n" << output;
  return EXIT_FAILURE;
}
