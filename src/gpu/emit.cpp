// A plan as the text of a kernel: one body for CUDA C++, HIP and OpenCL C, a few macros apart.
#include <fmt/format.h>

#include <array>
#include <map>

#include "base/require.hpp"
#include "faro/gpu/plan.hpp"
#include "gpu/frame.hpp"
#include "gpu/text.hpp"
#include "gpu/window.hpp"

namespace faro::inline v1::gpu {
namespace {

constexpr std::array<const char*, 5> types = {"u8", "u16", "u32", "uint2", "uint4"};

const char* type_of(int bytes_log2) {
  return types[static_cast<std::size_t>(bytes_log2)];
}

class Body {
 public:
  explicit Body(const Plan& plan)
      : plan_(plan),
        shift_(plan.kind == Kind::tile ? 4 - plan.unit_log2 : 0),
        wide_(plan.map.width() - shift_ + (plan.units > 1 ? 6 : 0) > 32),
        index_(wide_ ? "u64" : "u32") {}

  std::string text() {
    switch (plan_.kind) {
      case Kind::tile:
        write_tile();
        break;
      case Kind::odd:
        write_odd();
        break;
      case Kind::window:
        return windows_text(plan_, type_of(plan_.unit_log2));
      default:
        write_direct();
    }
    return std::move(text_);
  }

 private:
  template <class... Values>
  void line(fmt::format_string<Values...> format, Values&&... values) {
    text_ += "  " + fmt::format(format, std::forward<Values>(values)...) + "\n";
  }

  Words cut(Words v) const {
    for (Word& w : v) w >>= static_cast<unsigned>(shift_);
    return v;
  }

  enum class Part { from, to, shared };
  Word part(const Place& p, Part which) const {
    if (which == Part::shared) return p.shared;
    return (which == Part::from ? p.from : p.to) >> static_cast<unsigned>(shift_);
  }
  Words parts(const std::vector<Place>& places, Part which) const {
    Words out;
    for (const Place& p : places) out.push_back(part(p, which));
    return out;
  }
  // The bits that blocks may set.
  Word used(Part which) const {
    const Pairs& p = plan_.pairs;
    return all_bits(parts(plan_.blocks, which)) | all_bits(parts(p.moving, which)) |
           all_bits(parts(p.moves, which)) | all_bits(parts(p.staying, which)) |
           part(p.shift, which) | part(p.pair, which) | part(plan_.start, which);
  }

  // x0, y0, s0 of the block's tile, and x1, y1, s1 of its second.
  void write_places() {
    struct Row {
      const char* name;
      Part part;
    };
    const std::array<Row, 3> rows = {{{"x", Part::from}, {"y", Part::to}, {"s", Part::shared}}};
    const Pairs& p = plan_.pairs;
    const int tiles = plan_.tiles_a_block();
    if (tiles == 1 && !plan_.blocks.empty()) line("const u32 b = BLOCK;");
    if (tiles == 2) {
      const std::size_t k = p.moving.size();
      line("const u32 a = BLOCK & {};", number(low_mask(static_cast<int>(k))));
      if (p.shifted)
        line("const u32 skip = 0u;");
      else
        line("const u32 skip = a ? COUNT_ONES((a & (0u - a)) - 1u) : 0u;");
      line(
          "const u32 b = (BLOCK >> {} >> skip << skip << 1) | (BLOCK >> {} & ((1u << skip) - 1u));",
          k, k);
    }
    for (const Row& row : rows) {
      const bool shared = row.part == Part::shared;
      if (shared && plan_.kind != Kind::tile && plan_.kind != Kind::odd) continue;
      const bool wide = wide_ && !shared;
      const char* type = shared ? "u32" : index_;
      const Word start = part(plan_.start, row.part);
      if (tiles == 1) {
        line("const {} {}0 = {};", type, row.name,
             xor_sum("b", parts(plan_.blocks, row.part), start, wide));
        continue;
      }
      line("const {} {}0 = ({}) ^ ({});", type, row.name,
           xor_sum("a", parts(p.moving, row.part), start, wide),
           xor_sum("b", parts(p.staying, row.part), 0, wide));
      const std::string move =
          xor_sum("a", parts(p.moves, row.part), part(p.shift, row.part), wide);
      if (p.shifted)
        line("const {} {}1 = {}0 ^ ({});", type, row.name, row.name, move);
      else
        line("const {} {}1 = {}0 ^ (a ? ({}) : {});", type, row.name, row.name, move,
             number(part(p.pair, row.part)));
    }
  }

  void write_direct() {
    line("const u32 t = THREAD;");
    write_places();
    line("const {} x = ({}) ^ x0;", index_, xor_sum("t", plan_.from.threads, 0, wide_));
    line("const {} y = ({}) ^ y0;", index_, xor_sum("t", plan_.to.threads, 0, wide_));
    const char* from = plan_.asked.in_place ? "data" : "from";
    const char* to = plan_.asked.in_place ? "data" : "to";
    const Words xs = sums(plan_.from.steps);
    const Words ys = sums(plan_.to.steps);
    const Word used_x = used(Part::from) | all_bits(plan_.from.threads);
    const Word used_y = used(Part::to) | all_bits(plan_.to.threads);
    for (std::size_t k = 0; k < xs.size(); ++k)
      line("const {} r{} = {}[{}];", type_of(plan_.unit_log2), k, from,
           with_constant("x", used_x, xs[k]));
    if (plan_.asked.in_place) line("BARRIER(); /* one block: everything is read, then written */");
    for (std::size_t k = 0; k < ys.size(); ++k)
      line("{}[{}] = r{};", to, with_constant("y", used_y, ys[k]), k);
  }

  void write_tile() {
    const int tiles = plan_.tiles_a_block();
    const int threads = static_cast<int>(plan_.from.threads.size());
    line("TILE({});", plan_.shared_bytes());
    line("const u32 t = THREAD;");
    write_places();
    line("const {} xt = {};", index_, xor_sum("t", cut(plan_.from.threads), 0, wide_));
    line("const {} yt = {};", index_, xor_sum("t", cut(plan_.to.threads), 0, wide_));
    line("const u32 st = {};", xor_sum("t", first_of(plan_.from.shared, threads), 0, false));
    line("const u32 lt = {};", xor_sum("t", first_of(plan_.to.shared, threads), 0, false));
    for (int i = 0; i < tiles; ++i) {
      line("const {} x_{} = x{} ^ xt, y_{} = y{} ^ yt;", index_, i, i, i, i);
      line("const u32 l_{} = {};", i,
           plan_.word_loads ? fmt::format("(s{} ^ lt) & ~3u", i) : fmt::format("s{} ^ lt", i));
    }
    for (int i = 0; i < tiles; ++i) read_tile(i);
    for (int i = 0; i < tiles; ++i) store_tile(i);
    line("BARRIER();");
    for (int i = 0; i < tiles; ++i) plan_.word_loads ? write_words(i) : write_units(i);
  }

  void read_tile(int i) {
    const Words xs = sums(cut(plan_.from.steps));
    const Word used_x = used(Part::from) | all_bits(cut(plan_.from.threads));
    for (std::size_t k = 0; k < xs.size(); ++k)
      line("const uint4 r{}_{} = {}[{}];", i, k, plan_.asked.in_place ? "data" : "from",
           with_constant(fmt::format("x_{}", i), used_x, xs[k]));
  }

  std::string in_tile(const std::string& at, int i) const {
    const std::uint64_t offset = plan_.tile_bytes() * static_cast<std::uint64_t>(i);
    return offset == 0 ? at : fmt::format("({}) + {}", at, number(offset));
  }
  std::string shared(const char* type, const std::string& at, int i) const {
    return fmt::format("*(LOCAL {}*)(tile + ({}))", type, in_tile(at, i));
  }

  void store_tile(int i) {
    const int threads = static_cast<int>(plan_.from.threads.size());
    const Word used_s = all_bits(first_of(plan_.from.shared, threads));
    const Words steps = sums(rest_of(plan_.from.shared, threads));
    const Words inner = sums(rest_of(plan_.from.inner, plan_.from.width_log2 - plan_.unit_log2));
    constexpr std::string_view names = "xyzw";
    for (std::size_t k = 0; k < steps.size(); ++k)
      for (std::size_t j = 0; j < inner.size(); ++j) {
        const std::string r = fmt::format("r{}_{}", i, k);
        std::string value = r;
        if (plan_.from.width_log2 == 3)
          value = fmt::format("MAKE2({}.{}, {}.{})", r, names[2 * j], r, names[2 * j + 1]);
        if (plan_.from.width_log2 == 2) value = fmt::format("{}.{}", r, names[j]);
        line("{} = {};",
             shared(type_of(plan_.from.width_log2),
                    with_constant("st", used_s, steps[k] ^ inner[j]), i),
             value);
      }
  }

  void write_vector(int i, Word step, const std::vector<std::string>& names) {
    const Word used_y = used(Part::to) | all_bits(cut(plan_.to.threads));
    line("{}[{}] = {};", plan_.asked.in_place ? "data" : "to",
         with_constant(fmt::format("y_{}", i), used_y, step), packed(names));
  }

  std::string packed(const std::vector<std::string>& names) const {
    if (plan_.unit_log2 == 4) return names[0];
    if (plan_.unit_log2 == 3)
      return fmt::format("MAKE4({0}.x, {0}.y, {1}.x, {1}.y)", names[0], names[1]);
    std::vector<std::string> words;
    const std::size_t each = 4U >> static_cast<unsigned>(plan_.unit_log2);
    for (std::size_t i = 0; i < 4; ++i) {
      std::vector<std::string> parts;
      for (std::size_t j = 0; j < each; ++j)
        parts.push_back(j == 0
                            ? fmt::format("(u32){}", names[i * each])
                            : fmt::format("((u32){} << {})", names[i * each + j], 32 / each * j));
      words.push_back(fmt::format("{}", fmt::join(parts, " | ")));
    }
    return fmt::format("MAKE4({})", fmt::join(words, ", "));
  }

  void write_units(int i) {
    const int threads = static_cast<int>(plan_.to.threads.size());
    const Word used_l = all_bits(first_of(plan_.to.shared, threads)) | used(Part::shared);
    const Words ys = sums(cut(plan_.to.steps));
    const Words steps = sums(rest_of(plan_.to.shared, threads));
    const Words inner = sums(plan_.to.inner);
    for (std::size_t k = 0; k < ys.size(); ++k) {
      std::vector<std::string> names;
      for (std::size_t j = 0; j < inner.size(); ++j) {
        names.push_back(fmt::format("q{}_{}_{}", i, k, j));
        const char* type = type_of(plan_.to.width_log2);
        line("const {} {} = {};", type, names.back(),
             shared(type, with_constant(fmt::format("l_{}", i), used_l, steps[k] ^ inner[j]), i));
      }
      write_vector(i, ys[k], names);
    }
  }

  // Elements of 1 and 2 bytes whose words several steps share: loaded once, then cut.
  void write_words(int i) {
    const int threads = static_cast<int>(plan_.to.threads.size());
    const Word used_l =
        (all_bits(first_of(plan_.to.shared, threads)) | used(Part::shared)) & ~Word{3};
    const Words ys = sums(cut(plan_.to.steps));
    const Words steps = sums(rest_of(plan_.to.shared, threads));
    const Words inner = sums(plan_.to.inner);
    std::map<Word, std::string> words;
    for (std::size_t k = 0; k < ys.size(); ++k) {
      std::vector<std::string> names;
      for (const Word o : inner) {
        const Word place = steps[k] ^ o ^ (plan_.start.shared & 3);
        std::string& word = words[place >> 2U];
        if (word.empty()) {
          word = fmt::format("w{}_{}", i, words.size() - 1);
          line("const u32 {} = {};", word,
               shared("u32", with_constant(fmt::format("l_{}", i), used_l, place & ~Word{3}), i));
        }
        names.push_back(fmt::format("({} >> {} & {})", word, 8 * (place & 3),
                                    number(low_mask(8 << plan_.unit_log2))));
      }
      write_vector(i, ys[k], names);
    }
  }

  // Threads take units in the order of memory; an element lies at its place, its units in order.
  void write_odd() {
    const int tiles = plan_.tiles_a_block();
    const char* type = type_of(plan_.unit_log2);
    const std::uint64_t each =
        bit(static_cast<int>(plan_.tile.size())) * static_cast<std::uint64_t>(plan_.units);
    const bool in_place = plan_.asked.in_place;
    line("TILE({});", plan_.shared_bytes());
    line("LOCAL {}* held = (LOCAL {}*)tile;", type, type);
    write_places();
    const Words xs = joined(joined({}, plan_.from.threads), plan_.from.steps);
    const Words ys = joined(joined({}, plan_.to.threads), plan_.to.steps);
    const auto loop = [&] {
      line("for (u32 i = THREAD; i < {}u; i += {}u) {{", each, plan_.threads());
      line("  const u32 q = i / {}u, w = i - q * {}u;", plan_.units, plan_.units);
    };
    for (int i = 0; i < tiles; ++i) {
      loop();
      line("  held[(({}) * {}u + w) + {}u] = {}[(x{} ^ ({})) * {}u + w];",
           xor_sum("q", plan_.from.shared, 0, false), plan_.units,
           each * static_cast<std::uint64_t>(i), in_place ? "data" : "from", i,
           xor_sum("q", xs, 0, wide_), plan_.units);
      line("}}");
    }
    line("BARRIER();");
    for (int i = 0; i < tiles; ++i) {
      loop();
      line("  {}[(y{} ^ ({})) * {}u + w] = held[((s{} ^ ({})) * {}u + w) + {}u];",
           in_place ? "data" : "to", i, xor_sum("q", ys, 0, wide_), plan_.units, i,
           xor_sum("q", plan_.to.shared, 0, false), plan_.units,
           each * static_cast<std::uint64_t>(i));
      line("}}");
    }
  }

  const Plan& plan_;
  int shift_;  // from elements to vectors
  bool wide_;
  const char* index_;
  std::string text_;
};

std::string ratio(std::uint64_t a, std::uint64_t b) {
  return fmt::format("{:.2f}", static_cast<double>(a) / static_cast<double>(b));
}

std::string head(const Plan& plan, std::string_view name) {
  const Certificate c = certificate(plan);
  const std::uint64_t blocks = plan.block_count();
  const Only& only = plan.asked.only;
  std::string out =
      fmt::format("// {}, elements of {} bytes: to[map(i)] = from[i]{}{}\n",
                  notation_of(plan.map_asked), plan.asked.element_bytes,
                  only.mask == 0 ? ""
                                 : fmt::format(" where (i & 0x{:x}) == 0x{:x}, no other is written",
                                               only.mask, only.value),
                  plan.asked.in_place ? ", in place" : "");
  out += fmt::format(
      "// launch: global {}, local {}  ({} blocks of {} threads, {} bytes of shared memory each)\n",
      blocks * plan.threads(), plan.threads(), blocks, plan.threads(), plan.shared_bytes());
  const char* arguments = plan.asked.in_place ? "data" : "from, to";
  const std::string second =
      plan.from_bytes() == plan.to_bytes() ? "" : fmt::format(" and {}", plan.to_bytes());
  out += fmt::format("// call: {}({}), {} bytes{}, aligned to 16 bytes ({} for the counts){}\n",
                     name, arguments, plan.from_bytes(), second, bit(plan.machine.line_log2),
                     plan.asked.in_place ? "" : ", which do not overlap");
  if (!c.counted)
    return out +
           fmt::format(
               "// certificate: runs of {} bytes read, {} written; requests are not counted\n",
               c.read.run_bytes, c.written.run_bytes);
  out += fmt::format("// certificate: sectors read {} ({} of ideal), written {} ({} of ideal)",
                     c.read.sectors, ratio(c.read.sectors, c.read.ideal_sectors), c.written.sectors,
                     ratio(c.written.sectors, c.written.ideal_sectors));
  if (c.store && c.load)
    out += fmt::format("; shared memory: conflicts {} storing, {} loading (1: none)",
                       c.store->conflict, c.load->conflict);
  return out + "\n";
}

bool is_name(std::string_view name) {
  const auto letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  if (name.empty() || name.size() > 64 || !letter(name[0])) return false;
  for (const char c : name)
    if (!letter(c) && !(c >= '0' && c <= '9')) return false;
  return true;
}

}  // namespace

std::string emit(const Plan& plan, Language language, std::string_view name) {
  require(is_name(name), "'{}' is no name of a kernel: wanted letters, digits and '_', at most 64",
          name);
  const char* type = type_of(plan.kind == Kind::tile ? 4 : plan.unit_log2);
  std::string out = head(plan, name);
  if (language == Language::hip)
    out += "#ifndef __HIPCC_RTC__\n#include <hip/hip_runtime.h>\n#endif\n";
  out += language == Language::opencl ? opencl_prelude : cuda_prelude;
  out +=
      plan.asked.in_place
          ? fmt::format("\nKERNEL({}) {}(GLOBAL {}* data)\n{{\n", plan.threads(), name, type)
          : fmt::format("\nKERNEL({}) {}(GLOBAL const {}* ALONE from, GLOBAL {}* ALONE to)\n{{\n",
                        plan.threads(), name, type, type);
  return out + Body(plan).text() + "}\n";
}

}  // namespace faro::inline v1::gpu
