#include "support/recorder.hpp"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "support/catch.hpp"
#include "support/temporary.hpp"

using namespace fltr::examples;

namespace {

std::string read(std::filesystem::path const& path) {
  std::ifstream stream(path, std::ios::binary);
  REQUIRE(stream);
  return {std::istreambuf_iterator<char>(stream), {}};
}

struct Sample {
  Sample() : program("sample", "A sample.") { program.common(options); }

  CommonOptions options{.clients = 2, .rounds = 3, .quiet = true};
  Program program;
};

std::span<std::byte const> bytes(std::string_view text) { return std::as_bytes(std::span(text)); }

nlohmann::json json_of(Recorder const& recorder) { return nlohmann::json::parse(recorder.run_json().dump()); }

}  // namespace

TEST_CASE("rounds.csv has a row per round, and empty fields for values that were not measured") {
  fltr::testing::TemporaryFolder folder;
  Sample s;
  s.options.out = folder.path() / "deep" / "out";
  Recorder recorder(s.program, s.options, {"own", "odd, name"});
  Run& run = recorder.start_run(4, 17);
  run.add({.round = 0, .offline = Offline{0.25, 0.5, 0.75}, .extra = {1, "a\"b"}});
  run.add({.round = 1,
           .interactions = 8,
           .online_ndcg10 = 0.1,
           .clients = 2,
           .dropped = 1,
           .rejected = 0,
           .privacy = PrivacySpent{4.5, std::numeric_limits<double>::infinity(), 1e-5},
           .extra = {0.5, {}}});
  run.add({.round = 2, .interactions = 4, .clients = 2, .extra = {std::nan(""), -3}});
  recorder.close();

  std::string const text = read(s.options.out / "rounds.csv");
  std::vector<std::string> lines = split_text(text, '\n');
  REQUIRE(lines.size() == 5);  // the last is empty: the text ends in a line feed
  CHECK(lines[4].empty());
  CHECK(lines[0] ==
        "run,seed,fold,round,interactions,offline_ndcg10,offline_mrr10,online_ndcg10,clients,dropped,rejected,epsilon_"
        "nominal,epsilon_accounted,delta,seconds,own,\"odd, name\"");
  auto const around_seconds = [&](std::string const& line, std::string const& before, std::string const& after) {
    CHECK(line.starts_with(before));
    CHECK(line.ends_with(after));
    auto const seconds = parse_number(line.substr(before.size(), line.size() - before.size() - after.size()));
    REQUIRE(seconds);
    CHECK(*seconds >= 0);
  };
  around_seconds(lines[1], "1,17,4,0,0,0.25,0.5,,0,0,0,,,,", ",1,\"a\"\"b\"");
  around_seconds(lines[2], "1,17,4,1,8,,,0.1,2,1,0,4.5,inf,1e-05,", ",0.5,");
  around_seconds(lines[3], "1,17,4,2,12,,,,2,0,0,,,,", ",,-3");
}

TEST_CASE("run.json holds means and sample deviations over folds and repeats") {
  fltr::testing::TemporaryFolder folder;
  Sample s;
  s.options.out = folder.path();
  s.program.parse({"--seed", "5", "--repeats", "2", "--out", folder.path().string(), "--quiet"});
  Recorder recorder(s.program, s.options);
  recorder.dataset({.queries = 100, .documents = 2000, .features = 46, .grades = 3, .empty_queries = 7, .clamped = 4});
  recorder.data_source("/data/letor", "0123");
  recorder.add_seconds("load", 0.25);
  recorder.add_seconds("load", 0.5);
  recorder.add_seconds("per_tree", 0.125);
  double ndcg = 0.1;
  for (std::size_t const fold : {1U, 2U})
    for (std::uint64_t const seed : {5U, 6U}) {
      Run& run = recorder.start_run(fold, seed);
      run.add({.round = 0, .offline = Offline{0, 0, 0}});
      for (std::uint64_t round = 1; round <= 3; ++round)
        run.add({.round = round,
                 .interactions = 8,
                 .offline = round == 3 ? std::optional(Offline{ndcg, 0.5, 0.25}) : std::nullopt,
                 .online_ndcg10 = 0.5,
                 .clients = 2,
                 .privacy = PrivacySpent{.epsilon_nominal = 1.0 * static_cast<double>(round),
                                         .epsilon_accounted = 2.0 * static_cast<double>(round),
                                         .delta = 1e-5,
                                         .epsilon_any_stop = 2.5 * static_cast<double>(round)}});
      run.result("online_metric", ndcg * 2);
      run.model(bytes(ndcg == 0.1 ? "abc" : "other"), ndcg == 0.1 ? "hash of the first" : "hash of another");
      ndcg += 0.1;
    }
  recorder.result("clients", {{{"alpha", 0.5}}});
  recorder.close();

  auto const json = nlohmann::json::parse(read(folder.path() / "run.json"));
  CHECK(json["program"] == "sample");
  CHECK(json["version"] == "0.1.0");
  CHECK_THAT(json["date"].get<std::string>(), Catch::Matchers::StartsWith("20") && Catch::Matchers::EndsWith("Z"));
  CHECK(json["compiler"].is_string());
  CHECK(json.contains("processor"));  // null on some systems
  CHECK(json["options"]["seed"] == 5);
  CHECK(json["options"]["repeats"] == 2);
  CHECK(json["dataset"] == nlohmann::json{{"queries", 100},
                                          {"documents", 2000},
                                          {"features", 46},
                                          {"grades", 3},
                                          {"empty_queries", 7},
                                          {"clamped", 4},
                                          {"path", "/data/letor"},
                                          {"hash", "0123"}});
  auto const& result = json["result"];
  // .1, .2, .3, .4: mean .25, variance (.15² + .05²) · 2 / 3 = 1/60.
  CHECK(result["offline_ndcg10"].get<double>() == Approx(0.25));
  CHECK(result["offline_ndcg10_sd"].get<double>() == Approx(std::sqrt(1.0 / 60)));
  CHECK(result["offline_mrr10"] == 0.5);
  CHECK(result["offline_mrr10_sd"] == 0.0);
  CHECK(result["offline_maxrr"] == 0.25);
  CHECK(result["online_ndcg10"] == 0.5);
  CHECK(result["online_discounted"].get<double>() == Approx(0.5 * (1 + 0.9995 + 0.9995 * 0.9995)));
  CHECK(result["online_metric"].get<double>() == Approx(0.5));
  CHECK(result["clients"][0]["alpha"] == 0.5);
  REQUIRE(result["folds"].size() == 2);
  CHECK(result["folds"][1]["fold"] == 2);
  CHECK(result["folds"][1]["offline_ndcg10"].get<double>() == Approx(0.35));
  CHECK(result["folds"][1]["offline_ndcg10_sd"].get<double>() == Approx(std::sqrt(0.005)));
  CHECK(json["privacy"] ==
        nlohmann::json{{"epsilon_nominal", 3.0},
                       {"epsilon_accounted", 6.0},
                       {"epsilon_any_stop", 7.5},
                       {"delta", 1e-5},
                       {"not_covered", {"online_ndcg10", "online_discounted", "online_metric", "interactions"}}});
  CHECK(json["seconds"]["load"] == 0.75);
  CHECK(json["seconds"]["per_tree"] == 0.125);
  CHECK(json["seconds"]["train"].get<double>() > 0);
  CHECK(json["seconds"]["evaluate"] == 0.0);
  CHECK(json["interactions"] == 4 * 3 * 8);
  CHECK(json["interactions_per_second"].get<double>() == Approx(96 / json["seconds"]["train"].get<double>()));
  CHECK(json["model_sha256"] == "hash of the first");
  CHECK(read(folder.path() / "model-fold1-seed5.fltr") == "abc");
  CHECK(read(folder.path() / "model-fold2-seed6.fltr") == "other");
  CHECK(read(folder.path() / "curve.svg").starts_with("<svg"));
  std::size_t files = 0;
  for (auto const& entry : std::filesystem::directory_iterator(folder.path()))
    files += entry.is_regular_file() ? 1U : 0U;
  CHECK(files == 8);  // run.json, rounds.csv, queries.csv, curve.svg and four models
  CHECK(read(folder.path() / "queries.csv") == "run,seed,fold,qid,ndcg10,ndcg5,ap,mrr10\n");  // no run recorded any
}

TEST_CASE("An infinite epsilon is the text inf in run.json, with its reason and its assumption") {
  fltr::testing::TemporaryFolder folder;
  Sample s;
  s.options.out = folder.path();
  Recorder recorder(s.program, s.options);
  recorder.start_run(1, 5).add({.round = 1,
                                .clients = 2,
                                .privacy = PrivacySpent{0.5, std::numeric_limits<double>::infinity(), 0.0,
                                                        "assumes a server that keeps only sums", "noise is missing"}});
  recorder.close();
  CHECK(nlohmann::json::parse(read(folder.path() / "run.json"))["privacy"] ==
        nlohmann::json{{"epsilon_nominal", 0.5},
                       {"epsilon_accounted", "inf"},
                       {"epsilon_any_stop", "inf"},
                       {"delta", 0.0},
                       {"assumption", "assumes a server that keeps only sums"},
                       {"reason", "noise is missing"},
                       {"not_covered", nlohmann::json::array()}});
}

TEST_CASE("One run has no deviation and no folds, and privacy is null without a privacy ledger") {
  Sample s;
  Recorder recorder(s.program, s.options);
  Run& run = recorder.start_run(1, 1);
  run.add({.round = 0, .offline = Offline{0.5, 0.5, std::nan("")}});
  recorder.end_run();
  auto const json = json_of(recorder);
  CHECK(json["result"]["offline_ndcg10"] == 0.5);
  CHECK(json["result"]["offline_ndcg10_sd"].is_null());
  CHECK(json["result"]["offline_maxrr"].is_null());
  CHECK(json["result"]["online_ndcg10"].is_null());
  CHECK(json["result"]["online_discounted"].is_null());
  CHECK_FALSE(json["result"].contains("folds"));
  CHECK(json.at("privacy").is_null());
  CHECK(json["interactions"] == 0);
  CHECK(json.at("model_sha256").is_null());
}

TEST_CASE("Each run writes one line per test query that nDCG@10 does not skip") {
  fltr::testing::TemporaryFolder folder;
  Sample s;
  s.options.out = folder.path();
  Recorder recorder(s.program, s.options);
  fltr::DatasetParts parts;
  parts.query_offsets = {0, 0, 0, 0};
  for (auto const* qid : {"7", "a,\"b\"", "9"}) parts.qids.push_back(qid);
  fltr::Dataset const test(std::move(parts));
  Run& run = recorder.start_run(3, 12);
  run.add({.round = 0});
  CHECK_THROWS_AS(run.queries(test, std::vector<QueryValues>{{0.5, 0.5, 0.5, 0.5}}), std::logic_error);
  std::vector<QueryValues> const values{
      {std::nullopt, 0.5, 0.5, 0.5}, {0.1, 0.0, 0.25, 1.0}, {1.0 / 3, 0.5, std::nullopt, 1e-5}};
  run.queries(test, values);
  CHECK_THROWS_AS(run.queries(test, values), std::logic_error);
  Run& next = recorder.start_run(3, 13);
  next.queries(test, values);
  recorder.close();
  CHECK_THROWS_AS(run.queries(test, values), std::logic_error);
  CHECK(read(folder.path() / "queries.csv") == R"(run,seed,fold,qid,ndcg10,ndcg5,ap,mrr10
1,12,3,"a,""b""",0.1,0,0.25,1
1,12,3,9,0.3333333333333333,0.5,,1e-05
2,13,3,"a,""b""",0.1,0,0.25,1
2,13,3,9,0.3333333333333333,0.5,,1e-05
)");
}

TEST_CASE("Additional models are written to their own folders") {
  fltr::testing::TemporaryFolder folder;
  Sample s;
  s.options.out = folder.path();
  Recorder recorder(s.program, s.options);
  recorder.add_folder("client1");
  recorder.expect_runs(2);
  CHECK(std::filesystem::is_directory(folder.path() / "client1"));
  fltr::DatasetParts parts;
  parts.query_offsets = {0, 0};
  parts.qids.push_back("7");
  fltr::Dataset const test(std::move(parts));
  std::vector<QueryValues> const global{{0.5, 0.5, 0.5, 0.5}};
  std::vector<QueryValues> const own{{0.75, 0.5, 0.25, 1.0}};
  for (std::uint64_t const seed : {12U, 13U}) {
    Run& run = recorder.start_run(1, seed);
    run.queries(test, own, "client1");
    CHECK_THROWS_AS(run.queries(test, own, "client1"), std::logic_error);
    CHECK_THROWS_AS(run.queries(test, own, "unknown"), std::logic_error);
    run.queries(test, global);
    run.model(bytes(seed == 12 ? "abc" : "later"), seed == 12 ? "hash of the first" : "hash of another");
    run.model(bytes(seed == 12 ? "own" : "later"), "hash of another", "client1");
  }
  recorder.close();
  std::string const header = "run,seed,fold,qid,ndcg10,ndcg5,ap,mrr10\n";
  CHECK(read(folder.path() / "queries.csv") == header + "1,12,1,7,0.5,0.5,0.5,0.5\n2,13,1,7,0.5,0.5,0.5,0.5\n");
  CHECK(read(folder.path() / "client1" / "queries.csv") ==
        header + "1,12,1,7,0.75,0.5,0.25,1\n2,13,1,7,0.75,0.5,0.25,1\n");
  CHECK(read(folder.path() / "model-fold1-seed12.fltr") == "abc");
  CHECK(read(folder.path() / "client1" / "model-fold1-seed12.fltr") == "own");
  auto const json = nlohmann::json::parse(read(folder.path() / "run.json"));
  CHECK(json["model_sha256"] == "hash of the first");
  CHECK_THAT(recorder.report(false, 72), ContainsSubstring("curve.svg, 2 models model-foldF-seedS.fltr, client1/\n"));
}

TEST_CASE("The discounted online result starts with weight 1 in the first round") {
  // Thesis, table 4.3: one grade per client, five grades, .8 in every round, 10,000 rounds: 1589.23.
  Sample s;
  Recorder recorder(s.program, s.options);
  Run& run = recorder.start_run(1, 1);
  run.add({.round = 0});
  for (std::uint64_t round = 1; round <= 10'000; ++round) run.add({.round = round, .online_ndcg10 = 0.8});
  recorder.end_run();
  auto const json = json_of(recorder);
  CHECK(json["result"]["online_discounted"].get<double>() == Approx(1589.23).margin(0.005));
}

TEST_CASE("The online result is the mean of the last ten rounds") {
  Sample s;
  Recorder recorder(s.program, s.options);
  Run& run = recorder.start_run(1, 1);
  for (std::uint64_t round = 0; round <= 15; ++round)
    run.add({.round = round, .online_ndcg10 = round == 0 ? std::nullopt : std::optional(static_cast<double>(round))});
  recorder.end_run();
  // 6 … 15
  CHECK(json_of(recorder)["result"]["online_ndcg10"].get<double>() == Approx(10.5));
}

TEST_CASE("Evaluations are due at round 0, every --eval-every rounds, and at the last round") {
  Sample s;
  s.options.rounds = 10;
  s.options.eval_every = 4;
  Recorder recorder(s.program, s.options);
  Run& run = recorder.start_run(1, 1);
  std::vector<std::uint64_t> due;
  for (std::uint64_t round = 0; round <= 10; ++round)
    if (run.evaluates(round)) due.push_back(round);
  CHECK(due == std::vector<std::uint64_t>{0, 4, 8, 10});
}

TEST_CASE("A run that ends before its last planned round can be evaluated") {
  fltr::testing::TemporaryFolder folder;
  Sample s;
  s.options.out = folder.path();
  Recorder recorder(s.program, s.options);
  Run& run = recorder.start_run(1, 1);
  run.add({.round = 0, .offline = Offline{0.25, 0.25, 0.25}});
  CHECK(run.last_row_is_evaluated());
  run.add({.round = 1, .clients = 2});
  CHECK_FALSE(run.last_row_is_evaluated());
  run.add_offline({0.5, 0.625, 0.75});
  recorder.close();
  auto const json = nlohmann::json::parse(read(folder.path() / "run.json"));
  CHECK(json["result"]["offline_ndcg10"] == 0.5);
  CHECK_THAT(read(folder.path() / "rounds.csv"), ContainsSubstring("\n1,1,1,1,0,0.5,0.625,,2,"));
}

TEST_CASE("Evaluation time is not training time") {
  Sample s;
  Recorder recorder(s.program, s.options);
  Run& run = recorder.start_run(1, 1);
  Stopwatch const all;
  CHECK(run.evaluate([] {
    Stopwatch const wait;
    while (wait.seconds() < 0.05) {
    }
    return 42;
  }) == 42);
  run.add({.round = 0});
  double const total = all.seconds();
  recorder.end_run();
  auto const json = json_of(recorder);
  double const train = json["seconds"]["train"].get<double>();
  double const evaluate = json["seconds"]["evaluate"].get<double>();
  CHECK(evaluate >= 0.05);
  CHECK(train >= 0);
  CHECK(train <= total - 0.05 + 0.001);  // the run's clock started a moment before `all`
}

TEST_CASE("A folder that cannot be written is refused before the first run") {
  fltr::testing::TemporaryFolder folder;
  std::ofstream(folder.path() / "file") << "x";
  Sample s;
  s.options.out = folder.path() / "file";
  CHECK_THROWS_AS(Recorder(s.program, s.options), std::runtime_error);
  s.options.out = folder.path() / "file" / "below";
  CHECK_THROWS_AS(Recorder(s.program, s.options), std::runtime_error);
}

TEST_CASE("The report shows the results, and the curve unless --quiet is given") {
  Sample s;
  s.options.quiet = false;
  Recorder recorder(s.program, s.options);
  for (std::uint64_t const seed : {1U, 2U}) {
    Run& run = recorder.start_run(1, seed);
    run.add({.round = 0, .offline = Offline{0.25, 0.5, 0.75}});
    run.add({.round = 3, .offline = Offline{0.5 + 0.25 * static_cast<double>(seed), 0.5, 0.75}, .online_ndcg10 = 0.5});
  }
  recorder.end_run();
  std::string const report = recorder.report(true, 72);
  CHECK_THAT(report, ContainsSubstring("mean ± sd of 2 runs"));
  CHECK_THAT(report, ContainsSubstring("0.8750 ± 0.1768"));  // .75 and 1: .125 · √2
  CHECK_THAT(report, ContainsSubstring("┤"));
  std::string const plain = recorder.report(false, 72);
  CHECK(std::ranges::all_of(plain, [](char c) { return static_cast<unsigned char>(c) < 0x80; }));
  CHECK_THAT(plain, ContainsSubstring("0.8750 +- 0.1768"));
  s.options.quiet = true;
  CHECK_THAT(recorder.report(true, 72), !ContainsSubstring("┤") && ContainsSubstring("0.8750"));
}

TEST_CASE("A row must have a value for each of the program's own columns") {
  Sample s;
  Recorder recorder(s.program, s.options, {"one"});
  Run& run = recorder.start_run(1, 1);
  CHECK_THROWS_AS(run.add({.round = 0}), std::logic_error);
}

TEST_CASE("Rows with Keep::if_followed are removed unless a row with Keep::yes follows") {
  fltr::testing::TemporaryFolder folder;
  Sample s;
  s.options.out = folder.path() / "out";
  Recorder recorder(s.program, s.options);
  Run& run = recorder.start_run(1, 1);
  run.add({.round = 0, .offline = Offline{0.1, 0.1, 0.1}});
  run.add({.round = 1, .offline = Offline{0.2, 0.2, 0.2}}, Keep::if_followed);
  run.add({.round = 2, .offline = Offline{0.3, 0.3, 0.3}});
  run.add({.round = 3, .offline = Offline{0.4, 0.4, 0.4}}, Keep::if_followed);
  run.add({.round = 4}, Keep::if_followed);
  recorder.close();
  auto const lines = split_text(read(s.options.out / "rounds.csv"), '\n');
  REQUIRE(lines.size() == 5);
  CHECK(lines[2].starts_with("1,1,1,1,0,0.2,"));
  CHECK(lines[3].starts_with("1,1,1,2,0,0.3,"));
  CHECK(recorder.chart().series.at(0).x == std::vector<double>{0, 1, 2});
  CHECK(json_of(recorder)["result"]["offline_ndcg10"] == 0.3);
}

TEST_CASE("An evaluation after the rounds belongs to the last row with Keep::yes") {
  Sample s;
  Recorder recorder(s.program, s.options);
  Run& run = recorder.start_run(1, 1);
  run.add({.round = 0, .offline = Offline{0.1, 0.1, 0.1}});
  run.add({.round = 1});
  run.add({.round = 2, .offline = Offline{0.4, 0.4, 0.4}}, Keep::if_followed);
  CHECK(run.last_row_is_evaluated());
  run.add_offline({0.2, 0.2, 0.2});
  recorder.close();
  CHECK(recorder.chart().series.at(0).x == std::vector<double>{0, 1});
  CHECK(recorder.chart().series.at(0).y == std::vector<double>{0.1, 0.2});
}

TEST_CASE("One run writes model.fltr, several runs write one model each") {
  fltr::testing::TemporaryFolder folder;
  Sample s;
  s.options.out = folder.path() / "one";
  {
    Recorder recorder(s.program, s.options);
    recorder.start_run(3, 7).model(bytes("abc"), "hash of the first");
    recorder.close();
    CHECK(read(s.options.out / "model.fltr") == "abc");
    CHECK_THAT(recorder.report(false, 80), ContainsSubstring("curve.svg, model.fltr\n"));
  }
  s.options.out = folder.path() / "several";
  Recorder recorder(s.program, s.options);
  recorder.add_folder("client1");
  recorder.expect_runs(2);
  recorder.start_run(3, 7).model(bytes("abc"), "hash of the first");
  Run& second = recorder.start_run(3, 8);
  second.model(bytes("def"), "hash of another");
  second.model(bytes("ghi"), "hash of another", "client1");
  recorder.close();
  CHECK(read(s.options.out / "model-fold3-seed7.fltr") == "abc");
  CHECK(read(s.options.out / "model-fold3-seed8.fltr") == "def");
  CHECK(read(s.options.out / "client1" / "model-fold3-seed8.fltr") == "ghi");
  CHECK_FALSE(std::filesystem::exists(s.options.out / "model.fltr"));
  auto const json = json_of(recorder);
  CHECK(json["model_sha256"] == "hash of the first");
}

TEST_CASE("The report shows dropped and rejected messages and clamped values only if there were any") {
  Sample s;
  Recorder recorder(s.program, s.options);
  Run& run = recorder.start_run(1, 1);
  run.add({.round = 0});
  CHECK_THAT(recorder.report(false, 80), !ContainsSubstring("messages") && !ContainsSubstring("clamped"));
  run.add({.round = 1, .clients = 9, .dropped = 2});
  run.add({.round = 2, .clients = 9, .dropped = 3, .rejected = 1});
  recorder.dataset({.clamped = 1234});
  recorder.close();
  auto const report = recorder.report(false, 80);
  CHECK_THAT(report,
             ContainsSubstring("dropped messages       5\n") && ContainsSubstring("rejected messages      1\n"));
  CHECK_THAT(report, ContainsSubstring("clamped       1,234 feature values beyond -1e+06 or 1e+06; see --clamp"));
  auto const json = json_of(recorder);
  CHECK(json["result"]["dropped_messages"] == 5);
  CHECK(json["result"]["rejected_messages"] == 1);
}

TEST_CASE("With privacy, results that are exact functions of clicks are named, and --no-online leaves them out") {
  fltr::testing::TemporaryFolder folder;
  for (bool const no_online : {false, true}) {
    Sample s;
    s.options.no_online = no_online;
    s.options.out = folder.path() / (no_online ? "without" : "with");
    Recorder recorder(s.program, s.options);
    Run& run = recorder.start_run(1, 1);
    run.add({.round = 0, .offline = Offline{0.1, 0.1, 0.1}});
    run.add({.round = 1,
             .interactions = 8,
             .offline = Offline{0.2, 0.2, 0.2},
             .online_ndcg10 = 0.75,
             .clients = 2,
             .privacy = PrivacySpent{1, 2, 1e-5}});
    run.online_result("online_metric", 0.625);
    recorder.close();
    auto const json = json_of(recorder);
    auto const rows = split_text(read(s.options.out / "rounds.csv"), '\n');
    std::string const report = recorder.report(false, 100);
    CHECK(json["result"]["offline_ndcg10"] == 0.2);
    CHECK(recorder.chart().series.size() == (no_online ? 1 : 2));
    if (no_online) {
      CHECK(json["privacy"]["not_covered"] == nlohmann::json::array());
      for (char const* key : {"online_ndcg10", "online_discounted"}) CHECK(json["result"][key].is_null());
      CHECK_FALSE(json["result"].contains("online_metric"));
      for (char const* key : {"interactions", "interactions_per_second"}) CHECK(json[key].is_null());
      CHECK(rows[2].starts_with("1,1,1,1,,0.2,0.2,,2,0,0,1,2,1e-05,"));
      CHECK_THAT(report, !ContainsSubstring("online") && !ContainsSubstring("interactions,"));
      recorder.depends_on_clicks("attacks");  // --no-online does not leave it out
      CHECK(json_of(recorder)["privacy"]["not_covered"] == nlohmann::json{"attacks"});
      CHECK_THAT(recorder.report(false, 100), ContainsSubstring("not covered: attacks, exact functions of clicks\n"));
    } else {
      CHECK(json["privacy"]["not_covered"] ==
            nlohmann::json{"online_ndcg10", "online_discounted", "online_metric", "interactions"});
      CHECK(rows[2].starts_with("1,1,1,1,8,0.2,0.2,0.75,2,0,0,1,2,1e-05,"));
      CHECK_THAT(report,
                 ContainsSubstring("not covered: online_ndcg10, online_discounted, online_metric, interactions, "
                                   "exact functions of clicks"));
      recorder.depends_on_clicks("attacks");
      CHECK(json_of(recorder)["privacy"]["not_covered"].back() == "attacks");
      CHECK_THAT(recorder.report(false, 100), ContainsSubstring("(--no-online leaves out all but attacks)"));
    }
  }
}

TEST_CASE("The report shows discarded rounds if there were any, and run.json has their number") {
  Sample s;
  Recorder recorder(s.program, s.options);
  Run& run = recorder.start_run(1, 1);
  run.add({.round = 0});
  CHECK_THAT(recorder.report(false, 80), !ContainsSubstring("discarded"));
  run.add({.round = 1, .clients = 2, .dropped = 2, .discarded = true});
  run.add({.round = 2, .clients = 2});
  recorder.close();
  CHECK_THAT(recorder.report(false, 80), ContainsSubstring("discarded rounds      1\n"));
  CHECK(json_of(recorder)["result"]["discarded_rounds"] == 1);
}

TEST_CASE("A program whose rounds are trees says so in the picture and in the terminal") {
  Sample s;
  s.options.quiet = false;
  Recorder recorder(s.program, s.options);
  recorder.unit("tree");
  Run& run = recorder.start_run(1, 1);
  for (std::uint64_t const tree : {0U, 1U}) run.add({.round = tree, .offline = Offline{0.5, 0.5, 0.5}});
  recorder.close();
  CHECK(recorder.chart().title == "sample: nDCG@10 by number of trees");
  CHECK(recorder.chart().x_label == "number of trees");
  CHECK_THAT(recorder.report(false, 80), ContainsSubstring("offline nDCG@10 by number of trees\n"));
}

TEST_CASE("The picture names the end of the path of --data, in whole names") {
  Sample s;
  s.program.parse({"--data", "/a/folder/with/a/very/long/name/that/nobody/would/like/to/read/MQ2008/Fold1", "--quiet"});
  Recorder recorder(s.program, s.options);
  recorder.start_run(1, 1).add({.round = 0});
  recorder.close();
  CHECK(recorder.chart().subtitle.starts_with(".../"));
  CHECK_THAT(recorder.chart().subtitle, ContainsSubstring("/MQ2008/Fold1, 2 clients"));
  CHECK(character_count(recorder.chart().subtitle) <= 92);
}

TEST_CASE("A tuned value that is small is shown with its digits") {
  Sample s;
  Recorder recorder(s.program, s.options);
  Run& run = recorder.start_run(1, 1);
  run.add({.round = 0});
  run.result("tuned_learning_rate", 1e-5);
  run.result("tuned_leaves", 31);
  run.result("gap", 0.00001);
  recorder.close();
  CHECK_THAT(recorder.report(false, 80), ContainsSubstring("tuned learning rate   1e-05\n") &&
                                             ContainsSubstring("tuned leaves             31\n") &&
                                             ContainsSubstring("gap                  0.0000\n"));
}

TEST_CASE("A warning is given once, in the report and in run.json") {
  Sample s;
  Recorder recorder(s.program, s.options);
  CHECK_FALSE(json_of(recorder).contains("warnings"));
  for (int i = 0; i < 2; ++i) recorder.warn("(a test of warnings)");
  recorder.start_run(1, 1).add({.round = 0});
  recorder.close();
  CHECK(json_of(recorder)["warnings"] == nlohmann::json{"(a test of warnings)"});
  std::string const report = recorder.report(false, 80);
  CHECK_THAT(report, ContainsSubstring("warning       (a test of warnings)\n"));
  CHECK(report.find("of warnings") == report.rfind("of warnings"));
}

TEST_CASE("An unused option is null in run.json, is not in the report, and is refused if it is given") {
  Sample s;
  s.program.parse({"--clients", "7"});
  CHECK_THROWS_WITH(s.program.ignore("--clients", "has no use here"), "--clients has no use here");
  s.program.ignore("--interactions", "has no use here");
  CHECK_FALSE(s.program.uses("--interactions"));
  Recorder recorder(s.program, s.options);
  recorder.start_run(1, 1).add({.round = 0});
  recorder.close();
  auto const json = json_of(recorder);
  CHECK(json["options"]["interactions"].is_null());
  CHECK(json["options"]["clients"] == 7);
  CHECK_THAT(recorder.report(false, 80), ContainsSubstring("7 clients") && !ContainsSubstring("interactions each"));
  recorder.instead_of_clients("no federation");
  CHECK_THAT(recorder.report(false, 80), ContainsSubstring("no federation") && !ContainsSubstring("7 clients"));

  fltr::testing::TemporaryFolder folder;
  std::ofstream(folder.path() / "run.json") << recorder.run_json().dump();
  CHECK_THROWS_WITH(Sample().program.parse({"--config", (folder.path() / "run.json").string()}),
                    ContainsSubstring("interactions: required a whole number") && ContainsSubstring("got null"));
  Sample again;
  again.program.check([&] { again.program.ignore("--interactions", "has no use here"); });
  again.program.parse({"--config", (folder.path() / "run.json").string()});
  CHECK(again.options.clients == 7);
  CHECK(again.options.interactions == 4);
}

TEST_CASE("The headline is the first result in run.json and in the table, and offline results come last") {
  Sample s;
  Recorder recorder(s.program, s.options);
  recorder.headline({.result = "merged_ndcg10", .label = "merged models", .offline_model = "equal weights"});
  Run& run = recorder.start_run(1, 1);
  run.add({.round = 0, .offline = Offline{0.1, 0.1, 0.1}});
  run.add({.round = 1, .offline = Offline{0.5, 0.5, 0.5}});
  run.result("local_ndcg10", 0.25);
  run.result("merged_ndcg10", 0.75);
  recorder.close();
  Json const json = recorder.run_json();
  CHECK(json["result"].begin().key() == "merged_ndcg10");
  CHECK(json["result"]["offline_ndcg10"] == 0.5);
  CHECK_THAT(recorder.report(false, 80), ContainsSubstring("merged models          0.7500\n"
                                                           "local nDCG@10          0.2500\n"
                                                           "equal weights nDCG@10  0.5000\n"));
}
