#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <thread>

#include <fmt/core.h>

#include "output_paths.hpp"
#include "program.hpp"
#include "text.hpp"

namespace fltr::examples {

namespace {

std::string list_json(std::vector<std::string> const& items) { return '[' + join(items, ",") + ']'; }

std::string numbers_json(std::span<double const> values) {
  std::vector<std::string> items;
  for (double const value : values) items.push_back(shortest(value));
  return list_json(items);
}

}  // namespace

Option& Program::flag(std::string name, bool& value, std::string help) {
  return add({.name = std::move(name),
              .help = std::move(help),
              .wants = "true or false",
              .kind = Option::Kind::flag,
              .assign =
                  [&value](std::string const& text) {
                    if (text != "true" && text != "false") return false;
                    value = text == "true";
                    return true;
                  },
              .json = [&value] { return std::string(value ? "true" : "false"); }});
}

Option& Program::number(std::string name, double& value, std::string help, Range range) {
  return number(
      std::move(name), std::move(help), range, [&value](double v) { value = v; }, [&value] { return shortest(value); });
}

Option& Program::number(std::string name, std::optional<double>& value, std::string help, Range range) {
  Option& option = number(
      std::move(name), std::move(help), range, [&value](double v) { value = v; },
      [&value] { return value ? shortest(*value) : std::string("null"); });
  option.clear = [&value] { value.reset(); };
  return option;
}

Option& Program::number(std::string name, std::string help, Range range, std::function<void(double)> set,
                        std::function<std::string()> json) {
  return add({.name = std::move(name),
              .placeholder = "X",
              .help = std::move(help),
              .wants = range.text(),
              .assign =
                  [range, set = std::move(set)](std::string const& text) {
                    auto const parsed = parse_number(text);
                    if (!parsed || !range.contains(*parsed)) return false;
                    set(*parsed);
                    return true;
                  },
              .json = std::move(json)});
}

Option& Program::whole(std::string name, std::string help, std::uint64_t least, std::uint64_t most,
                       std::function<void(std::uint64_t)> set, std::function<std::uint64_t()> get) {
  return add({.name = std::move(name),
              .placeholder = "N",
              .help = std::move(help),
              .wants = fmt::format("a whole number from {} to {}", least, most),
              .assign =
                  [least, most, set = std::move(set)](std::string const& text) {
                    auto const parsed = parse_whole(text);
                    if (!parsed || *parsed < least || *parsed > most) return false;
                    set(*parsed);
                    return true;
                  },
              .json = [get = std::move(get)] { return std::to_string(get()); }});
}

Option& Program::choice(std::string name, std::vector<std::string> names, std::string help,
                        std::function<void(std::size_t)> set, std::function<std::size_t()> get) {
  std::string const wants =
      names.size() < 2 ? join(names, "") : join({names.begin(), names.end() - 1}, ", ") + " or " + names.back();
  return add({.name = std::move(name),
              .placeholder = join(names, "|"),
              .help = std::move(help),
              .wants = wants,
              .assign =
                  [names, set = std::move(set)](std::string const& text) {
                    auto const found = std::ranges::find(names, text);
                    if (found == names.end()) return false;
                    set(static_cast<std::size_t>(found - names.begin()));
                    return true;
                  },
              .json =
                  [names, get = std::move(get)] {
                    std::size_t const i = get();
                    return i < names.size() ? json_text(names[i]) : std::string("null");
                  }});
}

Option& Program::clamp(std::string name, double& value) {
  Range const range{.least = 0, .most = 3e38, .least_included = false};  // within float
  return add({.name = std::move(name),
              .placeholder = "X|off",
              .help = "clamps feature values of files to [-X, X] and counts the clamped values in the report; off: no "
                      "clamping, and a value beyond the largest float is an error",
              .wants = range.text() + ", or off",
              .assign =
                  [&value, range](std::string const& text) {
                    auto const parsed = parse_number(text);
                    if (text != "off" && (!parsed || !range.contains(*parsed))) return false;
                    value = text == "off" ? std::numeric_limits<double>::infinity() : *parsed;
                    return true;
                  },
              .json = [&value] { return std::isinf(value) ? std::string("\"off\"") : shortest(value); }});
}

Option& Program::text(std::string name, std::string& value, std::string help) {
  return add({.name = std::move(name),
              .placeholder = "TEXT",
              .help = std::move(help),
              .wants = "a text",
              .assign =
                  [&value](std::string const& text) {
                    value = text;
                    return !text.empty();
                  },
              .json = [&value] { return json_text(value); }});
}

Option& Program::path(std::string name, std::filesystem::path& value, std::string help) {
  return add({.name = std::move(name),
              .placeholder = "PATH",
              .help = std::move(help),
              .wants = "a path",
              .assign =
                  [&value](std::string const& text) {
                    value = text;
                    return !text.empty();
                  },
              .clear = [&value] { value.clear(); },
              .json = [&value] { return value.empty() ? std::string("null") : json_text(value.string()); },
              .paths = [&value] { return std::vector<std::string>{value.string()}; }});
}

Option& Program::input(std::string name, std::filesystem::path& value, std::string help) {
  Option& option = path(std::move(name), value, std::move(help));
  option.use = Option::Use::reads;
  return option;
}

Option& Program::output(std::string name, std::filesystem::path& value, std::string help) {
  Option& option = path(std::move(name), value, std::move(help));
  option.use = Option::Use::writes;
  return option;
}

Option& Program::output_folder(std::string name, std::filesystem::path& value, std::vector<std::string> files,
                               std::string help) {
  Option& option = path(std::move(name), value, std::move(help));
  option.use = Option::Use::writes_folder;
  option.files = std::move(files);
  option.placeholder = "DIR";
  option.wants = "a folder";
  return option;
}

Option& Program::positional(std::string name, std::filesystem::path& value, std::string help) {
  Option& option = input(std::move(name), value, std::move(help));
  option.kind = Option::Kind::positional;
  option.required = true;
  option.placeholder = option.key();
  std::ranges::transform(option.placeholder, option.placeholder.begin(),
                         [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
  return option;
}

Option& Program::list(std::string name, std::vector<std::string>& values, std::string help) {
  return add({.name = std::move(name),
              .placeholder = "A,B,...",
              .help = std::move(help),
              .wants = "texts between commas",
              .kind = Option::Kind::list,
              .assign =
                  [&values](std::string const& text) {
                    values = split_text(text, ',');
                    return !values.empty() && std::ranges::none_of(values, &std::string::empty);
                  },
              .json =
                  [&values] {
                    std::vector<std::string> items;
                    for (std::string const& value : values) items.push_back(json_text(value));
                    return list_json(items);
                  }});
}

Option& Program::numbers(std::string name, std::vector<double>& values, std::string help, Range range) {
  std::string wants = range.text();
  wants.replace(0, std::string("a number").size(), "numbers");
  return add({.name = std::move(name),
              .placeholder = "X,Y,...",
              .help = std::move(help),
              .wants = wants + " between commas",
              .kind = Option::Kind::list,
              .assign =
                  [&values, range](std::string const& text) {
                    std::vector<double> parsed;
                    for (std::string const& part : split_text(text, ',')) {
                      auto const number = parse_number(part);
                      if (!number || !range.contains(*number)) return false;
                      parsed.push_back(*number);
                    }
                    if (parsed.empty()) return false;
                    values = std::move(parsed);
                    return true;
                  },
              .json = [&values] { return numbers_json(values); }});
}

void Program::common(CommonOptions& options, std::initializer_list<Common> unused) {
  common_ = &options;
  auto const used = [&](Common option) { return std::ranges::find(unused, option) == unused.end(); };
  std::size_t const before = options_.size();
  if (used(Common::data)) {
    Option& data = text("--data", options.data,
                        fmt::format("a folder with train, vali and test files; a folder of Fold1 ... FoldN, for all "
                                    "folds; one file with --{}; or synthetic:mq2007|mslr|yahoo|istella, with a size if "
                                    "wanted, synthetic:mslr:0.1, and another draw: synthetic:mslr:0.1:2",
                                    used(Common::split) ? "split" : "parts"));
    data.placeholder = "PATH";
    data.wants = "a path or synthetic:NAME";
    data.use = Option::Use::reads;
    data.paths = [&options] { return data_files(options.data); };
  }
  if (used(Common::split))
    add({.name = "--split",
         .placeholder = "A,B,C",
         .help = "parts of a single file for train, vali and test, by query: .6,.2,.2",
         .wants = "three parts that add up to 1, such as .6,.2,.2",
         .kind = Option::Kind::list,
         .assign =
             [&options](std::string const& text) {
               auto const parts = split_text(text, ',');
               if (parts.size() != 3) return false;
               std::array<double, 3> shares{};
               for (std::size_t i = 0; i < 3; ++i) {
                 auto const share = parse_number(parts[i]);
                 if (!share || *share < 0) return false;
                 shares[i] = *share;
               }
               if (!(shares[0] > 0 && shares[2] > 0 && std::abs(shares[0] + shares[1] + shares[2] - 1) <= 1e-6))
                 return false;
               options.split = shares;
               return true;
             },
         .clear = [&options] { options.split.reset(); },
         .json = [&options] { return options.split ? numbers_json(*options.split) : std::string("null"); }});
  if (used(Common::normalize))
    choice("--normalize", options.normalize,
           {{"none", Normalization::none}, {"query", Normalization::query}, {"zscore", Normalization::zscore}},
           "feature scaling: query = to [0, 1] within each query; zscore = by the mean and deviation of the training "
           "documents");
  if (used(Common::clamp)) clamp("--clamp", options.clamp);
  if (used(Common::clicks))
    choice("--clicks", options.clicks,
           {{"perfect", Clicks::perfect},
            {"navigational", Clicks::navigational},
            {"informational", Clicks::informational}},
           "how the simulated users click");
  if (used(Common::ranker))
    choice("--ranker", options.ranker, {{"linear", RankerKind::linear}, {"neural", RankerKind::neural}}, "the model");
  if (used(Common::start))
    choice("--start", options.start, {{"zero", StartKind::zero}, {"random", StartKind::random}},
           "the first weights: random = a direction of norm .01");
  if (used(Common::clients)) whole("--clients", options.clients, "clients of the federation", 1);
  if (used(Common::interactions)) whole("--interactions", options.interactions, "queries per client and round", 1);
  if (used(Common::rounds)) whole("--rounds", options.rounds, "rounds of the federation", 1);
  if (used(Common::learning_rate)) number("--learning-rate", options.learning_rate, "step size", above(0));
  if (used(Common::seed)) whole("--seed", options.seed, "seed of the first run");
  if (used(Common::repeats)) whole("--repeats", options.repeats, "runs, with seeds S, S+1, ...", 1, 1'000'000);
  if (used(Common::threads)) whole("--threads", options.threads, "0 = all cores; results never depend on it", 0, 4096);
  if (used(Common::eval_every))
    whole("--eval-every", options.eval_every, "offline evaluation every N rounds, and of the first and last", 1);
  if (used(Common::out)) {
    Option& out = output_folder("--out", options.out, {},
                                "folder for run.json, rounds.csv, queries.csv, curve.svg and the models");
    out.repeated = false;  // repeating a run must not write over its results
    flag("--force", options.force, "replaces the earlier result that --out holds").repeated = false;
  }
  flag("--quiet", options.quiet, "no progress and no curve").repeated = false;
  for (std::size_t i = before; i < options_.size(); ++i) options_[i].common = true;
}

void Program::check_common() const {
  if (common_ == nullptr) return;
  if (given("--clamp") && common_->data.starts_with("synthetic:"))
    throw UsageError(fmt::format("--clamp is for files; --data {} has no values to clamp", common_->data));
  if (common_->force && common_->out.empty()) throw UsageError("--force belongs to --out, which is not given");
  if (common_->seed > std::numeric_limits<std::uint64_t>::max() - (common_->repeats - 1))
    throw UsageError(
        fmt::format("--seed {} leaves no room for {} repeats; take a smaller seed", common_->seed, common_->repeats));
}

unsigned thread_count(CommonOptions const& options) noexcept {
  return options.threads > 0 ? options.threads : std::max(1U, std::thread::hardware_concurrency());
}

}  // namespace fltr::examples
