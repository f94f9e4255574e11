#include "answers.hpp"

#include <fmt/format.h>

#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "faro/algebra/notation.hpp"
#include "faro/base/error.hpp"
#include "faro/exports/export.hpp"
#include "faro/gpu/plan.hpp"
#include "faro/machines/verifier.hpp"
#include "faro/schedules/json.hpp"
#include "faro/service/plan.hpp"
#include "faro/words/say.hpp"
#include "gpu/explain.hpp"
#include "layouts/foreign.hpp"
#include "pictures/map_figure.hpp"
#include "pictures/schedule_figure.hpp"
#include "player.hpp"
#include "schedules/map_goal.hpp"
#include "service/planning.hpp"

namespace faro::explorer {
namespace {

using json = nlohmann::ordered_json;

// The schedule that is spoken of: a plan of ours, or a file's text.
struct Held {
  std::optional<MachinePlan> plan;
  std::string text;
  Player player;
};

Held& held() {
  static Held value;
  return value;
}

std::string dumped(const json& object) {
  return object.dump(-1, ' ', false, json::error_handler_t::replace);
}

// An object with members whose text is made already.
std::string object_of(const std::vector<std::pair<std::string, std::string>>& members) {
  std::string text = "{\"ok\":true";
  for (const auto& [name, value] : members) text += ",\"" + name + "\":" + value;
  return text + "}";
}

std::string said(const json& request, const char* name) {
  const auto found = request.find(name);
  if (found == request.end() || !found->is_string())
    throw Error(ErrorCode::usage, fmt::format("the request says no {}", name));
  return found->get<std::string>();
}

bool has(const json& request, const char* name) {
  const auto found = request.find(name);
  return found != request.end() && !found->is_null() && !(found->is_string() && found->empty()) &&
         !(found->is_string() && found->get_ref<const std::string&>().empty());
}

std::optional<std::uint64_t> number(const json& request, const char* name) {
  if (!has(request, name)) return {};
  const json& value = request[name];
  if (!value.is_number_unsigned())
    throw Error(ErrorCode::usage, fmt::format("{} is a whole number of at least 0", name));
  return value.get<std::uint64_t>();
}

bool flag(const json& request, const char* name) {
  if (!has(request, name)) return false;
  if (!request[name].is_boolean())
    throw Error(ErrorCode::usage, fmt::format("{} is true or false", name));
  return request[name].get<bool>();
}

int width_from(const std::string& text) {
  const bool digits = !text.empty() && text.size() <= 2 &&
                      text.find_first_not_of("0123456789") == std::string::npos;
  const int width = digits ? std::stoi(text) : word_bits + 1;
  if (width > word_bits)
    throw Error(ErrorCode::usage, fmt::format("--width: '{}' is no number of bits up to 64", text));
  return width;
}

// A map and what its words leave out, which stands behind them as the program takes it:
// einops:a b -> b a --shape 4x8
struct Words {
  std::string map;
  Sizes sizes;
};

Words words_of(const json& request) {
  Words words{said(request, "map"), {}};
  for (const std::string_view option : {" --shape ", " --width "}) {
    const std::size_t at = words.map.rfind(option);
    if (at == std::string::npos) continue;
    const std::string value = words.map.substr(at + option.size());
    if (option == " --shape ")
      words.sizes.shape = shape_from(value);
    else
      words.sizes.elements = Count{1} << static_cast<unsigned>(width_from(value));
    words.map.erase(at);
  }
  return words;
}

// Sizes that the words leave out are the machine's.
Words words_on(const json& request) {
  Words words = words_of(request);
  if (const auto width = number(request, "width"))
    words.sizes.elements = Count{1} << static_cast<unsigned>(width_from(std::to_string(*width)));
  if (words.sizes.shape || words.sizes.elements || !has(request, "on")) return words;
  try {
    say(words.map);
  } catch (const NotationError& error) {
    if (error.fault() == NotationFault::size)
      words.sizes = sizes_on(words.map, machine_from(said(request, "on")), {});
  }
  return words;
}

// ---- maps

MapPicture map_picture(const std::string& name) {
  if (name == "strands") return MapPicture::strands;
  if (name == "matrix") return MapPicture::matrix;
  if (name == "array") return MapPicture::array;
  return MapPicture::standard;
}

std::string explain(const json& request) {
  const Words words = words_on(request);
  const Notation notation = say(words.map, words.sizes).as_bits();
  const std::string explained = explain_json(words.map, words.sizes);
  json figures = json::object();
  // Larger ones are thousands of shapes: too many to follow, and to draw while somebody types.
  constexpr int drawn_bits_max = 24;
  constexpr int array_bits_max = 8;
  const int width = notation.map.width();
  for (const char* name : {"strands", "matrix", "array"})
    if (width > 0 && width <= (std::string_view(name) == "array" ? array_bits_max : drawn_bits_max))
      figures[name] = to_svg(map_figure(notation, map_picture(name)));
  return object_of({{"map", explained}, {"figures", dumped(figures)}});
}

std::string map_figure_text(const json& request) {
  const Words words = words_on(request);
  const Figure figure =
      map_figure(say(words.map, words.sizes).as_bits(), map_picture(said(request, "what")));
  const bool tikz = has(request, "format") && said(request, "format") == "tikz";
  return object_of({{"text", dumped(tikz ? to_tikz(figure) : to_svg(figure))}});
}

// ---- kernels for GPUs

std::string gpu_kernel(const json& request) {
  const Words words = words_on(request);
  gpu::Options options;
  if (const auto bytes = number(request, "element")) options.element_bytes = *bytes;
  options.in_place = flag(request, "in_place");
  const gpu::Plan plan =
      gpu::plan(say(words.map, words.sizes).map, options,
                gpu::machine(has(request, "gpu") ? said(request, "gpu") : "any"));
  const gpu::Language language =
      gpu::language(has(request, "language") ? said(request, "language") : "cuda");
  return object_of(
      {{"plan", gpu::explain(plan).json()}, {"text", dumped(gpu::emit(plan, language))}});
}

std::string gpus(const json&) {
  json list = json::array();
  for (const gpu::Machine& row : gpu::machines())
    list.push_back({{"name", row.name}, {"words", row.words}});
  return object_of({{"gpus", dumped(list)}});
}

// ---- plans

// A map, or a computation: a butterfly network or a sort over 2^bits elements.
Request request_from(const json& request) {
  const std::string on = said(request, "on");
  for (const char* name : {"butterfly", "sort"}) {
    const auto bits = number(request, name);
    if (!bits) continue;
    if (*bits > word_bits)
      throw Error(ErrorCode::limit, fmt::format("{}:{}: at most 64 index bits", name, *bits));
    const Machine machine = machine_from(on);
    ButterflyNetwork network{.index_bits = static_cast<int>(*bits)};
    // Sizes that do not fit are told as such before the layout is read.
    static_cast<void>(Request::of(machine, network));
    if (has(request, "layout")) {
      const Layout layout =
          parse_layout(said(request, "layout"),
                       {.total = network.index_bits, .processor = address_bits(machine)});
      network.allocation = layout.allocation;
      network.encoding = layout.encoding;
    }
    if (std::string_view(name) == "sort") return Request::of(machine, BitonicSort{network});
    return Request::of(machine, network);
  }
  const Words words = words_of(request);
  return Request::of(words.map, on, number(request, "elements"), words.sizes.shape);
}

std::string plan_answer(const MachinePlan& plan) {
  return object_of({{"plan", plan.json()},
                    {"unit", dumped(cost_unit(plan.request().machine()))},
                    {"title", dumped(plan.about().title)},
                    {"right", plan.ok() ? "true" : "false"}});
}

// With `unverified` the plan is told as soon as it is found, and `judge` follows.
std::string plan_request(const json& request) {
  Held& h = held();
  h.plan.reset();
  h.text.clear();
  PlanOptions options;
  if (has(request, "algorithm")) options.algorithm = said(request, "algorithm");
  if (has(request, "unverified")) options.verify = VerifyBy::nobody;
  h.plan = plan(request_from(request), options);
  return plan_answer(*h.plan);
}

std::string judge(const json&) {
  Held& h = held();
  if (!h.plan) throw Error(ErrorCode::usage, "there is no plan to judge");
  h.plan = judged(*h.plan);
  return plan_answer(*h.plan);
}

std::string planners(const json&) {
  json list = json::array();
  for (const Planner* planner : catalogue()) {
    const About& about = planner->about();
    list.push_back({{"name", about.name},
                    {"machine", about.machine},
                    {"title", about.title},
                    {"needs", about.needs},
                    {"cost", about.cost},
                    {"citation", about.citation}});
  }
  return object_of({{"version", dumped(FARO_VERSION)}, {"planners", dumped(list)}});
}

// ---- the schedule that is held

// Breaches of a file's form are for its verdict, not for its picture.
struct Deaf : ReadListener {
  void breach(Count, const std::string&, const std::string&) override {}
  void warning(const std::string&) override {}
};

void push_held(ScheduleSink& sink) {
  const Held& h = held();
  if (h.plan) {
    h.plan->push(sink);
    return;
  }
  if (h.text.empty()) throw Error(ErrorCode::usage, "there is no schedule yet");
  TextSource source(h.text);
  ReadOptions options;
  options.map_from = [](std::string_view text, const Machine& machine, std::uint64_t elements) {
    return map_goal_from(text, machine, elements);
  };
  Deaf deaf;
  read_schedule(source, sink, options, deaf);
}

std::string schedule_text() {
  const Held& h = held();
  if (!h.plan) return h.text;
  TextSink text;
  JsonWriter writer(text);
  h.plan->push(writer);
  return text.text();
}

std::string schedule(const json&) {
  return object_of({{"text", dumped(schedule_text())}});
}

std::string verify(const json& request) {
  VerifyOptions options;
  if (has(request, "map")) options.map = said(request, "map");
  const std::string text = schedule_text();
  TextSource source(text);
  const VerifyReport report = verify_schedule(source, options);
  return object_of({{"verdict", verdict_json(report)},
                    {"machine", report.machine ? dumped(to_string(*report.machine)) : "null"},
                    {"unit", report.machine ? dumped(cost_unit(*report.machine)) : "null"}});
}

std::string play(const json&) {
  return object_of({{"play", dumped(held().player.read(push_held))}});
}

std::string picture(const json& request) {
  SchedulePictureOptions options;
  const std::string what = said(request, "what");
  if (what == "machine") options.what = SchedulePicture::machine;
  if (what == "steps") options.what = SchedulePicture::steps;
  if (what == "places") options.what = SchedulePicture::places;
  options.step = number(request, "step").value_or(0);
  const Figure figure = schedule_figure(push_held, options);
  const bool tikz = has(request, "format") && said(request, "format") == "tikz";
  return object_of({{"text", dumped(tikz ? to_tikz(figure) : to_svg(figure))}});
}

std::string formats(const json&) {
  json list = json::array();
  for (const ExportFormat& format : export_formats())
    list.push_back({{"name", format.name}, {"ending", format.ending}, {"what", format.what}});
  return object_of({{"formats", dumped(list)}});
}

// Bytes that are no text, for an answer that is.
std::string hex_of(std::string_view bytes) {
  std::string text;
  for (const char c : bytes)
    fmt::format_to(std::back_inserter(text), "{:02x}", static_cast<unsigned char>(c));
  return text;
}

std::string exported(const json& request) {
  TextSink text;
  const std::string format = said(request, "format");
  export_schedule(push_held, format, text);
  for (const ExportFormat& known : export_formats())
    if (known.name == format && !known.is_text)
      return object_of({{"hex", dumped(hex_of(text.text()))}});
  return object_of({{"text", dumped(text.text())}});
}

std::string refused(ErrorCode code, const std::string& message) {
  return dumped({{"ok", false}, {"code", name_of(code)}, {"message", message}});
}

std::string dispatched(const json& request) {
  using Answerer = std::string (*)(const json&);
  static const std::map<std::string, Answerer> answerers = {
      {"explain", explain},   {"figure", map_figure_text},
      {"plan", plan_request}, {"judge", judge},
      {"verify", verify},     {"planners", planners},
      {"schedule", schedule}, {"play", play},
      {"picture", picture},   {"formats", formats},
      {"export", exported},   {"gpu", gpu_kernel},
      {"gpus", gpus}};
  const auto found = answerers.find(said(request, "do"));
  if (found == answerers.end()) throw Error(ErrorCode::usage, "the request says nothing to do");
  return found->second(request);
}

}  // namespace

std::string answer(std::string_view request) {
  try {
    return dispatched(json::parse(request));
  } catch (const NotationError& error) {
    return dumped({{"ok", false},
                   {"code", name_of(error.code())},
                   {"message", error.what()},
                   {"at", error.at()}});
  } catch (const Error& error) {
    return refused(error.code(), error.what());
  } catch (const std::bad_alloc&) {
    return refused(ErrorCode::environment, "out of memory");
  } catch (const std::exception& error) {
    return refused(ErrorCode::internal, error.what());
  }
}

void hold(std::string text) {
  held().plan.reset();
  held().text = std::move(text);
}

const std::vector<std::uint32_t>& moves() {
  return held().player.moves();
}

}  // namespace faro::explorer
