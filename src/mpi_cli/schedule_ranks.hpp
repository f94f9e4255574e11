// A schedule performed by the ranks of an MPI job, on real messages.
//
//   cube:3 on 8 ranks   rank r is processor r; every remote move is one message
//   cube:3 on 2 ranks   rank 0 is processors 0 to 3; moves among them are copies
//
// Processors are dealt to the ranks in order, as many to each. A step's messages between two ranks
// arrive in the order in which the step lists them, which both ranks read, so that no message says
// where it belongs. All of a step is read before any of it is written.
//
// It does what the steps say and judges nothing but the end: run it on schedules that are verified.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "faro/schedules/schedule.hpp"
#include "mpi/communicator.hpp"

namespace faro::mpi_cli {

struct SentMessages {
  std::uint64_t steps = 0;  // of the schedule
  std::uint64_t messages = 0;
  std::uint64_t copies = 0;  // moves within a rank
  std::uint64_t bytes = 0;   // of the messages
};

// Takes a schedule without rules (ExpandingSink). All ranks push the same one.
class ScheduleRanks : public ScheduleSink {
 public:
  // data: the elements of this rank's processors, or nothing: then each says where it began.
  ScheduleRanks(const mpi::Communicator& ranks, std::span<const std::byte> data,
                std::uint64_t element_bytes);

  // Throws AgreedError: impossible for other machines, for schedules that compute, and for numbers
  // of ranks that do not divide the processors; usage for data of another size.
  void begin(const ScheduleHeader& header) override;
  void step(const CubeStep& step) override;
  void step(const PopsSlot& slot) override;
  void finish() override;

  // This rank's own.
  const SentMessages& sent() const { return sent_; }
  // Collective. Whether every element that the goal names is where it says, on all ranks.
  bool arrived() const;
  // The elements of this rank's processors, as the machine's performers leave them.
  std::vector<std::byte> result() const;

 private:
  struct Place {
    Word processor = 0;
    std::uint64_t slot = 0;
    friend auto operator<=>(const Place&, const Place&) = default;
  };
  struct Delivery {
    Place from, to;
  };
  struct Arrival {
    std::size_t stage = 0;  // which of the step's values
    Place to;
  };

  bool mine(Word processor) const { return processor / hosted_ == rank_; }
  int host(Word processor) const { return static_cast<int>(processor / hosted_); }
  std::byte* at(const Place& place);
  const std::byte* at(const Place& place) const;
  void fill(std::span<const std::byte> data);
  void perform();
  std::vector<Delivery> deliveries() const;

  const mpi::Communicator& ranks_;
  std::span<const std::byte> data_;
  std::uint64_t element_bytes_;
  Word rank_;
  ScheduleHeader header_;
  Word processors_ = 0;
  Word hosted_ = 1;                            // processors of a rank
  std::vector<std::vector<std::byte>> slots_;  // slot by slot, made when it is written
  std::vector<std::byte> first_;               // what the rank began with
  std::vector<Move> moves_;                    // of the step
  std::vector<std::byte> stage_;
  std::vector<Arrival> arrivals_;
  std::vector<MPI_Request> requests_;
  SentMessages sent_;
};

}  // namespace faro::mpi_cli
