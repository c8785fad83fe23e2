#include "support/trials.hpp"

#include <fstream>
#include <stdexcept>
#include <string>

#include "support/catch.hpp"
#include "support/temporary.hpp"

using Catch::Matchers::EndsWith;
using fltr::RandomSearch;
using fltr::Trial;
using fltr::examples::Trials;

namespace {

Trial done(RandomSearch const& search, std::uint32_t number, double value) {
  Trial trial = search.candidate(number);
  trial.trees = 10 + number;
  trial.value = value;
  return trial;
}

std::string read(std::filesystem::path const& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

TEST_CASE("Trials that are read from their file equal the written trials of each fold") {
  fltr::testing::TemporaryFolder const folder;
  auto const file = folder.path() / "trials.csv";
  RandomSearch const search{.seed = 5};
  std::string const setting = "some data, 10 trees";
  Trials trials(file, search);
  CHECK(trials.of(1, setting).empty());
  CHECK(trials.of(2, "other data").empty());
  trials.add(2, done(search, 0, 1.0 / 3));
  trials.add(1, done(search, 0, 0.25));
  trials.add(1, done(search, 1, 0.1));
  Trials again(file, search);
  CHECK(again.of(1, setting) == std::vector{done(search, 0, 0.25), done(search, 1, 0.1)});
  CHECK(again.of(2, "other data") == std::vector{done(search, 0, 1.0 / 3)});
  CHECK(again.of(3, "any").empty());
  CHECK_THROWS_WITH(
      again.of(1, "other data"),
      EndsWith(": required trials of fold 1 with the setting \"other data\", got \"some data, 10 trees\""));

  Trials in_memory({}, search);
  in_memory.add(1, done(search, 0, 0.5));
  CHECK(in_memory.of(1, "").size() == 1);
}

TEST_CASE("A file with a line that is not a trial of this search is refused") {
  fltr::testing::TemporaryFolder const folder;
  auto const file = folder.path() / "trials.csv";
  RandomSearch const search{.seed = 5};
  Trials trials(file, search);
  CHECK(trials.of(1, "here").empty());
  trials.add(1, done(search, 0, 0.5));
  std::string const good = read(file);
  CHECK_THROWS_WITH((Trials(file, {.seed = 6})),
                    EndsWith("line 2: required the parameters that a search with this --seed "
                             "tries; was the file written with another --seed?"));
  auto const fault = [&](std::string const& text) {
    std::ofstream(file, std::ios::binary) << text;
    try {
      Trials const read_again(file, search);
    } catch (std::runtime_error const& error) {
      return std::string(error.what()).substr(file.string().size());
    }
    return std::string("none");
  };
  CHECK(fault(good) == "none");
  CHECK_THAT(
      fault(""),
      EndsWith("line 1: required \"fold,trial,learning_rate,leaves,min_data,min_hessian,trees,ndcg10,setting\""));
  CHECK_THAT(fault("x\n" + good), EndsWith("trees,ndcg10,setting\""));
  CHECK_THAT(fault(good + "1,1,0.1,31\n"), EndsWith("got \"1,1,0.1,31\""));
  CHECK_THAT(fault(good + "1,1,a,31,20,1,10,0.5,here\n"), EndsWith("got \"1,1,a,31,20,1,10,0.5,here\""));
  CHECK_THAT(fault(good + good.substr(good.find('\n') + 1)), EndsWith("line 3: required trial 1 of fold 1, got 0"));
  trials.add(1, done(search, 1, 0.25));
  std::string mixed = read(file);
  mixed.replace(mixed.rfind("here"), 4, "there");
  CHECK_THAT(fault(mixed), EndsWith("line 3: required the setting of the trial before, \"here\", got \"there\""));
}
