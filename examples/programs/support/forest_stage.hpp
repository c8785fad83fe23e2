#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include <fltr/core/fields.hpp>
#include <fltr/core/fingerprint.hpp>
#include <fltr/formats/checkpoint_file.hpp>
#include <fltr/formats/checkpoint_options.hpp>
#include <fltr/rankers/forest.hpp>

#include "program_execution.hpp"

namespace fltr::examples {

/// A forest that is trained in one step, for ResumableTraining: saved when it is complete. On several ranks one of them may
/// have the forest.
///
///     ForestStage stage(execution_of(o));
///     ResumableTraining saved(run, stage);
///     if (!saved.resume(log)) {
///       stage.forest = …;
///       stage.complete();
///       if (!stop_requested()) saved.save(log);
///     }
class ForestStage {
 public:
  explicit ForestStage(ProgramExecution execution) : policies_{std::move(execution)} {}

  Forest forest{0};

  void complete() noexcept { complete_ = true; }

  // ---- a SavedTraining

  [[nodiscard]] std::uint32_t number() const noexcept { return complete_ ? 1 : 0; }
  /// What all ranks have in common.
  [[nodiscard]] bool ranker() const noexcept { return complete_; }
  [[nodiscard]] auto const& policies() const noexcept { return policies_; }
  auto fields(auto&& visit) { return visit(complete_, forest); }

  friend void restore(ForestStage& stage, std::span<std::byte const> bytes) {
    FieldReader reader(bytes);
    reader.read(stage);
    reader.expect_end();
  }
  friend CheckpointIdentity checkpoint_identity(ForestStage const&, CheckpointOptions const& options) {
    return {{}, Fingerprint().add(options.setting).value(), options.data};
  }

 private:
  struct Policies {
    ProgramExecution execution;
  };
  Policies policies_;
  bool complete_ = false;
};

}  // namespace fltr::examples
