// Which store an array is in.
#include <fmt/format.h>

#include <filesystem>

#include "disk/stored/plain_store.hpp"
#include "disk/stored/zarr_store.hpp"
#include "faro/base/error.hpp"
#include "files/chunk_folder.hpp"
#include "files/storage.hpp"

namespace faro::inline v1::disk {
namespace {

std::string absolute_path(const std::string& path) {
  std::string whole = std::filesystem::absolute(path).lexically_normal().string();
  while (whole.size() > 1 && whole.ends_with('/')) whole.pop_back();
  return whole;
}

bool is_folder(const std::string& path) {
  std::error_code none;
  return std::filesystem::is_directory(path, none);
}

OutsideOpener& outside_opener() {
  static OutsideOpener opener;
  return opener;
}

std::shared_ptr<files::ChunkFolder> folder_of(const std::string& path) {
  if (!is_outside(path)) return std::make_shared<files::PosixFolder>(absolute_path(path));
  if (!outside_opener())
    throw Error(ErrorCode::usage,
                fmt::format("{}: arrays in other stores are opened in Python alone", path));
  return outside_opener()(path);
}

}  // namespace

void open_outside_by(OutsideOpener opener) {
  outside_opener() = std::move(opener);
}

bool is_outside(std::string_view path) {
  return path.starts_with("outside:");
}

std::string whole_name(const std::string& path) {
  return is_outside(path) ? path : absolute_path(path);
}

std::unique_ptr<StoredArray> open_stored(const std::string& path,
                                         const std::optional<RawArray>& raw) {
  if (is_outside(path) || is_folder(path)) {
    if (raw)
      throw Error(ErrorCode::usage,
                  fmt::format("{}: a Zarr array says itself what it holds", path));
    return open_zarr(folder_of(path));
  }
  if (raw) return open_raw(absolute_path(path), *raw);
  if (std::error_code none; !std::filesystem::exists(path, none)) {
    const std::string why = files::taken_by_work_in_place(path);
    throw Error(ErrorCode::environment,
                fmt::format("{}: {}", path,
                            !why.empty() ? why
                            : path.find("://") == std::string::npos
                                ? "there is no such file"
                                : "no address is read, but files and folders of this machine"));
  }
  if (format_of(path) == StoredChanges::Format::raw)
    throw Error(ErrorCode::usage,
                fmt::format("{}: a raw file does not say what it holds; say it: --dtype float32 "
                            "--shape 100x200, in Python dtype= and shape=",
                            path));
  return open_npy(absolute_path(path));
}

std::unique_ptr<StoredArray> create_stored(const std::string& path, std::string_view description,
                                           Begun begun) {
  ArrayForm form = form_of_description(description, path);
  if (is_outside(path)) return create_zarr(folder_of(path), std::move(form));
  const std::string whole = absolute_path(path);
  if (begun == Begun::must_be && form.is_plain_file())
    return create_plain(whole, std::move(form), FileAccess::write);
  if (begun == Begun::must_be)
    return create_zarr(
        std::make_shared<files::PosixFolder>(whole, files::PosixFolder::Root::must_be),
        std::move(form));
  std::error_code error;
  const std::filesystem::path folder = form.is_plain_file()
                                           ? std::filesystem::path(whole).parent_path()
                                           : std::filesystem::path(whole);
  std::filesystem::create_directories(folder, error);
  if (error)
    throw Error(ErrorCode::environment,
                fmt::format("{}: cannot make it: {}", folder.string(), error.message()));
  if (form.is_plain_file()) return create_plain(whole, std::move(form));
  return create_zarr(std::make_shared<files::PosixFolder>(whole), std::move(form));
}

}  // namespace faro::inline v1::disk
