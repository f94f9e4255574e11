// Strided plans on threads: chunks of D x S at every place of the outer axes, taken as threads get
// free.
#include <algorithm>

#include "base/check.hpp"
#include "base/parallel.hpp"
#include "engine/passes.hpp"
#include "engine/strided_plan.hpp"
#include "engine/working.hpp"

namespace faro::inline v1::engine {
namespace {

constexpr std::uint64_t segment_bytes = std::uint64_t{64} << 20U;

class Runner {
 public:
  Runner(const StridedPlan& plan, const std::byte* from, std::byte* to)
      : plan_(plan), from_(from + plan.form.from_base), to_(to + plan.form.to_base) {}

  Word panels() const { return Walk(plan_.form, plan_.outer).count() * chunks(); }

  // Panels begin..end-1, numbered through: outer axes, then D, then S.
  void run(Word begin, Word end, std::byte* working) const {
    if (begin == end) return;
    Walk walk(plan_.form, plan_.outer);
    walk.seek(begin / chunks());
    Word chunk = begin % chunks();
    for (Word at = begin; at < end; ++at) {
      const auto d = static_cast<Offset>(chunk / plan_.s_chunks());
      const auto s = static_cast<Offset>(chunk % plan_.s_chunks());
      const Panel panel{from_ + walk.from(), to_ + walk.to(),
                        d * plan_.d_chunk,   std::min(plan_.d.length, (d + 1) * plan_.d_chunk),
                        s * plan_.s_chunk,   std::min(plan_.s.length, (s + 1) * plan_.s_chunk)};
      plan_.kernels->run_panel(plan_, panel, working);
      if (++chunk == chunks()) {
        chunk = 0;
        walk.next();
      }
    }
  }

 private:
  Word chunks() const { return plan_.d_chunks() * plan_.s_chunks(); }

  const StridedPlan& plan_;
  const std::byte* from_;
  std::byte* to_;
};

}  // namespace

void run_strided(const StridedPlan& planned, const std::byte* from, std::byte* to,
                 const Progress& progress) {
  const StridedPlan& plan = planned.for_place(to);
  const Runner runner(plan, from, to);
  const Word panels = runner.panels();
  Working working(plan.working_bytes, plan.threads);
  const std::uint64_t panel_bytes = std::max<std::uint64_t>(1, plan.form.data_bytes / panels);
  const Word segment = progress ? std::max<Word>(1, segment_bytes / panel_bytes) : panels;
  for (Word begin = 0; begin < panels; begin += std::min(segment, panels - begin)) {
    const Word end = begin + std::min(segment, panels - begin);
    if (plan.threads == 1) {
      runner.run(begin, end, working.of(0));
    } else {
      const Word count = end - begin;
      const Word parts = std::min<Word>(count, static_cast<Word>(plan.threads) * parts_per_thread);
      in_parallel(plan.threads, parts, [&](Word part, int worker) {
        runner.run(begin + count / parts * part + std::min(part, count % parts),
                   begin + count / parts * (part + 1) + std::min(part + 1, count % parts),
                   working.of(worker));
      });
    }
    report(progress, end == panels ? plan.form.data_bytes : end * panel_bytes,
           plan.form.data_bytes);
  }
}

}  // namespace faro::inline v1::engine
