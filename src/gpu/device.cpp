#include "faro/gpu/device.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <deque>

#include "base/require.hpp"
#include "gpu/driver.hpp"

namespace faro::inline v1::gpu {
namespace {

constexpr std::size_t kept_max = 64;  // kernels of compiled(), some 20 KB each
constexpr const char* kernel_name = "faro_permute";

// Of compiled(), the newest last.
struct Kept {
  Language language;
  Home home;
  Map map;
  Options options;
  Executable run;
};

// Never destroyed: at the end of a process its driver may be gone before them.
std::deque<Kept>& kept_kernels() {
  static auto& kept = *new std::deque<Kept>;
  return kept;
}

std::mutex& kept_mutex() {
  static auto& mutex = *new std::mutex;
  return mutex;
}

}  // namespace

Library::Library(const std::vector<std::string>& names, const std::string& purpose) {
  for (const std::string& name : names) {
    handle_ = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    name_ = name;
    if (handle_ != nullptr) return;
  }
  const char* why = ::dlerror();
  throw Error(ErrorCode::environment,
              fmt::format("{} needs {}, which this process cannot open ({})", purpose,
                          fmt::join(names, " or "), why == nullptr ? "no reason given" : why));
}

void* Library::find(const char* name, bool optional) const {
  void* const function = ::dlsym(handle_, name);
  if (function == nullptr && !optional)
    throw Error(ErrorCode::environment,
                fmt::format("{} has no function {}: it is older than faro asks for", name_, name));
  return function;
}

Driver& Driver::of(Language language) {
  static auto& mutex = *new std::mutex;
  static auto& open = *new std::array<std::unique_ptr<Driver>, 3>;
  const std::lock_guard<std::mutex> lock(mutex);
  std::unique_ptr<Driver>& driver = open[static_cast<std::size_t>(language)];
  if (!driver) driver = language == Language::opencl ? opencl_driver() : cuda_driver(language);
  return *driver;
}

Kernel Driver::ready(const Plan& /*plan*/, const Stream& /*stream*/) {
  throw InternalError("no ready code for this driver");
}

std::vector<Device> devices(Language language) {
  return Driver::of(language).devices();
}

struct Executable::State {
  Driver& driver;
  Language language;
  Home home;
  Kernel kernel;
  bool in_place;
  std::uint64_t from_bytes, to_bytes, blocks, threads;
};

Executable::Executable(const Plan& asked, const Stream& stream) : stream_(stream) {
  Driver& driver = Driver::of(stream.language);
  const Home home = driver.home(stream);
  // Of axes that no table describes compile() says which library is missing.
  const bool compiled = asked.kind == Kind::window || driver.compiles();
  const Plan plan = compiled ? asked : table_plan(asked);
  Kernel kernel =
      compiled ? driver.compile(emit(plan, stream.language, kernel_name), kernel_name, stream)
               : driver.ready(plan, stream);
  state_ = std::make_shared<const State>(State{
      driver, stream.language, home, std::move(kernel), plan.asked.in_place, plan.from_bytes(),
      plan.to_bytes(), plan.block_count(), compiled ? plan.threads() : table_threads});
}

void Executable::operator()(const void* from, void* to) const {
  const State& s = *state_;
  require(!s.in_place, "this plan is in place: it takes one array");
  const Extent a = s.driver.extent(from, s.from_bytes, "from", stream_);
  const Extent b = s.driver.extent(to, s.to_bytes, "to", stream_);
  require(a.memory != b.memory || a.end <= b.begin || b.end <= a.begin,
          "`from` and `to` overlap; a plan in place takes one array");
  s.driver.launch(s.kernel, s.blocks, s.threads, {from, to}, stream_);
}

void Executable::operator()(void* data) const {
  const State& s = *state_;
  require(s.in_place, "this plan is out of place: it takes two arrays");
  s.driver.extent(data, s.to_bytes, "data", stream_);
  std::vector<const void*> arrays{data};
  if (s.kernel.table) arrays.push_back(data);  // its kernel takes two, which may be one
  s.driver.launch(s.kernel, s.blocks, s.threads, arrays, stream_);
}

bool Executable::from_table() const {
  return state_->kernel.table != nullptr;
}

Executable Executable::on(const Stream& stream) const {
  require(
      stream.language == state_->language && state_->driver.home(stream) == state_->home,
      "the stream is of another context or device than the one that the kernel was compiled for");
  Executable other = *this;
  other.stream_ = stream;
  return other;
}

Executable compiled(const Map& map, const Options& options, const Stream& stream) {
  const Home home = Driver::of(stream.language).home(stream);
  const auto here = [&](const Kept& one) {
    return one.language == stream.language && one.home == home && one.map == map &&
           one.options == options;
  };
  std::deque<Kept>& kept = kept_kernels();
  {
    const std::lock_guard<std::mutex> lock(kept_mutex());
    for (const Kept& one : kept)
      if (here(one)) return one.run.on(stream);
  }
  const Machine& on = machine(stream.language == Language::hip ? "mi300" : "any");
  Executable run(plan(map, options, on), stream);
  const std::lock_guard<std::mutex> lock(kept_mutex());
  kept.push_back({stream.language, home, map, options, run});
  if (kept.size() > kept_max) kept.pop_front();
  return run;
}

void permute(const Map& map, const void* from, void* to, const Options& options,
             const Stream& stream) {
  compiled(map, options, stream)(from, to);
}

void permute_in_place(const Map& map, void* data, Options options, const Stream& stream) {
  options.in_place = true;
  compiled(map, options, stream)(data);
}

}  // namespace faro::inline v1::gpu
