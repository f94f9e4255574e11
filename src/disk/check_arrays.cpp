// Two arrays compared: the one is brought into the other's units, as rechunking does it, and where
// units would be written they are read and compared.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <mutex>

#include "base/cores.hpp"
#include "disk/box_run.hpp"
#include "disk/box_runs.hpp"
#include "disk/rechunk_request.hpp"
#include "faro/base/error.hpp"

namespace faro::inline v1 {
namespace {

// An output that compares what it is given with what an array has.
class ComparedArray : public disk::StoredArray {
 public:
  explicit ComparedArray(disk::StoredArray& array, std::span<const std::byte> fill_of_other)
      : array_(array), grid_(array.grid()), fill_(fill_of_other.begin(), fill_of_other.end()) {
    // Absent units are compared too: the fill value is none that lets them out.
    for (std::byte& b : fill_) b = ~b;
    unit_bytes_ = grid_.element_bytes;
    for (const std::uint64_t n : grid_.chunks) unit_bytes_ *= n;
    if (grid_.encoding != disk::StoredGrid::Encoding::run)
      grid_.writing_bytes = unit_bytes_ + grid_.reading_bytes;
  }

  const disk::StoredGrid& grid() const override { return grid_; }
  const std::string& data_type() const override { return array_.data_type(); }
  std::span<const std::byte> fill() const override { return fill_; }
  const std::string& name() const override { return array_.name(); }
  const std::string& description() const override { return array_.description(); }
  std::string identity() const override { return array_.identity(); }
  Found read_unit(disk::UnitIndex index, std::span<std::byte> unit) override {
    return array_.read_unit(index, unit);
  }
  void read_run(std::uint64_t at, std::span<std::byte> into) override { array_.read_run(at, into); }
  std::unique_ptr<disk::StoredFile> begin_file(disk::UnitIndex) override {
    return std::make_unique<File>(*this);
  }
  void finish(std::span<const std::unique_ptr<disk::StoredFile>>) override {}
  void sync() override {}
  void complete() override {}

  void write_run(std::uint64_t at, std::span<const std::byte> from) override {
    std::vector<std::byte> own(from.size());
    array_.read_run(at, own);
    compare(at / grid_.element_bytes, from, own);
  }

  Count different;
  std::uint64_t first = UINT64_MAX;  // its number in C order
  std::vector<std::byte> value_a;
  std::vector<std::byte> value_b;
  Digest digest;  // of the array's own elements

 private:
  // Elements one after another in C order.
  void compare(std::uint64_t place, std::span<const std::byte> a, std::span<const std::byte> b) {
    Digest share;
    share.run(place * grid_.element_bytes, b);
    std::uint64_t count = 0;
    std::uint64_t earliest = UINT64_MAX;
    if (std::memcmp(a.data(), b.data(), a.size()) != 0) {
      for (std::uint64_t at = 0; at < a.size(); at += grid_.element_bytes) {
        if (std::memcmp(&a[at], &b[at], grid_.element_bytes) == 0) continue;
        if (count++ == 0) earliest = at;
      }
    }
    const std::lock_guard lock(mutex_);
    digest.add(share);
    if (count == 0) return;
    different += count;
    const std::uint64_t number = place + (earliest / grid_.element_bytes);
    if (number >= first) return;
    first = number;
    const auto from = static_cast<std::ptrdiff_t>(earliest);
    const auto to = static_cast<std::ptrdiff_t>(earliest + grid_.element_bytes);
    value_a.assign(a.begin() + from, a.begin() + to);
    value_b.assign(b.begin() + from, b.begin() + to);
  }

  void compare_unit(disk::UnitIndex index, std::span<const std::byte> unit) {
    std::vector<std::byte> own(unit_bytes_);
    if (array_.read_unit(index, own) == Found::absent)
      for (std::size_t at = 0; at < own.size(); at += grid_.element_bytes)
        std::memcpy(&own[at], array_.fill().data(), grid_.element_bytes);
    disk::Box box;
    for (std::size_t k = 0; k < index.size(); ++k) {
      const std::uint64_t begin = index[k] * grid_.chunks[k];
      box.push_back({begin, std::min(grid_.shape[k], begin + grid_.chunks[k])});
    }
    disk::Box origin = box;
    for (std::size_t k = 0; k < box.size(); ++k) origin[k].end = origin[k].begin + grid_.chunks[k];
    // Rows as far as they are one run both in the unit and in the array.
    disk::for_each_piece(
        box, row_lengths(box), grid_.element_bytes, UINT64_MAX, [&](const disk::Box& row) {
          const std::uint64_t at = disk::byte_of(row, grid_.chunks, &origin, grid_.element_bytes);
          const std::uint64_t bytes = disk::elements_of(row) * grid_.element_bytes;
          const std::uint64_t place = disk::byte_of(row, grid_.shape, nullptr, 1);
          compare(place, unit.subspan(at, bytes), std::span(own).subspan(at, bytes));
        });
  }
  // An axis is joined with the one before where a unit has all of it and no padding.
  std::vector<std::uint64_t> row_lengths(const disk::Box& box) const {
    std::vector<std::uint64_t> lengths = grid_.shape;
    for (std::size_t k = 0; k < box.size(); ++k)
      if (grid_.chunks[k] != grid_.shape[k]) lengths[k] = UINT64_MAX;
    return lengths;
  }

  class File : public disk::StoredFile {
   public:
    explicit File(ComparedArray& array) : array_(array) {}
    void append(disk::UnitIndex index, std::span<const std::byte> unit) override {
      array_.compare_unit(index, unit);
    }
    void seal() override {}

   private:
    ComparedArray& array_;
  };

  disk::StoredArray& array_;
  disk::StoredGrid grid_;
  std::vector<std::byte> fill_;
  std::uint64_t unit_bytes_ = 1;
  std::mutex mutex_;
};

// One pass has nothing between.
class NoStorage : public disk::BoxStorage {
 public:
  std::unique_ptr<RandomFile> make(const std::string&) override { return nullptr; }
  void give_name(RandomFile&, const std::string&) override {}
  std::unique_ptr<RandomFile> open(const std::string&) override { return nullptr; }
  bool exists(const std::string&) override { return false; }
  void remove(const std::string&) override {}
};

template <class T>
std::string number_text(std::span<const std::byte> bytes) {
  T value;
  std::memcpy(&value, bytes.data(), sizeof value);
  return fmt::format("{}", value);
}

std::string value_text(const std::string& type, std::span<const std::byte> bytes) {
  if (type == "float32") return number_text<float>(bytes);
  if (type == "float64") return number_text<double>(bytes);
  if (type == "int8") return number_text<std::int8_t>(bytes);
  if (type == "int16") return number_text<std::int16_t>(bytes);
  if (type == "int32") return number_text<std::int32_t>(bytes);
  if (type == "int64") return number_text<std::int64_t>(bytes);
  if (type == "uint8") return number_text<std::uint8_t>(bytes);
  if (type == "uint16") return number_text<std::uint16_t>(bytes);
  if (type == "uint32") return number_text<std::uint32_t>(bytes);
  if (type == "uint64") return number_text<std::uint64_t>(bytes);
  if (type == "complex64")
    return number_text<float>(bytes) + " + " + number_text<float>(bytes.subspan(4)) + "i";
  if (type == "complex128")
    return number_text<double>(bytes) + " + " + number_text<double>(bytes.subspan(8)) + "i";
  std::string text = "0x";
  for (std::size_t i = bytes.size(); i-- > 0;)
    text += fmt::format("{:02x}", std::to_integer<unsigned>(bytes[i]));
  return text;
}

}  // namespace

CheckReport check_arrays(const std::string& a, const std::string& b,
                         const RechunkOptions& options) {
  const auto from = disk::open_stored(a, options.raw);
  const auto other = disk::open_stored(b);
  if (from->data_type() != other->data_type())
    throw Error(ErrorCode::refused, fmt::format("{} has elements of {}, {} of {}", a,
                                                from->data_type(), b, other->data_type()));
  const std::vector<std::uint64_t> chunks = other->grid().chunks;
  other->cut_into_units();
  ComparedArray compared(*other, from->fill());
  disk::BoxProblem problem;
  problem.from = from->grid();
  problem.to = compared.grid();
  problem.axes = options.axes;
  problem.reversed = options.reversed;
  std::vector<std::uint64_t> wanted;
  for (std::size_t k = 0; k < problem.from.shape.size(); ++k)
    wanted.push_back(problem.from.shape[k < options.axes.size() ? options.axes[k] : k]);
  if (wanted != problem.to.shape)
    throw Error(ErrorCode::refused,
                fmt::format("the shapes differ: {} is wanted, {} has {}", fmt::join(wanted, " x "),
                            b, fmt::join(problem.to.shape, " x ")));
  CheckReport report;
  Digest read;
  if (disk::has_elements(problem.from)) {
    problem.memory_bytes = options.memory_bytes;
    problem.profile = options.profile;
    problem.threads = options.threads > 0 ? options.threads : default_threads();
    problem.passes = 1;
    const auto plan = disk::BoxPlan::make(problem);
    NoStorage storage;
    disk::BoxRun run(plan, *from, compared, storage, {.threads = problem.threads});
    std::vector<std::uint64_t> jobs;
    for (std::uint64_t job = 0; job < run.jobs(0); ++job) jobs.push_back(job);
    std::uint64_t done = 0;
    run.run(0, jobs, [&](std::uint64_t, const disk::BoxShare& share) {
      read.add(share.read);
      if (options.progress && options.progress(++done, jobs.size()) == Continue::no)
        throw Error(ErrorCode::cancelled, "stopped on request");
    });
  }
  const auto& shape = problem.to.shape;
  report.digest_a = read.published(from->data_type(), shape, problem.to.element_bytes);
  report.digest_b = compared.digest.published(from->data_type(), shape, problem.to.element_bytes);
  report.different = compared.different;
  if (report.equal()) return report;
  report.value_a = value_text(from->data_type(), compared.value_a);
  report.value_b = value_text(from->data_type(), compared.value_b);
  report.first.resize(shape.size());
  report.first_in_a.resize(shape.size());
  for (std::size_t k = shape.size(); k-- > 0; compared.first /= shape[k])
    report.first[k] = compared.first % shape[k];
  for (std::size_t k = 0; k < shape.size(); ++k) {
    const bool reversed = !options.reversed.empty() && options.reversed[k];
    report.first_in_a[options.axes.empty() ? k : options.axes[k]] =
        reversed ? shape[k] - 1 - report.first[k] : report.first[k];
  }
  for (std::size_t k = 0; k < shape.size(); ++k) {
    report.chunk_a.push_back(report.first_in_a[k] / problem.from.chunks[k]);
    report.chunk_b.push_back(report.first[k] / chunks[k]);
  }
  return report;
}

}  // namespace faro::inline v1
