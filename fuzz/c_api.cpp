// Any bytes as what a C program may pass: NULL, sizes that do not fit, structs of other lengths,
// maps of any numbers. Every call returns a status and says why; what is moved is where the map
// says.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "faro/c/faro.h"
#include "fuzz.hpp"

namespace {

using fuzz::Bytes;

// A status that is none of a bug, and words where it is no yes.
bool good(faro_status status) {
  if (status == FARO_INTERNAL) std::abort();
  if (status != FARO_OK && status != FARO_REFUSED && faro_last_error()[0] == '\0') std::abort();
  return status == FARO_OK;
}

void taken(faro_status status, char* json) {
  const bool made = good(status) || status == FARO_REFUSED;
  if (made != (json != nullptr)) std::abort();
  faro_text_free(json);
}

faro_map* map_of(Bytes& bytes) {
  faro_map* map = nullptr;
  faro_status status = FARO_OK;
  switch (bytes.below(4)) {
    case 0: {
      const auto columns = bytes.numbers(66);
      status = faro_map_from_columns(std::min(bytes.integer(), 66),
                                     bytes.below(20) == 0 ? nullptr : columns.data(),
                                     bytes.number(), &map);
      break;
    }
    case 1: {
      std::vector<int> places(66);
      for (int& place : places) place = bytes.integer();
      status =
          faro_map_from_places(std::min(bytes.integer(), 66), places.data(), bytes.number(), &map);
      break;
    }
    case 2: {
      const auto shape = bytes.numbers(8);
      const int axes = std::min(bytes.integer(), 8);
      status = faro_map_from_words(bytes.text().c_str(), axes, shape.data(), &map);
      break;
    }
    default:
      status = faro_map_from_words(bytes.text().c_str(), 0, nullptr, &map);
  }
  if (good(status) != (map != nullptr)) std::abort();
  return map;
}

faro_permute_options options_of(Bytes& bytes) {
  faro_permute_options options = FARO_PERMUTE_OPTIONS;
  if (bytes.below(20) == 0) options.struct_size = bytes.number();
  if (bytes.below(20) == 0) options.version = static_cast<std::uint32_t>(bytes.number());
  options.threads = static_cast<std::int32_t>(bytes.below(3));
  options.in_place = static_cast<std::int32_t>(bytes.below(3));
  options.element_bytes = bytes.number();
  options.outer = bytes.below(2) == 0 ? 1 : bytes.number();
  options.inner = bytes.below(2) == 0 ? 1 : bytes.number();
  return options;
}

// Bytes that say where they came from, as far as bytes can.
void moved(const faro_map* map, const faro_permute_options& options, const faro_plan* plan) {
  faro_plan_facts facts = FARO_PLAN_FACTS;
  if (!good(faro_plan_get_facts(plan, &facts)) || facts.data_bytes > 1U << 16U) return;
  std::vector<std::uint8_t> from(facts.data_bytes);
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<std::uint8_t>(i * 167 >> 3U);
  std::vector<std::uint8_t> to = from;
  const faro_status status = options.in_place != 0
                                 ? faro_plan_execute_in_place(plan, to.data(), to.size())
                                 : faro_plan_execute(plan, from.data(), to.data(), to.size());
  if (!good(status)) std::abort();
  const std::uint64_t row = options.inner * options.element_bytes;
  if (row == 0 || options.outer == 0) return;
  const std::uint64_t length = faro_map_elements(map);
  for (std::uint64_t o = 0; o < options.outer; ++o)
    for (std::uint64_t i = 0; i < length; ++i)
      if (std::memcmp(from.data() + (o * length + i) * row,
                      to.data() + (o * length + faro_map_apply(map, i)) * row, row) != 0)
        std::abort();
}

void maps(Bytes& bytes) {
  faro_map* map = map_of(bytes);
  faro_map* inverse = nullptr;
  faro_map* both = nullptr;
  if (good(faro_map_inverse(map, &inverse)) && good(faro_map_then(map, inverse, &both))) {
    // 0 of 64 bits, which are all there are.
    const std::uint64_t elements = faro_map_elements(map);
    const std::uint64_t index = bytes.number();
    const std::uint64_t inside = elements == 0 ? index : index % elements;
    if (faro_map_apply(both, inside) != inside) std::abort();
  }
  const faro_permute_options options = options_of(bytes);
  faro_plan* plan = nullptr;
  // A shorter struct leaves what it cuts off at its defaults.
  const bool whole = options.struct_size == sizeof(options);
  if (good(faro_plan_create(map, &options, &plan)) && whole) moved(map, options, plan);
  faro_plan_free(plan);
  faro_exchange_options exchange = FARO_EXCHANGE_OPTIONS;
  exchange.rank_bits = bytes.integer();
  exchange.node_bits = bytes.integer();
  exchange.relabelled = static_cast<std::int32_t>(bytes.below(2));
  exchange.element_bytes = bytes.number();
  exchange.buffer_bytes = bytes.number();
  char* json = nullptr;
  const faro_status status = faro_exchange_cost(map, &exchange, &json);
  taken(status, json);
  faro_map_free(both);
  faro_map_free(inverse);
  faro_map_free(map);
}

void arrays(Bytes& bytes) {
  const auto numbers = bytes.numbers(8);
  std::vector<std::int64_t> strides(4);
  for (std::int64_t& stride : strides) stride = bytes.integer();
  faro_array from = FARO_ARRAY;
  from.axes = static_cast<std::int32_t>(bytes.below(5));
  from.shape = numbers.data();
  if (bytes.below(3) == 0) from.strides = strides.data();
  from.offset = bytes.below(3) == 0 ? bytes.number() : 0;
  faro_permute_options options = FARO_PERMUTE_OPTIONS;
  options.element_bytes = bytes.number();
  options.in_place = static_cast<std::int32_t>(bytes.below(2));
  faro_plan* plan = nullptr;
  const std::string words = bytes.text();
  if (good(faro_plan_create_arrays(words.c_str(), &from, nullptr, &options, &plan))) {
    std::vector<std::uint8_t> in(bytes.number() % 8192);
    std::vector<std::uint8_t> out(bytes.number() % 8192);
    static_cast<void>(good(faro_plan_execute_arrays(
        plan, options.in_place != 0 ? nullptr : in.data(), options.in_place != 0 ? 0 : in.size(),
        out.data(), out.size(), nullptr, nullptr)));
  }
  faro_plan_free(plan);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Bytes bytes(data, size);
  char* json = nullptr;
  switch (bytes.below(4)) {
    case 0: {
      const faro_status status = faro_explain(bytes.text().c_str(), &json);
      taken(status, json);
      break;
    }
    case 1:
      arrays(bytes);
      break;
    default:
      maps(bytes);
  }
  return 0;
}
