// build error: fltr: a source of queries must have draw\(Stream&\) or draw\(DrawAt const&, Stream&\)
#include <fltr/concepts/query_source.hpp>

// A Dataset has queries, but no function that draws one.
fltr::QueryView next(fltr::Dataset const& data, fltr::Stream& stream) {
  return fltr::draw_query(data, {1, 0, 1}, stream);
}
