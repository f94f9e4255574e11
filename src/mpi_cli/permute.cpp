// faro-mpi permute: each rank reads its part, the parts are exchanged, each rank writes its part.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <iostream>
#include <optional>

#include "arrays/move.hpp"
#include "base/report.hpp"
#include "disk/plan_report.hpp"
#include "distributed/report.hpp"
#include "faro/mpi/mpi_plan.hpp"
#include "mpi_cli/array_files.hpp"
#include "mpi_cli/commands.hpp"
#include "mpi_cli/tile_passes.hpp"

namespace faro::mpi_cli {
namespace {

mpi::Fingerprint same_file(const NpyHeader& header) {
  mpi::Fingerprint all;
  for (const std::uint64_t side : header.shape) all.add(side);
  all.add(header.element_bytes);
  for (const char c : header.type) all.add(static_cast<std::uint64_t>(c));
  return all;
}

struct Job {
  NpyHeader header;
  BitMap map;
  std::optional<ArrayMove> lengths;  // instead of the map: axes of any length
  std::uint64_t part_bytes = 0;
  std::uint64_t start = 0;    // of the elements in a file
  std::uint64_t read_at = 0;  // of this rank's
};

// What the words do to the whole array, on so many ranks.
ArrayMove move_on(const PermuteOptions& options, NpyHeader header, bool each, std::uint64_t size) {
  // Of parts in files of their own the whole is known by its number of elements.
  if (each) header.shape = {header.elements() * size};
  auto move = array_move(header, options.map, {}, options.in);
  if (move.cut.kind != Cut::Kind::none && move.cut.processors != size)
    throw Error(ErrorCode::usage, fmt::format("the map is cut at {} processors; there are {} ranks",
                                              move.cut.processors, size));
  if (options.in_place && move.to.shape != header.shape)
    throw Error(ErrorCode::usage,
                "in place the shape stays, and these words give another; name another file");
  if (move.bits) return move;
  if (options.in_place || options.relabel)
    throw Error(ErrorCode::usage,
                "--in-place and --relabel are for maps of index bits; axes of any length are "
                "exchanged from one array to another");
  if (header.elements() % size != 0)
    throw Error(ErrorCode::impossible, fmt::format("{} elements are not divisible among {} ranks",
                                                   header.elements(), size));
  return move;
}

Job prepare(const mpi::Communicator& ranks, const PermuteOptions& options) {
  Job job;
  const auto size = static_cast<std::uint64_t>(ranks.size());
  const bool each = names_ranks(options.in);
  ArrayHeader found;
  // Opened apart from what must be equal, so that a missing file is told as one.
  ranks.agree({}, "file", [&] {
    if (ranks.rank() == 0) refuse_mixed_parts(options.in);
    found = read_header(of_rank(options.in, ranks.rank()), options.element_bytes);
  });
  ranks.agree(same_file(found.npy), "array", [&] {
    const NpyHeader& header = found.npy;
    const std::uint64_t elements = header.elements() * (each ? size : 1);
    ArrayMove move = move_on(options, header, each, size);
    if (move.bits && !is_power_of_two(size))
      throw Error(ErrorCode::impossible,
                  fmt::format("{} ranks; a power of two is needed for a map of bits, {} or {}",
                              size, bit(highest_bit(size)), bit(highest_bit(size) + 1)));
    if (move.bits && (!is_power_of_two(elements) || elements < size)) {
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
    job.header = header;
    if (!each) job.header.shape = move.to.shape;
    if (move.bits)
      job.map = move.bits->map;
    else
      job.lengths = std::move(move);
    job.part_bytes = elements / size * header.element_bytes;
    const std::uint64_t before = static_cast<std::uint64_t>(ranks.rank()) * job.part_bytes;
    job.start = found.start;
    job.read_at = found.start + (each ? 0 : before);
  });
  return job;
}

// What was done, and how: the words of the exchange or of the passes, then these.
void print(Report& report, const PermuteOptions& options, bool verified, const char* files,
           double seconds) {
  report["files"] = files;
  report["verified"] = options.verify ? Report(verified) : Report();
  report["seconds"] = seconds;
  if (options.verify)
    report.add_words(verified ? "verified: fingerprints of all elements and their places agree\n"
                              : "refused: fingerprints differ, nothing was written\n");
  std::cout << (options.json ? report.json() + "\n" : report.words());
}

constexpr const char* mapped_words = "  files mapped: ranks hold less than their part in memory\n";

// `tiles` are the passes that did it without messages.
void print_report(const ExchangePlan& plan, const PermuteOptions& options, bool verified,
                  bool mapped, const FilePermutePlan* tiles, double seconds) {
  Report report{{"format", "faro-mpi-permute/1"}, {"out", options.out}};
  const Report made = tiles != nullptr ? report_of(*tiles) : report_of(plan);
  report["exchange"] = tiles != nullptr ? Report() : made;
  report["passes"] = tiles == nullptr ? Report() : made;
  report.add_words(made.words());
  if (tiles != nullptr) report.say("  tiles of each pass shared by the ranks, no messages\n");
  if (mapped) report.add_words(mapped_words);
  if (options.relabel && plan.relabelling() != BitMap::identity(plan.rank_bits()))
    report.say("  rank r has what the map puts on rank {} of r\n", to_notation(plan.relabelling()));
  print(report, options, verified,
        tiles != nullptr ? "tiles"
        : mapped         ? "mapped"
                         : "in memory",
        seconds);
}

// The header of what is written: the shape is kept between files of one kind.
NpyHeader header_out(const Job& job, const PermuteOptions& options, int ranks) {
  NpyHeader header = job.header;
  const std::uint64_t elements = job.part_bytes / header.element_bytes;
  if (names_ranks(options.out) && !names_ranks(options.in)) header.shape = {elements};
  if (!names_ranks(options.out) && names_ranks(options.in)) {
    header.shape = {elements * static_cast<std::uint64_t>(ranks)};
  }
  return header;
}

// A line that rank 0 draws over and over, on a terminal.
class ProgressLine {
 public:
  explicit ProgressLine(const mpi::Communicator& ranks)
      : draws_(ranks.rank() == 0 && ::isatty(STDERR_FILENO) != 0) {}
  ~ProgressLine() {
    if (drawn_ >= 0) std::cerr << "\r                              \r" << std::flush;
  }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  std::function<void(std::uint64_t, std::uint64_t)> told() {
    if (!draws_) return {};
    return [this](std::uint64_t done, std::uint64_t total) {
      const int percent =
          static_cast<int>(100.0 * static_cast<double>(done) / static_cast<double>(total));
      if (percent == drawn_) return;
      drawn_ = percent;
      std::cerr << fmt::format("\rfaro-mpi: rearranging {:3}%", percent) << std::flush;
    };
  }

 private:
  bool draws_;
  int drawn_ = -1;
};

// One file to one file, beyond what ranks may hold: by tiles, where memory holds any.
std::optional<bool> try_tiles(const mpi::Communicator& ranks, const Job& job,
                              const PermuteOptions& options, std::uint64_t memory_bytes,
                              ProgressLine& line) {
  std::optional<ExchangePlan> exchange;
  std::optional<FilePermutePlan> plan;
  ranks.agree({}, "option", [&] {
    ExchangeOptions how;
    how.ranks = options.relabel ? Ranks::relabelled : Ranks::fixed;
    exchange = ExchangePlan::make(job.map, log2_exact(static_cast<Word>(ranks.size())),
                                  job.header.element_bytes, how);
    plan = tiles_within(exchange->executed_map(), job.header.element_bytes, memory_bytes);
  });
  if (!plan) return std::nullopt;
  const double start = MPI_Wtime();
  const bool verified = permute_by_tiles(ranks,
                                         {.plan = *plan,
                                          .map = exchange->executed_map(),
                                          .in = options.in,
                                          .out = options.out,
                                          .start = job.start,
                                          .header = job.header,
                                          .verify = options.verify},
                                         line.told());
  const double seconds = MPI_Wtime() - start;
  if (ranks.rank() == 0) print_report(*exchange, options, verified, false, &*plan, seconds);
  return verified;
}

void add_lengths(Report& report, const MpiPlan& plan, const Job& job) {
  report.row("lengths",
             {{"map", job.lengths->text},
              {"unit_elements", plan.unit_elements()},
              {"slices", plan.slices()},
              {"before", to_notation(plan.before())},
              {"after", to_notation(plan.after())}},
             "{}\n  each rank {}, then units of {} elements are exchanged{}, then each rank {}\n",
             job.lengths->text, to_notation(plan.before()), plan.unit_elements(),
             plan.slices() == 1 ? "" : fmt::format(" in {} slices", plan.slices()),
             to_notation(plan.after()));
}

void print_lengths(const MpiPlan& plan, const PermuteOptions& options, const Job& job,
                   bool verified, bool mapped, double seconds) {
  Report report{{"format", "faro-mpi-permute/1"}, {"out", options.out}};
  const Report exchange = plan.move() == nullptr ? report_of(plan.plan()) : Report();
  report["exchange"] = exchange;
  if (plan.move() != nullptr) {
    report.say("{}\n", job.lengths->text);
    add_grid(report, *plan.move());
  } else {
    add_lengths(report, plan, job);
    report.add_words(exchange.words());
  }
  if (mapped) report.add_words(mapped_words);
  print(report, options, verified, mapped ? "mapped" : "in memory", seconds);
}

bool permute_lengths(const mpi::Communicator& ranks, const Job& job, const PermuteOptions& options,
                     const MpiOptions& how, files::FilePart::Hold hold) {
  using files::FilePart;
  const Map& map = job.lengths->map;
  const std::uint64_t element_bytes = job.header.element_bytes;
  MpiPlan plan(ranks.handle(), map, element_bytes, how);
  std::optional<FilePart> from;
  ranks.agree({}, "file", [&] {
    from.emplace(of_rank(options.in, ranks.rank()), job.read_at, job.part_bytes,
                 FilePart::Access::read, hold);
  });
  ArrayTarget target(ranks, options.out, header_out(job, options, ranks.size()), hold);
  const double start = MPI_Wtime();
  plan.execute(from->bytes(), target.part());
  const double seconds = MPI_Wtime() - start;
  const bool verified = !options.verify || verify_exchange(ranks.handle(), map, element_bytes,
                                                           from->bytes(), target.part());
  if (verified) target.commit();
  if (ranks.rank() == 0)
    print_lengths(plan, options, job, verified, hold == FilePart::Hold::mapped, seconds);
  return verified;
}

}  // namespace

bool permute_files(const mpi::Communicator& ranks, const PermuteOptions& options) {
  using files::FilePart;
  const Job job = prepare(ranks, options);
  const std::uint64_t fair_bytes = fair_memory_bytes(ranks);
  ProgressLine line(ranks);
  MpiOptions how;
  auto hold = FilePart::Hold::memory;
  std::uint64_t memory_bytes = 0;
  ranks.agree({}, "option", [&] {
    how.exchange.buffer_bytes = bytes_from(options.buffer);
    how.exchange.in_place = options.in_place;
    how.exchange.ranks = options.relabel ? Ranks::relabelled : Ranks::fixed;
    memory_bytes = options.memory ? bytes_from(*options.memory) : fair_bytes;
    if (job.part_bytes > memory_bytes / (options.in_place ? 1 : 2)) hold = FilePart::Hold::mapped;
    how.progress = line.told();
  });
  if (job.lengths) return permute_lengths(ranks, job, options, how, hold);
  // Pages of a file come and go whole: larger steps have longer runs.
  std::uint64_t any_mapped = hold == FilePart::Hold::mapped ? 1 : 0;
  any_mapped = ranks.sum(any_mapped);
  if (any_mapped != 0 && !names_ranks(options.in) && !names_ranks(options.out)) {
    const auto done = try_tiles(ranks, job, options, ranks.least(memory_bytes), line);
    if (done) return *done;
  }
  if (any_mapped != 0) how.exchange.step_bytes = how.exchange.buffer_bytes / 4;
  MpiPlan plan(ranks.handle(), job.map, job.header.element_bytes, how);
  std::optional<FilePart> from;
  ranks.agree({}, "file", [&] {
    // In place only the file to be written is held.
    from.emplace(of_rank(options.in, ranks.rank()), job.read_at, job.part_bytes,
                 FilePart::Access::read, options.in_place ? FilePart::Hold::mapped : hold);
  });
  ArrayTarget target(ranks, options.out, header_out(job, options, ranks.size()), hold);
  const std::span<std::byte> to = target.part();
  const double start = MPI_Wtime();
  if (options.in_place) {
    std::copy(from->bytes().begin(), from->bytes().end(), to.begin());
    plan.execute_in_place(to);
  } else {
    plan.execute(from->bytes(), to);
  }
  const double seconds = MPI_Wtime() - start;
  bool verified = true;
  if (options.verify) {
    verified = verify_exchange(ranks.handle(), plan.plan().executed_map(), job.header.element_bytes,
                               from->bytes(), to);
  }
  if (verified) target.commit();
  if (ranks.rank() == 0) {
    print_report(plan.plan(), options, verified, any_mapped != 0, nullptr, seconds);
  }
  return verified;
}

}  // namespace faro::mpi_cli
