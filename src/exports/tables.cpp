// CSV and the trace of Chrome and Perfetto: written move by move.
#include <fmt/format.h>

#include "exports/formats.hpp"
#include "faro/base/error.hpp"
#include "faro/base/limits.hpp"
#include "faro/machines/verifier.hpp"

namespace faro::inline v1::exports {
namespace {

class Csv : public TransferSink {
 public:
  explicit Csv(ByteSink& to) : to_(to) {}
  void begin(const ScheduleHeader&) override {
    to_.write("step,from,from_slot,to,to_slot,channel,home,home_slot\n");
  }
  void step(const TransferStep& step) override {
    line_.clear();
    for (const Transfer& t : step.transfers) {
      fmt::format_to(std::back_inserter(line_), "{},{},{},{},{},", step.number, t.from, t.from_slot,
                     t.to, t.to_slot);
      if (!t.is_inside()) fmt::format_to(std::back_inserter(line_), "{}", t.channel);
      if (t.home)
        fmt::format_to(std::back_inserter(line_), ",{},{}\n", t.home->processor, t.home->slot);
      else
        line_ += ",,\n";
    }
    to_.write(line_);
  }
  void finish() override {}

 private:
  ByteSink& to_;
  std::string line_;
};

// A process is a processor, a thread one of its links, a slice a move, a flow the
// path of an element. Processes count from 1: viewers take 0 for the idle one.
class Trace : public TransferSink {
 public:
  explicit Trace(ByteSink& to) : to_(to) {}

  void begin(const ScheduleHeader& header) override {
    machine_ = header.machine;
    elements_ = header.elements;
    const Count all = processors(machine_);
    if (all > limits::trace_processors_max)
      throw Error(ErrorCode::limit,
                  fmt::format("a trace shows at most {} processors, this machine has {}",
                              limits::trace_processors_max, to_string(all)));
    to_.write("{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n");
    const auto count = static_cast<std::uint64_t>(all);
    for (std::uint64_t p = 0; p < count; ++p)
      event(
          fmt::format("{{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":{},\"args\":{{\"name\":"
                      "\"processor {}\"}}}}",
                      p + 1, p));
  }

  void step(const TransferStep& step) override {
    std::uint64_t remote = 0;
    for (const Transfer& t : step.transfers) {
      if (t.is_inside()) continue;
      ++remote;
      const std::uint64_t start = step.start * unit;
      const std::uint64_t length = std::max<std::uint64_t>(step.length, 1) * unit;
      const std::uint64_t thread = thread_of(t);
      std::string text = fmt::format(
          "{{\"ph\":\"X\",\"name\":\"{}\",\"cat\":\"move\",\"ts\":{},\"dur\":{},\"pid\":{},"
          "\"tid\":{},\"args\":{{\"step\":{},\"from_slot\":{},\"to\":{},\"to_slot\":{},"
          "\"link\":\"{}\"",
          name_of(t), start, length, t.from + 1, thread, step.number, t.from_slot, t.to, t.to_slot,
          channel_name(machine_, t.channel));
      if (t.home)
        text += fmt::format(",\"home\":{},\"home_slot\":{}", t.home->processor, t.home->slot);
      event(text + "}}");
      if (t.home) flow(t, start + length / 2, thread);
    }
    if (step.length > 0)
      event(
          fmt::format("{{\"ph\":\"C\",\"name\":\"moves\",\"ts\":{},\"pid\":1,\"args\":{{"
                      "\"moves\":{}}}}}",
                      step.start * unit, remote));
    end_ = (step.start + step.length) * unit;
  }

  void finish() override {
    event(
        fmt::format("{{\"ph\":\"C\",\"name\":\"moves\",\"ts\":{},\"pid\":1,\"args\":{{\"moves\":0}}"
                    "}}",
                    end_));
    to_.write("\n]}\n");
  }

 private:
  static constexpr std::uint64_t unit = 1000;  // microseconds a step: viewers show milliseconds

  // One that sends one element at a time has one thread, whatever coupler it goes over.
  std::uint64_t thread_of(const Transfer& t) const {
    const bool ways =
        std::holds_alternative<Hypercube>(machine_) || std::holds_alternative<Mesh>(machine_);
    return ways ? t.channel + 1 : 1;
  }
  static std::string name_of(const Transfer& t) {
    if (!t.home) return fmt::format("to {}", t.to);
    return fmt::format("element {}.{} to {}", t.home->processor, t.home->slot, t.to);
  }
  // Started at the first move, so an element that moves once has a flow that ends nowhere.
  void flow(const Transfer& t, std::uint64_t time, std::uint64_t thread) {
    const std::uint64_t id = t.home->processor * elements_ + t.home->slot;
    if (id >= seen_.size()) seen_.resize(id + 1, false);
    event(fmt::format(
        "{{\"ph\":\"{}\",\"name\":\"path\",\"cat\":\"path\",\"id\":{},\"ts\":{},"
        "\"pid\":{},\"tid\":{}{}}}",
        seen_[id] ? 't' : 's', id, time, t.from + 1, thread, seen_[id] ? ",\"bp\":\"e\"" : ""));
    seen_[id] = true;
  }
  void event(const std::string& text) {
    if (!first_) to_.write(",\n");
    first_ = false;
    to_.write(text);
  }

  ByteSink& to_;
  Machine machine_;
  std::uint64_t elements_ = 1;
  std::vector<bool> seen_;
  std::uint64_t end_ = 0;
  bool first_ = true;
};

}  // namespace

void csv(const Push& push, ByteSink& to) {
  Csv writer(to);
  push(*transfers_into(writer));
}

void perfetto(const Push& push, ByteSink& to) {
  Trace writer(to);
  push(*transfers_into(writer));
}

}  // namespace faro::inline v1::exports
