// A planner: an algorithm that makes schedules. It says who it is, whether it applies or why not,
// and offers a schedule with its exact cost.
//
//   const Offer offer = planner.offer(request);      searches, if it has to, once
//   offer.estimate.cost.value                        what the schedule costs
//   offer.push(sink);  offer.push(another);          the same schedule as often as wanted
//
// It never verifies: the service does that with verifiers that share no code with it. An own one
// derives from Planner and is given to plan(): examples/own_planner.cpp.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "faro/base/count.hpp"
#include "faro/schedules/cost.hpp"
#include "faro/schedules/schedule.hpp"
#include "faro/schedules/steps.hpp"

// What somebody wants planned: a machine, what is to happen on it, and how many elements each
// processor holds. A request is legal from the moment it exists; planners, bounds and verifiers
// take it as it is.
//
//   Request::of("a:6 -> ungray(a)", "cube:6", 100)
//   Request::of(Pops{.group_size = 2, .groups = 2}, Destinations{{2, 0, 3, 1}})
//
// A list that some map says becomes that map: {0, 1, 3, 2} on a cube of two dimensions is
// i:2 -> gray(i), and gets the plans that maps get.

namespace faro::inline v1 {

// Processor p sends what it holds to processor to[p]: a permutation.
struct Destinations {
  std::vector<std::uint64_t> to;
  friend bool operator==(const Destinations&, const Destinations&) = default;
};

// Every element has a destination of its own: element s of processor p goes to processor
// to[p·K + s], or nowhere. On POPS networks.
struct Relation {
  static constexpr std::uint64_t nowhere = ~std::uint64_t{0};
  std::vector<std::uint64_t> to;
  friend bool operator==(const Relation&, const Relation&) = default;
};

// A butterfly network on 2^p elements emulated by an n-cube of all ports, K = 2^(p-n) elements in
// each processor. What is wanted is a computation; where its results end is part of the plan unless
// the question says so.
//
//   n 3, p 5, cyclic, binary||gray, most significant bit first:   bits 4 and 3 are memory bits,
//   their stages are local; stages of bits 2, 1, 0 need K/2 + n - 1 = 4 steps of communication
struct ButterflyNetwork {
  // The code of the processors at the end. gray_through runs on through the control bits of the
  // plan: the Gray output of the paper's section 3.1.2.
  enum class Output { binary, gray, gray_through };
  // Which index bits the processors hold at the end: those that the plan leaves there, or those of
  // the start (natural order).
  enum class Finish { as_planned, restored };

  int processor_bits = 0;  // n; Request::of fills it in
  int index_bits = 0;      // p >= n
  Allocation allocation = Allocation::cyclic;
  Encoding encoding = Encoding::binary;
  ButterflyGoal::Order order = ButterflyGoal::Order::most_significant_first;
  Output output = Output::binary;
  Finish finish = Finish::as_planned;
  int section_bits = 0;  // r of 2^r-sectioning; 0: the cheapest that applies

  int memory_bits() const { return index_bits - processor_bits; }
  Layout layout() const { return {allocation, encoding, processor_bits, memory_bits()}; }
  Count elements() const { return Count{1} << static_cast<unsigned>(memory_bits()); }
  friend bool operator==(const ButterflyNetwork&, const ButterflyNetwork&) = default;
};

// Bitonic sort of 2^p elements in that layout, by passes of butterflies.
struct BitonicSort {
  ButterflyNetwork network;
  friend bool operator==(const BitonicSort&, const BitonicSort&) = default;
};

// C = A·B of order N on a POPS network of N² processors or more.
struct MatrixProduct {
  std::uint64_t order = 0;
  friend bool operator==(const MatrixProduct&, const MatrixProduct&) = default;
};

// One to all, all to all, or each to each its own, on a POPS network.
struct Broadcast {
  enum class Kind { one_to_all, all_to_all, personalised };
  Kind kind = Kind::one_to_all;
  Word root = 0;  // of one_to_all
  friend bool operator==(const Broadcast&, const Broadcast&) = default;
};

using Question = std::variant<MapGoal, Destinations, Relation, ButterflyNetwork, BitonicSort,
                              MatrixProduct, Broadcast>;

struct Said;
// The words of a map on a machine (map_goal.hpp); sizes that do not fit are told of the machine.
Said said_on(std::string_view map, const Machine& machine, std::optional<std::uint64_t> elements,
             const std::optional<std::vector<Word>>& shape = {});

class Request {
 public:
  // Nothing for K means 1, or the 2^m elements of a map's memory bits. Throws Error: usage for what
  // contradicts itself (a map of other bits than the machine's, a list that is no permutation, K
  // that is not 2^m), impossible for what the machine cannot be asked (a map where the number of
  // processors is no power of two), limit for what is too large to list.
  static Request of(const Machine& machine, Question question,
                    std::optional<std::uint64_t> elements = {});
  // The same in words (docs/notation.md, machines/verifier.hpp), of an array of this shape if one
  // is given; throws what say throws, too.
  static Request of(std::string_view map, std::string_view machine,
                    std::optional<std::uint64_t> elements = {},
                    const std::optional<std::vector<Word>>& shape = {});

  // A map with memory bits that names fewer processor bits than the cube has dimensions: the data
  // lie on the subcube of the lowest ones.
  static Request on_subcube(const Hypercube& cube, const MapGoal& map);

  const Machine& machine() const { return content_->machine; }
  const Question& question() const { return content_->question; }
  std::uint64_t elements() const { return content_->elements; }  // K, of each processor

  // Whether data move and nothing is computed or copied: a map, a list or a relation.
  bool moves() const { return content_->question.index() <= 2; }
  // What is asked, if it is of this kind.
  template <class Kind>
  const Kind* get_if() const {
    return std::get_if<Kind>(&content_->question);
  }
  // The map; one of no bits for a request that is none.
  bool is_map() const { return std::holds_alternative<MapGoal>(content_->question); }
  const MapGoal& map() const;
  // The numbers of a list or a relation; none for other requests.
  const std::vector<std::uint64_t>& destinations() const;
  // The map in canonical notation, empty where there is none.
  std::string text() const;

  // The same question of another number of elements, checked again.
  Request with_elements(std::uint64_t elements) const;

 private:
  struct Content {
    Machine machine;
    Question question;
    std::uint64_t elements = 1;
    bool on_subcube = false;
  };
  explicit Request(Content content);

  std::shared_ptr<const Content> content_;
};

class CompiledSink;

// Who a planner is, in words that outlive it.
struct About {
  std::string_view name;      // what --algorithm takes
  std::string_view machine;   // begins with the word of the machine: "cube", "mesh all links"
  std::string_view title;     // a line of what it does
  std::string_view needs;     // a line of what it applies to
  std::string_view cost;      // a line: its cost in words and symbols
  std::string_view citation;  // paper and theorem, or "faro" where the construction is ours
};

struct Offer {
  // Exact: the schedule that is pushed has this cost.
  Estimate estimate;
  // Pushes begin, steps and finish, the same ones every time. The header carries goal, elements,
  // slots and planner; the caller adds cost and bound.
  std::function<void(ScheduleSink&)> push;
  // What the plan is made of, "phases(lanes(2), ring(3))"; empty: the planner's name.
  std::string expression = {};
  // Of butterfly networks and sorts: the same schedule with what a processor must know to compute.
  std::function<void(CompiledSink&)> compiled = {};
};

class Planner {
 public:
  constexpr Planner() = default;
  Planner(const Planner&) = delete;
  Planner& operator=(const Planner&) = delete;
  virtual ~Planner() = default;

  virtual const About& about() const = 0;
  std::string_view name() const { return about().name; }

  // Nothing if the planner applies, else why not: completes "does not apply: ...".
  virtual std::optional<std::string> refusal(const Request& request) const = 0;

  // A planner that searches is asked after those that do not, and only while `at_least`, or the
  // machine's lower bound if that is more, is below the best offer so far.
  virtual bool searches() const { return false; }
  virtual Count at_least(const Request&) const { return 0; }
  // One that asks all others for fewer elements is asked before those that search, and wins ties:
  // where it answers, nobody searches for all elements.
  virtual bool asks_for_fewer() const { return false; }
  // One whose plans are negotiated or drawn: its plan for more elements is another one, and does
  // not go on alike. So are mirrors of such plans, and whatever has one as a part.
  virtual bool finds_by_luck() const { return false; }
  // One that asks others many times, and is left out where many questions are asked.
  virtual bool asks_often() const { return false; }

  // Requires no refusal. A search that finds nothing throws Error(impossible) or Error(limit): then
  // the planner has refused.
  virtual Offer offer(const Request& request) const = 0;
};

// The header of a schedule for the request: machine, goal, elements, and what is given.
ScheduleHeader header_of(const Request& request, std::string_view planner, std::uint64_t slots);

}  // namespace faro::inline v1
