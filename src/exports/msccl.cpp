// MSCCL XML (msccl-tools and the executors that read it: msccl, msccl-executor-nccl, RCCL): a GPU a
// processor, a thread block for each processor that it sends to or receives from and as many as it
// takes for what stays inside: one that is full goes on in a next one, whose first operation waits
// for its last. Thread blocks run their operations in order; an operation waits for another one's
// of the same GPU by `depid` and `deps`.
//
//   <gpu id="2" ...>                              the K elements of slot 0.. as chunks
//     <tb id="0" send="3" recv="3" chan="0">      messages to and from processor 3
//       <step s="0" type="s" srcbuf="o" srcoff="0" ... depid="2" deps="0" hasdep="0"/>
//
// All happens in the output, into which the input is copied first; slots above K are scratch. An
// operation waits for what wrote the slot that it reads, and for all that read, or wrote, the slot
// that it writes. One with several to wait for has `nop`s before it, one for each but the last.
#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "exports/formats.hpp"
#include "faro/base/error.hpp"
#include "faro/base/limits.hpp"

namespace faro::inline v1::exports {
namespace {

constexpr std::uint64_t chunks_at_once = 64;
// Operations held at a time: some 16 MiB.
constexpr std::uint64_t operations_max = std::uint64_t{1} << 19U;

using Peers = std::vector<Word>;

// Its program moves one element of a processor, which stands for all of them.
bool is_program(const Machine& machine) {
  const auto* mesh = std::get_if<Mesh>(&machine);
  return mesh != nullptr && mesh->links == Mesh::Links::one_route;
}

class Survey : public TransferSink {
 public:
  void begin(const ScheduleHeader& h) override {
    header = h;
    const bool moves =
        std::holds_alternative<MapGoal>(h.goal) || std::holds_alternative<MovesGoal>(h.goal);
    if (!moves)
      throw Error(ErrorCode::impossible, "MSCCL's chunks are moved, and this schedule computes");
    const Count ranks = processors(h.machine);
    if (ranks > limits::msccl_processors_max)
      throw Error(ErrorCode::limit, fmt::format("a GPU for each of {} processors; at most {}",
                                                to_string(ranks), limits::msccl_processors_max));
    peers.resize(static_cast<std::size_t>(ranks));
    operations.resize(peers.size());
  }
  void step(const TransferStep& step) override {
    for (const Transfer& t : step.transfers) {
      ++operations[t.from];
      ++operations[t.to];
      if (t.is_inside()) continue;
      meet(t.from, t.to);
      meet(t.to, t.from);
    }
  }
  void finish() override {}

  ScheduleHeader header;
  std::vector<Peers> peers;  // of each, in order
  std::vector<std::uint64_t> operations;

 private:
  void meet(Word rank, Word peer) {
    Peers& known = peers[rank];
    const auto at = std::lower_bound(known.begin(), known.end(), peer);
    if (at != known.end() && *at == peer) return;
    if (known.size() + 1 == limits::msccl_blocks_max)
      throw Error(ErrorCode::limit,
                  fmt::format("processor {} has more than {} neighbours, and MSCCL {} thread "
                              "blocks a channel",
                              rank, limits::msccl_blocks_max - 1, limits::msccl_blocks_max));
    known.insert(at, peer);
  }
};

// An operation of a GPU: its thread block and number there.
struct At {
  std::int32_t block = -1;
  std::int32_t step = -1;
};

struct Operation {
  char type = 'n';  // s, r, c (copy), n (nop)
  bool awaited = false;
  char from_buffer = 'i';
  char to_buffer = 'o';
  std::int32_t from = -1;
  std::int32_t to = -1;
  std::int32_t count = 0;
  At after = {};
};

// A chunk's place: output or scratch.
struct Chunk {
  char buffer;
  std::int32_t at;
};

class Gpu {
 public:
  Gpu(Word rank, const Peers& peers, const ScheduleHeader& header)
      : rank_(rank),
        peers_(peers),
        inner_(peers.size()),
        blocks_(peers.size() + 1),
        waited_(peers.size() + 1) {
    for (auto& by_block : waited_) by_block.assign(blocks_.size(), -1);
    program_ = is_program(header.machine);
    chunks_ = program_ ? 1 : header.elements;
    const auto data = static_cast<std::uint64_t>(MeshRegister::s);
    const std::uint64_t slots =
        program_ ? 3 : std::max<std::uint64_t>(header.slots, header.elements);
    places_.resize(slots);
    result_ = program_ ? data : 0;
    if (header.result.size() == 1) result_ = header.result[0];
    if (header.result.size() > 1) result_ = header.result[static_cast<std::size_t>(rank)];
    scratch_ = static_cast<std::int32_t>(slots - chunks_);
    if (result_ + chunks_ > slots)
      throw Error(ErrorCode::refused, "the result's registers are none of the machine's");
    const std::uint64_t start = program_ ? data : 0;
    for (std::uint64_t c = 0; c < chunks_;) {
      const Chunk to = chunk(static_cast<Slot>(start + c));
      std::uint64_t count = 1;
      while (count < chunks_at_once && c + count < chunks_ && next_to(start + c, count)) ++count;
      const At at = add(inner_,
                        {.type = 'c',
                         .to_buffer = to.buffer,
                         .from = static_cast<std::int32_t>(c),
                         .to = to.at,
                         .count = static_cast<std::int32_t>(count)},
                        {});
      for (std::uint64_t i = 0; i < count; ++i) places_[start + c + i].by = at;
      c += count;
    }
  }

  void send(Slot slot, Word peer, Slot to_slot) {
    const Chunk from = chunk(slot);
    const Chunk to = chunk(to_slot);
    Operation op{.type = 's',
                 .from_buffer = from.buffer,
                 .to_buffer = to.buffer,
                 .from = from.at,
                 .to = to.at,
                 .count = 1};
    read_by_.push_back({slot, add(block_of(peer), op, {places_[slot].by})});
  }
  // Inside: out to a place of its own, and in when all of the step have read.
  void copy_out(Slot slot, Slot to_slot) {
    const Chunk from = chunk(slot);
    const std::int32_t held = scratch_ + static_cast<std::int32_t>(copies_.size());
    const Operation op{.type = 'c',
                       .from_buffer = from.buffer,
                       .to_buffer = 's',
                       .from = from.at,
                       .to = held,
                       .count = 1};
    // What stays inside is done in order: no later copy into that place overtakes.
    read_by_.push_back({slot, add(inner_, op, {places_[slot].by})});
    copies_.push_back({to_slot, held});
  }
  void receive(Slot slot, Word peer, Slot from_slot) {
    receives_.push_back({slot, peer, from_slot});
  }

  void end_step() {
    for (const Mark& read : read_by_) {
      Place& place = places_[read.slot];
      if (place.read.block >= 0) earlier_[read.slot].push_back(place.read);
      place.read = read.at;
    }
    read_by_.clear();
    held_most_ = std::max(held_most_, static_cast<std::int32_t>(copies_.size()));
    for (const auto& [slot, held] : copies_) {
      const Chunk to = chunk(slot);
      written_.push_back({slot, add(inner_,
                                    {.type = 'c',
                                     .from_buffer = 's',
                                     .to_buffer = to.buffer,
                                     .from = held,
                                     .to = to.at,
                                     .count = 1},
                                    before_writing(slot))});
    }
    copies_.clear();
    for (const Receive& r : receives_) {
      const Chunk from = chunk(r.from_slot);
      const Chunk to = chunk(r.slot);
      written_.push_back({r.slot, add(block_of(r.peer),
                                      {.type = 'r',
                                       .from_buffer = from.buffer,
                                       .to_buffer = to.buffer,
                                       .from = from.at,
                                       .to = to.at,
                                       .count = 1},
                                      before_writing(r.slot))});
    }
    receives_.clear();
    for (const Mark& write : written_) {
      places_[write.slot] = {write.at, {}};
      earlier_.erase(write.slot);
    }
    written_.clear();
  }

  void write(ByteSink& to) const {
    std::string text =
        fmt::format(" <gpu id=\"{}\" i_chunks=\"{}\" o_chunks=\"{}\" s_chunks=\"{}\">\n", rank_,
                    chunks_, chunks_, scratch_ + held_most_);
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
      const std::int64_t peer = b < peers_.size() ? static_cast<std::int64_t>(peers_[b]) : -1;
      fmt::format_to(std::back_inserter(text),
                     "  <tb id=\"{}\" send=\"{}\" recv=\"{}\" chan=\"0\">\n", b, peer, peer);
      for (std::size_t s = 0; s < blocks_[b].size(); ++s) write(text, s, blocks_[b][s]);
      text += "  </tb>\n";
      to.write(text);
      text.clear();
    }
    to.write(" </gpu>\n");
  }

 private:
  struct Place {
    At by;
    At read;  // the last that read it since
  };
  struct Mark {
    Slot slot;
    At at;
  };
  struct Receive {
    Slot slot;
    Word peer;
    Slot from_slot;
  };

  std::size_t block_of(Word peer) const {
    return static_cast<std::size_t>(std::lower_bound(peers_.begin(), peers_.end(), peer) -
                                    peers_.begin());
  }
  // The result's registers are the output, the others scratch.
  Chunk chunk(Slot slot) const {
    const std::uint64_t s = slot;
    if (s >= result_ && s < result_ + chunks_) return {'o', static_cast<std::int32_t>(s - result_)};
    return {'s', static_cast<std::int32_t>(s < result_ ? s : s - chunks_)};
  }
  // Whether slots start .. start + count lie side by side.
  bool next_to(std::uint64_t start, std::uint64_t count) const {
    const Chunk a = chunk(static_cast<Slot>(start));
    const Chunk b = chunk(static_cast<Slot>(start + count));
    return a.buffer == b.buffer && a.at + static_cast<std::int32_t>(count) == b.at;
  }
  std::vector<At> before_writing(Slot slot) const {
    const Place& place = places_[slot];
    std::vector<At> all;
    if (const auto more = earlier_.find(slot); more != earlier_.end()) all = more->second;
    if (place.read.block >= 0) all.push_back(place.read);
    all.push_back(place.by);
    return all;
  }

  // Adds it to a thread block, behind what waits for each of `after` that is of another one and not
  // waited for already.
  At add(std::size_t block, Operation operation, std::vector<At> after) {
    if (block == inner_ &&
        blocks_[block].size() + after.size() + 1 > limits::msccl_operations_max) {
      after.push_back(
          {static_cast<std::int32_t>(block), static_cast<std::int32_t>(blocks_[block].size() - 1)});
      block = next_inner();
    }
    std::vector<At> wanted;
    std::vector<std::int32_t>& waited = waited_[block];
    for (const At& at : after) {
      if (at.block < 0 || static_cast<std::size_t>(at.block) == block) continue;
      std::int32_t& last = waited[static_cast<std::size_t>(at.block)];
      if (at.step <= last) continue;
      last = at.step;
      const auto same = std::find_if(wanted.begin(), wanted.end(),
                                     [&](const At& other) { return other.block == at.block; });
      if (same == wanted.end())
        wanted.push_back(at);
      else
        same->step = at.step;
    }
    for (const At& at : wanted)
      blocks_[static_cast<std::size_t>(at.block)][static_cast<std::size_t>(at.step)].awaited = true;
    // The last of a chain of waits is the operation's own.
    std::vector<Operation>& list = blocks_[block];
    for (std::size_t i = 0; i + 1 < wanted.size(); ++i) list.push_back({.after = wanted[i]});
    if (!wanted.empty()) operation.after = wanted.back();
    list.push_back(operation);
    if (list.size() > limits::msccl_operations_max)
      throw Error(ErrorCode::limit,
                  fmt::format("GPU {} has more than {} operations with GPU {}, the most that MSCCL "
                              "takes in a thread block; fewer elements a processor have fewer",
                              rank_, limits::msccl_operations_max, peers_[block]));
    return {static_cast<std::int32_t>(block), static_cast<std::int32_t>(list.size() - 1)};
  }

  std::size_t next_inner() {
    if (blocks_.size() == limits::msccl_blocks_max)
      throw Error(
          ErrorCode::limit,
          fmt::format("GPU {} has more operations than {} thread blocks of {} take, which is "
                      "what MSCCL has; fewer elements a processor take fewer, and a "
                      "schedule on 'ranks:' copies less",
                      rank_, limits::msccl_blocks_max, limits::msccl_operations_max));
    for (auto& by_block : waited_) by_block.push_back(-1);
    blocks_.emplace_back();
    waited_.emplace_back(blocks_.size(), -1);
    return inner_ = blocks_.size() - 1;
  }

  static void write(std::string& text, std::size_t number, const Operation& op) {
    const char* type = op.type == 's' ? "s" : op.type == 'r' ? "r" : op.type == 'c' ? "cpy" : "nop";
    fmt::format_to(std::back_inserter(text),
                   "   <step s=\"{}\" type=\"{}\" srcbuf=\"{}\" srcoff=\"{}\" dstbuf=\"{}\" "
                   "dstoff=\"{}\" cnt=\"{}\" depid=\"{}\" deps=\"{}\" hasdep=\"{}\"/>\n",
                   number, type, op.from_buffer, op.from, op.to_buffer, op.to, op.count,
                   op.after.block, op.after.step, op.awaited ? 1 : 0);
  }

  Word rank_;
  const Peers& peers_;
  std::size_t inner_;  // the thread block that takes what stays inside now
  bool program_ = false;
  std::uint64_t chunks_ = 1;
  std::uint64_t result_ = 0;  // its first register
  std::int32_t scratch_ = 0;  // chunks of it that are slots
  std::int32_t held_most_ = 0;
  std::vector<std::vector<Operation>> blocks_;
  std::vector<std::vector<std::int32_t>> waited_;  // by block, of each other: up to which step
  std::vector<Place> places_;
  std::unordered_map<Slot, std::vector<At>> earlier_;  // readers, where there are several
  std::vector<Mark> read_by_;
  std::vector<std::pair<Slot, std::int32_t>> copies_;
  std::vector<Receive> receives_;
  std::vector<Mark> written_;
};

// The GPUs first to last, exclusive.
class Gpus : public TransferSink {
 public:
  Gpus(Word first, Word last, const Survey& survey) : first_(first), last_(last) {
    for (Word rank = first; rank < last; ++rank)
      gpus_.emplace_back(rank, survey.peers[rank], survey.header);
  }
  void begin(const ScheduleHeader&) override {}
  void step(const TransferStep& step) override {
    for (const Transfer& t : step.transfers) {
      if (t.is_inside()) {
        if (owns(t.from)) of(t.from).copy_out(t.from_slot, t.to_slot);
        continue;
      }
      if (owns(t.from)) of(t.from).send(t.from_slot, t.to, t.to_slot);
      if (owns(t.to)) of(t.to).receive(t.to_slot, t.from, t.from_slot);
    }
    for (Gpu& gpu : gpus_) gpu.end_step();
  }
  void finish() override {}
  void write(ByteSink& to) const {
    for (const Gpu& gpu : gpus_) gpu.write(to);
  }

 private:
  bool owns(Word rank) const { return rank >= first_ && rank < last_; }
  Gpu& of(Word rank) { return gpus_[static_cast<std::size_t>(rank - first_)]; }
  Word first_;
  Word last_;
  std::vector<Gpu> gpus_;
};

}  // namespace

void msccl(const Push& push, ByteSink& to) {
  Survey survey;
  push(*transfers_into(survey));
  const std::uint64_t ranks = survey.peers.size();
  to.write(
      fmt::format("<algo name=\"faro\" proto=\"Simple\" nchannels=\"1\" nchunksperloop=\"{}\" "
                  "ngpus=\"{}\" coll=\"alltoall\" inplace=\"0\" outofplace=\"1\" minBytes=\"0\" "
                  "maxBytes=\"0\">\n",
                  is_program(survey.header.machine) ? 1 : survey.header.elements, ranks));
  for (Word first = 0; first < ranks;) {
    Word last = first;
    for (std::uint64_t held = 0; last < ranks && (last == first || held <= operations_max); ++last)
      held += survey.operations[last];
    Gpus gpus(first, last, survey);
    push(*transfers_into(gpus));
    gpus.write(to);
    first = last;
  }
  to.write("</algo>\n");
}

}  // namespace faro::inline v1::exports
