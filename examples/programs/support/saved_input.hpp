#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include <fltr/data/normalize.hpp>
#include <fltr/formats/letor_options.hpp>
#include <fltr/formats/model_file.hpp>

#include "program.hpp"

namespace fltr::examples {

/// The name of a normalisation on the command line.
[[nodiscard]] char const* name_of(Normalization how) noexcept;

/// Options of the LETOR reader for a value of --clamp: X, or infinity for off.
[[nodiscard]] LetorOptions letor_options(double clamp);

/// The --clamp value that was used in training; infinity for off.
[[nodiscard]] double clamp_option(ModelInput const& input) noexcept;

/// The error for a model without normalisation, which requires --normalize.
[[nodiscard]] std::string not_stated(std::filesystem::path const& file);

/// How documents are prepared for the model in `file`. `saved` is the ModelInput in the file; `normalize` and `clamp`
/// are the values of the options. An option that the user gave and that contradicts the file is a UsageError. If the
/// file has no ModelInput (earlier versions), --normalize is required, and zscore is refused because its statistics are
/// unknown.
[[nodiscard]] ModelInput saved_input(Program const& program, std::filesystem::path const& file,
                                     std::optional<ModelInput> const& saved, Normalization normalize, double clamp);

/// The same for a text model of LightGBM, which has no ModelInput: no normalisation unless --normalize is given.
[[nodiscard]] ModelInput text_model_input(std::filesystem::path const& file, std::optional<Normalization> normalize,
                                          double clamp);

/// A note for --export: text models of LightGBM cannot hold this normalisation. Empty without normalisation.
[[nodiscard]] std::string export_note(std::filesystem::path const& file, Normalization how);

}  // namespace fltr::examples
