#include <fltr/core/observer.hpp>

#include "support/catch.hpp"

using fltr::NoObserver;
using fltr::observe;
using fltr::Observer;

static_assert(Observer<NoObserver>);
static_assert(Observer<NoObserver, int, double>);
static_assert(Observer<bool (*)(int), int>);
static_assert(!Observer<int (*)(int), int>);        // neither void nor bool
static_assert(!Observer<void (*)(int, int), int>);  // two parameters, one argument

TEST_CASE("observe: an observer that returns void never ends the training") {
  int seen = 0;
  auto record = [&seen](int value) { seen = value; };
  CHECK(observe(record, 7));
  CHECK(seen == 7);
  NoObserver const none{};
  CHECK(observe(none, 7, 1.5));
}

TEST_CASE("observe: returns the bool of the observer") {
  auto below_three = [](int value) { return value < 3; };
  CHECK(observe(below_three, 2));
  CHECK_FALSE(observe(below_three, 3));
}

TEST_CASE("observe: an observer may have state of its own") {
  auto twice = [calls = 0]() mutable { return ++calls < 2; };
  CHECK(observe(twice));
  CHECK_FALSE(observe(twice));
}
