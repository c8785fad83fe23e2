// build error: (use of deleted function|call to deleted constructor).*Session
#include <fltr/click_models/cascade_model.hpp>
#include <fltr/core/state.hpp>
#include <fltr/federation/session.hpp>
#include <fltr/privatizers/no_privacy.hpp>

// The session would refer to a click model that is destroyed at the end of the statement.
void run(fltr::NoPrivacy const& privacy, fltr::NoState& state, fltr::SessionBuffers<>& buffers,
         fltr::RoundStatistics& statistics) {
  fltr::Session<fltr::CascadeModel, fltr::NoPrivacy, fltr::NoState> session(
      fltr::CascadeModel::perfect(3), privacy, fltr::Streams{}, state, buffers, statistics);
}
