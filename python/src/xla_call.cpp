// Custom calls of XLA: faro.jax inside jit, with no copy and without the interpreter; on GPUs a kernel
// on XLA's stream.
//
// XLA promises a stable binary interface for such calls (a frame of structs, each of which begins with its
// size), so nothing of JAX is needed to compile this: of the frame only what is read here is declared.
// Names are XLA's where they are fields. A runtime whose structs are smaller is refused in words.
#include <fmt/format.h>

#include <cstring>
#include <map>
#include <mutex>
#include <string_view>
#include <tuple>

#include "algebra/digits.hpp"
#include "array_plan.hpp"
#include "faro/gpu/device.hpp"
#include "faro/words/say.hpp"

namespace faro::python {
namespace {

struct Extension {
  std::size_t struct_size;
  int type;
  Extension* next;
};
constexpr int metadata_extension = 1;

struct Head {
  std::size_t struct_size;
  Extension* extension_start;
};

struct Version {
  Head head;
  int major_version;
  int minor_version;
};

struct Metadata {
  std::size_t struct_size;
  Version api_version;
  std::uint32_t traits;
};

struct MetadataExtension {
  Extension extension;
  Metadata* metadata;
};

struct ErrorArguments {
  Head head;
  const char* message;
  int errc;
};
constexpr int invalid_argument = 3;
constexpr int internal_error = 13;

struct ErrorEnd {
  Head head;
  void* error;
};

struct StreamArguments {
  Head head;
  void* context;
  void* stream;
};

struct Api {
  Head head;
  Version api_version;
  const void* internal_api;
  void* (*error_create)(ErrorArguments*);
  const void* error_get_message;
  void (*error_destroy)(ErrorEnd*);
  const void* handler_register;
  void* (*stream_get)(StreamArguments*);
};

struct XlaBuffer {
  Head head;
  int dtype;
  void* data;
  std::int64_t rank;
  const std::int64_t* dims;
};

struct Buffers {
  Head head;
  std::int64_t size;
  const int* types;
  XlaBuffer** buffers;
};

struct Span {
  const char* ptr;
  std::size_t len;
};

struct Scalar {
  int dtype;
  const void* value;
};
constexpr int s64 = 5;

struct Attributes {
  Head head;
  std::int64_t size;
  const int* types;
  Span** names;
  void** values;
};
constexpr int scalar_attribute = 3;
constexpr int string_attribute = 4;

struct Frame {
  Head head;
  const Api* api;
  void* context;
  int stage;
  Buffers arguments;
  Buffers results;
  Attributes attributes;
};
constexpr int execute_stage = 3;

void* failed(const Api* api, const char* message, int code) {
  ErrorArguments arguments{{sizeof(ErrorArguments), nullptr}, message, code};
  return api->error_create(&arguments);
}

const void* attribute(const Attributes& all, std::string_view name, int type) {
  for (std::int64_t k = 0; k < all.size; ++k)
    if (std::string_view(all.names[k]->ptr, all.names[k]->len) == name && all.types[k] == type)
      return all.values[k];
  throw Error(ErrorCode::usage, fmt::format("the call has no attribute {}", name));
}

std::int64_t number(const Attributes& all, std::string_view name) {
  const auto* scalar = static_cast<const Scalar*>(attribute(all, name, scalar_attribute));
  if (scalar->dtype != s64)
    throw Error(ErrorCode::usage, fmt::format("{} is a 64-bit number", name));
  std::int64_t value = 0;
  std::memcpy(&value, scalar->value, sizeof value);
  return value;
}

const XlaBuffer& only_buffer(const Buffers& of) {
  if (of.size != 1 || of.types[0] != 1 || of.buffers[0]->head.struct_size < sizeof(XlaBuffer) ||
      of.buffers[0]->rank != 3)
    throw Error(ErrorCode::usage, "the call takes and gives one buffer of three axes");
  return *of.buffers[0];
}

using Key = std::tuple<std::string, std::uint64_t, std::uint64_t, std::uint64_t, std::int64_t>;

// Plans by what they are made of; a call site keeps asking for the same one.
std::shared_ptr<const ArrayPlan> plan_of(const Frame& frame, const XlaBuffer& from) {
  constexpr std::size_t plans_max = 256;
  static std::mutex lock;
  static std::map<Key, std::shared_ptr<const ArrayPlan>> plans;
  const auto* text = static_cast<const Span*>(attribute(frame.attributes, "map", string_attribute));
  const auto side = [&](int axis) { return static_cast<std::uint64_t>(from.dims[axis]); };
  const std::int64_t itemsize = number(frame.attributes, "itemsize");
  const std::int64_t threads = number(frame.attributes, "threads");
  if (itemsize < 1 || itemsize > 16 || threads < 0 || threads > 4096)
    throw Error(ErrorCode::usage, "the call's itemsize or threads cannot be");
  Key key{std::string(text->ptr, text->len), side(0), side(2), static_cast<std::uint64_t>(itemsize),
          threads};
  const std::lock_guard<std::mutex> held(lock);
  const auto found = plans.find(key);
  if (found != plans.end()) return found->second;
  const Notation notation = say(std::get<0>(key)).as_bits();
  if (side(1) != bit(notation.map.width()))
    throw Error(ErrorCode::usage,
                fmt::format("{} elements for a map of {} bits", side(1), notation.map.width()));
  const PermuteShape shape{
      .element_bytes = static_cast<std::uint64_t>(itemsize), .outer = side(0), .inner = side(2)};
  auto plan = std::make_shared<ArrayPlan>(notation.map, shape, Where::out_of_place,
                                          static_cast<int>(threads));
  if (plans.size() >= plans_max) plans.clear();
  return plans[std::move(key)] = std::move(plan);
}

struct Both {
  const XlaBuffer& from;
  const XlaBuffer& to;
};
Both buffers_of(const Frame& frame) {
  const Both both{only_buffer(frame.arguments), only_buffer(frame.results)};
  for (int axis = 0; axis < 3; ++axis)
    if (both.from.dims[axis] != both.to.dims[axis] || both.from.dims[axis] < 1)
      throw Error(ErrorCode::usage, "the call's buffers have other shapes");
  return both;
}

void perform(const Frame& frame) {
  const auto& [from, to] = buffers_of(frame);
  const std::shared_ptr<const ArrayPlan> plan = plan_of(frame, from);
  const std::uint64_t bytes = plan->plan().data_bytes();
  plan->plan().execute({static_cast<const std::byte*>(from.data), bytes},
                       {static_cast<std::byte*>(to.data), bytes});
}

void launch(const Frame& frame, gpu::Language language) {
  const auto& [from, to] = buffers_of(frame);
  StreamArguments asked{{sizeof(StreamArguments), nullptr}, frame.context, nullptr};
  if (void* const error = frame.api->stream_get(&asked); error != nullptr) {
    ErrorEnd end{{sizeof(ErrorEnd), nullptr}, error};
    frame.api->error_destroy(&end);
    throw Error(ErrorCode::environment, "XLA gives no stream");
  }
  const std::int64_t itemsize = number(frame.attributes, "itemsize");
  if (itemsize < 1 || itemsize > 16) throw Error(ErrorCode::usage, "the call's itemsize cannot be");
  const auto* text = static_cast<const Span*>(attribute(frame.attributes, "map", string_attribute));
  const Notation notation = say(std::string_view(text->ptr, text->len)).as_bits();
  const auto side = [&](int axis) { return static_cast<std::uint64_t>(from.dims[axis]); };
  if (side(1) != bit(notation.map.width()))
    throw Error(ErrorCode::usage, "the call's map is of another width");
  gpu::Options options;
  options.element_bytes = static_cast<std::uint64_t>(itemsize);
  gpu::permute(radix::on_middle_axis(side(0), notation.map, side(2)), from.data, to.data, options,
               {language, asked.stream, -1});
}

// XLA asks once, when the call is registered, for which of its versions it was made.
bool answered(const Frame& frame) {
  for (Extension* e = frame.head.extension_start; e != nullptr; e = e->next) {
    if (e->type != metadata_extension) continue;
    Metadata& about = *reinterpret_cast<MetadataExtension*>(e)->metadata;
    // A minor version adds to the ends of structs alone; another major one is another interface.
    about.api_version = {{sizeof(Version), nullptr}, 0, frame.api->api_version.minor_version};
    about.traits = 0;
    return true;
  }
  return false;
}

template <class Perform>
void* called(Frame* frame, const Perform& work) {
  const Api* api = frame->api;
  if (frame->head.struct_size < sizeof(Frame) || api->head.struct_size < sizeof(Api))
    return failed(api, "faro: this XLA's calls are of another kind", internal_error);
  if (answered(*frame) || frame->stage != execute_stage) return nullptr;
  try {
    work(*frame);
    return nullptr;
  } catch (const std::exception& error) {
    return failed(api, error.what(), invalid_argument);
  }
}

extern "C" void* faro_xla_permute(Frame* frame) {
  return called(frame, perform);
}
extern "C" void* faro_xla_permute_cuda(Frame* frame) {
  return called(frame, [](const Frame& f) { launch(f, gpu::Language::cuda); });
}
extern "C" void* faro_xla_permute_hip(Frame* frame) {
  return called(frame, [](const Frame& f) { launch(f, gpu::Language::hip); });
}

}  // namespace

void bind_xla_call(nb::module_& m) {
  m.def("xla_call", [](const std::string& platform) {
    void* (*call)(Frame*) = platform == "cuda"   ? faro_xla_permute_cuda
                            : platform == "rocm" ? faro_xla_permute_hip
                                                 : faro_xla_permute;
    return nb::capsule(reinterpret_cast<void*>(call), "xla._CUSTOM_CALL_TARGET");
  });
}

}  // namespace faro::python
