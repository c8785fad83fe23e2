#include "checkpoints.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <span>
#include <stdexcept>
#include <system_error>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <fltr/core/content_hash.hpp>
#include <fltr/core/fingerprint.hpp>
#include <fltr/core/version.hpp>
#include <fltr/formats/mapped_file.hpp>

#include "files.hpp"
#include "interruption.hpp"
#include "ranks.hpp"
#include "terminal.hpp"
#include "usage_error.hpp"

namespace fltr::examples {

namespace {

using Json = nlohmann::ordered_json;

std::string text_of(Json const& value) { return value.is_string() ? value.get<std::string>() : value.dump(); }

}  // namespace

Checkpoints::Checkpoints(Program const& program, CommonOptions const& options)
    : program_(&program), options_(&options) {
  if (options.checkpoint.empty()) return;
  std::error_code error;
  // Agreed before any rank makes the folder.
  bool const missing = is_first_rank() && options.resume && !std::filesystem::is_directory(options.checkpoint, error);
  if (on_any_rank(missing))
    throw UsageError(fmt::format("--resume: required a folder of checkpoints in --checkpoint, got {}, which is missing",
                                 options.checkpoint.string()));
  try {
    folder_.emplace(options.checkpoint, static_cast<std::uint32_t>(rank_number()),
                    static_cast<std::uint32_t>(rank_count()));
    require_writable_folder(options.checkpoint);
  } catch (std::exception const& wrong) {
    throw std::runtime_error(fmt::format("--checkpoint: {}", wrong.what()));
  }
  remove_partial_when_killed(options.checkpoint / "checkpoint");
  force_ = on_any_rank(options.force);  // only rank 0 has this option
  Json const setting{{"program", program.name()}, {"version", version}, {"options", program.setting()}};
  setting_ = setting.dump();
  bool const holds_checkpoints = on_any_rank(folder_->holds_checkpoints());
  if (options.resume) {
    if (is_first_rank() && holds_checkpoints) compare_options();
    if (!holds_checkpoints)
      say(fmt::format("--resume: {} has no checkpoint yet: starting with the first round",
                      options.checkpoint.string()));
  } else if (holds_checkpoints) {
    if (!force_)
      throw UsageError(fmt::format(
          "--checkpoint: {} holds checkpoints of an earlier run; give --resume to go on with that run, another folder, "
          "or --force to replace them",
          options.checkpoint.string()));
    folder_->clear();
  }
  // Beside checkpoints there is the file of their run. If it is missing, the options of this run may be others.
  if (is_first_rank() && !(options.resume && holds_checkpoints)) {
    try {
      write_file(options.checkpoint / "options.json", setting.dump(2) + '\n');
    } catch (std::exception const& wrong) {
      say(fmt::format("warning: {}; the run goes on", wrong.what()));
    }
  }
  Fingerprint inputs;
  for (auto const& path : program.inputs()) {
    if (!std::filesystem::is_regular_file(path, error)) continue;
    MappedFile const file(path);
    ContentHash const hash = content_hash(file.bytes());
    inputs.add(hash.low).add(hash.high);
  }
  inputs_ = inputs.value();
}

void Checkpoints::compare_options() const {
  std::ifstream file(options_->checkpoint / "options.json", std::ios::binary);
  Json const saved = Json::parse(file, nullptr, false);
  if (!saved.is_object() || !saved.contains("options")) return;  // each checkpoint has a hash of the options
  std::string const where = fmt::format("--resume: the checkpoints in {} are", options_->checkpoint.string());
  Json const now = Json::parse(setting_);
  for (char const* const part : {"program", "version"})
    if (saved.value(part, Json()) != now[part])
      throw UsageError(fmt::format("{} of {} {}, this is {} {}", where, text_of(saved.value("program", Json())),
                                   text_of(saved.value("version", Json())), text_of(now["program"]),
                                   text_of(now["version"])));
  for (auto const& [key, value] : now["options"].items()) {
    Json const before = saved["options"].value(key, Json());
    if (before == value) continue;
    std::string option = key;
    std::ranges::replace(option, '_', '-');
    auto const given = [&](Json const& of) {
      return of.is_null() ? fmt::format("without --{}", option) : fmt::format("with --{} {}", option, text_of(of));
    };
    throw UsageError(fmt::format("{} of a run {}, this run is {}{}", where, given(before), given(value),
                                 key == "rounds" ? ": the noise of every round depends on the number of rounds" : ""));
  }
}

void Checkpoints::remove_when_complete() {
  if (!on() || on_any_rank(was_interrupted())) return;
  folder_->clear();
}

void Checkpoints::data(Fold const& fold) {
  if (!on()) return;
  data_ = Fingerprint().add(inputs_.low).add(inputs_.high).add(fold.train).add(fold.vali).add(fold.test).value();
}

CheckpointOptions Checkpoints::next(std::size_t run) {
  return {.every_rounds = options_->checkpoint_rounds,
          .every_seconds = options_->checkpoint_seconds,
          .name = fmt::format("run{}-{}", run, ++trainings_[run]),
          .setting = setting_,
          .data = data_};
}

void Checkpoints::say(std::string const& text) const {
  if (!is_first_rank()) return;
  bool const drawn_over = Terminal::of(stderr).interactive;
  fmt::print(stderr, "{}{}: {}\n", drawn_over ? "\r\x1b[K" : "", program_->name(), text);
}

void Checkpoints::failed(std::string const& error, std::uint32_t last_round) {
  if (failing_) return;
  failing_ = true;
  say(fmt::format("warning: {}; the run goes on, {}", error,
                  last_round > 0 ? fmt::format("the last checkpoint is of round {}", last_round)
                                 : std::string("there is no checkpoint of this training")));
}

}  // namespace fltr::examples
