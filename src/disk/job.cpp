#include "disk/job.hpp"

#include <fmt/format.h>

#include <chrono>
#include <optional>

#include "base/check.hpp"
#include "disk/fingerprint.hpp"
#include "disk/journal.hpp"
#include "disk/pipeline.hpp"
#include "disk/plan_state.hpp"
#include "faro/base/error.hpp"

namespace faro::inline v1::disk {
namespace {

using Clock = std::chrono::steady_clock;
using Part = files::Storage::Part;

class Job {
 public:
  Job(const JobRequest& request, const FilePermutePlan& plan, files::Storage& storage,
      RandomFile& input, const ResumeFileOptions& options, const std::function<void()>& check_input)
      : request_(request),
        plan_(plan),
        storage_(storage),
        input_(input, request.input_start_byte),
        options_(options),
        check_input_(check_input),
        journal_(storage.journal()),
        pass_bytes_(static_cast<std::uint64_t>(plan.facts().data_bytes)) {}

  JobOutcome run() {
    if (const auto last = journal_.last(); last && last->kind == Record::Kind::complete) {
      finish();
      return {};
    }
    const bool fresh = journal_.is_blank();
    try {
      prepare(fresh);
      go_on();
    } catch (const Error&) {
      // Nothing to go on from: nothing is left behind.
      if (fresh && !journal_.last()) undo_quietly();
      throw;
    }
    return {.counts = pipeline_->counts(), .resumed_bytes = resumed_bytes_};
  }

 private:
  void prepare(bool fresh) {
    if (fresh) {
      journal_.begin(request_.json(plan_));
      storage_.sync_folder();
    }
    const auto last = journal_.last();
    const FilePlanFacts& facts = plan_.facts();
    if (last && (!storage_.exists(request_.in_place ? Part::array : Part::data) ||
                 (facts.temporary_bytes != 0 && !storage_.exists(Part::temporary)) ||
                 (facts.log_bytes != 0 && !storage_.exists(Part::redo))))
      throw Error(ErrorCode::environment,
                  fmt::format("{}: the unfinished data beside the journal is gone; {}",
                              storage_.journal().name(), instead_of_resuming(request_.in_place)));
    open_files();
    make_buffers();
    if (!request_.in_place) return;
    if (!storage_.exists(Part::array)) storage_.adopt();
    data_file_ = storage_.open(Part::array);
    data_.emplace(*data_file_, request_.input_start_byte);
  }

  // Everything that may take space, before anything is changed.
  void open_files() {
    if (!request_.in_place) {
      data_file_ = storage_.open(Part::data);
      data_.emplace(*data_file_, request_.output_start.size());
      data_->reserve(pass_bytes_);
    }
    if (plan_.facts().temporary_bytes != 0) {
      temporary_ = storage_.open(Part::temporary);
      temporary_->reserve(pass_bytes_);
    }
    if (plan_.facts().log_bytes != 0) {
      redo_ = storage_.open(Part::redo);
      redo_->reserve(static_cast<std::uint64_t>(plan_.facts().log_bytes));
    }
    storage_.sync_folder();
    if (!request_.in_place) data_file_->write(0, std::as_bytes(std::span(request_.output_start)));
  }

  void make_buffers() {
    pipeline_.emplace(largest_tile_bytes(plan_.facts()), options_.io_threads,
                      PermuteOptions{.threads = options_.threads});
    for (std::size_t i = 0; i < plan_.facts().passes.size(); ++i)
      orders_.emplace_back(plan_.state().is_in_place(i) ? plan_.state().pass(i).successors()
                                                        : Map());
  }

  void go_on() {
    std::size_t pass = 0;
    std::uint64_t first = 0;
    std::uint64_t kept = 0;
    if (const auto last = journal_.last()) {
      pass = last->pass;
      first = last->count;
      fingerprint_ = last->fingerprint;
      if (last->kind == Record::Kind::logged) kept = last->slot;
    }
    const auto& passes = plan_.facts().passes;
    if (pass >= passes.size() || first > passes[pass].tiles || kept > std::min<Count>(2, first))
      throw Error(ErrorCode::environment,
                  fmt::format("{}: the journal does not fit its plan; {}",
                              storage_.journal().name(), instead_of_resuming(request_.in_place)));
    resumed_bytes_ = bytes_done(pass, first - kept);
    for (; pass < passes.size(); ++pass, first = kept = 0) {
      if (!plan_.state().is_in_place(pass))
        run_pass(pass, first);
      else if (first != passes[pass].tiles || kept != 0)
        run_in_place(pass, first, kept);
    }
    if (request_.verify) verify();
    journal_.append({.kind = Record::Kind::complete, .fingerprint = fingerprint_});
    finish();
  }

  // What the first pass reads, where the result is to be verified.
  std::function<void(const TilePlace&, std::span<const std::byte>)> fingerprinted(
      std::size_t pass) {
    if (!request_.verify || pass != 0) return {};
    return [this](const TilePlace& tile, std::span<const std::byte> bytes) {
      fingerprint_ += plan_.state().fingerprint(tile, bytes);
    };
  }

  void run_pass(std::size_t index, std::uint64_t first) {
    const FilePassFacts& facts = plan_.facts().passes[index];
    const auto count = static_cast<std::uint64_t>(facts.tiles);
    RandomFile& to = file(facts.to);
    TileHooks hooks;
    hooks.read = fingerprinted(index);
    hooks.written = [&](std::uint64_t done) {
      const bool stop = !goes_on(bytes_done(index, done));
      if (index == 0 && done == count && check_input_) check_input_();
      if (done == count || stop || is_due()) checkpoint(to, index, done);
      if (stop && (done != count || index + 1 != plan_.facts().passes.size()))
        throw Error(ErrorCode::cancelled, "stopped on request");
    };
    last_checkpoint_ = Clock::now();
    pipeline_->run(plan_.state().pass(index), {first, count}, file(facts.from), to, hooks);
  }

  void run_in_place(std::size_t index, std::uint64_t first, std::uint64_t kept) {
    const MoveSteps moves{plan_.state().pass(index), plan_.state().groups[index]};
    const auto count = static_cast<std::uint64_t>(plan_.facts().passes[index].tiles);
    RandomFile& to = *data_;
    const auto note = [&](std::uint64_t steps, std::uint64_t in_log) {
      journal_.append({.kind = Record::Kind::logged,
                       .pass = static_cast<std::uint16_t>(index),
                       .count = steps,
                       .fingerprint = index == 0 ? before_step_ : fingerprint_,
                       .slot = static_cast<std::uint32_t>(in_log)});
    };
    StepHooks hooks;
    hooks.read = fingerprinted(index);
    before_step_ = fingerprint_;
    hooks.keep = [&](std::uint64_t step, std::span<const std::byte> content) {
      // The slot holds step - 2, which must be in its place before it goes.
      if (step > 1) {
        to.sync();
        note(step, 1);
      }
      pipeline_->write_in_order(*redo_, step % 2 * moves.step_bytes(), content);
      redo_->sync();
      before_step_ = fingerprint_;
      note(step + 1, std::min<std::uint64_t>(2, step + 1));
    };
    hooks.recall = [&](std::uint64_t step, std::span<std::byte> content) {
      pipeline_->read_in_order(*redo_, step % 2 * moves.step_bytes(), content);
    };
    hooks.written = [&](std::uint64_t done) {
      const bool stop = !goes_on(bytes_done(index, done));
      if (done == count) checkpoint(to, index, done);
      if (stop && (done != count || index + 1 != plan_.facts().passes.size()))
        throw Error(ErrorCode::cancelled, "stopped on request");
    };
    pipeline_->run_in_place(moves, orders_[index], {first, count}, kept, to, hooks);
  }

  bool goes_on(std::uint64_t done_bytes) const {
    const std::uint64_t total = pass_bytes_ * plan_.facts().passes.size();
    return !options_.progress || options_.progress(done_bytes, total) == Continue::yes;
  }

  bool is_due() const {
    return std::chrono::duration<double>(Clock::now() - last_checkpoint_).count() >=
           options_.checkpoint_seconds;
  }

  // The order is the promise: a record says only what is durable already.
  void checkpoint(RandomFile& to, std::size_t pass, std::uint64_t done) {
    to.sync();
    journal_.append({.kind = Record::Kind::tiles,
                     .pass = static_cast<std::uint16_t>(pass),
                     .count = done,
                     .fingerprint = fingerprint_});
    last_checkpoint_ = Clock::now();
  }

  std::uint64_t bytes_done(std::size_t pass, std::uint64_t tiles) const {
    const FilePassFacts& all = plan_.facts().passes[pass];
    const std::uint64_t here =
        tiles == all.tiles ? pass_bytes_ : std::min(pass_bytes_, tiles * all.tile_bytes);
    return (pass * pass_bytes_) + here;
  }

  RandomFile& file(const std::string& name) {
    if (name == "input") return input_;
    if (name == "output") return *data_;
    FARO_CHECK(temporary_ != nullptr);
    return *temporary_;
  }

  void verify() {
    const std::uint64_t unit = plan_.state().array.unit_bytes;
    std::uint64_t found = 0;
    // Whole units: parts of a buffer that a step of other passes may have made larger.
    const std::uint64_t part = largest_tile_bytes(plan_.facts()) / unit * unit;
    pipeline_->visit_in_order(*data_, pass_bytes_, part,
                              [&](std::uint64_t at, std::span<const std::byte> bytes) {
                                found += fingerprint_of_places(at / unit, unit, bytes);
                              });
    if (found == fingerprint_) return;
    if (request_.in_place)
      throw Error(ErrorCode::refused,
                  fmt::format("the check of every element failed: what stands in '{}' is not the "
                              "rearranged array, and it is left there. The disk or the memory of "
                              "this machine is in doubt",
                              data_file_->name()));
    data_.reset();
    data_file_.reset();
    storage_.reset();
    undo_quietly();
    throw Error(
        ErrorCode::refused,
        "the check of every element failed: what stands in the finished file is not what "
        "was read; nothing was replaced. The disk or the memory of this machine is in doubt");
  }

  void finish() {
    data_.reset();
    data_file_.reset();
    temporary_.reset();
    redo_.reset();
    if (storage_.exists(request_.in_place ? Part::array : Part::data)) storage_.publish();
    storage_.discard();
  }

  // Nothing was changed: an array that was given another name gets its own again.
  void undo_quietly() noexcept {
    try {
      if (request_.in_place && storage_.exists(Part::array)) storage_.publish();
      storage_.discard();
    } catch (const Error&) {  // the first error is the one that is told
    }
  }

  const JobRequest& request_;
  const FilePermutePlan& plan_;
  files::Storage& storage_;
  files::ShiftedFile input_;
  const ResumeFileOptions& options_;
  const std::function<void()>& check_input_;
  Journal journal_;
  std::uint64_t pass_bytes_;
  std::unique_ptr<RandomFile> data_file_;
  std::optional<files::ShiftedFile> data_;
  std::unique_ptr<RandomFile> temporary_;
  std::unique_ptr<RandomFile> redo_;
  std::optional<Pipeline> pipeline_;
  std::vector<MoveOrder> orders_;  // of each pass
  std::uint64_t fingerprint_ = 0;
  std::uint64_t before_step_ = 0;  // the fingerprint of what was logged
  std::uint64_t resumed_bytes_ = 0;
  Clock::time_point last_checkpoint_;
};

}  // namespace

JobOutcome run_job(const JobRequest& request, const FilePermutePlan& plan, files::Storage& storage,
                   RandomFile& input, const ResumeFileOptions& options,
                   const std::function<void()>& check_input) {
  return Job(request, plan, storage, input, options, check_input).run();
}

void refuse_changed_while_read(const std::string& input) {
  throw Error(ErrorCode::environment,
              fmt::format("{}: was changed while it was read, so what was read is neither the old "
                          "nor the new array; --fresh begins anew",
                          input));
}

}  // namespace faro::inline v1::disk
