// build error: fltr: SharedData takes the clients themselves
#include "parts.hpp"

#include <fltr/partition/sampled.hpp>
#include <fltr/partition/shared_data.hpp>

auto clients(fltr::Dataset const& data) {
  return fltr::SharedData{}.give(fltr::Sampled{fltr::split_iid(data), 10}, fltr::QueryPool(data));
}
