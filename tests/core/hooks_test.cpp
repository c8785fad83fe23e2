#include <fltr/core/hooks.hpp>

#include "support/catch.hpp"

namespace {

FLTR_HOOK(tidy);

struct Missing {
  void tidier() {}
  int tidy_;
};
struct Right {
  void tidy(float&) const {}
};
struct WrongSignature {
  void tidy(int, int, int) {}
};
struct WrongResult {
  char const* tidy(float&) const { return ""; }
};
struct Template {
  template <class T>
  void tidy(T&) const {}
};
struct Constrained {
  template <class T>
  requires(sizeof(T) > 100)
  void tidy(T&) const {}
};
struct Overloaded {
  void tidy(int) const {}
  void tidy(double) const {}
};
class Private {
  void tidy(float&) const {}

 public:
  void use() const {
    float x = 0;
    tidy(x);
  }
};
class Protected {
 protected:
  void tidy(float&) const {}
};
struct Static {
  static void tidy(float&) {}
};
struct Deleted {
  void tidy(float&) const = delete;
};
struct Data {
  bool tidy = true;
};
struct StaticTemplateData {
  template <class T>
  [[maybe_unused]] static constexpr bool tidy = sizeof(T) > 1;
};
struct NestedType {
  struct tidy {};
};
struct Inherited : Right {};
struct PrivatelyInherited : private Right {};
template <class T>
struct Wrapper {
  T inner;
};
struct NotDefaultConstructible {
  explicit NotDefaultConstructible(int) {}
  void tidy() {}
};

}  // namespace

TEST_CASE("NamesHook is false for a class without a member of that name") {
  STATIC_REQUIRE(!NamesHook_tidy<Missing>);
  STATIC_REQUIRE(!NamesHook_tidy<Wrapper<Right>>);
  STATIC_REQUIRE(!NamesHook_tidy<int>);
  STATIC_REQUIRE(!NamesHook_tidy<Right*>);
}

TEST_CASE("NamesHook is true for a member function, a template, an overload set, a data member and a nested type") {
  STATIC_REQUIRE(NamesHook_tidy<Right>);
  STATIC_REQUIRE(NamesHook_tidy<Template>);
  STATIC_REQUIRE(NamesHook_tidy<Overloaded>);
  STATIC_REQUIRE(NamesHook_tidy<Static>);
  STATIC_REQUIRE(NamesHook_tidy<Data>);
  STATIC_REQUIRE(NamesHook_tidy<StaticTemplateData>);
  STATIC_REQUIRE(NamesHook_tidy<NestedType>);
  STATIC_REQUIRE(NamesHook_tidy<Inherited>);
  STATIC_REQUIRE(NamesHook_tidy<NotDefaultConstructible>);
}

TEST_CASE("NamesHook is true for a member with a wrong signature and for a private member") {
  STATIC_REQUIRE(NamesHook_tidy<WrongSignature>);
  STATIC_REQUIRE(NamesHook_tidy<WrongResult>);
  STATIC_REQUIRE(NamesHook_tidy<Constrained>);
  STATIC_REQUIRE(NamesHook_tidy<Private>);
  STATIC_REQUIRE(NamesHook_tidy<Protected>);
  STATIC_REQUIRE(NamesHook_tidy<PrivatelyInherited>);
  STATIC_REQUIRE(NamesHook_tidy<Deleted>);
}
