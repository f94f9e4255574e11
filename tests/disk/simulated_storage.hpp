// A disk that forgets. Until a file is synced any subset of its unsynced writes survives a power
// cut, each torn at sectors, in any order; a name is there or not until its folder is synced. Every
// write, sync and change of a name is an operation, and the k-th one can fail or cut the power.
#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "faro/base/error.hpp"
#include "files/storage.hpp"

namespace faro::testing {

struct PowerCut {};

class SimulatedDisk {
 public:
  enum class Fault { none, error, power };
  static constexpr std::size_t sector = 16;  // small, so that small writes are torn

  // The k-th operation from now on, from 1.
  void arm(Fault fault, std::uint64_t at) {
    fault_ = fault;
    at_ = at;
    operations_ = 0;
  }
  std::uint64_t operations() const { return operations_; }

  // One operation; true if it should not happen.
  void operate() {
    ++operations_;
    if (dead_) throw PowerCut{};
    if (fault_ == Fault::none || operations_ != at_) return;
    if (fault_ == Fault::error)
      throw Error(ErrorCode::environment, "simulated: input/output error");
    dead_ = true;
    throw PowerCut{};
  }

  struct Write {
    std::uint64_t offset;
    std::vector<std::byte> bytes;
  };
  struct Content {
    std::vector<std::byte> durable;
    std::vector<std::byte> now;
    std::vector<Write> pending;
  };
  using Names = std::map<std::string, std::shared_ptr<Content>>;

  std::shared_ptr<Content> find(const std::string& name) const {
    const auto found = names_.find(name);
    return found == names_.end() ? nullptr : found->second;
  }
  std::shared_ptr<Content> make(const std::string& name) {
    auto& content = names_[name];
    if (!content) content = std::make_shared<Content>();
    return content;
  }
  void change_names(const std::function<void(Names&)>& change) { change(names_); }
  void sync_names() { durable_names_ = names_; }

  void write(Content& file, std::uint64_t offset, std::span<const std::byte> bytes) {
    const std::lock_guard lock(mutex_);
    operate();
    put(file.now, offset, bytes);
    file.pending.push_back({offset, {bytes.begin(), bytes.end()}});
  }
  void sync(Content& file) {
    const std::lock_guard lock(mutex_);
    operate();
    file.durable = file.now;
    file.pending.clear();
  }
  void resize(Content& file, std::uint64_t bytes) {
    const std::lock_guard lock(mutex_);
    operate();
    file.now.resize(bytes);
    file.durable.resize(bytes);
  }
  void read(const Content& file, std::uint64_t offset, std::span<std::byte> into) {
    const std::lock_guard lock(mutex_);
    if (dead_) throw PowerCut{};
    if (offset + into.size() > file.now.size())
      throw Error(ErrorCode::environment, "simulated: cut short");
    if (!into.empty()) std::memcpy(into.data(), file.now.data() + offset, into.size());
  }

  // What is found when the power is back.
  void restart(Random& random) {
    // Names that were not synced are as before or as after.
    if (random.below(2) == 0) names_ = durable_names_;
    for (auto& [name, file] : names_) {
      std::vector<Write> sectors;
      for (const Write& write : file->pending)
        for (std::size_t i = 0; i < write.bytes.size();) {
          const std::size_t end = std::min(
              write.bytes.size(), i + sector - static_cast<std::size_t>(write.offset + i) % sector);
          sectors.push_back({write.offset + i,
                             {write.bytes.begin() + static_cast<std::ptrdiff_t>(i),
                              write.bytes.begin() + static_cast<std::ptrdiff_t>(end)}});
          i = end;
        }
      random.mix(sectors);
      for (const Write& one : sectors)
        if (random.below(2) == 0) put(file->durable, one.offset, one.bytes);
      file->now = file->durable;
      file->pending.clear();
    }
    durable_names_ = names_;
    dead_ = false;
    fault_ = Fault::none;
  }
  void disarm() { fault_ = Fault::none; }

 private:
  static void put(std::vector<std::byte>& to, std::uint64_t offset,
                  std::span<const std::byte> bytes) {
    if (to.size() < offset + bytes.size()) to.resize(offset + bytes.size());
    std::copy(bytes.begin(), bytes.end(), to.begin() + static_cast<std::ptrdiff_t>(offset));
  }

  Names names_;
  Names durable_names_;
  Fault fault_ = Fault::none;
  std::uint64_t at_ = 0;
  std::uint64_t operations_ = 0;
  bool dead_ = false;
  std::mutex mutex_;
};

class SimulatedFile : public RandomFile {
 public:
  SimulatedFile(SimulatedDisk& disk, std::string name)
      : disk_(disk), name_(std::move(name)), content_(disk.make(name_)) {}
  void read(std::uint64_t offset, std::span<std::byte> into) override {
    disk_.read(*content_, offset, into);
  }
  void write(std::uint64_t offset, std::span<const std::byte> from) override {
    disk_.write(*content_, offset, from);
  }
  void sync() override { disk_.sync(*content_); }
  std::uint64_t size_bytes() override { return content_->now.size(); }
  void reserve(std::uint64_t bytes) override {
    if (content_->now.size() != bytes) disk_.resize(*content_, bytes);
  }
  const std::string& name() const override { return name_; }

 private:
  SimulatedDisk& disk_;
  std::string name_;
  std::shared_ptr<SimulatedDisk::Content> content_;
};

class SimulatedStorage : public files::Storage {
 public:
  explicit SimulatedStorage(SimulatedDisk& disk) : disk_(disk), journal_(disk, "journal") {}
  RandomFile& journal() override { return journal_; }
  bool exists(Part part) override { return disk_.find(name(part)) != nullptr; }
  std::unique_ptr<RandomFile> open(Part part) override {
    if (!exists(part)) disk_.operate();
    return std::make_unique<SimulatedFile>(disk_, name(part));
  }
  void sync_folder() override {
    disk_.operate();
    disk_.sync_names();
  }
  void adopt() override {
    disk_.operate();
    disk_.change_names([](SimulatedDisk::Names& names) {
      names["array"] = names.at("out");
      names.erase("out");
    });
    sync_folder();
  }
  void reset() override {
    if (exists(Part::array)) throw Error(ErrorCode::usage, "simulated: the only copy");
    discard();
  }
  void publish() override {
    const std::string from = exists(Part::array) ? "array" : "data";
    disk_.operate();
    disk_.change_names([&](SimulatedDisk::Names& names) {
      names["out"] = names.at(from);
      names.erase(from);
    });
    sync_folder();
  }
  void discard() override {
    for (const char* part : {"data", "temporary", "redo", "journal"}) {
      disk_.operate();
      disk_.change_names([&](SimulatedDisk::Names& names) { names.erase(part); });
    }
  }

 private:
  static std::string name(Part part) {
    switch (part) {
      case Part::data:
        return "data";
      case Part::temporary:
        return "temporary";
      case Part::redo:
        return "redo";
      case Part::array:
        break;
    }
    return "array";
  }
  SimulatedDisk& disk_;
  SimulatedFile journal_;
};

}  // namespace faro::testing
