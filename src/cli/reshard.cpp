// `faro reshard`: a checkpoint for another number of ranks, within a cap of memory.
#include <fmt/format.h>

#include <memory>

#include "base/sizes.hpp"
#include "cli/command.hpp"
#include "cli/memory.hpp"
#include "cli/worker.hpp"
#include "faro/base/error.hpp"
#include "faro/checkpoints/checkpoints.hpp"
#include "files/words.hpp"

namespace faro::cli {
namespace {

struct ReshardWords {
  std::string in;
  std::optional<std::string> out, memory, file_size, names, from_names, worker;
  std::string from = "whole", to = "whole";
  std::optional<std::uint64_t> jobs;
  bool plan = false, explain = false, resume = false, fresh = false, verify = false;
};

ReshardOptions reshard_options(const ReshardWords& words, Output& out) {
  ReshardOptions options;
  options.from = words.from;
  options.to = words.to;
  if (words.names) options.to_names = *words.names;
  if (words.from_names) options.from_names = *words.from_names;
  options.memory_bytes =
      words.memory ? parse_bytes(*words.memory, "--memory") : available_memory_bytes() / 2;
  if (words.file_size) options.file_bytes = parse_bytes(*words.file_size, "--file-size");
  if (words.jobs) {
    if (*words.jobs == 0 || *words.jobs > 1024)
      throw Error(ErrorCode::usage, "--jobs: wanted 1 to 1024");
    options.threads = static_cast<int>(*words.jobs);
  }
  if (words.resume && words.fresh)
    throw Error(ErrorCode::usage, "--resume goes on, --fresh begins anew: one of them");
  using Unfinished = ReshardOptions::Unfinished;
  if (words.resume) options.unfinished = Unfinished::resume;
  if (words.fresh) options.unfinished = Unfinished::fresh;
  if (words.worker && words.resume)
    throw Error(ErrorCode::usage, "--worker goes on by itself; --resume is for a run without");
  if (words.worker && (!words.memory || !words.jobs))
    throw Error(ErrorCode::usage,
                "--worker: say --memory and --jobs, which all workers have in common");
  options.verify = words.verify;
  options.progress =
      out.progress("resharding", words.worker ? Output::Unit::steps : Output::Unit::bytes);
  return options;
}

Report reshard_row(const ReshardReport& report, const std::string& in, const std::string& out) {
  Report tensors = Report::list();
  for (const TensorReport& tensor : report.tensors)
    tensors.push_back({{"name", tensor.name},
                       {"dtype", tensor.type},
                       {"shape", tensor.shape},
                       {"digest", tensor.digest}});
  Report row{{"in", in},
             {"out", out},
             {"bytes", report.plan.data_bytes},
             {"files_read", report.plan.files_read},
             {"files_made", report.plan.files_made},
             {"memory_bytes", report.plan.memory_bytes},
             {"peak_bytes", report.plan.peak_bytes},
             {"reads", report.reads},
             {"bytes_read", report.bytes_read},
             {"writes", report.writes},
             {"bytes_written", report.bytes_written},
             {"resumed_jobs", report.resumed_jobs},
             {"verified", report.verified},
             {"known", report.known},
             {"seconds", report.seconds},
             {"tensors", tensors}};
  for (const TensorReport& tensor : report.tensors)
    row.say("{}  {} [{}]  {}\n", tensor.digest, tensor.type, fmt::join(tensor.shape, ", "),
            tensor.name);
  const std::string before =
      report.resumed_jobs != 0 ? fmt::format(", {} jobs done before", report.resumed_jobs) : "";
  if (report.tensors.empty() && report.plan.tensors != 0) {
    row.say(
        "{}: {} written by this worker{}; worker 0 compares the digests and gives it its name\n",
        out, files::size_text(report.bytes_written), before);
    return row;
  }
  row.say("{}: {} tensors, {} in {} files, peak {} of {}{}; every digest is that of {}\n", out,
          report.tensors.size(), files::size_text(report.plan.written_bytes),
          report.plan.files_made, files::size_text(report.plan.peak_bytes),
          files::size_text(report.plan.memory_bytes), before, in);
  if (report.known) row.say("  and the one in {}/faro-digests.json\n", in);
  if (report.verified) row.say("  verified: the finished files were read again\n");
  return row;
}

int run_reshard(const ReshardWords& words, Output& out) {
  ReshardOptions options = reshard_options(words, out);
  if (words.explain || words.plan) {
    options.progress = {};
    if (words.explain) {
      const std::string text = explain_reshard(words.in, options);
      Report report{{"format", "faro-reshard-explained/1"}, {"text", text}};
      report.set_words(text);
      out.report(report);
    } else {
      const ReshardFacts facts = plan_reshard(words.in, options);
      Report report = Report::of_json(facts.json);
      report.set_words(facts.describe);
      out.report(report);
    }
    return 0;
  }
  if (!words.out) throw Error(ErrorCode::usage, "wanted IN and OUT");
  try {
    const ReshardReport report =
        words.worker ? reshard_share(words.in, *words.out, share_from(*words.worker), options)
                     : reshard(words.in, *words.out, options);
    options.progress = {};
    out.report(report_of_rows("faro-reshard/1", reshard_row(report, words.in, *words.out)));
  } catch (const Error& error) {
    if (error.code() == ErrorCode::cancelled && !words.worker)
      out.talk("the same command with --resume goes on");
    throw;
  }
  return 0;
}

}  // namespace

extern const Command reshard_command;
const Command reshard_command{
    .name = "reshard",
    .summary = "a checkpoint for another number of ranks, within a cap of memory",
    .details =
        "IN and OUT are folders of safetensors files; IN may be one file or an index. A\n"
        "layout is whole (tensors under their published names), a preset with numbers\n"
        "(llama:tp=4,pp=2  qwen:tp=8  mixtral:tp=2,ep=4  gpt:tp=8) or a file of rules; what\n"
        "a rank holds is in model-rank-R-part-P.safetensors. Numbers of heads come from\n"
        "IN's config.json, or are said: llama:tp=4,heads=32,kv_heads=8. The memory is a\n"
        "cap. OUT is absent until it is complete and the digest of every tensor read is\n"
        "that of the tensor written; after a stop --resume goes on.",
    .examples =
        "faro reshard llama/ llama-tp8/ --to llama:tp=8 --memory 4GiB\n"
        "faro reshard tp4/ tp8/ --from llama:tp=4 --to llama:tp=8 --verify\n"
        "faro reshard tp8/ --from llama:tp=8 --explain",
    .declare = [](Arguments& arguments) -> Action {
      auto words = std::make_shared<ReshardWords>();
      arguments.positional("IN", words->in, "a checkpoint").completes(Completes::file);
      arguments.positional("OUT", words->out, "the folder it becomes").completes(Completes::file);
      arguments.option("--from", "LAYOUT", words->from, "of IN; whole");
      arguments.option("--to", "LAYOUT", words->to, "of OUT; whole");
      arguments.option("--memory", "SIZE", words->memory, "cap on memory; half of the free one");
      arguments.option("--jobs", "N", words->jobs, "jobs at a time; one for each core");
      arguments.option("--file-size", "SIZE", words->file_size, "of a file of OUT; 5 GB");
      arguments.option("--names", "PATTERN", words->names,
                       "of OUT's files, with {rank} and {part}");
      arguments.option("--from-names", "PATTERN", words->from_names, "of IN's files");
      arguments.option("--worker", "I/N", words->worker,
                       "make the files of a share of the ranks; 0 to N-1 run together");
      arguments.flag("--plan", words->plan, "say the plan, do nothing");
      arguments.flag("--explain", words->explain, "say where each tensor lies now and then");
      arguments.flag("--resume", words->resume, "go on with an unfinished run");
      arguments.flag("--fresh", words->fresh, "begin an unfinished run anew");
      arguments.flag("--verify", words->verify, "read OUT once more when it is written");
      return [words](Output& out) { return run_reshard(*words, out); };
    }};

}  // namespace faro::cli
