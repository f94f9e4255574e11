// faro-mpi run: a schedule file performed by real processes.
//
// Rank 0 alone reads the file: it judges it first, then hands it to all ranks piece by piece, each
// of which picks out what its processors send and receive.
#include <fmt/format.h>

#include <array>
#include <iostream>
#include <optional>

#include "base/report.hpp"
#include "faro/files/array_file.hpp"
#include "faro/machines/verifier.hpp"
#include "faro/schedules/cost.hpp"
#include "faro/schedules/json.hpp"
#include "faro/service/plan.hpp"
#include "mpi_cli/array_files.hpp"
#include "mpi_cli/commands.hpp"
#include "mpi_cli/schedule_ranks.hpp"
#include "schedules/expand.hpp"
#include "schedules/map_goal.hpp"

namespace faro::mpi_cli {
namespace {

class FileSource : public ByteSource {
 public:
  explicit FileSource(const std::string& path) : file_(InputFile::open(path)) {}
  std::size_t read(std::span<std::byte> into) override { return file_.read(into); }

 private:
  InputFile file_;
};

// What rank 0 reads, on all ranks. They read alike, since what they read is the same.
class SharedSource : public ByteSource {
 public:
  SharedSource(const mpi::Communicator& ranks, const std::string& path) : ranks_(ranks) {
    ranks.agree({}, "file", [&] {
      if (ranks.rank() == 0) file_.emplace(path);
    });
  }

  std::size_t read(std::span<std::byte> into) override {
    if (next_ == piece_.size()) refill();
    const std::size_t count = std::min(into.size(), piece_.size() - next_);
    std::copy_n(piece_.begin() + static_cast<std::ptrdiff_t>(next_), count, into.begin());
    next_ += count;
    return count;
  }

 private:
  void refill() {
    constexpr std::size_t piece_bytes = std::size_t{1} << 16U;
    piece_.resize(piece_bytes);
    next_ = 0;
    int count = 0;
    ranks_.agree({}, "file", [&] {
      if (file_) count = static_cast<int>(file_->read(piece_));
    });
    mpi::check(MPI_Bcast(&count, 1, MPI_INT, 0, ranks_.handle()), "MPI_Bcast");
    piece_.resize(static_cast<std::size_t>(count));
    mpi::check(MPI_Bcast(piece_.data(), count, MPI_BYTE, 0, ranks_.handle()), "MPI_Bcast");
  }

  const mpi::Communicator& ranks_;
  std::optional<FileSource> file_;
  std::vector<std::byte> piece_;
  std::size_t next_ = 0;
};

// The verifiers have read the same file before; a complaint now means that it was changed.
class NoBreaches : public ReadListener {
 public:
  void breach(Count, const std::string& rule, const std::string& message) override {
    throw Error(ErrorCode::environment,
                fmt::format("the schedule was changed while it was read: {}: {}", rule, message));
  }
  void warning(const std::string&) override {}
};

// Keeps the header and counts, as a performer's neighbour.
class Facts : public CostCounter {
 public:
  void begin(const ScheduleHeader& header) override {
    machine = header.machine;
    elements = header.elements;
    planner = header.planner;
    CostCounter::begin(header);
  }
  Machine machine;
  std::uint64_t elements = 0;
  std::string planner;
};

std::string verified_by(const mpi::Communicator& ranks, const RunOptions& options) {
  std::string by;
  ranks.agree({}, "schedule", [&] {
    if (ranks.rank() != 0) return;
    FileSource source(options.schedule);
    const VerifyReport report = verify_schedule(source, {.map = options.map});
    by = report.verdict.by;
    if (report.verdict.ok()) return;
    const std::vector<Violation>& violations = report.verdict.violations;
    throw Error(ErrorCode::refused,
                violations.empty()
                    ? fmt::format("{}: {}", options.schedule, report.verdict.limit)
                    : fmt::format("{}: the schedule is not right: step {}: {}: {}",
                                  options.schedule, to_string(violations.front().step),
                                  violations.front().rule, violations.front().message));
  });
  return by;
}

void push(const mpi::Communicator& ranks, const RunOptions& options, ScheduleRanks& performer,
          Facts& facts) {
  ExpandingSink expanding(performer);
  TeeSink both({&facts, &expanding});
  ReadOptions reading;
  reading.map = options.map;
  reading.map_from = [](std::string_view text, const Machine& machine, std::uint64_t elements) {
    return map_goal_from(text, machine, elements);
  };
  NoBreaches listener;
  SharedSource source(ranks, options.schedule);
  if (read_schedule(source, both, reading, listener) != ReadOutcome::complete) {
    throw Error(ErrorCode::environment, "the schedule was changed while it was read");
  }
}

struct Ran {
  std::string verified_by;
  bool arrived = false;
  std::uint64_t messages = 0;
  std::uint64_t copies = 0;
  std::uint64_t bytes = 0;
  double seconds = 0;
};

void print_report(const mpi::Communicator& ranks, const Facts& facts, const Ran& ran,
                  std::uint64_t steps, const RunOptions& options) {
  Report report{{"format", "faro-mpi-run/1"},
                {"machine", to_string(facts.machine)},
                {"planner", facts.planner},
                {"verified_by", ran.verified_by},
                {"ranks", ranks.size()},
                {"elements", facts.elements},
                {"steps", steps},
                {"messages", ran.messages},
                {"moves_within_ranks", ran.copies},
                {"message_bytes", ran.bytes},
                {"arrived", ran.arrived},
                {"seconds", ran.seconds}};
  report.say("{} on {} ranks: {} steps, {} messages, {} bytes, {} moves within ranks\n",
             to_string(facts.machine), ranks.size(), steps, ran.messages, ran.bytes, ran.copies);
  report.say("the schedule is right, by {}; {}\n", ran.verified_by,
             ran.arrived ? "every element arrived where it has to be"
                         : "refused: not every element arrived where it has to be");
  std::cout << (options.json ? report.json() + "\n" : report.words());
}

}  // namespace

bool run_schedule(const mpi::Communicator& ranks, const RunOptions& options) {
  ArrayHeader header;
  std::optional<files::FilePart> in;
  ranks.agree({}, "option", [&] {
    if (options.in.has_value() != options.out.has_value()) {
      throw Error(ErrorCode::usage, "run: IN and OUT go together; without, elements are numbered");
    }
    if (options.in && names_ranks(*options.in) != names_ranks(*options.out)) {
      throw Error(ErrorCode::usage, "run: name both files alike, one or one a rank (%d)");
    }
  });
  Ran ran;
  ran.verified_by = verified_by(ranks, options);
  std::uint64_t element_bytes = options.element_bytes.value_or(8);
  if (options.in) {
    ranks.agree({}, "file", [&] {
      if (ranks.rank() == 0) refuse_mixed_parts(*options.in);
      header = read_header(of_rank(*options.in, ranks.rank()), options.element_bytes);
      element_bytes = header.npy.element_bytes;
      const bool each = names_ranks(*options.in);
      const auto size = static_cast<std::uint64_t>(ranks.size());
      const std::uint64_t bytes = header.npy.data_bytes() / (each ? 1 : size);
      if (bytes == 0 || (!each && header.npy.elements() % size != 0)) {
        throw Error(ErrorCode::usage, fmt::format("{}: {} elements for {} ranks", *options.in,
                                                  header.npy.elements(), size));
      }
      const std::uint64_t before = each ? 0 : bytes * static_cast<std::uint64_t>(ranks.rank());
      in.emplace(of_rank(*options.in, ranks.rank()), header.start + before, bytes,
                 files::FilePart::Access::read, files::FilePart::Hold::mapped);
    });
  }
  ScheduleRanks performer(ranks, in ? in->bytes() : std::span<const std::byte>(), element_bytes);
  Facts facts;
  const double start = MPI_Wtime();
  push(ranks, options, performer, facts);
  ran.seconds = ranks.most(MPI_Wtime() - start);
  ran.arrived = performer.arrived();
  ran.messages = ranks.sum(performer.sent().messages);
  ran.copies = ranks.sum(performer.sent().copies);
  ran.bytes = ranks.sum(performer.sent().bytes);
  if (options.out && ran.arrived) {
    ArrayTarget target(ranks, *options.out, header.npy, files::FilePart::Hold::memory);
    const std::vector<std::byte> result = performer.result();
    std::copy(result.begin(), result.end(), target.part().begin());
    target.commit();
  }
  if (ranks.rank() == 0) print_report(ranks, facts, ran, performer.sent().steps, options);
  return ran.arrived;
}

}  // namespace faro::mpi_cli
