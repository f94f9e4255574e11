// A folder of chunks on a disk that forgets, and arrays in memory to compare stores with.
#pragma once

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "disk/simulated_storage.hpp"
#include "disk/stored/array_form.hpp"
#include "disk/stored_array.hpp"
#include "files/chunk_folder.hpp"

namespace faro::testing {

class SimulatedFolder : public files::ChunkFolder {
 public:
  explicit SimulatedFolder(SimulatedDisk& disk) : disk_(disk) {}

  const std::string& folder() const override { return name_; }
  std::optional<std::uint64_t> size_bytes(const std::string& name) const override {
    const auto found = disk_.find(name);
    return found ? std::optional<std::uint64_t>(found->now.size()) : std::nullopt;
  }
  bool read(const std::string& name, std::uint64_t offset,
            std::span<std::byte> into) const override {
    const auto found = disk_.find(name);
    if (found) disk_.read(*found, offset, into);
    return found != nullptr;
  }
  std::string stamp(const std::string& name) const override {
    const auto size = size_bytes(name);
    return size ? std::to_string(*size) : "";
  }
  std::unique_ptr<RandomFile> open(const std::string& name) override {
    if (!disk_.find(name)) disk_.operate();
    return std::make_unique<SimulatedFile>(disk_, name);
  }
  void rename(const std::string& from, const std::string& to) override {
    disk_.operate();
    disk_.change_names([&](SimulatedDisk::Names& names) {
      names[to] = names.at(from);
      names.erase(from);
    });
  }
  void remove(const std::string& name) override {
    disk_.operate();
    disk_.change_names([&](SimulatedDisk::Names& names) {
      std::erase_if(names, [&](const auto& one) {
        return one.first == name || one.first.starts_with(name + "/");
      });
    });
  }
  void sync_files(std::span<const std::string> names) override {
    for (const std::string& name : names) disk_.sync(*disk_.find(name));
  }
  void sync_names(std::span<const std::string>) override {
    disk_.operate();
    disk_.sync_names();
  }

 private:
  SimulatedDisk& disk_;
  std::string name_ = "simulated";
};

// The elements of an array in C order, little-endian.
struct Elements {
  disk::StoredGrid grid;
  std::vector<std::byte> fill;
  std::vector<std::byte> bytes;

  std::vector<std::uint64_t> counts() const {
    std::vector<std::uint64_t> all;
    for (std::size_t k = 0; k < grid.shape.size(); ++k)
      all.push_back(disk::parts_of(grid.shape[k], grid.chunks[k]));
    return all;
  }
  std::uint64_t unit_bytes() const {
    std::uint64_t all = grid.element_bytes;
    for (const std::uint64_t length : grid.chunks) all *= length;
    return all;
  }

  // Calls with the place of each element of the unit in the unit, and in the array or -1.
  template <class Call>
  void each(disk::UnitIndex index, const Call& call) const {
    std::vector<std::uint64_t> at(grid.chunks.size());
    const std::uint64_t count = unit_bytes() / grid.element_bytes;
    for (std::uint64_t i = 0; i < count; ++i) {
      std::uint64_t rest = i;
      for (std::size_t k = at.size(); k-- > 0; rest /= grid.chunks[k])
        at[k] = rest % grid.chunks[k];
      std::uint64_t place = 0;
      bool inside = true;
      for (std::size_t k = 0; k < at.size(); ++k) {
        const std::uint64_t x = index[k] * grid.chunks[k] + at[k];
        inside = inside && x < grid.shape[k];
        place = place * grid.shape[k] + x;
      }
      call(i, inside ? place : UINT64_MAX);
    }
  }
  std::vector<std::byte> unit(disk::UnitIndex index) const {
    std::vector<std::byte> made(unit_bytes());
    const std::uint64_t size = grid.element_bytes;
    each(index, [&](std::uint64_t i, std::uint64_t place) {
      std::memcpy(made.data() + i * size,
                  place == UINT64_MAX ? fill.data() : bytes.data() + place * size, size);
    });
    return made;
  }
};

inline std::vector<std::vector<std::uint64_t>> all_indices(
    const std::vector<std::uint64_t>& counts) {
  std::vector<std::vector<std::uint64_t>> all;
  std::uint64_t count = 1;
  for (const std::uint64_t one : counts) count *= one;
  for (std::uint64_t i = 0; i < count; ++i) {
    std::vector<std::uint64_t> index(counts.size());
    std::uint64_t rest = i;
    for (std::size_t k = counts.size(); k-- > 0; rest /= counts[k]) index[k] = rest % counts[k];
    all.push_back(std::move(index));
  }
  return all;
}

// Random elements, of which whole units are full of the fill value now and then.
inline Elements random_elements(const disk::StoredArray& array, Random& random) {
  Elements made{
      .grid = array.grid(), .fill = {array.fill().begin(), array.fill().end()}, .bytes = {}};
  std::uint64_t count = made.grid.element_bytes;
  for (const std::uint64_t length : made.grid.shape) count *= length;
  made.bytes.resize(count);
  for (std::byte& one : made.bytes) one = static_cast<std::byte>(random.below(256));
  const std::uint64_t size = made.grid.element_bytes;
  for (const auto& index : all_indices(made.counts()))
    if (random.below(4) == 0)
      made.each(index, [&](std::uint64_t, std::uint64_t place) {
        if (place != UINT64_MAX)
          std::memcpy(made.bytes.data() + place * size, made.fill.data(), size);
      });
  return made;
}

// What is read, unit by unit.
inline std::vector<std::byte> read_elements(disk::StoredArray& array) {
  Elements made{
      .grid = array.grid(), .fill = {array.fill().begin(), array.fill().end()}, .bytes = {}};
  std::uint64_t count = made.grid.element_bytes;
  for (const std::uint64_t length : made.grid.shape) count *= length;
  made.bytes.resize(count);
  if (made.grid.encoding == disk::StoredGrid::Encoding::run) {
    array.read_run(0, made.bytes);
    return made.bytes;
  }
  const std::uint64_t size = made.grid.element_bytes;
  for (const auto& index : all_indices(made.counts())) {
    std::vector<std::byte> unit(made.unit_bytes(), std::byte{0xee});
    const bool there = array.read_unit(index, unit) == disk::StoredArray::Found::present;
    made.each(index, [&](std::uint64_t i, std::uint64_t place) {
      if (place != UINT64_MAX)
        std::memcpy(made.bytes.data() + place * size,
                    there ? unit.data() + i * size : made.fill.data(), size);
    });
  }
  return made.bytes;
}

// Written file by file, the units of each in any order, and completed.
inline void write_elements(disk::StoredArray& array, const Elements& elements, Random& random) {
  const auto& file_shape =
      elements.grid.shards.empty() ? elements.grid.chunks : elements.grid.shards;
  std::vector<std::uint64_t> files;
  for (std::size_t k = 0; k < file_shape.size(); ++k)
    files.push_back(disk::parts_of(elements.grid.shape[k], file_shape[k]));
  auto all = all_indices(files);
  random.mix(all);
  for (const auto& file : all) {
    std::vector<std::unique_ptr<disk::StoredFile>> open;
    open.push_back(array.begin_file(file));
    auto units = all_indices(elements.counts());
    random.mix(units);
    for (const auto& unit : units) {
      bool within = true;
      for (std::size_t k = 0; k < file.size(); ++k)
        within = within && unit[k] / (file_shape[k] / elements.grid.chunks[k]) == file[k];
      if (within) open.front()->append(unit, elements.unit(unit));
    }
    open.front()->seal();
    array.finish(open);
  }
  array.sync();
  array.complete();
}

}  // namespace faro::testing
