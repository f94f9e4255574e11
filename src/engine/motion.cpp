#include "engine/motion.hpp"

#include <algorithm>
#include <array>

#include "base/parallel.hpp"
#include "engine/tuning.hpp"

namespace faro::inline v1::engine {
namespace {

// Where each bit of an axis is, in element bits; nothing if an axis is none of such bits.
struct AxisBits {
  std::vector<int> from;
  std::vector<int> to;
};

std::optional<int> place_of(Offset stride, std::uint64_t element_bytes) {
  const auto size = static_cast<Word>(stride < 0 ? -stride : stride);
  if (size == 0 || size % element_bytes != 0 || !is_power_of_two(size / element_bytes)) return {};
  return log2_exact(size / element_bytes);
}

std::optional<AxisBits> bits_of(const NormalForm& form, const Axis& axis) {
  AxisBits bits;
  if (axis.map == Axis::plain) {
    if (!is_power_of_two(static_cast<Word>(axis.length))) return {};
    const auto from = place_of(axis.from, form.element_bytes);
    const auto to = place_of(axis.to, form.element_bytes);
    if (!from || !to) return {};
    for (int i = 0; i < log2_exact(static_cast<Word>(axis.length)); ++i) {
      bits.from.push_back(*from + i);
      bits.to.push_back(*to + i);
    }
    return bits;
  }
  const IndexMap& map = form.maps[static_cast<std::size_t>(axis.map)];
  for (std::size_t i = 0; i < map.columns.size(); ++i) {
    const auto from = place_of(map.from_strides[i], form.element_bytes);
    const auto to = place_of(map.to_strides[i], form.element_bytes);
    if (!from || !to) return {};
    bits.from.push_back(*from);
    bits.to.push_back(*to);
  }
  return bits;
}

bool inside(const std::vector<int>& places, int width) {
  return std::all_of(places.begin(), places.end(), [&](int place) { return place < width; });
}

BitMap map_of_axes(const NormalForm& form, const std::vector<std::optional<AxisBits>>& bits,
                   const std::vector<bool>& taken, int width) {
  std::vector<Word> columns(static_cast<std::size_t>(width));  // from destination to source
  Word translation = 0;
  for (std::size_t k = 0; k < form.axes.size(); ++k) {
    if (!taken[k]) continue;
    const Axis& axis = form.axes[k];
    const AxisBits& at = *bits[k];
    const auto spread = [&](Word x) {
      Word result = 0;
      for (; x != 0; x &= x - 1) result |= bit(at.from[static_cast<std::size_t>(lowest_bit(x))]);
      return result;
    };
    for (std::size_t i = 0; i < at.to.size(); ++i) {
      const Word column = axis.map == Axis::plain
                              ? bit(static_cast<int>(i))
                              : form.maps[static_cast<std::size_t>(axis.map)].columns[i];
      columns[static_cast<std::size_t>(at.to[i])] = spread(column);
    }
    if (axis.map != Axis::plain) {
      translation |= spread(form.maps[static_cast<std::size_t>(axis.map)].translation);
    } else if (axis.from < 0) {
      translation |= spread(low_mask(static_cast<int>(at.from.size())));
    }
  }
  return BitMap::from_columns(columns, translation).inverse();
}

// A section's bits backwards begin where their lowest address is.
Offset lowest_of(const NormalForm& form, const std::vector<int>& outer) {
  Offset lowest = form.from_base;
  for (std::size_t k = 0; k < form.axes.size(); ++k) {
    const Axis& axis = form.axes[k];
    const bool around = std::find(outer.begin(), outer.end(), static_cast<int>(k)) != outer.end();
    if (!around && axis.map == Axis::plain && axis.from < 0) {
      lowest += axis.from * (axis.length - 1);
    }
  }
  return lowest;
}

// The pass of the bits alone; the axes around them, if they are one batch, are the pass's own.
void plan_bits(Motion& motion, const BitsForm& bits, const PermuteOptions& options) {
  PermuteShape shape{.element_bytes = motion.form.element_bytes};
  motion.outer = bits.outer;
  const auto bytes = static_cast<Offset>(shape.element_bytes << bits.map.width());
  motion.form.from_base = lowest_of(motion.form, bits.outer);
  if (motion.outer.size() == 1) {
    const Axis& axis = motion.form.axes[static_cast<std::size_t>(motion.outer[0])];
    if (axis.map == Axis::plain && axis.from == bytes && axis.to == bytes) {
      shape.outer = static_cast<std::uint64_t>(axis.length);
      motion.outer.clear();
    }
  }
  motion.pass = *plan_pass(bits.map, shape, options, Place::apart);
  motion.pass.threads = threads_for(motion.form.data_bytes, options);
}

}  // namespace

std::optional<BitsForm> bits_form(const NormalForm& form) {
  std::vector<std::optional<AxisBits>> bits;
  std::vector<bool> taken;
  for (const Axis& axis : form.axes) {
    bits.push_back(bits_of(form, axis));
    taken.push_back(bits.back().has_value());
  }
  // The most bits side by side that are whole axes.
  int width = word_bits;
  for (bool settled = false; !settled;) {
    Word from = 0;
    Word to = 0;
    for (std::size_t k = 0; k < bits.size(); ++k) {
      if (!taken[k]) continue;
      for (const int place : bits[k]->from) from |= bit(place);
      for (const int place : bits[k]->to) to |= bit(place);
    }
    width = std::min({width, lowest_bit(~from), lowest_bit(~to)});
    settled = true;
    for (std::size_t k = 0; k < bits.size(); ++k) {
      if (taken[k] && !(inside(bits[k]->from, width) && inside(bits[k]->to, width))) {
        taken[k] = false;
        settled = false;
      }
    }
  }
  if (width == 0) return std::nullopt;
  BitsForm result;
  for (std::size_t k = 0; k < form.axes.size(); ++k) {
    if (!taken[k]) result.outer.push_back(static_cast<int>(k));
  }
  result.map = map_of_axes(form, bits, taken, width);
  return result;
}

std::optional<BitsBatch> batch_of_bits(const NormalForm& form) {
  const std::optional<BitsForm> bits = bits_form(form);
  if (!bits || bits->outer.size() > 1) return std::nullopt;
  BitsBatch batch{bits->map};
  const std::uint64_t each = form.element_bytes << bits->map.width();
  if (!bits->outer.empty()) {
    const Axis& axis = form.axes[static_cast<std::size_t>(bits->outer[0])];
    const auto bytes = static_cast<Offset>(each);
    if (axis.map != Axis::plain || axis.from != bytes || axis.to != bytes) return std::nullopt;
    batch.count = static_cast<std::uint64_t>(axis.length);
  }
  const bool whole = each * batch.count == form.data_bytes && form.data_bytes == form.from_bytes &&
                     form.from_bytes == form.to_bytes;
  return whole ? std::optional(batch) : std::nullopt;
}

std::optional<Motion> plan_transpose(const NormalForm& form, const PermuteOptions& options) {
  const MachineTuning machine = tuning();
  constexpr Offset run_min = 512;
  const auto element = static_cast<Offset>(form.element_bytes);
  if (!form.maps.empty() || element < 4 || !is_lane(form.element_bytes) ||
      form.data_bytes <= machine.ordinary_bytes_max || !kernel_set(options.simd).joins_lines) {
    return std::nullopt;
  }
  std::optional<StridedPlan> plan = strided_plan(form, options, machine, Way::direct);
  const auto long_axis = [&](const Side& side) {
    return side.plain && side.length * element >= run_min;
  };
  if (!plan || !plan->streaming || !long_axis(plan->d) || !long_axis(plan->s)) return std::nullopt;
  const std::optional<BitsForm> bits = bits_form(form);
  if (!bits) return std::nullopt;
  Motion motion;
  motion.form = form;
  plan_bits(motion, *bits, options);
  motion.strided = std::move(plan);
  return motion;
}

std::string Motion::way() const {
  if (strided && !has_pass()) return name(strided->way);
  return pass.sections.empty() || pass.sections.front().path == Path::tiles ? "bits" : "elements";
}

std::uint64_t Motion::working() const {
  return std::max(
      strided ? strided->working_bytes * static_cast<std::uint64_t>(strided->threads) : 0,
      has_pass() ? working_bytes(pass) : 0);
}

std::optional<Motion> plan_motion(NormalForm form, const PermuteOptions& options,
                                  const std::string& wanted) {
  Motion motion;
  motion.form = std::move(form);
  if (motion.form.data_bytes == 0) return motion;
  const std::optional<BitsForm> bits = bits_form(motion.form);
  const auto mixed_outside = [&] {
    return std::any_of(bits->outer.begin(), bits->outer.end(), [&](int k) {
      return motion.form.axes[static_cast<std::size_t>(k)].map != Axis::plain;
    });
  };
  const bool whole =
      bits && (bits->outer.empty() || (!motion.form.maps.empty() && !mixed_outside()));
  if (!wanted.empty()) {
    if (wanted == "bits") {
      if (!bits || !is_power_of_two(motion.form.element_bytes)) return std::nullopt;
      plan_bits(motion, *bits, options);
      return motion;
    }
    for (const Way way : all_ways) {
      if (wanted == name(way)) motion.strided = strided_plan(motion.form, options, tuning(), way);
    }
    if (!motion.strided) return std::nullopt;
    return motion;
  }
  if (whole && is_power_of_two(motion.form.element_bytes)) {
    if (auto transpose = plan_transpose(motion.form, options)) return transpose;
    plan_bits(motion, *bits, options);
    return motion;
  }
  motion.strided = strided_plan(motion.form, options, tuning());
  if (whole && motion.strided->way == Way::elements) {
    motion.strided.reset();
    plan_bits(motion, *bits, options);
  }
  return motion;
}

void run_motion(const Motion& motion, const std::byte* from, std::byte* to,
                const Progress& progress) {
  if (motion.form.data_bytes == 0) return;
  const auto on_grid = [](const std::byte* at) {
    return reinterpret_cast<std::uintptr_t>(at) % line_bytes == 0;
  };
  if (motion.strided && !(motion.has_pass() && on_grid(from) && on_grid(to))) {
    run_strided(*motion.strided, from, to, progress);
    return;
  }
  from += motion.form.from_base;
  to += motion.form.to_base;
  Walk walk(motion.form, motion.outer);
  const Word count = walk.count();
  if (count == 1) {
    run_pass(motion.pass, from, to, progress);
    return;
  }
  const std::uint64_t each = motion.form.data_bytes / count;
  const auto threads = static_cast<Word>(motion.pass.threads);
  if (count < 2 * threads) {
    for (Word at = 0; at < count; ++at, walk.next()) {
      run_pass(motion.pass, from + walk.from(), to + walk.to(), {});
      report(progress, (at + 1) * each, motion.form.data_bytes);
    }
    return;
  }
  constexpr std::uint64_t segment_bytes = std::uint64_t{64} << 20U;
  const Word segment = std::max<Word>(threads * 8, segment_bytes / std::max<Word>(1, each));
  for (Word begin = 0; begin < count; begin += std::min(segment, count - begin)) {
    const Word size = std::min(segment, count - begin);
    const Word parts = std::min<Word>(size, threads * 8);
    in_parallel(motion.pass.threads, parts, [&](Word part, int) {
      Walk own(motion.form, motion.outer);
      const Word first = begin + size * part / parts;
      const Word stop = begin + size * (part + 1) / parts;
      own.seek(first);
      for (Word at = first; at < stop; ++at, own.next()) {
        run_share(motion.pass, 0, 1, from + own.from(), to + own.to());
      }
    });
    report(progress, (begin + size) * each, motion.form.data_bytes);
  }
}

}  // namespace faro::inline v1::engine
