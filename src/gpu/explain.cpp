#include "gpu/explain.hpp"

#include <fmt/format.h>

#include "gpu/text.hpp"

namespace faro::inline v1::gpu {
namespace {

std::string times(std::uint64_t count, std::uint64_t ideal) {
  return fmt::format("{:.2f}", static_cast<double>(count) / static_cast<double>(ideal));
}

Report traffic_report(const Traffic& traffic) {
  return {{"requests", traffic.requests},
          {"sectors", traffic.sectors},
          {"ideal_sectors", traffic.ideal_sectors},
          {"lines", traffic.lines},
          {"ideal_lines", traffic.ideal_lines},
          {"run_bytes", traffic.run_bytes},
          {"near_run_bytes", traffic.near_run_bytes},
          {"near_pages", traffic.near_pages}};
}

Report shared_report(const std::optional<SharedTraffic>& shared) {
  if (!shared) return nullptr;
  return {{"width_bytes", shared->width_bytes},
          {"wavefronts", shared->wavefronts},
          {"conflict", shared->conflict}};
}

Report certificate_report(const Certificate& c) {
  if (!c.counted) return {{"counted", false}};
  return {{"counted", true},
          {"read", traffic_report(c.read)},
          {"written", traffic_report(c.written)},
          {"store", shared_report(c.store)},
          {"load", shared_report(c.load)}};
}

Report words_report(const std::vector<Word>& vectors) {
  Report out = Report::list();
  for (const Word v : vectors) out.push_back(fmt::format("0x{:x}", v));
  return out;
}

// A table of bits: a row a vector, the highest bit first.
void say_vectors(Report& report, const char* what, const std::vector<Word>& vectors, int width) {
  report.say("  {}\n", what);
  for (const Word v : vectors) {
    std::string row;
    for (int i = width - 1; i >= 0; --i) row += has_bit(v, i) ? '1' : '.';
    report.say("    {}\n", row);
  }
}

void say_traffic(Report& report, const char* verb, const Traffic& traffic, const Traffic& plain) {
  report.say("  sectors {:8} {:>14}  ideal {:>14}  {}x   plain loop {}x\n", verb, traffic.sectors,
             traffic.ideal_sectors, times(traffic.sectors, traffic.ideal_sectors),
             times(plain.sectors, plain.ideal_sectors));
  report.say("  lines   {:8} {:>14}  ideal {:>14}  {}x   plain loop {}x\n", verb, traffic.lines,
             traffic.ideal_lines, times(traffic.lines, traffic.ideal_lines),
             times(plain.lines, plain.ideal_lines));
}

void say_counts(Report& report, const Plan& plan, const Certificate& c, const Certificate& plain) {
  if (!c.counted) {
    report.say("  requests of elements of {} bytes are not counted\n", plan.asked.element_bytes);
    return;
  }
  say_traffic(report, "read", c.read, plain.read);
  say_traffic(report, "written", c.written, plain.written);
  if (c.store && c.load)
    report.say(
        "  shared memory: {} bytes a lane stored, {} loaded, {} + {} wavefronts; {}\n",
        c.store->width_bytes, c.load->width_bytes, c.store->wavefronts, c.load->wavefronts,
        c.store->conflict * c.load->conflict == 1
            ? "no conflict"
            : fmt::format("conflicts of {} and {} ways", c.store->conflict, c.load->conflict));
  if (c.read.near_pages != 0)
    report.say(
        "  1024 blocks at a time: runs of {} bytes in {} pages of 2 MiB read, {} in {} written\n",
        c.read.near_run_bytes, c.read.near_pages, c.written.near_run_bytes, c.written.near_pages);
}

}  // namespace

Report explain(const Plan& plan) {
  const Certificate c = certificate(plan);
  const Certificate plain = plain_certificate(plan);
  Report report{{"format", "faro-gpu/1"},
                {"map", notation_of(plan.map_asked)},
                {"element_bytes", plan.asked.element_bytes},
                {"in_place", plan.asked.in_place},
                {"on", plan.machine.name},
                {"source", plan.machine.source},
                {"kind", name_of(plan.kind)},
                {"blocks", plan.block_count()},
                {"threads", plan.threads()},
                {"tile_bytes", plan.tile_bytes()},
                {"shared_bytes", plan.shared_bytes()},
                {"unit_bytes", bit(plan.unit_log2)},
                {"index_bits", plan.map.width()},
                {"tile", words_report(plan.tile)},
                {"lanes_read", words_report(plan.from.threads)},
                {"lanes_written", words_report(plan.to.threads)},
                {"swizzle_stored", words_report(plan.from.shared)},
                {"swizzle_loaded", words_report(plan.to.shared)},
                {"certificate", certificate_report(c)},
                {"plain", certificate_report(plain)}};
  if (const Only& only = plan.asked.only; only.mask != 0)
    report["only"] = {{"mask", fmt::format("0x{:x}", only.mask)},
                      {"value", fmt::format("0x{:x}", only.value)}};
  report.say("{} on {}: one pass, kind {}, {} blocks of {} threads\n", notation_of(plan.map_asked),
             plan.machine.words, name_of(plan.kind), plan.block_count(), plan.threads());
  report.say("  tile {} bytes, runs of {} read, of {} written; {} bytes of shared memory a block\n",
             plan.tile_bytes(), c.read.run_bytes, c.written.run_bytes, plan.shared_bytes());
  if (const Only& only = plan.asked.only; only.mask != 0)
    report.say("  only where (i & 0x{:x}) == 0x{:x}: {} of {} bytes\n", only.mask, only.value,
               plan.bytes(), plan.from_bytes());
  say_counts(report, plan, c, plain);
  if (plan.kind == Kind::window) {
    for (const Window& window : plan.windows) {
      Report part{{"blocks", window.block_count()}, {"axes", Report::list()}};
      if (plan.windows.size() > 1)
        report.say("  a part between seams, blocks: {}\n", window.block_count());
      for (const WindowAxis& axis : window.axes) {
        report.say("  {} of an axis of {} in a window\n", axis.chunk, axis.length);
        part["axes"].push_back({{"length", axis.length}, {"in_a_window", axis.chunk}});
      }
      report["windows"].push_back(std::move(part));
    }
    return report;
  }
  const int width = plan.map.width();
  say_vectors(report, "tile, a row a vector of the source's index", plan.tile, width);
  say_vectors(report, "bits of the thread number, at the source", plan.from.threads, width);
  say_vectors(report, "bits of the thread number, at the destination", plan.to.threads, width);
  if (plan.kind == Kind::tile) {
    say_vectors(report, "where the source's are stored, bytes of shared memory", plan.from.shared,
                14);
    say_vectors(report, "where the destination's are loaded", plan.to.shared, 14);
  }
  return report;
}

}  // namespace faro::inline v1::gpu
