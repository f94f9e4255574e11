// Whole flows with lower and upper bounds on the edges (Dinic's algorithm, a super source and sink
// for the lower bounds).
//
//   Flow flow(4); int e = flow.edge(0, 1, {1, 2}); ...; flow.circulate(0, 3); flow.through(e)
#pragma once

#include <cstdint>
#include <vector>

namespace faro::inline v1::search {

class Flow {
 public:
  struct Bounds {
    std::int32_t least = 0;
    std::int32_t most = 1;
  };
  explicit Flow(std::uint32_t nodes) : first_(nodes + 2, none), needed_(nodes, 0) {}

  std::uint32_t edge(std::uint32_t from, std::uint32_t to, Bounds bounds);
  // A flow from source to sink within all bounds; false if there is none. Once.
  bool circulate(std::uint32_t source, std::uint32_t sink);
  std::int32_t through(std::uint32_t edge) const {
    return least_[edge / 2] + arcs_[edge ^ 1U].room;
  }

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  struct Arc {
    std::uint32_t to = 0;
    std::uint32_t next = 0;
    std::int32_t room = 0;
  };
  std::uint32_t arc(std::uint32_t from, std::uint32_t to, std::int32_t room);
  bool layer(std::uint32_t source, std::uint32_t sink);
  std::int64_t augment(std::uint32_t source, std::uint32_t sink);

  std::vector<Arc> arcs_;  // each beside its reverse
  std::vector<std::uint32_t> first_;
  std::vector<std::int64_t> needed_;  // lower bounds into a node minus those out of it
  std::vector<std::int32_t> least_;
  std::vector<std::uint32_t> level_;
  std::vector<std::uint32_t> next_;
};

}  // namespace faro::inline v1::search
