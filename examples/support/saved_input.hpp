#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include <fltr/data/letor_options.hpp>
#include <fltr/data/normalize.hpp>
#include <fltr/io/model_file.hpp>

#include "program.hpp"

namespace fltr::examples {

/// The word for it on the command line.
[[nodiscard]] char const* name_of(Normalization how) noexcept;

/// How --clamp has files read: X, or infinity for off.
[[nodiscard]] LetorOptions letor_options(double clamp);

/// The other way round: the value of --clamp that a model was trained with.
[[nodiscard]] double clamp_option(ModelInput const& input) noexcept;

/// The error for a model that needs --normalize.
[[nodiscard]] std::string not_stated(std::filesystem::path const& file);

/// How documents are prepared for the model in `file`. `saved` is what the file says, and an option that a person gave
/// and that says something else is a UsageError. Where the file says nothing, as those of earlier versions, --normalize
/// has to be given; z-scores need statistics that only the file could have. `normalize` and `clamp` are the options'
/// values.
[[nodiscard]] ModelInput saved_input(Program const& program, std::filesystem::path const& file,
                                     std::optional<ModelInput> const& saved, Normalization normalize, double clamp);

/// The same for a text model of LightGBM, which never says: no normalisation unless --normalize is given.
[[nodiscard]] ModelInput text_model_input(std::filesystem::path const& file, std::optional<Normalization> normalize,
                                          double clamp);

/// What to tell a person who exports a text model of LightGBM: it cannot hold this normalisation. Empty if there is
/// none.
[[nodiscard]] std::string export_note(std::filesystem::path const& file, Normalization how);

}  // namespace fltr::examples
