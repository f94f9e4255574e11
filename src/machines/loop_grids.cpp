// Runs on other grids. A loop that goes on by 3 wants runs of every third slot; after it what goes
// on alike in all three residues is one run of all slots again, so that grids do not multiply from
// loop to loop.
//
//   slots 0..9, number = slot     grid 3: {0 3 6 9} {1 4 7} {2 5 8}     and back
#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

#include "machines/loop_runs.hpp"

namespace faro::inline v1::loop_proofs {
namespace {

__extension__ typedef __int128 Wide;

// What runs of slots say of every slot x: filling `what` holds number (offset + x * stride) / grid.
struct Line {
  Word home = 0;
  std::int64_t residue = 0;
  std::int64_t grid = 0;
  struct Part {
    ContentId what = 0;
    std::int64_t stride = 0;
    Wide offset = 0;
    auto key() const { return std::tie(what, stride, offset); }
    bool operator<(const Part& o) const { return key() < o.key(); }
  };
  std::vector<Part> parts;
  bool operator<(const Line& o) const {
    return std::tie(home, residue, grid, parts) < std::tie(o.home, o.residue, o.grid, o.parts);
  }
};

struct Stretch {
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

Line line_of(const Run& run, std::int64_t least) {
  Line line{run.home, run.start.base % least, run.grid, {}};
  for (const Filling& filling : run.fillings) {
    const auto stride = static_cast<std::int64_t>(filling.stride);
    line.parts.push_back(
        {filling.what, stride,
         Wide{filling.first.base} * run.grid - Wide{run.start.base} * Wide{stride}});
  }
  return line;
}

// Where all `residues` of a line have a slot. Between two slots of a run those of the others lie,
// so a stretch may begin behind the slot that a run lacks before its first.
std::vector<Stretch> covered(const std::vector<Run>& runs, std::int64_t residues,
                             std::int64_t least) {
  std::vector<std::tuple<std::int64_t, int>> ends;
  for (const Run& run : runs) {
    ends.emplace_back(run.start.base - run.grid + least, -1);
    ends.emplace_back(run.start.base + run.grid * run.count.base, 1);
  }
  std::sort(ends.begin(), ends.end());  // beginnings first
  std::vector<Stretch> whole;
  std::int64_t open = 0;
  std::int64_t begin = 0;
  for (const auto& [at, kind] : ends) {
    if (open == residues && kind > 0) whole.push_back({begin, at});
    open -= kind;
    if (open == residues) begin = at;
  }
  const std::int64_t short_of = 2 * runs[0].grid;
  std::erase_if(whole, [&](const Stretch& s) { return s.end - s.begin < short_of; });
  return whole;
}

// What of a run lies in none of the stretches.
void keep_rest(const Run& run, const std::vector<Stretch>& whole, std::vector<Run>& out) {
  const std::int64_t start = run.start.base;
  const std::int64_t end = start + run.grid * run.count.base;
  const auto keep = [&](std::int64_t from, std::int64_t to) {
    if (to > from)
      out.push_back(part(run, {(from - start) / run.grid, 0}, {(to - from) / run.grid, 0}));
  };
  const auto onto_run = [&](std::int64_t x) {
    const std::int64_t short_of = (start - x) % run.grid;
    return x + (short_of < 0 ? short_of + run.grid : short_of);
  };
  std::int64_t last = start;
  for (const Stretch& stretch : whole) {
    const std::int64_t from = onto_run(stretch.begin);
    const std::int64_t to = onto_run(stretch.end);
    if (from >= end || to <= start) continue;
    keep(last, from);
    last = to;
  }
  keep(last, end);
}

}  // namespace

std::optional<std::int64_t> Runs::common_grid(std::int64_t grid, std::int64_t most) const {
  for (const Run& run : runs_) {
    if (run.single()) continue;
    grid = grid / std::gcd(grid, run.grid) * run.grid;
    if (grid > most) return {};
  }
  return grid;
}

void Runs::regrid(std::int64_t grid) {
  std::vector<Run> out;
  for (const Run& run : runs_) {
    if (run.single()) {
      out.push_back(run);
      continue;
    }
    const std::int64_t residues = grid / run.grid;
    for (std::int64_t r = 0; r < residues && r < run.count.base; ++r) {
      spend(1 + run.fillings.size() / 4);
      Run one = part(run, {r, 0}, {(run.count.base - r + residues - 1) / residues, 0});
      if (!one.single()) {
        one.grid = grid;
        for (Filling& filling : one.fillings)
          filling.stride *= static_cast<std::uint64_t>(residues);
      }
      out.push_back(std::move(one));
    }
  }
  grid_ = grid;
  set(std::move(out));
  tidy();
}

void Runs::coalesce() {
  std::map<Line, std::vector<Run>> lines;
  std::vector<Run> out;
  for (Run& run : runs_) {
    if (!run.single() && run.grid > least_ && run.grid % least_ == 0)
      lines[line_of(run, least_)].push_back(std::move(run));
    else
      out.push_back(std::move(run));
  }
  for (auto& [line, runs] : lines) {
    const std::int64_t residues = line.grid / least_;
    const bool divides = std::all_of(line.parts.begin(), line.parts.end(),
                                     [&](const Line::Part& p) { return p.stride % residues == 0; });
    std::vector<Stretch> whole;
    if (divides && std::cmp_greater_equal(runs.size(), residues))
      whole = covered(runs, residues, least_);
    for (const Run& run : runs) keep_rest(run, whole, out);
    for (const Stretch& stretch : whole) {
      Run run{
          line.home, least_, {stretch.begin, 0}, {(stretch.end - stretch.begin) / least_, 0}, {}};
      for (const Line::Part& p : line.parts)
        run.fillings.push_back(
            {p.what,
             {static_cast<std::uint64_t>((p.offset + Wide{stretch.begin} * p.stride) / line.grid),
              0},
             static_cast<std::uint64_t>(p.stride / residues)});
      out.push_back(std::move(run));
    }
  }
  grid_ = least_;
  set(std::move(out));
  tidy();
}

}  // namespace faro::inline v1::loop_proofs
