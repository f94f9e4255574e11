// What the links of one tier of switches carry in a step, counted without spelling rules out.
//
// A rule's senders are an affine subspace of processors; those whose element stays below its switch
// are one too. Seen from the switches, whose numbers are a processor's high bits, each is a
// subspace of switches with equally many below every one of them. So what leaves a switch is a sum
// over rules of numbers that hold on subspaces, and the largest sum is looked for on the few
// parities that these subspaces are made of.
//
//   fat-tree:4x8,up=2, rule "processors with bits 0 and 1 clear send to the one with bit 4
//   flipped": every switch has 2 of them, and all 2 leave
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "faro/schedules/schedule.hpp"

namespace faro::inline v1::ranks {

class Uplinks {
 public:
  Uplinks(int bits, const Crossbar::Tier& tier) : bits_(bits), tier_(tier) {}

  // The step's rules and single messages. Requires rules that fit the machine.
  void clear();
  void add(const PopsRule& rule);
  void add(Word from, Word to);

  struct Crowd {
    bool out = false;    // else in
    Word processor = 0;  // one below the switch
    Count elements = 0;
  };
  struct Found {
    std::optional<Crowd> crowd = {};
    bool given_up = false;  // the subspaces of all steps so far fall into too many parts
  };
  Found crowded();

 private:
  // So many below each switch of a subspace.
  struct Term {
    AffineSpace switches;
    Count each;
    bool stays;  // they do not cross the links: taken away
  };
  struct Way {
    std::vector<Term> terms;
    std::map<Word, Count> single;  // by switch
  };
  struct Busiest {
    Word at = 0;  // a switch
    Count elements = 0;
  };

  AffineSpace switches_of(const AffineSpace& processors) const;
  void add(Way& way, const AffineSpace& processors, int senders_log2, bool stays) const;
  // The busiest switch, by what rules send alone or less what stays; nothing if that is too much
  // work.
  std::optional<Busiest> busiest(const Way& way, bool less_what_stays);
  Found crowded(const Way& way, bool out);

  int bits_;
  Crossbar::Tier tier_;
  Way out_;
  Way in_;
  Count parts_ = 0;  // of all steps
};

}  // namespace faro::inline v1::ranks
