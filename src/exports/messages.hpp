// The messages of a schedule, rank by rank, each with those of its rank that come before it: what
// goal and chakra write.
//
// A message waits for the one that brought its element, and an element lands only when all that
// read what stood in its place have left, in earlier steps. Nothing else orders the messages: not
// the steps.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "exports/formats.hpp"

namespace faro::inline v1::exports {

// Of one element; what a simulator is told.
inline constexpr int element_bytes = 8;

struct Message {
  bool sends = false;  // else it receives
  Word rank = 0;
  Word peer = 0;
  std::uint64_t label = 0;  // of this rank, from 1
  std::uint64_t step = 0;
  std::uint64_t card = 0;  // its channel; 0 where a processor has one way out
  std::span<const std::uint64_t> after;
};

// Told of the ranks in order, of each rank's messages in an order in which they can happen.
class MessageWriter {
 public:
  virtual ~MessageWriter() = default;
  virtual void begin(std::uint64_t ranks) = 0;
  virtual void add(std::string& text, const Message& message) = 0;
  virtual void end_rank(Word rank, const std::string& text) = 0;
};

// The schedule is pushed once for its counts, and once for every 2^20 messages.
void write_messages(const Push& push, MessageWriter& writer);

}  // namespace faro::inline v1::exports
