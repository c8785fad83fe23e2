#include "support/program.hpp"

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "support/catch.hpp"
#include "support/help_format.hpp"
#include "support/temporary.hpp"

using namespace fltr::examples;

namespace {

enum class Central { no, interactions, updates };

/// A program with one option of each kind.
struct Sample {
  explicit Sample(std::initializer_list<Common> unused = {}) : program("sample", "A sample of a program.") {
    program.common(options, unused);
    program.number("--epsilon", epsilon, "privacy", above(0));
    program.number("--p", p, "a probability", between(0, 1));
    program.whole("--hidden-units", hidden_units, "units", 1, 1000);
    program.whole("--limit", limit, "a limit", 1, 1000);
    program
        .choice("--central", central,
                {{"no", Central::no}, {"interactions", Central::interactions}, {"updates", Central::updates}},
                "without a federation")
        .implicit("interactions");
    program.flag("--tune", tune, "tunes");
    program.list("--models", models, "files");
    program.numbers("--grid", grid, "values", above(0));
    program.text("--tag", tag, "name of the run");
  }
  Sample& parse(std::vector<std::string> const& arguments) {
    REQUIRE(program.parse(arguments));
    return *this;
  }
  std::string error(std::vector<std::string> const& arguments) {
    try {
      program.parse(arguments);
    } catch (UsageError const& refused) {
      return refused.what();
    }
    return "";
  }

  CommonOptions options{.clients = 50, .interactions = 4, .rounds = 100, .learning_rate = 0.1};
  std::optional<double> epsilon;
  double p = 0.9;
  std::uint32_t hidden_units = 64;
  std::optional<std::uint32_t> limit;
  Central central = Central::no;
  bool tune = false;
  std::vector<std::string> models;
  std::vector<double> grid{0.1};
  std::string tag = "none";
  Program program;
};

std::string write(std::filesystem::path const& path, std::string const& text) {
  std::ofstream(path) << text;
  return path.string();
}

}  // namespace

TEST_CASE("Without arguments the defaults hold") {
  Sample s;
  s.parse({});
  CHECK(s.options.data == "synthetic:mq2007");
  CHECK(s.options.clients == 50);
  CHECK(s.options.normalize == fltr::Normalization::query);
  CHECK_FALSE(s.epsilon);
  CHECK_FALSE(s.limit);
  CHECK(s.central == Central::no);
  CHECK_FALSE(s.program.given("--clients"));
}

TEST_CASE("Every kind of option is read") {
  Sample s;
  s.parse({"--data",
           "a folder",
           "--split",
           ".6,.2,.2",
           "--normalize",
           "zscore",
           "--clicks=informational",
           "--ranker",
           "neural",
           "--start",
           "random",
           "--clients",
           "7",
           "--learning-rate",
           "1e-3",
           "--seed",
           "18446744073709551615",
           "--eval-every",
           "10",
           "--quiet",
           "--epsilon",
           "4.5",
           "--limit",
           "010",
           "--central",
           "--models",
           "a.txt,b.txt",
           "--grid",
           ".5,1",
           "--tune"});
  CHECK(s.options.data == "a folder");
  REQUIRE(s.options.split);
  CHECK(*s.options.split == std::array<double, 3>{0.6, 0.2, 0.2});
  CHECK(s.options.normalize == fltr::Normalization::zscore);
  CHECK(s.options.clicks == Clicks::informational);
  CHECK(s.options.ranker == RankerKind::neural);
  CHECK(s.options.start == StartKind::random);
  CHECK(s.options.clients == 7);
  CHECK(s.options.learning_rate == 1e-3);
  CHECK(s.options.seed == 18446744073709551615ULL);
  CHECK(s.options.eval_every == 10);
  CHECK(s.options.quiet);
  CHECK(s.epsilon == 4.5);
  CHECK(s.limit == 10U);
  CHECK(s.central == Central::interactions);
  CHECK(s.models == std::vector<std::string>{"a.txt", "b.txt"});
  CHECK(s.grid == std::vector<double>{0.5, 1.0});
  CHECK(s.tune);
  CHECK(s.program.given("--clients"));
  CHECK_FALSE(s.program.given("--rounds"));
}

TEST_CASE("Without --eval-every there are 50 evaluations, or one in every round") {
  Sample s;
  s.options.rounds = 1000;
  s.parse({});
  CHECK(s.options.evaluation_interval() == 20);
  CHECK(nlohmann::json(s.program.options())["eval_every"] == 20);
  CHECK(Sample().parse({"--rounds", "50"}).options.evaluation_interval() == 1);
  CHECK(Sample().parse({"--rounds", "49"}).options.evaluation_interval() == 1);
  CHECK(Sample().parse({"--rounds", "199"}).options.evaluation_interval() == 3);
  CHECK(Sample().parse({"--rounds", "1000", "--eval-every", "7"}).options.evaluation_interval() == 7);
}

TEST_CASE("Without a single report no round could change the model, so such options are wrong usage") {
  CHECK(Sample().error({"--dropout", "1"}) == "--dropout: required a number from 0 and below 1, got \"1\"");
  CHECK(Sample().parse({"--dropout", "0.999"}).options.dropout == 0.999);
  CHECK(Sample().error({"--clients", "3", "--minimum-reports", "4"}) ==
        "--minimum-reports: required at most 3, the number of clients, got 4");
  CHECK(Sample().parse({"--clients", "3", "--minimum-reports", "3"}).options.minimum_reports == 3);
  Sample from_data;  // the data will tell the number of clients
  from_data.program.check([&] { from_data.options.clients = 0; });
  CHECK(from_data.parse({"--minimum-reports", "1000"}).options.minimum_reports == 1000);
}

TEST_CASE(
    "Checkpoints of a run fit a run with other --rounds and --eval-every, unless each round depends on the number") {
  Sample s;
  s.parse({"--rounds", "7", "--eval-every", "2", "--clients", "9", "--out", "x", "--threads", "3"});
  auto const setting = nlohmann::json(s.program.setting());
  for (char const* key : {"rounds", "eval_every", "no_online", "out", "threads"}) CHECK_FALSE(setting.contains(key));
  CHECK(setting["clients"] == 9);
  s.program.fix_rounds();
  CHECK(nlohmann::json(s.program.setting())["rounds"] == 7);
}

TEST_CASE("An option with an implicit value also accepts an explicit value") {
  CHECK(Sample().parse({"--central", "updates"}).central == Central::updates);
  CHECK(Sample().parse({"--central", "--seed", "3"}).central == Central::interactions);
}

TEST_CASE("The error for a wrong value names the option, the required value and the given value") {
  CHECK(Sample().error({"--clients", "0"}) == "--clients: required a whole number from 1 to 4294967295, got \"0\"");
  CHECK(Sample().error({"--clients", "-3"}) == "--clients: required a whole number from 1 to 4294967295, got \"-3\"");
  CHECK(Sample().error({"--clients", "4294967296"}) != "");
  CHECK(Sample().error({"--rounds", "0"}) != "");
  CHECK(Sample().error({"--rounds", "1.5"}) != "");
  CHECK(Sample().error({"--interactions", "0"}) != "");
  CHECK(Sample().error({"--repeats", "0"}) != "");
  CHECK(Sample().error({"--eval-every", "0"}) != "");
  CHECK(Sample().error({"--threads", "-1"}) != "");
  for (auto const* rate : {"nan", "inf", "0", "-0.1", "1e999", "fast", ""})
    CHECK(Sample()
              .error({"--learning-rate", rate})
              .starts_with("--learning-rate: required a number above 0 and up to 3.4"));
  CHECK(Sample().error({"--p", "1.01"}) == "--p: required a number from 0 to 1, got \"1.01\"");
  CHECK(Sample().error({"--hidden-units", "1001"}) ==
        "--hidden-units: required a whole number from 1 to 1000, got \"1001\"");
  CHECK(Sample().error({"--clicks", "Perfect"}) ==
        "--clicks: required perfect, navigational or informational, got \"Perfect\"");
  for (auto const* split : {".6,.4", ".6,.2,.3", "1,0,0", "0,.5,.5", "nan,.5,.5", "-.2,.6,.6", ".6,.2,.2,", "a,b,c"})
    CHECK(Sample().error({"--split", split}).starts_with("--split: required three parts that add up to 1"));
  CHECK(Sample().error({"--grid", "1,-1"}) == "--grid: required numbers above 0 between commas, got \"1,-1\"");
  CHECK(Sample().error({"--models", "a,,b"}) != "");
  CHECK(Sample().error({"--clients"}) == "--clients: required a whole number from 1 to 4294967295, got nothing");
  CHECK(Sample().error({"--clients", "3", "--clients", "4"}) == "--clients is given more than once");
  CHECK(Sample().error({"--out", "--quiet"}) == "--out: required a path, got the option --quiet");
  CHECK(Sample().error({"--seed", "18446744073709551615", "--repeats", "2"}) != "");
  CHECK(Sample().error({"stray"}) == "\"stray\" is not expected here; see sample --help");
}

TEST_CASE("The error for an unknown option suggests an option within an edit distance of 2") {
  CHECK(Sample().error({"--cleints", "3"}) == "sample has no option --cleints; did you mean --clients?");
  CHECK(Sample().error({"--learning_rate", "3"}) ==
        "sample has no option --learning_rate; did you mean --learning-rate?");
  CHECK(Sample().error({"--quantum"}) == "sample has no option --quantum; see sample --help");
}

TEST_CASE("A common option that the program does not use is unknown") {
  Sample s({Common::ranker, Common::split});
  CHECK(s.error({"--ranker", "linear"}) == "sample has no option --ranker; see sample --help");
  CHECK_FALSE(nlohmann::json(s.program.options()).contains("ranker"));
  CHECK_FALSE(s.program.uses("--split"));
}

TEST_CASE("The JSON has all options with the values that are used") {
  Sample s;
  s.parse({"--epsilon", "4.5", "--split", ".6,.2,.2", "--out", "a \"folder\""});
  auto const json = nlohmann::json(s.program.options());
  CHECK(json["epsilon"] == 4.5);
  CHECK(json["split"] == nlohmann::json({0.6, 0.2, 0.2}));
  CHECK(json["out"] == "a \"folder\"");
  CHECK(json["clients"] == 50);
  CHECK(json["learning_rate"] == 0.1);
  CHECK(json["central"] == "no");
  CHECK(json["tune"] == false);
  CHECK(json["models"].empty());
  for (auto const* key : {"data", "normalize", "clicks", "ranker", "start", "interactions", "rounds", "seed", "repeats",
                          "threads", "eval_every", "quiet", "p", "hidden_units", "grid", "tag"})
    CHECK(json.contains(key));
  CHECK(nlohmann::json(Sample().program.options())["epsilon"].is_null());
  CHECK(nlohmann::json(Sample().program.options())["limit"].is_null());
  CHECK(nlohmann::json(Sample().parse({"--limit", "3"}).program.options())["limit"] == 3);
  CHECK(Sample().error({"--limit", "0"}) == "--limit: required a whole number from 1 to 1000, got \"0\"");
}

TEST_CASE("A run.json repeats its run") {
  fltr::testing::TemporaryFolder folder;
  Sample first;
  first.parse({"--data",
               "some \\ odd, path",
               "--split",
               ".5,.25,.25",
               "--clicks",
               "navigational",
               "--clients",
               "123",
               "--learning-rate",
               "0.30000000000000004",
               "--seed",
               "18446744073709551615",
               "--epsilon",
               "1e-7",
               "--limit",
               "7",
               "--p",
               "1",
               "--central",
               "updates",
               "--tune",
               "--models",
               "x,y",
               "--grid",
               "0.1,2",
               "--out",
               "elsewhere",
               "--quiet"});
  auto const run = nlohmann::json{{"program", "sample"},
                                  {"version", "0.0.1"},
                                  {"options", nlohmann::json(first.program.options())},
                                  {"result", {{"offline_ndcg10", 0.5}}}};
  std::string const file = write(folder.path() / "run.json", run.dump(2));

  Sample second;
  second.parse({"--config", file});
  auto const a = nlohmann::json(first.program.options());
  auto b = nlohmann::json(second.program.options());
  CHECK(b["out"].is_null());  // the repeated run does not overwrite the results of the first
  CHECK(b["quiet"] == false);
  b["out"] = a["out"];
  b["quiet"] = a["quiet"];
  CHECK(a == b);

  CHECK_FALSE(second.program.given("--clients"));  // a run.json lists all options, given or not

  // Options on the command line override the file.
  Sample third;
  third.parse({"--clients", "9", "--config", file, "--out", "here"});
  CHECK(third.options.clients == 9);
  CHECK(third.options.out == "here");
  CHECK(third.program.given("--clients"));
  CHECK(third.program.given() == std::vector<std::string>{"--clients", "--out"});
  CHECK(third.epsilon == 1e-7);

  // A default that is a value, and null in the file.
  Sample fourth;
  fourth.epsilon = 3.0;
  fourth.parse({"--config", write(folder.path() / "null.json", R"({"options": {"epsilon": null}})")});
  CHECK_FALSE(fourth.epsilon);
}

TEST_CASE("An empty list in a file counts as not given") {
  fltr::testing::TemporaryFolder folder;
  Sample const first;  // empty lists are [] in run.json
  auto const run = nlohmann::json{{"program", "sample"}, {"options", nlohmann::json(first.program.options())}};
  CHECK(run["options"]["models"] == nlohmann::json::array());
  for (std::string const& text : {run.dump(), std::string(R"({"models": [], "grid": [], "split": []})"),
                                  std::string("models = []\ngrid = []\n")}) {
    Sample s;
    s.parse({"--config", write(folder.path() / "c", text)});
    CHECK(s.models.empty());
    CHECK(s.grid == first.grid);
    CHECK_FALSE(s.options.split);
    CHECK_FALSE(s.program.given("--models"));
    CHECK(s.program.given() == std::vector<std::string>{});
  }
  CHECK_THAT(Sample().error({"--config", write(folder.path() / "c", R"({"clients": []})")}),
             ContainsSubstring("clients: required a whole number"));
  CHECK(Sample().error({"--models", ""}) == "--models: required texts between commas, got \"\"");
}

TEST_CASE("Options are read from lines key = value") {
  fltr::testing::TemporaryFolder folder;
  Sample s;
  s.parse({"--config", write(folder.path() / "a.toml",
                             "# a comment\nclients = 12\nlearning-rate = 0.5\neval_every=5\nclicks = \"navigational\"\n"
                             "split = [0.6, 0.2, 0.2]\nmodels = a.txt,b.txt\ntune = true\n\n[sample]\nepsilon = 2\n")});
  CHECK(s.options.clients == 12);
  CHECK(s.program.given("--clients"));
  CHECK(s.options.learning_rate == 0.5);
  CHECK(s.options.eval_every == 5);
  CHECK(s.options.clicks == Clicks::navigational);
  CHECK(s.options.split.has_value());
  CHECK(s.models.size() == 2);
  CHECK(s.tune);
  CHECK(s.epsilon == 2.0);
}

TEST_CASE("A wrong --config file is wrong usage, and the error names the file") {
  fltr::testing::TemporaryFolder folder;
  auto const error = [&](std::string const& text) {
    std::string const file = write(folder.path() / "c", text);
    std::string const what = Sample().error({"--config", file});
    CHECK_THAT(what, ContainsSubstring(file));
    return what;
  };
  CHECK_THAT(error("clients = 0\n"),
             ContainsSubstring("clients: required a whole number from 1 to 4294967295, got \"0\""));
  CHECK_THAT(error("clinets = 3\n"), ContainsSubstring("did you mean --clients?"));
  CHECK_THAT(error("[other]\nclients = 3\n"), ContainsSubstring("got section [other]"));
  CHECK_THAT(error(R"({"options": {"clients": 3)"), ContainsSubstring("not valid JSON"));
  CHECK_THAT(error(R"([{"clients": 3}])"),
             ContainsSubstring("required a run.json") && ContainsSubstring("a JSON array"));
  CHECK_THAT(error("[\n  {\"clients\": 3}\n"), ContainsSubstring("not valid JSON"));
  CHECK_THAT(error("\"clients\""), ContainsSubstring("a JSON string"));
  CHECK_THAT(error("42\n"), ContainsSubstring("a JSON number"));
  CHECK_THAT(error("null"), ContainsSubstring("a JSON null"));
  CHECK_THAT(error(std::string("FLTR\x01\0clients = 3\n", 19)), ContainsSubstring("got a binary file"));
  CHECK_THAT(error(R"({"options": 3})"), ContainsSubstring("required a JSON object, got a JSON number"));
  CHECK_THAT(error(R"({"program": "other", "options": {}})"),
             ContainsSubstring("required a run of sample, got a run of other"));
  CHECK_THAT(error(R"({"clients": null})"), ContainsSubstring("got null"));
  CHECK_THAT(error(R"({"options": {"clients": null}})"), ContainsSubstring("got null"));
  CHECK_THAT(error(R"({"options": {"clients": {}}})"), ContainsSubstring("a number, a text, or a list"));
  CHECK_THAT(error(R"({"options": {"clients": [1, 2]}})"), ContainsSubstring("more than once"));
  CHECK_THAT(error(R"({"options": {"clients": 1.5}})"), ContainsSubstring("required a whole number"));
  CHECK_THAT(Sample().error({"--config", (folder.path() / "missing").string()}), ContainsSubstring("cannot read"));
  CHECK_THAT(Sample().error({"--config", folder.path().string()}), ContainsSubstring("cannot read"));
}

TEST_CASE("null in a run.json is accepted only for options that the run ignores or that may have no value") {
  fltr::testing::TemporaryFolder folder;
  std::string const file = write(folder.path() / "c", R"({"options": {"clients": null}})");
  auto const error = [&](std::vector<std::string> more) {
    Sample s;
    s.program.check([&] {
      if (s.central == Central::updates) s.program.ignore("--clients", "has no use here");
    });
    more.insert(more.end(), {"--config", file});
    return s.error(more);
  };
  CHECK_THAT(error({}), ContainsSubstring("clients: required a whole number") && ContainsSubstring("got null"));
  CHECK(error({"--central", "updates"}) == "");
  CHECK(error({"--clients", "7"}) == "");
}

TEST_CASE("Other words beside --help and --version are wrong usage, known options are accepted") {
  for (std::string const what : {"--help", "-h", "--version"}) {
    CHECK_THAT(Sample().error({what, "anything"}), ContainsSubstring("\"anything\" is not expected here"));
    CHECK_THAT(Sample().error({"anything", what}), ContainsSubstring("\"anything\" is not expected here"));
    CHECK_THAT(Sample().error({what, "--clinets"}), ContainsSubstring("did you mean --clients?"));
    CHECK(Sample().error({"--clients", "7", what}) == "");
    std::filesystem::path model;
    Program program("evaluate", "Evaluates.");
    program.positional("MODEL", model, "a model file");
    CHECK_THROWS_AS(program.parse({what, "anything"}), UsageError);
  }
}

TEST_CASE("--help glossary prints the glossary, also where positional arguments are required") {
  CHECK_FALSE(Sample().program.parse({"--help", "glossary"}));
  std::filesystem::path model;
  Program program("evaluate", "Evaluates.");
  program.positional("MODEL", model, "a model file");
  CHECK_FALSE(program.parse({"--help", "glossary"}));
  CHECK_THROWS_AS(program.parse({"--version", "glossary"}), UsageError);
}

TEST_CASE("The glossary defines columns and results") {
  std::string const text = glossary(80);
  for (auto const* term : {"offline_ndcg10", "online_discounted", "epsilon_accounted", "value ± sd", "rejected", "qid"})
    CHECK_THAT(text, ContainsSubstring(term));
}

TEST_CASE("--help is printed although other options have wrong values") {
  CHECK_FALSE(Sample().program.parse({"--clients", "0", "--help"}));
  CHECK_FALSE(Sample().program.parse({"--config", "missing", "--help"}));
}

TEST_CASE("Positional arguments are required") {
  std::filesystem::path model;
  Program program("evaluate", "Evaluates.");
  program.positional("MODEL", model, "a model file");
  CHECK_THROWS_WITH(program.parse({}), "MODEL is missing: give a path");
  REQUIRE(program.parse({"m.fltr"}));
  CHECK(model == "m.fltr");
  CHECK_THAT(program.help(80), ContainsSubstring("usage: evaluate MODEL [options]"));
}

TEST_CASE("The exit status is 0, 1 for a run-time error, 2 for wrong usage") {
  char const* const good[] = {"sample"};
  char const* const bad[] = {"sample", "--clients", "0"};
  bool ran = false;
  CHECK(Sample().program.run(1, good, [&] { ran = true; }) == 0);
  CHECK(ran);
  ran = false;
  CHECK(Sample().program.run(3, bad, [&] { ran = true; }) == 2);
  CHECK_FALSE(ran);
  CHECK(Sample().program.run(1, good, [] { throw std::runtime_error("expected by this test"); }) == 1);
  CHECK(Sample().program.run(1, good, [] { throw UsageError("expected by this test"); }) == 2);
  CHECK(Sample().program.run(0, nullptr, [] {}) == 0);
}

TEST_CASE("The help names every option with its default, within the width") {
  Sample s;
  std::string const help = s.program.help(80);
  for (auto const* name : {"--data PATH", "--split A,B,C", "--clients N", "--central [no|interactions|updates]",
                           "--config FILE", "--help", "--version", "(default 50)", "(default query)"})
    CHECK_THAT(help, ContainsSubstring(name));
  std::size_t begin = 0;
  for (std::size_t end; (end = help.find('\n', begin)) != std::string::npos; begin = end + 1) CHECK(end - begin <= 80);
  s.program.examples("  sample --clients 3\n      prints   this\n");
  CHECK(s.program.help(80) == help + "\nExamples\n  sample --clients 3\n      prints   this\n");
}

TEST_CASE("--clamp takes a positive number or off") {
  Sample s;
  s.program.parse({"--data", "folder", "--clamp", "300"});
  CHECK(s.options.clamp == 300);
  s.program.parse({"--data", "folder", "--clamp", "off"});
  CHECK(std::isinf(s.options.clamp));
  CHECK(s.program.options()["clamp"] == "off");
  for (char const* wrong : {"0", "-1", "nan", "inf", "1e39", "yes", ""})
    CHECK_THROWS_AS(s.program.parse({"--data", "folder", "--clamp", wrong}), UsageError);
}
