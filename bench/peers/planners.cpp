// Libraries that move tensors: each is given the map with neighbouring bits merged, so that a
// transpose has rank 2, and plans once.
#include <algorithm>
#include <complex>
#include <cstdint>
#include <memory>
#include <utility>

#include "peers.hpp"

#if FARO_HAVE_EIGEN
#include <unsupported/Eigen/CXX11/Tensor>
#endif
#if FARO_HAVE_FFTW
#include <fftw3.h>
#endif
#if FARO_HAVE_HPTT
#include <hptt.h>
#endif
#if FARO_HAVE_DNNL
#include <oneapi/dnnl/dnnl.hpp>
#endif

namespace faro::peers {
namespace {

using Groups = std::vector<Group>;

#if FARO_HAVE_FFTW
// A plan of rank 0: a copy between strides. Planning writes over both arrays.
class Fftw {
 public:
  Fftw(const Task& task, const Groups& groups, unsigned flags) {
    std::vector<fftw_iodim64> dims;
    for (const Group& g : groups) {
      dims.push_back({static_cast<std::ptrdiff_t>(bit(g.count)),
                      static_cast<std::ptrdiff_t>(bit(g.low)),
                      static_cast<std::ptrdiff_t>(bit(g.place))});
    }
    const int rank = static_cast<int>(dims.size());
    auto* from = const_cast<std::byte*>(task.from.data());
    auto* to = task.to.data();
    constexpr double planning_seconds_max = 8;
    fftwf_set_timelimit(planning_seconds_max);
    fftw_set_timelimit(planning_seconds_max);
    if (task.element_bytes == 4) {
      single_ = fftwf_plan_guru64_r2r(0, nullptr, rank, dims.data(), reinterpret_cast<float*>(from),
                                      reinterpret_cast<float*>(to), nullptr, flags);
    } else if (task.element_bytes == 8) {
      plan_ = fftw_plan_guru64_r2r(0, nullptr, rank, dims.data(), reinterpret_cast<double*>(from),
                                   reinterpret_cast<double*>(to), nullptr, flags);
    } else if (task.element_bytes == 16) {
      plan_ =
          fftw_plan_guru64_dft(0, nullptr, rank, dims.data(), reinterpret_cast<fftw_complex*>(from),
                               reinterpret_cast<fftw_complex*>(to), FFTW_FORWARD, flags);
    }
  }
  ~Fftw() {
    if (plan_ != nullptr) fftw_destroy_plan(plan_);
    if (single_ != nullptr) fftwf_destroy_plan(single_);
  }
  Fftw(const Fftw&) = delete;
  Fftw& operator=(const Fftw&) = delete;
  bool exists() const { return plan_ != nullptr || single_ != nullptr; }
  void run() const {
    if (plan_ != nullptr) {
      fftw_execute(plan_);
    } else {
      fftwf_execute(single_);
    }
  }

 private:
  fftw_plan plan_ = nullptr;
  fftwf_plan single_ = nullptr;
};

void add_fftw(const Task& task, const Groups& groups, Contenders& contenders) {
  if (task.threads != 1) return;
  for (const auto& [name, flags] :
       {std::pair{"fftw estimate", FFTW_ESTIMATE}, std::pair{"fftw measure", FFTW_MEASURE}}) {
    const auto plan = std::make_shared<Fftw>(task, groups, flags);
    if (plan->exists()) contenders.push_back({name, [plan] { plan->run(); }});
  }
}
#endif

#if FARO_HAVE_HPTT
template <class T>
void add_hptt(const Task& task, const Groups& groups, Contenders& contenders) {
  std::vector<int> order = by_place(groups);
  std::vector<int> sizes;
  for (const Group& g : groups) sizes.push_back(1 << g.count);
  // Its plans keep the addresses of what they are given here.
  std::shared_ptr<hptt::Transpose<T>> plan = hptt::create_plan(
      order.data(), static_cast<int>(order.size()), T(1),
      reinterpret_cast<const T*>(task.from.data()), sizes.data(), nullptr, T(0),
      reinterpret_cast<T*>(task.to.data()), nullptr, hptt::ESTIMATE, task.threads, nullptr, false);
  contenders.push_back({"hptt", [plan] { plan->execute(); }});
}
#endif

#if FARO_HAVE_DNNL
// A reorder of floats between strides, at most 12 axes; larger elements are an axis of floats more.
void add_onednn(const Task& task, const Groups& groups, Contenders& contenders) {
  const auto floats = static_cast<dnnl::memory::dim>(task.element_bytes / sizeof(float));
  dnnl::memory::dims sizes, from_strides, to_strides;
  for (auto g = groups.rbegin(); g != groups.rend(); ++g) {
    sizes.push_back(static_cast<dnnl::memory::dim>(bit(g->count)));
    from_strides.push_back(floats * static_cast<dnnl::memory::dim>(bit(g->low)));
    to_strides.push_back(floats * static_cast<dnnl::memory::dim>(bit(g->place)));
  }
  if (floats > 1) {
    sizes.push_back(floats);
    from_strides.push_back(1);
    to_strides.push_back(1);
  }
  if (sizes.size() > DNNL_MAX_NDIMS) return;
  using Kind = dnnl::memory::data_type;
  const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  auto stream = std::make_shared<dnnl::stream>(engine);
  const dnnl::memory from({sizes, Kind::f32, from_strides}, engine,
                          const_cast<std::byte*>(task.from.data()));
  const dnnl::memory to({sizes, Kind::f32, to_strides}, engine, task.to.data());
  auto reorder = std::make_shared<dnnl::reorder>(from, to);
  contenders.push_back({"onednn", [=] {
                          dnnl::memory source = from, target = to;
                          reorder->execute(*stream, source, target);
                          stream->wait();
                        }});
}
#endif

#if FARO_HAVE_EIGEN
template <class T, int Rank>
void eigen_shuffle(const Groups& groups, const T* from, T* to) {
  Eigen::array<Eigen::Index, Rank> shape;
  Eigen::array<int, Rank> order;
  Eigen::array<Eigen::Index, Rank> result_shape;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    shape[i] = static_cast<Eigen::Index>(bit(groups[i].count));
  }
  const std::vector<int> places = by_place(groups);
  for (std::size_t i = 0; i < places.size(); ++i) {
    order[i] = places[i];
    result_shape[i] = shape[static_cast<std::size_t>(order[i])];
  }
  const Eigen::TensorMap<const Eigen::Tensor<T, Rank>> source(from, shape);
  Eigen::TensorMap<Eigen::Tensor<T, Rank>> result(to, result_shape);
  result = source.shuffle(order);
}

// Tensor ranks are fixed when compiled; these are those of the maps of the table.
template <class T>
void add_eigen(const Task& task, const Groups& groups, Contenders& contenders) {
  if (task.threads != 1) return;
  const auto* from = reinterpret_cast<const T*>(task.from.data());
  auto* to = reinterpret_cast<T*>(task.to.data());
  const auto offer = [&]<int Rank>(std::integral_constant<int, Rank>) {
    if (groups.size() != static_cast<std::size_t>(Rank)) return;
    contenders.push_back({"eigen", [=] { eigen_shuffle<T, Rank>(groups, from, to); }});
  };
  const auto offer_all = [&]<int... Ranks>(std::integer_sequence<int, Ranks...>) {
    (offer(std::integral_constant<int, Ranks>{}), ...);
  };
  offer_all(std::integer_sequence<int, 2, 3, 4, 20, 21, 22, 23, 24, 25, 26>{});
}
#endif

template <class T>
void add(const Task& task, const Groups& groups, Contenders& contenders) {
#if FARO_HAVE_FFTW
  add_fftw(task, groups, contenders);
#endif
  if (task.in_place()) return;
#if FARO_HAVE_HPTT
  add_hptt<T>(task, groups, contenders);
#endif
#if FARO_HAVE_DNNL
  add_onednn(task, groups, contenders);
#endif
#if FARO_HAVE_EIGEN
  add_eigen<T>(task, groups, contenders);
#endif
}

}  // namespace

void add_planners(const Task& task, Contenders& contenders) {
  const auto groups = groups_of(task.map);
  if (!groups) return;
  if (task.element_bytes == 4) add<float>(task, *groups, contenders);
  if (task.element_bytes == 8) add<double>(task, *groups, contenders);
  if (task.element_bytes == 16) add<std::complex<double>>(task, *groups, contenders);
}

std::vector<std::string> planners(bool missing) {
  std::vector<std::string> names;
  for (const auto& [name, there] :
       {std::pair{"fftw estimate", FARO_HAVE_FFTW}, std::pair{"fftw measure", FARO_HAVE_FFTW},
        std::pair{"hptt", FARO_HAVE_HPTT}, std::pair{"onednn", FARO_HAVE_DNNL},
        std::pair{"eigen", FARO_HAVE_EIGEN}}) {
    if ((there != 0) != missing) names.emplace_back(name);
  }
  return names;
}

}  // namespace faro::peers
