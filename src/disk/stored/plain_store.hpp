// A .npy or raw file: one unit, which is read and written in runs. Runs are little-endian, whatever
// the file is; a .npy file gets its header last, so that until then it is none. A file in Fortran
// order is read in its order, or cut into units that are turned into C order.
#pragma once

#include <memory>

#include "disk/stored/array_form.hpp"
#include "disk/stored_array.hpp"
#include "faro/files/array_file.hpp"

namespace faro::inline v1::disk {

class PlainStore : public StoredArray {
 public:
  // `stamp` is what identity() says; elements begin at `start_byte` of the file.
  PlainStore(ArrayForm form, std::unique_ptr<RandomFile> file, std::uint64_t start_byte,
             std::string stamp);

  const StoredGrid& grid() const override { return grid_; }
  const std::string& data_type() const override { return form_.type.name; }
  std::span<const std::byte> fill() const override { return form_.fill; }
  const std::string& name() const override { return file_->name(); }
  const std::string& description() const override { return description_; }
  std::string identity() const override;
  Found read_unit(UnitIndex index, std::span<std::byte> unit) override;
  void read_run(std::uint64_t first_byte, std::span<std::byte> into) override;
  void cut_into_units() override;
  std::unique_ptr<StoredFile> begin_file(UnitIndex index) override;
  void finish(std::span<const std::unique_ptr<StoredFile>> files) override;
  void write_run(std::uint64_t first_byte, std::span<const std::byte> from) override;
  void sync() override;
  void complete() override;

 private:
  ArrayForm form_;
  StoredGrid grid_;
  std::string description_;
  std::unique_ptr<RandomFile> file_;
  std::uint64_t start_byte_;
  std::string stamp_;
  std::uint64_t turned_bytes_;  // words that are turned around; 1 for none
};

std::unique_ptr<PlainStore> open_npy(const std::string& path);
std::unique_ptr<PlainStore> open_raw(const std::string& path, const RawArray& raw);
// `access` is to create it or, where it must be there, to write.
std::unique_ptr<PlainStore> create_plain(const std::string& path, ArrayForm form,
                                         FileAccess access = FileAccess::create);

}  // namespace faro::inline v1::disk
