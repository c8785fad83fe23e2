#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <fltr/core/content_hash.hpp>
#include <fltr/data/fold.hpp>
#include <fltr/formats/checkpoint_folder.hpp>
#include <fltr/formats/checkpoint_options.hpp>

#include "options.hpp"
#include "program.hpp"

namespace fltr::examples {

/// The folder of --checkpoint. A program trains several times (folds, repeats, baselines); its trainings follow each
/// other in a fixed order, so each of them has the name of its run and its number in the run. The file options.json in
/// the folder states the options of the run, so that an error can name the option that differs.
///
/// On several ranks each rank has its own part of a checkpoint, in the folder of this name on its machine. Rank 0 alone
/// writes options.json.
///
/// Checkpoints that cannot be written are reported on stderr, and the run goes on. Checkpoints that cannot be read are
/// an error.
class Checkpoints {
 public:
  /// Without --checkpoint it does nothing. Throws UsageError if the folder belongs to a run with other options, or has
  /// checkpoints and neither --resume nor --force is given.
  Checkpoints(Program const& program, CommonOptions const& options);

  [[nodiscard]] bool on() const noexcept { return folder_.has_value(); }
  [[nodiscard]] bool resumes() const noexcept { return on() && options_->resume; }
  /// Whether --force is given.
  [[nodiscard]] bool replaces() const noexcept { return force_; }
  [[nodiscard]] CheckpointFolder const& folder() const noexcept { return *folder_; }
  /// Sets the data of the trainings that follow. Hashes them if there is a folder.
  void data(Fold const& fold);
  /// The options of the next training of a run.
  [[nodiscard]] CheckpointOptions next(std::size_t run);

  /// Removes all checkpoints unless a signal cut the run short. For programs that forget clients: checkpoints of a
  /// training before `forget` have the histories of these clients. Call after the results are written.
  void remove_when_complete();

  /// A line on stderr, of rank 0.
  void say(std::string const& text) const;
  /// Says on stderr that a checkpoint could not be written. Said once, until a checkpoint is written again.
  void failed(std::string const& error, std::uint32_t last_round);
  void written() noexcept { failing_ = false; }

 private:
  void compare_options() const;

  Program const* program_;
  CommonOptions const* options_;
  std::optional<CheckpointFolder> folder_;
  std::string setting_;
  ContentHash inputs_{};
  ContentHash data_{};
  std::map<std::size_t, std::uint32_t> trainings_;  // so far, by run
  bool force_ = false;
  bool failing_ = false;  // the last checkpoint could not be written
};

}  // namespace fltr::examples
