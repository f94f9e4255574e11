#include "fault/calls.hpp"

#include <cstdint>
#include <new>
#include <numeric>
#include <span>
#include <stdexcept>
#include <utility>

#include "faro/c/faro.h"
#include "faro/disk/permute_file.hpp"
#include "faro/faro.hpp"
#include "faro/words/say.hpp"
#include "layouts/foreign.hpp"
#include "pictures/map_figure.hpp"

namespace faro::testing {
namespace {

std::string sum_of(std::span<const std::byte> bytes) {
  std::uint64_t sum = 0;
  for (const std::byte b : bytes) sum = sum * 1099511628211U + std::to_integer<unsigned>(b);
  return std::to_string(sum);
}

Call plans(const std::string& name, const std::string& map, const std::string& machine,
           PlanOptions options = {}) {
  return {"plan " + name, [=] {
            const MachinePlan made = plan(map, machine, options);
            return made.fingerprint() + ' ' + to_string(made.value()) + (made.ok() ? " ok" : " no");
          }};
}

Call plans_list(const std::string& name, const std::string& machine, std::vector<std::uint64_t> to,
                std::uint64_t elements) {
  return {"plan " + name, [=] {
            const Request request = Request::of(machine_from(machine), Destinations{to}, elements);
            const MachinePlan made = plan(request);
            return made.fingerprint() + (made.ok() ? " ok" : " no");
          }};
}

Call verifies(const std::string& name, const std::string& map, const std::string& machine,
              std::uint64_t elements, VerifyBy by) {
  const std::string path = name + ".json";
  plan(map, machine, {.elements = elements}).write(path);
  return {"verify " + name, [=] {
            const VerifyReport report = verify_schedule_file(path, {.by = by});
            return report.fingerprint + (report.verdict.ok() ? " ok" : " no");
          }};
}

template <class Move>
Call moves(const std::string& name, Move move) {
  return {"permute " + name, [=] {
            std::vector<std::uint32_t> from(1U << 12U);
            std::iota(from.begin(), from.end(), 0U);
            std::vector<std::uint32_t> to(from.size());
            move(from, to);
            return sum_of(std::as_bytes(std::span(to)));
          }};
}

// A status of the C API as an exception of the C++ one.
void hold(faro_status status) {
  if (status == FARO_OK) return;
  if (status == FARO_ENVIRONMENT) throw std::bad_alloc();
  throw std::runtime_error(faro_last_error());
}

void add_plans(std::vector<Call>& all) {
  all.push_back(plans("cube", "a:2 -> ungray(a)", "cube:2", {.elements = 3}));
  all.push_back(plans("cube memory", "p:2 | m:2 -> m | p", "cube:2"));
  all.push_back(plans("cube one port", "a:2 -> rev(a)", "cube:2,one-port", {.elements = 2}));
  all.push_back(plans("mesh", "i:2 -> rev(i)", "mesh:2x2"));
  all.push_back(plans("torus all links", "i:2 -> ~i", "torus:2x2,all-links", {.elements = 1}));
  all.push_back(plans("pops", "i:3 -> rev(i)", "pops:4,2"));
  all.push_back(plans("ranks", "a:2 | m:2 -> m | a", "ranks:4"));
  all.push_back(plans("turns", "a:1 -> ~a", "cube:1", {.elements = 4097}));
  all.push_back(plans_list("list cube", "cube:3", {1, 0, 2, 4, 3, 5, 7, 6}, 1));
  all.push_back(plans_list("list mesh", "mesh:2x2,all-links", {1, 0, 3, 2}, 1));
  all.push_back(plans_list("list pops", "pops:4,2", {1, 0, 2, 4, 3, 5, 7, 6}, 1));
  for (const auto& [by, word] :
       {std::pair{VerifyBy::replay, "replay "}, {VerifyBy::proof, "proof "}}) {
    const std::string name = word;
    all.push_back(verifies(name + "cube", "a:3 -> ungray(a)", "cube:3", 5, by));
    all.push_back(verifies(name + "mesh", "i:4 -> rev(i)", "mesh:4x4", 1, by));
    all.push_back(verifies(name + "links", "i:4 -> rev(i)", "torus:4x4,all-links", 2, by));
    all.push_back(verifies(name + "pops", "i:4 -> rev(i)", "pops:8,2", 1, by));
    all.push_back(verifies(name + "ranks", "a:2 | m:2 -> m | a", "ranks:4", 4, by));
  }
}

void add_moves(std::vector<Call>& all) {
  Array numbers{.shape = {1U << 17U}, .type = "'<u4'", .bytes = std::vector<std::byte>(4U << 17U)};
  for (std::size_t i = 0; i < numbers.bytes.size(); ++i)
    numbers.bytes[i] = static_cast<std::byte>(i * i >> 7U);
  write_npy("in.npy", numbers);
  all.push_back(
      moves("in memory", [](auto& from, auto& to) { permute("i:12 -> gray(i)", from, to); }));
  all.push_back(moves("by two threads", [](auto& from, auto& to) {
    permute("i:12 -> rev(i)", from, to, PermuteOptions{.threads = 2});
  }));
  all.push_back(moves("in place", [](auto& from, auto& to) {
    to = from;
    permute_in_place("r:6 c:6 -> c r", to);
  }));
  all.push_back(moves("lengths", [](auto& from, auto& to) {
    const Map map = say("a=4 b=1024 -> b a").map;
    PermutePlan::out_of_place(map, {.element_bytes = 4, .from = {}, .to = {}})
        .execute(std::as_bytes(std::span(from)), std::as_writable_bytes(std::span(to)));
  }));
  all.push_back({"permute array of a file", [] {
                   Array array = read_npy("in.npy");
                   permute(array, "i -> rev(i)");
                   write_npy("out.npy", array);
                   const Array written = read_npy("out.npy");
                   return sum_of(written.bytes);
                 }});
  all.push_back({"permute file",
                 [] {
                   const BitMap map = say("i:17 -> rev(i)").map.as_bits();
                   PermuteFileOptions options;
                   options.plan.memory_bytes = std::uint64_t{56} << 20U;
                   options.input_start_byte = 128;
                   options.unfinished = PermuteFileOptions::Unfinished::fresh;
                   permute_file("in.npy", "moved.raw", map, {.element_bytes = 4}, options);
                   const ArrayInput moved = ArrayInput::raw("moved.raw", 4);
                   return sum_of(moved.data());
                 },
                 true});
}

void add_words(std::vector<Call>& all) {
  all.push_back(
      {"notation", [] { return to_notation(say("r:3 c:2 -> gray(c) rev(r) ^ 5").map.as_bits()); }});
  all.push_back({"notation of lengths", [] {
                   const Said read = say("a=3 b:2 c=5 -> c rev(b) a");
                   return std::to_string(static_cast<std::uint64_t>(read.map.elements()));
                 }});
  all.push_back({"words of others", [] {
                   const ForeignLayout layout =
                       read_foreign("xla:{devices=[2,1,4]<=[4,2]T(1,0)}",
                                    {.shape = {16, 16, 16}, .width = {}, .devices = {}});
                   return write_foreign("jax", layout) + write_foreign("shardy", layout);
                 }});
  all.push_back({"picture", [] {
                   return to_svg(map_figure(say("i:4 -> rev(i)").as_bits(), MapPicture::matrix));
                 }});
  all.push_back({"c permute", [] {
                   faro_map* map = nullptr;
                   faro_plan* plan = nullptr;
                   std::vector<std::uint32_t> from(64);
                   std::iota(from.begin(), from.end(), 0U);
                   std::vector<std::uint32_t> to(64);
                   faro_permute_options options = FARO_PERMUTE_OPTIONS;
                   options.element_bytes = 4;
                   faro_status status = faro_map_from_words("i:6 -> rev(i)", 0, nullptr, &map);
                   if (status == FARO_OK) status = faro_plan_create(map, &options, &plan);
                   if (status == FARO_OK)
                     status = faro_plan_execute(plan, from.data(), to.data(), 256);
                   faro_plan_free(plan);
                   faro_map_free(map);
                   hold(status);
                   return sum_of(std::as_bytes(std::span(to)));
                 }});
}

void add_json(std::vector<Call>& all) {
  all.push_back({"json of a plan",
                 [] { return plan("a:2 -> ungray(a)", "cube:2", {.elements = 2}).json(); }, true});
  const MachinePlan made = plan("a:3 -> ungray(a)", "cube:3", {.elements = 5});
  all.push_back({"a schedule's file", [made] {
                   made.write("out.json");
                   return sum_of(ArrayInput::raw("out.json", 1).data());
                 }});
  all.push_back({"json of a verdict",
                 [] { return verdict_json(verify_schedule_file("replay cube.json")); }, true});
  all.push_back({"json of a map", [] { return explain_json("i:3 -> rev(i)"); }, true});
  all.push_back({"json of a plan in C",
                 [] {
                   char* text = nullptr;
                   hold(faro_plan_machine("a:2 -> ungray(a)", "cube:2", 2, "", &text));
                   const std::string said = text;
                   faro_text_free(text);
                   return said;
                 },
                 true});
}

}  // namespace

std::vector<Call> calls() {
  std::vector<Call> all;
  add_plans(all);
  add_moves(all);
  add_words(all);
  add_json(all);
  return all;
}

}  // namespace faro::testing
