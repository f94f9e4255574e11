// faro-mpi permute: each rank reads its part, the parts are exchanged, each rank writes its part.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "faro/algebra/notation.hpp"
#include "faro/files/npy.hpp"
#include "faro/files/random_file.hpp"
#include "faro/files/replacement.hpp"
#include "faro/mpi/mpi_plan.hpp"
#include "mpi_cli/commands.hpp"

namespace faro::mpi_cli {
namespace {

bool names_ranks(const std::string& path) {
  return path.find("%d") != std::string::npos;
}
std::string of_rank(const std::string& path, int rank) {
  std::string name = path;
  const auto at = name.find("%d");
  if (at != std::string::npos) name.replace(at, 2, std::to_string(rank));
  return name;
}

// What a file holds, and where its elements begin.
struct Source {
  std::unique_ptr<RandomFile> file;
  NpyHeader header;
  std::uint64_t start = 0;
};

Source open_source(const std::string& path, const std::optional<std::uint64_t>& element_bytes) {
  Source source;
  source.file = open_random_file(path, {.access = FileAccess::read, .io = FileIo::buffered});
  const std::uint64_t size = source.file->size_bytes();
  if (element_bytes) {
    if (*element_bytes == 0 || size % *element_bytes != 0) {
      throw Error(ErrorCode::usage, fmt::format("{}: {} bytes are no whole elements of {}", path,
                                                size, *element_bytes));
    }
    source.header.element_bytes = *element_bytes;
    source.header.shape = {size / *element_bytes};
    return source;
  }
  std::vector<std::byte> start(std::min<std::uint64_t>(size, npy_preamble_bytes));
  source.file->read(0, start);
  source.start = npy_data_offset(start, path);
  if (source.start > size) {
    throw Error(ErrorCode::usage, fmt::format("{}: ends within its header", path));
  }
  start.resize(source.start);
  source.file->read(0, start);
  source.header = parse_npy_header(start, path);
  if (size - source.start != source.header.data_bytes()) {
    throw Error(ErrorCode::usage, fmt::format("{}: {} bytes of data; the header says {}", path,
                                              size - source.start, source.header.data_bytes()));
  }
  if (source.header.order == NpyHeader::Order::fortran && source.header.shape.size() > 1) {
    throw Error(
        ErrorCode::usage,
        fmt::format("{}: is in Fortran order; save it in C order (numpy.ascontiguousarray)", path));
  }
  return source;
}

// The file being written, complete or absent. One file is made by rank 0 and written by all.
class Target {
 public:
  Target(const mpi::Communicator& ranks, const std::string& path, const NpyHeader& header)
      : ranks_(ranks), each_(names_ranks(path)) {
    const std::string front = header.type.empty() ? std::string() : npy_header_bytes(header);
    start_ = front.size();
    std::string name;
    ranks.agree({}, "file", [&] {
      if (!each_ && ranks.rank() != 0) return;
      file_.emplace(of_rank(path, ranks.rank()));
      file_->reserve(start_ + header.data_bytes());
      name = file_->name_for_others();
    });
    if (!each_) {
      int length = static_cast<int>(name.size());
      mpi::check(MPI_Bcast(&length, 1, MPI_INT, 0, ranks.handle()), "MPI_Bcast");
      name.resize(static_cast<std::size_t>(length));
      mpi::check(MPI_Bcast(name.data(), length, MPI_CHAR, 0, ranks.handle()), "MPI_Bcast");
    }
    ranks.agree({}, "file", [&] {
      writer_ = open_random_file(name, {.access = FileAccess::write, .io = FileIo::buffered});
      if (file_ && !front.empty()) writer_->write(0, std::as_bytes(std::span(front)));
    });
  }

  void write(std::uint64_t offset, std::span<const std::byte> part) {
    ranks_.agree({}, "file", [&] {
      writer_->write(start_ + offset, part);
      writer_->sync();
    });
  }
  void commit() {
    ranks_.agree({}, "file", [&] {
      writer_.reset();
      if (file_) file_->commit();
    });
  }
  bool is_each() const { return each_; }

 private:
  const mpi::Communicator& ranks_;
  bool each_;
  std::uint64_t start_ = 0;
  std::optional<Replacement> file_;
  std::unique_ptr<RandomFile> writer_;
};

mpi::Fingerprint same_file(const Source& source) {
  mpi::Fingerprint all;
  for (const std::uint64_t side : source.header.shape) all.add(side);
  all.add(source.header.element_bytes);
  for (const char c : source.header.type) all.add(static_cast<std::uint64_t>(c));
  return all;
}

struct Job {
  Source source;
  BitMap map;
  std::uint64_t part_bytes = 0;
  std::uint64_t read_at = 0;
};

Job prepare(const mpi::Communicator& ranks, const PermuteOptions& options) {
  Job job;
  const auto size = static_cast<std::uint64_t>(ranks.size());
  const bool each = names_ranks(options.in);
  // Opened apart from what must be equal, so that a missing file is told as one.
  ranks.agree({}, "file", [&] {
    job.source = open_source(of_rank(options.in, ranks.rank()), options.element_bytes);
  });
  ranks.agree(same_file(job.source), "array", [&] {
    const NpyHeader& header = job.source.header;
    const std::uint64_t elements = header.elements() * (each ? size : 1);
    if (!is_power_of_two(size)) {
      throw Error(ErrorCode::impossible,
                  fmt::format("{} ranks; a power of two is needed, {} or {}", size,
                              bit(highest_bit(size)), bit(highest_bit(size) + 1)));
    }
    if (!is_power_of_two(elements) || elements < size) {
      throw Error(ErrorCode::impossible,
                  fmt::format("{} elements on {} ranks; a power of two of elements is needed, at "
                              "least one a rank",
                              elements, size));
    }
    if (names_ranks(options.out) != each && !header.type.empty() && header.shape.size() != 1) {
      throw Error(ErrorCode::usage,
                  "from one file to one a rank or back the shape must be one axis; name both files "
                  "alike");
    }
    const KnownSizes known{.total = log2_exact(elements), .processor = {}};
    const Notation notation = parse_notation(options.map, known);
    if (notation.cut.kind != Cut::Kind::none && notation.cut.processor_bits != log2_exact(size)) {
      throw Error(ErrorCode::usage,
                  fmt::format("the map is cut at {} processor bits; {} ranks have {}",
                              notation.cut.processor_bits, size, log2_exact(size)));
    }
    job.map = notation.map;
    job.part_bytes = elements / size * header.element_bytes;
    const std::uint64_t before = static_cast<std::uint64_t>(ranks.rank()) * job.part_bytes;
    job.read_at = job.source.start + (each ? 0 : before);
  });
  return job;
}

void print_report(const ExchangePlan& plan, const PermuteOptions& options, bool verified,
                  double seconds) {
  if (options.json) {
    nlohmann::ordered_json json;
    json["format"] = "faro-mpi-permute/1";
    json["out"] = options.out;
    json["exchange"] = nlohmann::ordered_json::parse(plan.to_json());
    json["verified"] = options.verify ? nlohmann::ordered_json(verified) : nullptr;
    json["seconds"] = seconds;
    std::cout << json.dump() << "\n";
    return;
  }
  std::cout << plan.describe();
  if (options.relabel && plan.relabelling() != BitMap::identity(plan.rank_bits())) {
    std::cout << fmt::format("  rank r has what the map puts on rank {} of r\n",
                             to_notation(plan.relabelling()));
  }
  if (options.verify) {
    std::cout << (verified ? "verified: fingerprints of all elements and their places agree\n"
                           : "refused: fingerprints differ, nothing was written\n");
  }
}

}  // namespace

bool permute_files(const mpi::Communicator& ranks, const PermuteOptions& options) {
  const Job job = prepare(ranks, options);
  const std::uint64_t element_bytes = job.source.header.element_bytes;
  MpiOptions how;
  std::vector<std::byte> from;
  std::vector<std::byte> to;
  ranks.agree({}, "option", [&] {
    how.exchange.buffer_bytes = bytes_from(options.buffer);
    how.exchange.in_place = options.in_place;
    how.exchange.ranks = options.relabel ? Ranks::relabelled : Ranks::fixed;
    from.resize(job.part_bytes);
    if (!options.in_place || options.verify) to.resize(job.part_bytes);
    job.source.file->read(job.read_at, from);
  });
  MpiPlan plan(ranks.handle(), job.map, element_bytes, how);
  NpyHeader header = job.source.header;
  const std::uint64_t elements = job.part_bytes / element_bytes;
  if (names_ranks(options.out) && !names_ranks(options.in)) header.shape = {elements};
  if (!names_ranks(options.out) && names_ranks(options.in)) {
    header.shape = {elements * static_cast<std::uint64_t>(ranks.size())};
  }
  Target target(ranks, options.out, header);
  const double start = MPI_Wtime();
  if (options.in_place) {
    // A copy only where it is to be compared.
    if (options.verify) std::copy(from.begin(), from.end(), to.begin());
    plan.execute_in_place(from);
    std::swap(from, to);
  } else {
    plan.execute(from, to);
  }
  const double seconds = MPI_Wtime() - start;
  bool verified = true;
  if (options.verify) {
    verified = verify_exchange(ranks.handle(), plan.plan().executed_map(), element_bytes, from, to);
  }
  if (verified) {
    const auto rank = static_cast<std::uint64_t>(ranks.rank());
    target.write(target.is_each() ? 0 : rank * job.part_bytes, to);
    target.commit();
  }
  if (ranks.rank() == 0) print_report(plan.plan(), options, verified, seconds);
  return verified;
}

}  // namespace faro::mpi_cli
