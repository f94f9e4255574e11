// A plan of jobs: which job takes which dimension in which step, as rules.
//
//   one by one, three dimensions, four    job 0:  j1 j2 j3
//                                         job 1:     j1 j2 j3
//                                         job 2:        j1 j2 j3
//                                         job 3:           j1 j2 j3     4 + 3 - 1 steps
//
// Jobs with the same history share its substitutions; the number x of a job stays a symbol in them.
// Every slot holds one affine piece of the elements throughout, so a proof lists nothing.
#pragma once

#include <cstdint>
#include <vector>

#include "planners/cube/affine/jobs.hpp"
#include "planners/cube/request.hpp"

namespace faro::inline v1::jobs {

// What a request asks of jobs: maps that fall apart move their elements alike, two in a job.
struct Moved {
  Task task;
  bool alike = false;      // one memory bit stands for the two elements of a job
  std::uint64_t jobs = 0;  // half of the elements, rounded up
};
// Requires a request that names a map of a cube, two elements or more.
Moved moved(const Request& request);

// Exchanges of a job and their steps, ascending, counted from the job's offset.
struct History {
  std::vector<Exchange> exchanges;
  std::vector<std::uint64_t> at;
  State end;
};
struct Job {
  std::size_t history = 0;
  std::uint64_t offset = 0;
};
struct JobPlan {
  Type type;
  std::vector<History> histories;
  std::vector<Job> jobs;
  std::uint64_t steps() const;  // those in which something crosses
};

// Exchanges `d` to its last value, or to another form, in step `at`.
void take(History& history, int n, int d, std::uint64_t at);
void take(History& history, int n, int d, Parity to, std::uint64_t at);

// The whole schedule for the request, from begin to finish.
void push(const Request& request, const Moved& moved, const JobPlan& plan, std::string_view planner,
          ScheduleSink& sink);

}  // namespace faro::inline v1::jobs
