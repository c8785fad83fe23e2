#include "data_hash.hpp"

#include <span>
#include <system_error>

#include <fltr/core/content_hash.hpp>
#include <fltr/formats/letor_folds.hpp>
#include <fltr/formats/mapped_file.hpp>

#include "text.hpp"

namespace fltr::examples {

namespace {

bool is_synthetic(std::string const& data) { return data.starts_with("synthetic:"); }

}  // namespace

void DataHash::add(std::string const& data) {
  if (is_synthetic(data)) return;
  auto const add_file = [this](std::filesystem::path const& file) {
    MappedFile const mapped(file);
    hashes_.push_back(content_hash(std::as_bytes(std::span(mapped.text()))).hex());
  };
  std::error_code error;
  if (std::filesystem::is_regular_file(data, error))
    add_file(data);
  else if (!std::filesystem::exists(data, error) || std::filesystem::is_directory(data, error))
    for (auto const& file : fold_files(data)) add_file(file);
}

std::string DataHash::hex() const {
  if (hashes_.size() < 2) return hashes_.empty() ? "" : hashes_.front();
  std::string const all = join(hashes_, "");
  return content_hash(std::as_bytes(std::span(all))).hex();
}

std::string absolute_data_path(std::string const& data) {
  return is_synthetic(data) ? data : std::filesystem::absolute(data).lexically_normal().string();
}

}  // namespace fltr::examples
