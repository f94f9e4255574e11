// A plan performed with a journal: the protocol that survives a crash at any point.
//
//   1  journal: the request, synced; its name synced        before any other byte
//   2  data, temporary, redo: space reserved, names synced; in place the array gets its other name
//   3  out of place: tiles, in order, and now and then a checkpoint: sync the file, then a record,
//      synced. A pass never overwrites what it reads, so tiles may be done again: a crash costs
//      what was done since the last record.
//      In place: steps, in order. Step j is read and permuted; then
//         sync the file, a record            the steps before j - 1 are in their places
//         its content to slot j % 2 of the redo log, synced, a record
//         step j - 1 to its place            which is where step j was read
//      so that what is overwritten is always in the log, and a crash costs a step.
//   4  a record that all is complete, synced
//   5  data, or the array, takes the output's name, durably; then the rest is removed
#pragma once

#include <functional>

#include "disk/request.hpp"
#include "files/storage.hpp"

namespace faro::inline v1::disk {

struct JobOutcome {
  FileCounts counts;
  std::uint64_t resumed_bytes = 0;
};

// Begins, or goes on where the storage's journal is not blank; its header must be the request's.
// When all of the input was read, `check_input` may throw: it was changed meanwhile.
JobOutcome run_job(const JobRequest& request, const FilePermutePlan& plan, files::Storage& storage,
                   RandomFile& input, const ResumeFileOptions& options,
                   const std::function<void()>& check_input = {});

[[noreturn]] void refuse_changed_while_read(const std::string& input);

// Before a run begins: Error(usage) where an earlier one is unfinished, unless that is to be begun
// anew. Error(environment) where there is unfinished data and its journal says nothing.
void refuse_unfinished(files::Storage& storage, const std::string& out,
                       const PermuteFileOptions& options);
void refuse_damaged(files::Storage& storage);

// How a message ends where there is nothing to go on from.
const char* instead_of_resuming(bool in_place);

}  // namespace faro::inline v1::disk
