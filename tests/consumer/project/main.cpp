#include <array>
#include <cstddef>
#include <iostream>

#include <fltr/core/tensor.hpp>
#include <fltr/core/version.hpp>
#include <fltr/data/client.hpp>
#include <fltr/data/make_dataset.hpp>

int main() {
  fltr::Matrix<float> const features{{1.0F, 0.0F}, {0.0F, 1.0F}, {0.5F, 0.5F}};
  std::array<fltr::Grade, 3> const grades{2, 0, 1};
  std::array<std::size_t, 2> const query_sizes{2, 1};
  auto const data = fltr::make_dataset(features, grades, query_sizes);
  fltr::Client const client{.queries = fltr::QueryPool(data)};
  std::cout << "fltr " << fltr::version << ", " << client.queries.size() << " queries\n";
  return client.queries.size() == 2 ? 0 : 1;
}
