// GOAL, the messages of a parallel program with their dependences (Hoefler, Schneider, Lumsdaine,
// LogGOPSim, 2010): a rank a processor, a network card a channel, the step as the tag.
//
//   rank 2 {
//   l1: send 8b to 3 tag 0 cpu 0 nic 0
//   l2: recv 8b from 3 tag 0 cpu 0 nic 0
//   l3: send 8b to 6 tag 1 cpu 0 nic 2
//   l3 requires l2
//   }
#include <fmt/format.h>

#include "exports/messages.hpp"

namespace faro::inline v1::exports {
namespace {

class GoalWriter : public MessageWriter {
 public:
  explicit GoalWriter(ByteSink& to) : to_(to) {}
  void begin(std::uint64_t ranks) override { to_.write(fmt::format("num_ranks {}\n", ranks)); }
  void add(std::string& text, const Message& m) override {
    const auto out = std::back_inserter(text);
    fmt::format_to(out, "l{}: {} {}b {} {} tag {} cpu 0 nic {}\n", m.label,
                   m.sends ? "send" : "recv", element_bytes, m.sends ? "to" : "from", m.peer,
                   m.step, m.card);
    for (const std::uint64_t before : m.after)
      fmt::format_to(out, "l{} requires l{}\n", m.label, before);
  }
  void end_rank(Word rank, const std::string& text) override {
    to_.write(fmt::format("\nrank {} {{\n{}}}\n", rank, text));
  }

 private:
  ByteSink& to_;
};

}  // namespace

void goal(const Push& push, ByteSink& to) {
  GoalWriter writer(to);
  write_messages(push, writer);
}

}  // namespace faro::inline v1::exports
