#include <fltr/formats/npy.hpp>

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <tuple>
#include <type_traits>
#include <vector>

#include <fltr/core/tensor.hpp>
#include <fltr/data/make_dataset.hpp>

#include "support/catch.hpp"
#include "support/same_dataset.hpp"
#include "support/temporary.hpp"

namespace {

using namespace fltr;
using fltr::testing::content_of;
using fltr::testing::TemporaryFolder;

static_assert(NpyElement<float> && NpyElement<bool> && NpyElement<std::int8_t> && NpyElement<unsigned long long>);
static_assert(!NpyElement<char> && !NpyElement<long double> && !NpyElement<std::string>);

/// A file of version `major`.0 with this dictionary, by the format's description.
std::string npy(int major, std::string dictionary, std::string_view data) {
  std::size_t const before = major == 1 ? 10 : 12;
  while ((before + dictionary.size() + 1) % 64 != 0) dictionary += ' ';
  dictionary += '\n';
  std::string file = "\x93NUMPY";
  file += static_cast<char>(major);
  file += '\0';
  for (std::size_t i = 0; i < before - 8; ++i) file += static_cast<char>(dictionary.size() >> (8 * i) & 255U);
  return file + dictionary + std::string(data);
}

std::string dictionary(std::string const& descr, std::string const& shape, bool fortran = false) {
  return "{'descr': '" + descr + "', 'fortran_order': " + (fortran ? "True" : "False") + ", 'shape': " + shape + ", }";
}

template <class T>
std::string bytes_of(std::vector<T> const& values, bool big_endian = false) {
  std::string bytes;
  for (T const value : values) {
    auto raw = std::bit_cast<std::array<char, sizeof(T)>>(value);
    if (big_endian) std::ranges::reverse(raw);
    bytes.append(raw.data(), raw.size());
  }
  return bytes;
}

class Files {
 public:
  std::filesystem::path write(std::string const& name, std::string_view content) const {
    auto const path = folder_.path() / name;
    std::ofstream(path, std::ios::binary) << content;
    return path;
  }
  [[nodiscard]] std::filesystem::path path(std::string const& name) const { return folder_.path() / name; }

 private:
  TemporaryFolder folder_;
};

/// The text of the FormatError that reading a file gives.
template <class T, std::size_t N = 1>
std::string refusal(Files const& files, std::string_view content) {
  auto const path = files.write("refused.npy", content);
  try {
    static_cast<void>(read_npy<T, N>(path));
  } catch (FormatError const& error) {
    std::string const text = error.what();
    CHECK(text.starts_with(path.string() + ": required "));
    return text.substr(path.string().size() + 2);
  }
  return "no error";
}

template <class T>
std::string descr() {
  std::string const kind = std::same_as<T, bool>         ? "b"
                           : std::is_floating_point_v<T> ? "f"
                           : std::is_signed_v<T>         ? "i"
                                                         : "u";
  return (sizeof(T) == 1 ? "|" : "<") + kind + std::to_string(sizeof(T));
}

template <class T>
std::vector<T> extremes() {
  using Limits = std::numeric_limits<T>;
  if constexpr (std::is_floating_point_v<T>)
    return {T{0}, -T{0}, Limits::max(), Limits::lowest(), Limits::denorm_min(), Limits::infinity()};
  else
    return {T{0}, T{1}, Limits::max(), Limits::min(), T{1}, T{0}};
}

}  // namespace

TEMPLATE_TEST_CASE("An array of any dtype is written in the .npy format and read with the same values", "", float,
                   double, bool, std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t,
                   std::uint32_t, std::uint64_t) {
  Files const files;
  auto const values = extremes<TestType>();
  xt::xtensor<TestType, 2> matrix(std::array<std::size_t, 2>{2, 3});
  std::ranges::copy(values, matrix.data());
  xt::xtensor<TestType, 1> line(std::array<std::size_t, 1>{6});
  std::ranges::copy(values, line.data());

  write_npy(files.path("matrix.npy"), matrix);
  write_npy(files.path("line.npy"), line);
  CHECK(content_of(files.path("matrix.npy")) == npy(1, dictionary(descr<TestType>(), "(2, 3)"), bytes_of(values)));
  CHECK(content_of(files.path("line.npy")) == npy(1, dictionary(descr<TestType>(), "(6,)"), bytes_of(values)));
  CHECK((read_npy<TestType, 2>(files.path("matrix.npy")) == matrix));
  CHECK((read_npy<TestType>(files.path("line.npy")) == line));

  // The same array in the other orders and versions.
  std::vector<TestType> columns;
  for (std::size_t k = 0; k < 3; ++k)
    for (std::size_t i = 0; i < 2; ++i) columns.push_back(matrix(i, k));
  auto swapped = descr<TestType>();
  if (sizeof(TestType) > 1) swapped[0] = '>';
  for (int const version : {1, 2, 3})
    for (bool const big : {false, true}) {
      auto const type = big ? swapped : descr<TestType>();
      auto const c = files.write("c.npy", npy(version, dictionary(type, "(2, 3)"), bytes_of(values, big)));
      auto const f = files.write("f.npy", npy(version, dictionary(type, "(2, 3)", true), bytes_of(columns, big)));
      auto const f1 = files.write("f1.npy", npy(version, dictionary(type, "(6,)", true), bytes_of(values, big)));
      CHECK((read_npy<TestType, 2>(c) == matrix));
      CHECK((read_npy<TestType, 2>(f) == matrix));
      CHECK((read_npy<TestType>(f1) == line));
    }
}

TEST_CASE("Spans, vectors, views and expressions are written in C order") {
  Files const files;
  std::vector<double> const values{1.5, -2, 3};
  write_npy(files.path("a.npy"), values);
  CHECK((read_npy<double>(files.path("a.npy")) == xt::xtensor<double, 1>{1.5, -2, 3}));
  write_npy(files.path("a.npy"), std::span(values).first(2));  // replaces the file
  CHECK((read_npy<double>(files.path("a.npy")) == xt::xtensor<double, 1>{1.5, -2}));
  xt::xtensor<std::int32_t, 2, xt::layout_type::column_major> const columns{{1, 2, 3}, {4, 5, 6}};
  write_npy(files.path("a.npy"), columns);
  CHECK((read_npy<std::int32_t, 2>(files.path("a.npy")) == columns));
  write_npy(files.path("a.npy"), columns + 1);
  CHECK((read_npy<std::int32_t, 2>(files.path("a.npy")) == Matrix<std::int32_t>{{2, 3, 4}, {5, 6, 7}}));
  // More than one block of the writer.
  xt::xtensor<std::uint16_t, 2> large(std::array<std::size_t, 2>{1000, 7});
  for (std::size_t i = 0; i < large.size(); ++i) large.data()[i] = static_cast<std::uint16_t>(i);
  write_npy(files.path("a.npy"), large);
  CHECK((read_npy<std::uint16_t, 2>(files.path("a.npy")) == large));
  CHECK_THROWS_AS(write_npy(files.path("no folder") / "a.npy", values), std::system_error);
}

TEST_CASE("Empty arrays keep their shape") {
  Files const files;
  write_npy(files.path("a.npy"), std::vector<float>{});
  CHECK(read_npy<float>(files.path("a.npy")).size() == 0);
  auto const path = files.write("b.npy", npy(1, dictionary("<f4", "(0, 5)"), ""));
  auto const values = read_npy<float, 2>(path);
  CHECK(values.shape(0) == 0);
  CHECK(values.shape(1) == 5);
}

TEST_CASE("Floats are rounded to another float type, and every other conversion is exact") {
  Files const files;
  auto const f8 = [&](std::vector<double> const& v) {
    return npy(1, dictionary("<f8", "(" + std::to_string(v.size()) + ",)"), bytes_of(v));
  };
  auto const i8 = [&](std::vector<std::int64_t> const& v) {
    return npy(1, dictionary("<i8", "(" + std::to_string(v.size()) + ",)"), bytes_of(v));
  };
  CHECK((read_npy<float>(files.write("a", f8({0.1, 1e-60, 3e38}))) == xt::xtensor<float, 1>{0.1F, 0.0F, 3e38F}));
  CHECK(refusal<float>(files, f8({0, 1e39})) ==
        "required values that '<f4' can hold, got 9.9999999999999994e+38 in element 1 (counted from 0)");
  auto const special = read_npy<float>(files.write("a", f8({HUGE_VAL, std::nan("")})));
  CHECK(std::isinf(special(0)));
  CHECK(std::isnan(special(1)));

  CHECK((read_npy<int>(files.write("a", f8({-0.0, -2147483648.0, 2147483647.0}))) ==
         xt::xtensor<int, 1>{0, std::numeric_limits<int>::min(), std::numeric_limits<int>::max()}));
  for (double const bad : {0.5, 2147483648.0, -2147483649.0, HUGE_VAL, -HUGE_VAL, std::nan("")})
    CHECK_THAT(refusal<int>(files, f8({bad})), ContainsSubstring("required values that '<i4' can hold"));
  CHECK_THAT(refusal<std::uint64_t>(files, f8({0x1p64})), ContainsSubstring("got 1.8446744073709552e+19"));
  CHECK_THAT(refusal<std::uint64_t>(files, f8({-1})), ContainsSubstring("got -1"));

  CHECK((read_npy<float>(files.write("a", i8({-16777216, 16777218, std::numeric_limits<std::int64_t>::min()}))) ==
         xt::xtensor<float, 1>{-16777216.0F, 16777218.0F, -0x1p63F}));
  CHECK_THAT(refusal<float>(files, i8({16777217})), ContainsSubstring("got 16777217"));
  CHECK_THAT(refusal<double>(files, i8({std::numeric_limits<std::int64_t>::max()})),
             ContainsSubstring("got 9223372036854775807"));
  CHECK((read_npy<std::int8_t>(files.write("a", i8({-128, 127}))) == xt::xtensor<std::int8_t, 1>{-128, 127}));
  CHECK_THAT(refusal<std::int8_t>(files, i8({128})), ContainsSubstring("'|i1' can hold, got 128"));
  CHECK_THAT(refusal<std::uint8_t>(files, i8({-1})), ContainsSubstring("'|u1' can hold, got -1"));
  CHECK_THAT(refusal<bool>(files, i8({2})), ContainsSubstring("'|b1' can hold, got 2"));
  CHECK((read_npy<int>(files.write("a", npy(1, dictionary("|b1", "(2,)"), std::string("\1\0", 2)))) ==
         xt::xtensor<int, 1>{1, 0}));
  CHECK_THAT(refusal<int>(files, npy(1, dictionary("|b1", "(2,)"), "\1\2")),
             ContainsSubstring("'|b1' can hold, got 2 in element 1"));
}

TEST_CASE("The keys of a header may have any order and any spaces") {
  Files const files;
  std::string const data = bytes_of<float>({1, 2});
  for (std::string const text : {"{'shape':(2,),'fortran_order':False,'descr':'<f4'}",
                                 "{\"descr\": \"<f4\", 'shape': (2L,), 'fortran_order': True}",
                                 " {\n'descr' : '<f4' ,\t'fortran_order' : False , 'shape' : ( 2 , ) , } "})
    CHECK((read_npy<float>(files.write("a", npy(1, text, data))) == xt::xtensor<float, 1>{1, 2}));
}

TEST_CASE("The error for an unsupported dtype names it") {
  Files const files;
  for (std::string const type : {"|O", "<U3", "|S5", "<f2", "<f16", "<c8", "<M8[s]", "<i3", "<i0", "f4", "|f4", "=f4",
                                 "|V4", "<b4", "<u16", "", "<f4x", "4 i", "<4 "})
    CHECK_THAT(refusal<float>(files, npy(1, dictionary(type, "(1,)"), "abcd")),
               ContainsSubstring("required a dtype of floats (4 or 8 bytes), integers (1 to 8 bytes) or bool, got '" +
                                 type + "'"));
  CHECK_THAT(
      refusal<float>(files, npy(1, "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,), }", "abcd")),
      ContainsSubstring("got a structured dtype"));
}

TEST_CASE("The error for a wrong number of dimensions states the shape") {
  Files const files;
  auto const data = bytes_of<float>({1, 2});
  CHECK(refusal<float, 1>(files, npy(1, dictionary("<f4", "(2, 1)"), data)) ==
        "required an array of 1 dimension, got shape (2, 1)");
  CHECK(refusal<float, 2>(files, npy(1, dictionary("<f4", "(2,)"), data)) ==
        "required an array of 2 dimensions, got shape (2,)");
  CHECK(refusal<float, 2>(files, npy(1, dictionary("<f4", "(1, 2, 1)"), data)) ==
        "required an array of 2 dimensions, got shape (1, 2, 1)");
  CHECK(refusal<float, 1>(files, npy(1, dictionary("<f4", "()"), data.substr(4))) ==
        "required an array of 1 dimension, got shape ()");
}

TEST_CASE("Damaged headers are refused") {
  Files const files;
  auto const data = bytes_of<float>({1, 2});
  auto const read = [&](std::string const& text) { return refusal<float>(files, npy(1, text, data)); };
  CHECK_THAT(read(""), ContainsSubstring("required '{' in the header"));
  CHECK_THAT(read("{"), ContainsSubstring("required a quoted string in the header"));
  CHECK_THAT(read("{}"), ContainsSubstring("required the keys descr, fortran_order and shape"));
  CHECK_THAT(read("{'descr': '<f4', 'shape': (2,)}"), ContainsSubstring("required the keys"));
  CHECK_THAT(read("{'descr': '<f4', 'shape': (2,), 'fortran_order': False, 'x': 1}"),
             ContainsSubstring("got the key 'x'"));
  CHECK_THAT(read("{'descr': '<f4', 'descr': '<f4', 'shape': (2,), 'fortran_order': False}"),
             ContainsSubstring("required the key 'descr' once"));
  CHECK_THAT(read("{'descr': '<f4, "), ContainsSubstring("required a closing quote"));
  CHECK_THAT(read("{'descr': '<f4', 'fortran_order': 0, 'shape': (2,)}"), ContainsSubstring("True or False, got '0,"));
  for (std::string const shape : {"2", "(2)", "(-2,)", "(2.0,)", "(,)", "(2,,)", "(2", "[2]", "(0x2,)", "('2',)"})
    CHECK_THAT(read(dictionary("<f4", shape)), ContainsSubstring("required "));
  CHECK_THAT(read(dictionary("<f4", "(2,)") + "x"), ContainsSubstring("required the end of the header, got 'x"));

  std::string const good = npy(1, dictionary("<f4", "(2,)"), data);
  std::string other = good;
  other[6] = 4;
  CHECK(refusal<float>(files, other) == "required version 1.0, 2.0 or 3.0 of the .npy format, got 4.0");
  other = good;
  other[7] = 1;
  CHECK_THAT(refusal<float>(files, other), ContainsSubstring("got 1.1"));
  CHECK_THAT(refusal<float>(files, "PK\3\4 an .npz file"), ContainsSubstring("required a .npy file"));
  CHECK_THAT(refusal<float>(files, ""), ContainsSubstring("required a .npy file"));
  CHECK(refusal<float>(files, good + "x") == "required 8 bytes of data for shape (2,) of '<f4', got 9");
  CHECK_THROWS_AS(read_npy<float>(files.path("missing.npy")), std::system_error);
  CHECK_THROWS_WITH(read_npy<float>(files.path("missing.npy")), ContainsSubstring("missing.npy"));
}

TEST_CASE("A file truncated at any byte is refused") {
  Files const files;
  for (int const version : {1, 2, 3}) {
    std::string const good = npy(version, dictionary("<f8", "(3, 2)"), bytes_of<double>({1, 2, 3, 4, 5, 6}));
    for (std::size_t size = 0; size < good.size(); ++size)
      CHECK_THAT((refusal<double, 2>(files, good.substr(0, size))), ContainsSubstring("required "));
  }
}

TEST_CASE("A header with any byte changed is refused or describes the same amount of data") {
  Files const files;
  std::string const good = npy(1, dictionary("<i4", "(3, 2)"), bytes_of<std::int32_t>({1, 2, 3, 4, 5, 6}));
  std::size_t const header = good.size() - 24;
  std::size_t accepted = 0;
  for (std::size_t i = 0; i < header; ++i)
    for (int value = 0; value < 256; ++value) {
      std::string changed = good;
      changed[i] = static_cast<char>(value);
      try {
        detail::NpyHeader const parsed = detail::parse_npy_header(changed, "changed");
        CHECK(parsed.count * parsed.type.size == 24);
        CHECK(parsed.shape == std::vector<std::size_t>{3, 2});
        CHECK(parsed.data_begin == header);
        // Of the dtypes only the byte order and the sign can change.
        CHECK(parsed.type.size == 4);
        ++accepted;
      } catch (FormatError const& error) {
        CHECK(std::string_view(error.what()).starts_with("changed: required "));
      }
    }
  CHECK(accepted >= header);  // each byte with its own value
}

TEST_CASE("A header that states more data than the file holds is refused") {
  Files const files;
  auto const data = bytes_of<float>({1, 2});
  for (std::string const shape :
       {"(1000000000, 1000)", "(4294967296, 4294967296)", "(9223372036854775807, 2)", "(18446744073709551615, 1)",
        "(18446744073709551616, 1)", "(99999999999999999999999999999999, 1)", "(4611686018427387906, 4)",
        "(2305843009213693952, 2)", "(0, 9223372036854775808)", "(9223372036854775808, 0)",
        "(0, 4294967296, 4294967296)"})
    CHECK_THAT((refusal<float, 2>(files, npy(1, dictionary("<f4", shape), data))), ContainsSubstring("required "));
  // A length of the header beyond the file.
  std::string huge = npy(2, dictionary("<f4", "(2,)"), data);
  huge[11] = '\x7f';
  CHECK_THAT(refusal<float>(files, huge), ContainsSubstring("required a header of 21307"));
}

TEST_CASE("Three files make a Dataset") {
  Files const files;
  Matrix<float> const features{{1, 2}, {3, 4}, {5, 6}};
  std::vector<Grade> const grades{0, 2, 1};
  std::vector<std::size_t> const sizes{2, 1};
  Dataset const expected = make_dataset(features, grades, sizes);
  auto const f = files.path("features.npy");
  auto const l = files.path("labels.npy");
  auto const q = files.path("qids.npy");
  auto const same = [&] { return testing::same_dataset(expected, read_npy_dataset(f, l, q)); };

  write_npy(f, features);
  write_npy(l, grades);
  write_npy(q, std::vector<std::int64_t>{1, 1, 2});
  CHECK(same());
  files.write("features.npy", npy(1, dictionary("<f8", "(3, 2)", true), bytes_of<double>({1, 3, 5, 2, 4, 6})));
  write_npy(l, std::vector<double>{0, 2, 1});
  write_npy(q, std::vector<std::uint8_t>{1, 1, 2});
  CHECK(same());
  files.write("features.npy", npy(1, dictionary("|i1", "(3, 2)"), bytes_of<std::int8_t>({1, 2, 3, 4, 5, 6})));
  write_npy(q, std::vector<std::uint64_t>{1, 1, 2});
  CHECK(same());
  write_npy(q, std::vector<std::uint64_t>{0, ~std::uint64_t{0}, 5});
  CHECK(read_npy_dataset(f, l, q).qid(1) == "18446744073709551615");
  // Values beyond 10^6 are kept.
  write_npy(f, Matrix<double>{{1e30, -1e30}, {0, 0}, {0, 0}});
  Dataset const large = read_npy_dataset(f, l, q);
  CHECK(large[0].row(0)[1] == -1e30F);
}

TEST_CASE("The error for three files that do not fit together names their paths") {
  Files const files;
  auto const f = files.path("features.npy");
  auto const l = files.path("labels.npy");
  auto const q = files.path("qids.npy");
  write_npy(f, Matrix<float>{{1, 2}, {3, 4}, {5, 6}});
  write_npy(l, std::vector<int>{0, 2, 1});
  write_npy(q, std::vector<int>{1, 1, 2});
  std::string expected;
  SECTION("too few labels") {
    write_npy(l, std::vector<int>{0, 2});
    expected = l.string() + ": required one value for each of the 3 documents in " + f.string() + ", got 2";
  }
  SECTION("too many query ids") {
    write_npy(q, std::vector<int>{1, 1, 2, 2});
    expected = q.string() + ": required one value for each of the 3 documents in " + f.string() + ", got 4";
  }
  SECTION("query ids of floats") {
    write_npy(q, std::vector<float>{1, 1, 2});
    expected = q.string() + ": required query ids of an integer dtype, got '<f4'";
  }
  SECTION("labels of two dimensions") {
    write_npy(l, Matrix<int>{{0}, {2}, {1}});
    expected = l.string() + ": required an array of 1 dimension, got shape (3, 1)";
  }
  SECTION("features of one dimension") {
    write_npy(f, std::vector<float>{1, 2, 3});
    expected = f.string() + ": required an array of 2 dimensions, got shape (3,)";
  }
  SECTION("no documents") {
    files.write("features.npy", npy(1, dictionary("<f4", "(0, 1000000000000)"), ""));
    expected = f.string() + ": required at least one document and one feature, got shape (0, 1000000000000)";
  }
  std::string const all = f.string() + ", " + l.string() + ", " + q.string() + ": make_dataset: required ";
  SECTION("a feature that is no number") {
    write_npy(f, Matrix<double>{{1, 2}, {3, std::nan("")}, {5, 6}});
    expected = all + "finite features in row 1, column 1 (counted from 0), got nan";
  }
  SECTION("a feature that is no float") {
    write_npy(f, Matrix<double>{{1, 2}, {3, 4}, {5, -1e300}});
    expected = f.string() +
               ": required values that '<f4' can hold, got -1.0000000000000001e+300 in element 5 (counted "
               "from 0)";
  }
  SECTION("a grade of 31") {
    write_npy(l, std::vector<int>{0, 31, 1});
    expected = all + "a whole grade of 0 to 30 in row 1 (counted from 0), got 31";
  }
  SECTION("half a grade") {
    write_npy(l, std::vector<float>{0, 0.5F, 1});
    expected = all + "a whole grade of 0 to 30 in row 1 (counted from 0), got 0.5";
  }
  SECTION("a query that comes back") {
    write_npy(q, std::vector<int>{1, 2, 1});
    expected = all + "consecutive rows for the documents of a query, got query 1 again in row 2 (counted from 0)";
  }
  CHECK_THROWS_AS(read_npy_dataset(f, l, q), FormatError);
  CHECK_THROWS_WITH(read_npy_dataset(f, l, q), expected);
}
