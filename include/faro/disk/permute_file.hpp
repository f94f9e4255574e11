// Rearranges an array in a file, however large, within a cap of memory, so that nothing is lost.
//
//   permute_file("big.raw", "out.raw", say("i:37 -> rev(i)").map.as_bits(), {.element_bytes = 8},
//                {.plan = {.memory_bytes = bit(31)}});
//
// The input is not touched. The output is what it was, or absent, until it is complete: it grows in
// the folder .OUT.faro beside it with a journal, is synced to disk, and takes its name in one step.
// Space for all of it is reserved before the first byte. After a crash, a kill or a power failure
// at any point resume_file() goes on from the last checkpoint. Errors are Error(environment) with
// what failed, and leave a state from which to go on; only where nothing was done yet the folder
// goes.
//
// In place the array is given another name in that folder until it is whole, and what is about to
// be overwritten with what stands in a log of two tiles; the same promises hold, but that there is
// no going back.
#pragma once

#include <cstdint>
#include <string>

#include "faro/disk/file_permute_plan.hpp"

namespace faro::inline v1 {

struct ResumeFileOptions {
  FileIo io = FileIo::automatic;
  int threads = 0;  // of the permuting; 0: one for each core that the process has
  // Requests of 1 MiB read at a time, and as many written; of shorter ones up to four times as
  // many. 0 reads and writes in turn.
  int io_threads = 4;
  // The work that a kill may cost; 0 makes a checkpoint of every tile.
  double checkpoint_seconds = 10;
  Progress progress = {};
  // Of resume_file: the caller knows that nothing but names and times changed since the run
  // began, as where its folder was copied or restored. Sizes and samples must still be the same,
  // but for the samples of an array that is half rearranged in place.
  bool unchanged = false;
};

struct PermuteFileOptions : ResumeFileOptions {
  FilePlanOptions plan = {};
  std::uint64_t input_start_byte = 0;  // where the array begins in the input
  std::string output_start = {};       // what stands before it in the output
  std::string temporary_folder = {};   // for plans of several passes; beside the output if empty
  // An unfinished run of this output is an Error(usage) that says so, or is begun anew.
  enum class Unfinished { refuse, fresh };
  Unfinished unfinished = Unfinished::refuse;
  // Sums a fingerprint over every element and its place while the input is read, and again by
  // reading the finished output; Error(refused) if they differ, and no output.
  bool verify = false;
};

struct PermuteFileReport {
  FilePlanFacts plan;
  FileCounts counts;                // of this run
  std::uint64_t resumed_bytes = 0;  // that an earlier run had done, all passes together
  bool verified = false;
  double seconds = 0;
};

PermuteFileReport permute_file(const std::string& in, const std::string& out, const Map& map,
                               const PermuteShape& shape, const PermuteFileOptions& options = {});
// The array in a file becomes the rearranged one, without the space of a second. What stands before
// the array, options.input_start_byte bytes, stays; options.output_start is not looked at.
PermuteFileReport permute_in_place(const std::string& file, const Map& map,
                                   const PermuteShape& shape,
                                   const PermuteFileOptions& options = {});
// Goes on with an unfinished run, by what its journal says. Error(usage) if there is none,
// Error(environment) if the input was changed meanwhile or the journal is damaged.
PermuteFileReport resume_file(const std::string& out, const ResumeFileOptions& options = {});

// What an unfinished run of this output has done, in words; empty if there is none.
std::string describe_unfinished(const std::string& out);

}  // namespace faro::inline v1
