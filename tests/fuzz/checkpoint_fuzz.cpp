// Whatever the bytes, a checkpoint is accepted or throws FormatError. The bytes are also read as the payload of a file
// whose checksum is correct, and as the state of a training. A training whose state is accepted runs a round or throws.
#include <cstddef>
#include <exception>
#include <span>

#include <fltr/aggregators/fed_opt.hpp>
#include <fltr/click_models/cascade_model.hpp>
#include <fltr/core/envelope.hpp>
#include <fltr/core/error.hpp>
#include <fltr/federation/checkpoint.hpp>
#include <fltr/federation/make_federation.hpp>
#include <fltr/formats/letor_reader.hpp>
#include <fltr/learners/pdgd.hpp>
#include <fltr/learners/personal.hpp>
#include <fltr/partition/iid.hpp>
#include <fltr/rankers/split_neural_ranker.hpp>

#include "fuzz/target.hpp"

namespace {

void restore_state(std::span<std::byte const> state) {
  static fltr::Dataset const queries =
      fltr::parse_letor("1 qid:1 1:1 2:1\n0 qid:1 1:2\n2 qid:2 1:3\n0 qid:2 2:4\n", "queries", {.threads = 1});
  static auto const fresh =
      fltr::make_federation(fltr::SplitNeuralRanker(2, {.hidden = 2}), fltr::CascadeModel::perfect(3),
                            fltr::Personal<fltr::Pdgd>{}, fltr::FedOpt<fltr::Adam>{})
          .start(fltr::split_iid(queries, {.clients = 2, .interactions = 1}));
  auto training = fresh;
  restore(training, state);
  try {
    training.advance();
  } catch (std::exception const&) {  // values that no training has, in a state with a correct checksum
  }
}

void read(std::span<std::byte const> bytes) {
  try {
    restore_state(fltr::parse_checkpoint(bytes).state);
  } catch (fltr::FormatError const&) {
  }
}

}  // namespace

FLTR_FUZZ_TARGET(checkpoint) {
  auto const bytes = std::as_bytes(std::span(data, size));
  read(bytes);
  read(fltr::enclose(fltr::detail::checkpoint_format, bytes));
  try {
    restore_state(bytes);
  } catch (fltr::FormatError const&) {
  }
}
