// The symmetries of a cube, as a rewrite: a question to another that costs the same, and its plan
// back. A cube looks the same with its dimensions renamed and its processors translated, and a
// schedule runs backwards; so requests come in orbits, and one member of each stands for all.
//
//   p -> A p + B s + c    and    P A P^-1,   A + B F,   B N,   c + (A + 1) a + B f,   the inverse
//
// F, N and f rearrange the memory of a processor, which is free.
#pragma once

#include <vector>

#include "base/random.hpp"
#include "planners/cube/request.hpp"

namespace faro::inline v1::mirrors {

// p -> renamed(p) ^ translation, bit i of p becoming bit place[i].
struct Renaming {
  std::vector<int> place;
  Word translation = 0;
  static Renaming none(int dimensions);
  Renaming back() const;
};

// The same map with other names: first back to the old ones, then the map, then to the new ones.
BitMap renamed(const BitMap& map, int memory_bits, const Renaming& names);

// Steps for a map become steps for its mirror under these names, perhaps on a larger cube.
void rename(CubeStep& step, const Renaming& names);

// A request and a question; a plan for the question becomes one for the request.
class Mirror {
 public:
  // The request is its own question.
  explicit Mirror(const Request& request);
  // The member of the orbit that stands for all. Tries all orders of dimensions.
  static Mirror representative(const Request& request);
  // `map` for all elements alike, where the request's processor part is renamed(map, 0, names).
  static Mirror of_processors(const Request& request, const BitMap& map, const Renaming& names);

  // Memory rearranged by `before`, then `map`, then memory rearranged as the request wants it.
  static Mirror rearranged(const Request& request, const BitMap& map, const BitMap& before);

  // The question under other names, or backwards.
  Mirror seen(const Renaming& names, bool backwards) const;
  // The question for an even number of elements, the last perhaps a copy: planners of pairs move
  // the last of an odd number twice, and backwards both must be there.
  Mirror in_pairs() const;

  const Request& question() const { return question_; }
  void push(const Offer& plan, std::string_view planner, ScheduleSink& sink) const;
  // The plan taken back: it costs the same. Words, if there are any, in place of its own.
  Offer taken_back(Offer plan, std::string_view planner, std::string_view words = {}) const;

 private:
  class TakenBack;
  void rearrange(const BitMap& before);

  Request request_;
  Request question_;
  Renaming names_;         // of the request's processors, to the question's
  bool reversed_ = false;  // in time
  bool copied_ = false;    // the question has an element more
  // What comes before and behind in every processor; behind and before, if it is reversed.
  SplitMap before_;
  SplitMap after_;
  bool rearranged_backwards_ = false;
};

// Mirrors of a mirror by number: 0 is the mirror itself, odd ones are backwards, and from 2 on each
// or each two have names of their own: drawn anew with a translation, or mixed further.
class Numbered {
 public:
  enum class Names { drawn_for_each, drawn_for_two, mixed_for_two };
  Numbered(Mirror whole, std::uint64_t seed, Names names);
  Mirror next();

 private:
  Mirror whole_;
  Random random_;
  Names how_;
  Renaming names_;
  std::uint64_t number_ = 0;
};

}  // namespace faro::inline v1::mirrors
