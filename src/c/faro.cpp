// The C API: handles around values, statuses around exceptions.
#include "faro/c/faro.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "algebra/digits.hpp"
#include "c/handles.hpp"
#include "faro/base/error.hpp"
#include "faro/base/limits.hpp"
#include "faro/engine/permute_plan.hpp"
#include "faro/words/say.hpp"

struct faro_plan {
  faro::PermutePlan plan;
  std::string description;
  std::vector<std::uint64_t> shape;  // of the result
};

namespace {

using faro::c::flag;
using faro::c::guarded;
using faro::c::need;
using faro::c::shape_of;
using faro::c::taken;
using faro::c::unused;
using faro::c::watched;

void need_width(int width) {
  if (width < 0 || width > faro::word_bits) {
    throw faro::Error(faro::ErrorCode::usage,
                      "a map of " + std::to_string(width) + " bits; 0 to 64 are possible");
  }
}

faro::ArrayPlaces places_of(const faro_array& given) {
  const faro_array defaults = FARO_ARRAY;
  const faro_array all = taken(given, defaults);
  faro::ArrayPlaces places;
  places.shape = shape_of("faro_array", all.axes, all.shape).value_or(std::vector<uint64_t>{});
  if (all.strides != nullptr) places.strides.assign(all.strides, all.strides + all.axes);
  places.offset = all.offset;
  return places;
}

}  // namespace

extern "C" {

const char* faro_version(void) {
  return FARO_VERSION;
}

const char* faro_last_error(void) {
  return faro::c::last_error.c_str();
}

faro_status faro_map_from_columns(int width, const uint64_t* columns, uint64_t complement,
                                  faro_map** map) {
  return guarded([&] {
    need("faro_map_from_columns", "map", map);
    need_width(width);
    if (width > 0) need("faro_map_from_columns", "columns", columns);
    *map = new faro_map{faro::BitMap::from_columns(
        std::span(columns, static_cast<std::size_t>(width)), complement)};
  });
}

faro_status faro_map_from_places(int width, const int* places, uint64_t complement,
                                 faro_map** map) {
  return guarded([&] {
    need("faro_map_from_places", "map", map);
    need_width(width);
    if (width > 0) need("faro_map_from_places", "places", places);
    *map = new faro_map{
        faro::BitMap::from_places(std::span(places, static_cast<std::size_t>(width)), complement)};
  });
}

faro_status faro_map_from_words(const char* words, int axes, const uint64_t* shape,
                                faro_map** map) {
  return guarded([&] {
    need("faro_map_from_words", "words map", words, map);
    faro::Sizes sizes;
    sizes.shape = shape_of("faro_map_from_words", axes, shape);
    *map = new faro_map{faro::say(words, sizes).map};
  });
}

faro_status faro_map_inverse(const faro_map* map, faro_map** inverse) {
  return guarded([&] {
    need("faro_map_inverse", "map inverse", map, inverse);
    *inverse = new faro_map{map->map.inverse()};
  });
}

faro_status faro_map_then(const faro_map* f, const faro_map* g, faro_map** both) {
  return guarded([&] {
    need("faro_map_then", "f g both", f, g, both);
    if (f->map.elements() != g->map.elements()) {
      throw faro::Error(faro::ErrorCode::usage, "faro_map_then: maps of different sizes");
    }
    *both = new faro_map{faro::then(f->map, g->map)};
  });
}

int faro_map_width(const faro_map* map) {
  int width = -1;
  guarded([&] {
    need("faro_map_width", "map", map);
    width = map->map.as_bits().width();
  });
  return width;
}

uint64_t faro_map_elements(const faro_map* map) {
  uint64_t elements = 0;
  guarded([&] {
    need("faro_map_elements", "map", map);
    if (map->map.elements() > faro::Count{UINT64_MAX})
      throw faro::Error(faro::ErrorCode::limit, "faro_map_elements: 2^64 elements");
    elements = static_cast<uint64_t>(map->map.elements());
  });
  return elements;
}

uint64_t faro_map_apply(const faro_map* map, uint64_t index) {
  uint64_t image = UINT64_MAX;
  guarded([&] {
    need("faro_map_apply", "map", map);
    if (const faro::BitMap* bits = map->map.bits()) {
      image = (*bits)(index & faro::low_mask(bits->width()));
    } else if (index < map->map.elements()) {
      image = map->map(index);
    } else {
      throw faro::Error(faro::ErrorCode::usage,
                        "faro_map_apply: index " + std::to_string(index) + " of a map of " +
                            faro::to_string(map->map.elements()) + " elements");
    }
  });
  return image;
}

void faro_map_free(faro_map* map) {
  delete map;
}

faro_status faro_plan_create(const faro_map* map, const faro_permute_options* options,
                             faro_plan** plan) {
  return guarded([&] {
    need("faro_plan_create", "map plan", map, plan);
    const faro_permute_options defaults = FARO_PERMUTE_OPTIONS;
    const faro_permute_options all = options == nullptr ? defaults : taken(*options, defaults);
    const faro::PermuteShape shape{
        .element_bytes = all.element_bytes, .outer = all.outer, .inner = all.inner};
    const faro::PermuteOptions permute{.threads = all.threads};
    unused("faro_permute_options.reserved", all.reserved);
    const bool in_place = flag("faro_permute_options.in_place", all.in_place);
    const faro::BitMap* bits = map->map.bits();
    const auto lengths = [&] {
      const faro::Map whole = faro::radix::on_middle_axis(all.outer, map->map, all.inner);
      const faro::TensorShape places{all.element_bytes, {}, {}};
      return in_place ? faro::PermutePlan::in_place(whole, places, permute)
                      : faro::PermutePlan::out_of_place(whole, places, permute);
    };
    auto made = bits == nullptr ? lengths()
                : in_place      ? faro::PermutePlan::in_place(*bits, shape, permute)
                                : faro::PermutePlan::out_of_place(*bits, shape, permute);
    std::string description = made.describe();
    *plan = new faro_plan{std::move(made),
                          std::move(description),
                          {all.outer, static_cast<faro::Word>(map->map.elements()), all.inner}};
  });
}

faro_status faro_plan_create_arrays(const char* map, const faro_array* from, const faro_array* to,
                                    const faro_permute_options* options, faro_plan** plan) {
  return guarded([&] {
    need("faro_plan_create_arrays", "map from plan", map, from, plan);
    const faro_permute_options defaults = FARO_PERMUTE_OPTIONS;
    const faro_permute_options all = options == nullptr ? defaults : taken(*options, defaults);
    if (all.outer != 1 || all.inner != 1) {
      throw faro::Error(faro::ErrorCode::usage,
                        "faro_plan_create_arrays: outer and inner at their defaults");
    }
    faro::TensorShape shape{all.element_bytes, places_of(*from), {}};
    if (to != nullptr) shape.to = places_of(*to);
    faro::Sizes sizes;
    sizes.shape = shape.from.shape;
    const faro::Said said = faro::say(map, sizes);
    const faro::Map& moves = said.map;
    const faro::PermuteOptions permute{.threads = all.threads};
    unused("faro_permute_options.reserved", all.reserved);
    auto made = flag("faro_permute_options.in_place", all.in_place)
                    ? faro::PermutePlan::in_place(moves, shape, permute)
                    : faro::PermutePlan::out_of_place(moves, shape, permute);
    std::string description = made.describe();
    *plan = new faro_plan{std::move(made), std::move(description),
                          said.shape.value_or(sizes.shape.value())};
  });
}

faro_status faro_plan_get_facts(const faro_plan* plan, faro_plan_facts* facts) {
  return guarded([&] {
    need("faro_plan_get_facts", "plan facts", plan, facts);
    const faro_plan_facts defaults = FARO_PLAN_FACTS;
    faro_plan_facts all = taken(*facts, defaults);
    const faro::PlanFacts& known = plan->plan.facts();
    all.threads = known.threads;
    all.data_bytes = known.data_bytes;
    all.passes = known.passes.size();
    all.bytes_moved = known.bytes_moved;
    all.working_bytes = known.working_bytes;
    all.shape = plan->shape.data();
    all.axes = static_cast<int32_t>(plan->shape.size());
    std::memcpy(facts, &all, std::min(sizeof(all), facts->struct_size));
  });
}

const char* faro_plan_describe(const faro_plan* plan) {
  return plan == nullptr ? "" : plan->description.c_str();
}

faro_status faro_plan_execute(const faro_plan* plan, const void* from, void* to, size_t bytes) {
  return faro_plan_execute_watched(plan, from, to, bytes, nullptr, nullptr);
}

faro_status faro_plan_execute_in_place(const faro_plan* plan, void* data, size_t bytes) {
  return faro_plan_execute_watched(plan, nullptr, data, bytes, nullptr, nullptr);
}

faro_status faro_plan_execute_watched(const faro_plan* plan, const void* from, void* to,
                                      size_t bytes, faro_progress progress, void* context) {
  return guarded([&] {
    need("faro_plan_execute", "plan", plan);
    if (bytes > 0) need("faro_plan_execute", "to", to);
    const faro::Progress watch = watched(progress, context);
    const std::span<std::byte> data(static_cast<std::byte*>(to), bytes);
    if (from == nullptr && (bytes > 0 || plan->plan.facts().in_place)) {
      plan->plan.execute_in_place(data, watch);
    } else {
      plan->plan.execute({static_cast<const std::byte*>(from), bytes}, data, watch);
    }
  });
}

faro_status faro_plan_execute_arrays(const faro_plan* plan, const void* from, size_t from_bytes,
                                     void* to, size_t to_bytes, faro_progress progress,
                                     void* context) {
  return guarded([&] {
    need("faro_plan_execute_arrays", "plan", plan);
    if (from_bytes > 0) need("faro_plan_execute_arrays", "from", from);
    if (to_bytes > 0) need("faro_plan_execute_arrays", "to", to);
    plan->plan.execute({static_cast<const std::byte*>(from), from_bytes},
                       {static_cast<std::byte*>(to), to_bytes}, watched(progress, context));
  });
}

void faro_plan_free(faro_plan* plan) {
  delete plan;
}

}  // extern "C"
