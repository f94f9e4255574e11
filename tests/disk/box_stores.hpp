// Arrays in memory, unit by unit, and outputs on a simulated disk, for tests of boxes.
#pragma once

#include <cstring>
#include <map>
#include <mutex>
#include <numeric>
#include <set>

#include "disk/box_run.hpp"
#include "simulated_storage.hpp"

namespace faro::testing {

using Bytes = std::vector<std::byte>;
using Lengths = std::vector<std::uint64_t>;

inline std::uint64_t product_of(const Lengths& lengths) {
  std::uint64_t product = 1;
  for (const std::uint64_t n : lengths) product *= n;
  return product;
}

// Element by element: where each is in the array and in a unit's buffer.
template <class Work>
void for_each_of_unit(const disk::StoredGrid& grid, disk::UnitIndex index, const Work& work) {
  const std::uint64_t count = product_of(grid.chunks);
  for (std::uint64_t i = 0; i < count; ++i) {
    std::uint64_t rest = i;
    std::uint64_t place = 0;
    std::uint64_t stride = 1;
    bool inside = true;
    for (std::size_t k = grid.shape.size(); k-- > 0; rest /= grid.chunks[k]) {
      const std::uint64_t x = index[k] * grid.chunks[k] + rest % grid.chunks[k];
      inside = inside && x < grid.shape[k];
      place += x * stride;
      stride *= grid.shape[k];
    }
    if (inside) work(place, i);
  }
}

// What is common to both ends.
class TestArray : public disk::StoredArray {
 public:
  TestArray(disk::StoredGrid grid, Bytes fill, std::string name)
      : grid_(std::move(grid)), fill_(std::move(fill)), name_(std::move(name)) {}
  const disk::StoredGrid& grid() const override { return grid_; }
  const std::string& data_type() const override { return type_; }
  std::span<const std::byte> fill() const override { return fill_; }
  const std::string& name() const override { return name_; }
  const std::string& description() const override { return name_; }
  std::string identity() const override { return identity_; }
  Found read_unit(disk::UnitIndex, std::span<std::byte>) override {
    throw std::logic_error("read");
  }
  void read_run(std::uint64_t, std::span<std::byte>) override { throw std::logic_error("read"); }
  std::unique_ptr<disk::StoredFile> begin_file(disk::UnitIndex) override {
    throw std::logic_error("write");
  }
  void finish(std::span<const std::unique_ptr<disk::StoredFile>>) override {
    throw std::logic_error("write");
  }
  void write_run(std::uint64_t, std::span<const std::byte>) override {
    throw std::logic_error("write");
  }
  void sync() override {}
  void complete() override {}

  std::string identity_ = "as it was";

 protected:
  disk::StoredGrid grid_;
  Bytes fill_;
  std::string name_;
  std::string type_ = "r8";
};

// Bytes in memory. Units that are all fill are absent; what hangs over the end is anything.
class MemorySource : public TestArray {
 public:
  MemorySource(disk::StoredGrid grid, Bytes fill, Bytes bytes)
      : TestArray(std::move(grid), std::move(fill), "source"), bytes_(std::move(bytes)) {
    if (!grid_.order.empty()) put_in_order();
  }

  Found read_unit(disk::UnitIndex index, std::span<std::byte> unit) override {
    fail_now_and_then();
    const std::uint64_t e = grid_.element_bytes;
    bool present = false;
    Bytes whole(unit.size(), std::byte{0xa5});
    for_each_of_unit(grid_, index, [&](std::uint64_t place, std::uint64_t i) {
      std::memcpy(&whole[i * e], &bytes_[place * e], e);
      present = present || std::memcmp(&bytes_[place * e], fill_.data(), e) != 0;
    });
    if (!present) {
      ++absent;
      return Found::absent;
    }
    std::copy(whole.begin(), whole.end(), unit.begin());
    return Found::present;
  }
  void read_run(std::uint64_t first, std::span<std::byte> into) override {
    fail_now_and_then();
    std::memcpy(into.data(), &bytes_.at(first), into.size());
  }

  std::atomic<int> absent{0};
  std::atomic<int> fails_in{1 << 30};

 private:
  // Element after element, as runs are read.
  void put_in_order() {
    const Bytes in_c_order = bytes_;
    const std::uint64_t e = grid_.element_bytes;
    for (std::uint64_t i = 0; i < bytes_.size() / e; ++i) {
      Lengths at(grid_.shape.size());
      std::uint64_t rest = i;
      for (std::size_t k = at.size(); k-- > 0; rest /= grid_.shape[grid_.order[k]])
        at[grid_.order[k]] = rest % grid_.shape[grid_.order[k]];
      std::uint64_t from = 0;
      for (std::size_t a = 0; a < at.size(); ++a) from = from * grid_.shape[a] + at[a];
      std::memcpy(&bytes_[i * e], &in_c_order[from * e], e);
    }
  }
  void fail_now_and_then() {
    if (--fails_in == 0) throw Error(ErrorCode::environment, "source: simulated read error");
  }
  Bytes bytes_;
};

// Files of units on a simulated disk: each its number and bytes, in order of arrival.
class SimulatedTarget : public TestArray {
 public:
  SimulatedTarget(SimulatedDisk& disk, disk::StoredGrid grid, Bytes fill)
      : TestArray(std::move(grid), std::move(fill), "target"), disk_(disk) {
    if (grid_.encoding != disk::StoredGrid::Encoding::run) return;
    plain_ = std::make_unique<SimulatedFile>(disk_, "plain");
    plain_->reserve(product_of(grid_.shape) * grid_.element_bytes);
  }

  std::unique_ptr<disk::StoredFile> begin_file(disk::UnitIndex index) override {
    const std::lock_guard lock(mutex_);
    return std::make_unique<File>(*this, name_of(index), parts_++);
  }
  void finish(std::span<const std::unique_ptr<disk::StoredFile>> files) override {
    for (const auto& file : files) static_cast<File&>(*file).sync();
    for (const auto& file : files) static_cast<File&>(*file).rename();
    disk_.operate();
    disk_.sync_names();
  }
  void write_run(std::uint64_t first, std::span<const std::byte> from) override {
    plain_->write(first, from);
  }
  void sync() override {
    if (plain_) plain_->sync();
  }

  // The array, by what has its name; empty where a file is torn.
  Bytes content() const {
    if (plain_) return disk_.find("plain")->now;
    const std::uint64_t e = grid_.element_bytes;
    Bytes all;
    for (std::uint64_t i = 0; i < product_of(grid_.shape); ++i)
      all.insert(all.end(), fill_.begin(), fill_.end());
    const std::uint64_t unit = product_of(grid_.chunks) * e;
    const std::size_t axes = grid_.shape.size();
    const std::size_t record = 8 * axes + unit;
    for (const auto& named : files()) {
      const auto& file = named.second;
      if (file->now.size() % record != 0) return {};
      for (std::size_t at = 0; at < file->now.size(); at += record) {
        Lengths index(axes);
        if (axes != 0) std::memcpy(index.data(), &file->now[at], 8 * axes);
        for_each_of_unit(grid_, index, [&](std::uint64_t place, std::uint64_t i) {
          std::memcpy(&all[place * e], &file->now[at + 8 * axes + i * e], e);
        });
      }
    }
    return all;
  }
  std::map<std::string, std::shared_ptr<SimulatedDisk::Content>> files() const {
    std::map<std::string, std::shared_ptr<SimulatedDisk::Content>> found;
    disk_.change_names([&](SimulatedDisk::Names& names) {
      for (const auto& [name, file] : names)
        if (name.starts_with("c") && !name.ends_with(".part")) found[name] = file;
    });
    return found;
  }
  std::uint64_t parts() const { return parts_; }

 private:
  static std::string name_of(disk::UnitIndex index) {
    std::string name = "c";
    for (const std::uint64_t i : index) name += "/" + std::to_string(i);
    return name;
  }

  class File : public disk::StoredFile {
   public:
    File(SimulatedTarget& target, std::string name, std::uint64_t part)
        : target_(target),
          name_(std::move(name)),
          part_(name_ + "-" + std::to_string(part) + ".part") {}
    ~File() override {
      target_.disk_.change_names([&](SimulatedDisk::Names& names) { names.erase(part_); });
    }
    void append(disk::UnitIndex index, std::span<const std::byte> unit) override {
      const std::lock_guard lock(target_.mutex_);
      if (!seen_.insert({index.begin(), index.end()}).second) throw std::logic_error("twice");
      const Bytes fill = target_.fill_;
      bool present = false;
      for (std::size_t i = 0; i < unit.size(); ++i)
        present = present || unit[i] != fill[i % fill.size()];
      if (!present) return;
      if (!file_) file_ = std::make_unique<SimulatedFile>(target_.disk_, part_);
      Bytes record(8 * index.size());
      if (!index.empty()) std::memcpy(record.data(), index.data(), record.size());
      record.insert(record.end(), unit.begin(), unit.end());
      file_->write(at_, record);
      at_ += record.size();
    }
    void seal() override {}
    void sync() {
      if (file_) file_->sync();
    }
    void rename() {
      target_.disk_.operate();
      target_.disk_.change_names([&](SimulatedDisk::Names& names) {
        names.erase(name_);
        if (!file_) return;
        names[name_] = names.at(part_);
        names.erase(part_);
      });
    }

   private:
    SimulatedTarget& target_;
    std::string name_;
    std::string part_;
    std::unique_ptr<SimulatedFile> file_;
    std::uint64_t at_ = 0;
    std::set<Lengths> seen_;
  };

  SimulatedDisk& disk_;
  std::unique_ptr<SimulatedFile> plain_;
  std::mutex mutex_;
  std::uint64_t parts_ = 0;
};

class SimulatedBoxStorage : public disk::BoxStorage {
 public:
  explicit SimulatedBoxStorage(SimulatedDisk& disk) : disk_(disk) {}
  std::unique_ptr<RandomFile> make(const std::string& name) override {
    disk_.operate();
    disk_.change_names([&](SimulatedDisk::Names& names) { names.erase(name + ".part"); });
    return std::make_unique<SimulatedFile>(disk_, name + ".part");
  }
  void give_name(RandomFile& file, const std::string& name) override {
    file.sync();
    disk_.operate();
    disk_.change_names([&](SimulatedDisk::Names& names) {
      names[name] = names.at(name + ".part");
      names.erase(name + ".part");
    });
    disk_.operate();
    disk_.sync_names();
  }
  std::unique_ptr<RandomFile> open(const std::string& name) override {
    const std::lock_guard lock(mutex_);
    if (!exists(name)) throw Error(ErrorCode::environment, name + " is gone");
    return std::make_unique<SimulatedFile>(disk_, name);
  }
  bool exists(const std::string& name) override { return disk_.find(name) != nullptr; }
  void remove(const std::string& name) override {
    disk_.operate();
    disk_.change_names([&](SimulatedDisk::Names& names) { names.erase(name); });
  }

 private:
  SimulatedDisk& disk_;
  std::mutex mutex_;
};

}  // namespace faro::testing
