// first error: fltr: the result of ByCategory::split refers to its validation Dataset, which must not be a temporary
#include <fltr/partition/by_category.hpp>

#include <vector>

fltr::Dataset make_vali();

// The clients would keep pointers to validation data that is destroyed at the end of the statement.
auto clients(fltr::Dataset const& train, std::vector<float> const& categories) {
  return fltr::ByCategory{}.split(train, categories, make_vali(), categories);
}
