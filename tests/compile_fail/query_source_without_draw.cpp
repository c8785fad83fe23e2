// build error: fltr: a source of queries must have draw\(Stream&\) or draw\(DrawAt const&, Stream&\)
#include <fltr/concepts/query_source.hpp>

// A Dataset has queries, but does not say which one is asked next.
fltr::QueryView next(fltr::Dataset const& data, fltr::Stream& stream) {
  return fltr::draw_query(data, {1, 0, 1}, stream);
}
