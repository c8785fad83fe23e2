// The kinds of options of a Program, each as an option of CLI11, and the options that all programs share.
#include <algorithm>
#include <cmath>
#include <limits>
#include <thread>

#include <fmt/core.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "help_format.hpp"
#include "output_paths.hpp"
#include "program.hpp"
#include "text.hpp"

namespace fltr::examples {

namespace {

using Json = nlohmann::ordered_json;

/// An error that CLI11 puts behind the name of the option.
std::string refused(std::string const& required, std::string const& text) {
  return fmt::format("required {}, got {}", required, text.starts_with("--") ? "the option " + text : '"' + text + '"');
}

/// Accepts a text for which `read` returns a value, and replaces it by this value: CLI11 would read 010 as 8.
CLI::Validator reads(std::string const& required, std::function<std::optional<std::string>(std::string const&)> read) {
  return {[=](std::string& text) {
            auto const value = read(text);
            if (!value) return refused(required, text);
            text = *value;
            return std::string();
          },
          ""};
}

CLI::Validator number_in(Range range) {
  return reads(range.text(), [range](std::string const& text) -> std::optional<std::string> {
    auto const number = parse_number(text);
    if (!number || !range.contains(*number)) return std::nullopt;
    return shortest(*number);
  });
}

CLI::Validator not_empty(std::string const& required) {
  return reads(required, [](std::string const& text) -> std::optional<std::string> {
    if (text.empty() || text.starts_with("--")) return std::nullopt;
    return text;
  });
}

template <class T>
Json json_of(T const& value) {
  return value;
}
template <class T>
Json json_of(std::optional<T> const& value) {
  return value ? Json(*value) : Json();
}

template <class T>
Option whole_option(CLI::App& app, std::string const& name, T& value, std::uint64_t least, std::uint64_t most) {
  std::string const required = fmt::format("a whole number from {} to {}", least, most);
  auto const read = [least, most](std::string const& text) -> std::optional<std::string> {
    auto const number = parse_whole(text);
    if (!number || *number < least || *number > most) return std::nullopt;
    return std::to_string(*number);
  };
  return {app.add_option(name, value)->transform(reads(required, read)), name, required,
          [&value] { return json_of(value); }};
}

/// A default for the help text: "0.1", "a,b"; "" for options without a value.
std::string default_text(Json const& value) {
  if (value.is_null() || value.is_boolean()) return "";
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_float()) return shortest(value.get<double>());
  if (!value.is_array()) return value.dump();
  std::vector<std::string> items;
  for (Json const& item : value) items.push_back(default_text(item));
  return join(items, ",");
}

std::optional<std::array<double, 3>> read_split(std::vector<std::string> const& parts) {
  if (parts.size() != 3) return std::nullopt;
  std::array<double, 3> shares{};
  for (std::size_t i = 0; i < 3; ++i) {
    auto const share = parse_number(parts[i]);
    if (!share || *share < 0) return std::nullopt;
    shares[i] = *share;
  }
  bool const valid = shares[0] > 0 && shares[2] > 0 && std::abs(shares[0] + shares[1] + shares[2] - 1) <= 1e-6;
  return valid ? std::optional(shares) : std::nullopt;
}

}  // namespace

std::string Range::text() const {
  bool const from = least > std::numeric_limits<double>::lowest();
  bool const to = most < std::numeric_limits<double>::max();
  std::string const low = fmt::format(fmt::runtime(least_included ? "from {}" : "above {}"), shortest(least));
  std::string const high = fmt::format(fmt::runtime(most_included ? "to {}" : "below {}"), shortest(most));
  if (from && to && !least_included && most_included) return fmt::format("a number {} and up {}", low, high);
  if (from && to) return fmt::format("a number {} {}", low, most_included ? high : "and " + high);
  if (from) return least_included ? fmt::format("a number of at least {}", shortest(least)) : "a number " + low;
  if (to) return most_included ? fmt::format("a number of at most {}", shortest(most)) : "a number " + high;
  return "a number";
}

Option& Option::implicit(std::string const& value) {
  parser->expected(0, 1)->default_str(value)->option_text('[' + parser->get_option_text() + ']');
  return *this;
}

Option& Option::without_default() {
  std::string const& help = parser->get_description();
  parser->description(help.substr(0, help.rfind(" (default ")));
  return *this;
}

std::string Option::key() const {
  std::string key = name.substr(std::min(name.find_first_not_of('-'), name.size()));
  std::ranges::replace(key, '-', '_');
  return key;
}

Option& Program::add(Option option, std::string const& placeholder, std::string const& help) {
  std::string const standard = option.parser->get_required() ? "" : default_text(option.json());
  option.parser->option_text(placeholder)
      ->group(own_group)
      ->description(standard.empty() ? help : fmt::format("{} (default {})", help, standard));
  return options_.emplace_back(std::move(option));
}

Option& Program::flag(std::string const& name, bool& value, std::string const& help) {
  CLI::Option* const parser = app_->add_flag(name, value)->check(reads("true or false", [](std::string const& text) {
    return text == "true" || text == "false" ? std::optional(text) : std::nullopt;
  }));
  return add({parser, name, "true or false", [&value] { return Json(value); }}, "", help);
}

Option& Program::number(std::string const& name, double& value, std::string const& help, Range range) {
  CLI::Option* const parser = app_->add_option(name, value)->transform(number_in(range));
  return add({parser, name, range.text(), [&value] { return Json(value); }}, "X", help);
}

Option& Program::number(std::string const& name, std::optional<double>& value, std::string const& help, Range range) {
  CLI::Option* const parser = app_->add_option(name, value)->transform(number_in(range));
  return add({parser, name, range.text(), [&value] { return json_of(value); }, [&value] { value.reset(); }}, "X", help);
}

Option& Program::whole(std::string const& name, std::uint32_t& value, std::string const& help, std::uint64_t least,
                       std::uint64_t most) {
  return add(whole_option(*app_, name, value, least, most), "N", help);
}

Option& Program::whole(std::string const& name, std::optional<std::uint32_t>& value, std::string const& help,
                       std::uint64_t least, std::uint64_t most) {
  Option option = whole_option(*app_, name, value, least, most);
  option.clear = [&value] { value.reset(); };
  return add(std::move(option), "N", help);
}

Option& Program::whole(std::string const& name, std::uint64_t& value, std::string const& help, std::uint64_t least,
                       std::uint64_t most) {
  return add(whole_option(*app_, name, value, least, most), "N", help);
}

Option& Program::choice(std::string const& name, std::vector<std::string> const& names, std::string const& help,
                        std::function<void(std::size_t)> const& set, std::function<std::size_t()> get) {
  std::string const required =
      names.size() < 2 ? join(names, "") : join({names.begin(), names.end() - 1}, ", ") + " or " + names.back();
  auto const assign = [=](std::string const& word) {
    auto const found = std::ranges::find(names, word);
    if (found == names.end()) throw CLI::ValidationError(name, refused(required, word));
    set(static_cast<std::size_t>(found - names.begin()));
  };
  auto const json = [names, get = std::move(get)] { return get() < names.size() ? Json(names[get()]) : Json(); };
  return add({app_->add_option_function<std::string>(name, assign), name, required, json}, join(names, "|"), help);
}

Option& Program::clamp(std::string const& name, double& value) {
  CLI::Validator const number = number_in({.least = 0, .most = 3e38, .least_included = false});  // within float
  std::string const required = Range{.least = 0, .most = 3e38, .least_included = false}.text() + ", or off";
  auto const assign = [=, &value](std::string text) {
    if (text != "off" && !number(text).empty()) throw CLI::ValidationError(name, refused(required, text));
    value = text == "off" ? std::numeric_limits<double>::infinity() : *parse_number(text);
  };
  return add({app_->add_option_function<std::string>(name, assign), name, required,
              [&value] { return std::isinf(value) ? Json("off") : Json(value); }},
             "X|off",
             "clamps feature values of files to [-X, X] and counts the clamped values in the report; off: no clamping, "
             "and a value beyond the largest float is an error");
}

Option& Program::text(std::string const& name, std::string& value, std::string const& help) {
  CLI::Option* const parser = app_->add_option(name, value)->check(not_empty("a text"));
  return add({parser, name, "a text", [&value] { return Json(value); }}, "TEXT", help);
}

Option& Program::path(std::string const& name, std::filesystem::path& value, std::string const& help) {
  auto const assign = [&value](std::string const& text) { value = text; };
  CLI::Option* const parser = app_->add_option_function<std::string>(name, assign)->check(not_empty("a path"));
  Option& option = add({parser, name, "a path", [&value] { return value.empty() ? Json() : Json(value.string()); },
                        [&value] { value.clear(); }},
                       "PATH", help);
  option.paths = [&value] { return std::vector{value}; };
  return option;
}

Option& Program::input(std::string const& name, std::filesystem::path& value, std::string const& help) {
  Option& option = path(name, value, help);
  option.use = Option::Use::reads;
  return option;
}

Option& Program::output(std::string const& name, std::filesystem::path& value, std::string const& help) {
  Option& option = path(name, value, help);
  option.use = Option::Use::writes;
  return option;
}

Option& Program::output_folder(std::string const& name, std::filesystem::path& value, std::vector<std::string> files,
                               std::string const& help) {
  Option& option = path(name, value, help);
  option.use = Option::Use::writes_folder;
  option.files = std::move(files);
  option.parser->option_text("DIR");
  return option;
}

Option& Program::positional(std::string const& name, std::filesystem::path& value, std::string const& help) {
  Option& option = input(name, value, help);
  option.parser->required()->option_text("");
  return option;
}

Option& Program::list(std::string const& name, std::string const& placeholder, std::string const& required,
                      std::string const& help, std::function<bool(std::vector<std::string> const&)> const& assign,
                      std::function<Json()> json) {
  auto const read = [=](CLI::results_t const& given) {
    std::string const text = join(given, ",");
    auto const items = split_text(text, ',');
    if (items.empty() || !assign(items)) throw CLI::ValidationError(name, refused(required, text));
    return true;
  };
  CLI::Option* const parser = app_->add_option(name, CLI::callback_t(read));
  parser->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  return add({parser, name, required, std::move(json)}, placeholder, help);
}

Option& Program::list(std::string const& name, std::vector<std::string>& values, std::string const& help) {
  auto const assign = [&values](std::vector<std::string> const& items) {
    values = items;
    return std::ranges::none_of(items, [](std::string const& s) { return s.empty() || s.starts_with("--"); });
  };
  return list(name, "A,B,...", "texts between commas", help, assign, [&values] { return Json(values); });
}

Option& Program::inputs(std::string const& name, std::vector<std::string>& values, std::string const& help) {
  Option& option = list(name, values, help);
  option.use = Option::Use::reads;
  option.paths = [&values] { return std::vector<std::filesystem::path>(values.begin(), values.end()); };
  return option;
}

Option& Program::numbers(std::string const& name, std::vector<double>& values, std::string const& help, Range range) {
  std::string const required = "numbers" + range.text().substr(std::string_view("a number").size()) + " between commas";
  auto const assign = [&values, range](std::vector<std::string> const& items) {
    values.clear();
    for (std::string const& item : items) values.push_back(parse_number(item).value_or(std::nan("")));
    return std::ranges::all_of(values, [&](double value) { return range.contains(value); });
  };
  return list(name, "X,Y,...", required, help, assign, [&values] { return Json(values); });
}

void Program::common(CommonOptions& options, std::initializer_list<Common> unused) {
  common_ = &options;
  auto const used = [&](Common option) { return std::ranges::find(unused, option) == unused.end(); };
  std::size_t const before = options_.size();
  if (used(Common::data)) {
    Option& data = text("--data", options.data,
                        "a folder with train, vali and test files; a folder of Fold1 ... FoldN, for all folds; one "
                        "file with --split; or a synthetic set, synthetic:mq2007|mslr|yahoo|istella, optionally with a "
                        "size, synthetic:mslr:0.1, and a draw, synthetic:mslr:0.1:2");
    data.parser->option_text("PATH");
    data.required = "a path or synthetic:NAME";
    data.use = Option::Use::reads;
    data.paths = [&options] { return data_files(options.data); };
  }
  if (used(Common::split)) {
    auto const assign = [&options](std::vector<std::string> const& parts) {
      options.split = read_split(parts);
      return options.split.has_value();
    };
    list("--split", "A,B,C", "three parts that add up to 1, such as .6,.2,.2",
         "parts of a single file for train, vali and test, by query: .6,.2,.2", assign,
         [&options] { return options.split ? Json(*options.split) : Json(); })
        .clear = [&options] { options.split.reset(); };
  }
  if (used(Common::normalize))
    choice("--normalize", options.normalize,
           {{"none", Normalization::none}, {"query", Normalization::query}, {"zscore", Normalization::zscore}},
           "feature scaling: query = to [0, 1] within each query; zscore = by the mean and standard deviation of the "
           "training documents");
  if (used(Common::clamp)) clamp("--clamp", options.clamp);
  if (used(Common::clicks))
    choice("--clicks", options.clicks,
           {{"perfect", Clicks::perfect},
            {"navigational", Clicks::navigational},
            {"informational", Clicks::informational}},
           "click behaviour of the simulated users");
  if (used(Common::ranker))
    choice("--ranker", options.ranker, {{"linear", RankerKind::linear}, {"neural", RankerKind::neural}},
           "the ranking model");
  if (used(Common::start))
    choice("--start", options.start, {{"zero", StartKind::zero}, {"random", StartKind::random}},
           "the initial weights: random = a random direction of norm .01");
  if (used(Common::clients)) whole("--clients", options.clients, "number of clients", 1);
  if (used(Common::interactions))
    whole("--interactions", options.interactions, "interactions (queries) per client and round", 1);
  if (used(Common::rounds)) whole("--rounds", options.rounds, "number of rounds", 1).in_setting = false;
  if (used(Common::learning_rate)) number("--learning-rate", options.learning_rate, "step size", positive_float());
  if (used(Common::seed)) whole("--seed", options.seed, "seed S of the first run");
  if (used(Common::repeats))
    whole("--repeats", options.repeats, "number of runs, with seeds S, S+1, ...", 1, 1'000'000);
  if (used(Common::threads)) whole("--threads", options.threads, "0 = all cores; results never depend on it", 0, 4096);
  if (used(Common::eval_every)) {
    Option& every =
        whole("--eval-every", options.eval_every,
              "offline evaluation every N rounds, and before the first and after the last (default: a fiftieth of the "
              "rounds, at least 1)",
              1)
            .without_default();
    every.json = [&options] { return Json(options.evaluation_interval()); };
    every.in_setting = false;
  }
  if (used(Common::out)) {
    output_folder("--out", options.out, {}, "folder for run.json, rounds.csv, queries.csv, curve.svg and the models")
        .repeated = false;  // repeating a run must not write over its results
    flag("--force", options.force,
         used(Common::checkpoint)
             ? "replaces the earlier result in the folder of --out, and the checkpoints in that of --checkpoint"
             : "replaces the earlier result in the folder of --out")
        .repeated = false;
  }
  if (used(Common::dropout)) {
    number("--dropout", options.dropout, "probability that a client that was asked does not report, in each round",
           {.least = 0, .most = 1, .most_included = false});
    whole("--minimum-reports", options.minimum_reports, "with fewer reports, a round does not change the model", 1);
  }
  if (used(Common::no_online))
    flag("--no-online", options.no_online,
         "leaves results that are exact functions of clicks, which no epsilon covers, out of files and report: "
         "online_ndcg10, online_discounted, online_metric and interactions")
        .in_setting = false;
  if (used(Common::checkpoint)) checkpoint_options(options, used(Common::checkpoint_every));
  flag("--quiet", options.quiet, "no progress and no curve").repeated = false;
  for (std::size_t i = before; i < options_.size(); ++i) {
    options_[i].common = true;
    options_[i].parser->group(common_group);
  }
}

void Program::checkpoint_options(CommonOptions& options, bool every) {
  output_folder("--checkpoint", options.checkpoint, {}, "folder for checkpoints, from which --resume goes on")
      .repeated = false;
  auto const assign = [&options](std::vector<std::string> const& items) {
    options.checkpoint_rounds = 0;
    options.checkpoint_seconds = 0;
    return items.size() <= 2 && std::ranges::all_of(items, [&](std::string const& item) {
             bool const time = item.ends_with('s');
             auto const rounds = parse_whole(item);
             auto const seconds = time ? parse_number(item.substr(0, item.size() - 1)) : std::nullopt;
             if (seconds && *seconds > 0 && *seconds <= 1e9 && options.checkpoint_seconds == 0)
               options.checkpoint_seconds = *seconds;
             else if (rounds && *rounds > 0 && *rounds <= 0xFFFFFFFFU && options.checkpoint_rounds == 0)
               options.checkpoint_rounds = static_cast<std::uint32_t>(*rounds);
             else
               return false;
             return true;
           });
  };
  auto const json = [&options] {
    std::vector<std::string> items;
    if (options.checkpoint_rounds > 0) items.push_back(std::to_string(options.checkpoint_rounds));
    if (options.checkpoint_seconds > 0) items.push_back(shortest(options.checkpoint_seconds) + 's');
    return Json(join(items, ","));
  };
  if (every)
    list("--checkpoint-every", "N|Ss|N,Ss", "rounds (5), seconds (60s), or both (5,60s)",
         "saves a checkpoint every N rounds, every S seconds, or both", assign, json)
        .repeated = false;
  flag("--resume", options.resume,
       "goes on from the newest checkpoint in the folder of --checkpoint, with the same options; the result is that of "
       "a run without interruption. More --rounds than before extend the run")
      .repeated = false;
}

void Program::check_common() const {
  if (common_ == nullptr) return;
  if (common_->checkpoint.empty())
    for (char const* option : {"--checkpoint-every", "--resume"})
      if (given(option)) throw UsageError(fmt::format("{} belongs to --checkpoint, which is not given", option));
  std::error_code error;
  if (!common_->checkpoint.empty() && !common_->out.empty() &&
      std::filesystem::weakly_canonical(common_->checkpoint / "", error) ==
          std::filesystem::weakly_canonical(common_->out / "", error))
    throw UsageError("--checkpoint: required another folder than --out, got " + common_->out.string());
  if (given("--clamp") && common_->data.starts_with("synthetic:"))
    throw UsageError(fmt::format("--clamp is for files; --data {} has no values to clamp", common_->data));
  if (common_->force && common_->out.empty() && common_->checkpoint.empty())
    throw UsageError("--force belongs to --out, which is not given");
  if (common_->seed > std::numeric_limits<std::uint64_t>::max() - (common_->repeats - 1))
    throw UsageError(fmt::format("--seed {} is too large for {} repeats with seeds S, S+1, ...; use a smaller seed",
                                 common_->seed, common_->repeats));
}

/// After the program's own checks, which may leave the number of clients to the data (0).
void Program::check_reports() const {
  if (common_ != nullptr && uses("--minimum-reports") && uses("--clients") && common_->clients > 0)
    require_reports(*common_, common_->clients);
}

void require_reports(CommonOptions const& options, std::uint64_t clients) {
  if (options.minimum_reports > clients)
    throw UsageError(fmt::format("--minimum-reports: required at most {}, the number of clients, got {}", clients,
                                 options.minimum_reports));
}

unsigned thread_count(CommonOptions const& options) noexcept {
  return options.threads > 0 ? options.threads : std::max(1U, std::thread::hardware_concurrency());
}

}  // namespace fltr::examples
