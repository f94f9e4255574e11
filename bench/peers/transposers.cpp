// Libraries that transpose matrices: OpenBLAS and MKL by their interface for it, found when the
// program runs (MKL as pip installs it: LD_LIBRARY_PATH=.../lib), libxsmm where it was built with.
#include <dlfcn.h>

#include <array>
#include <cstdlib>
#include <initializer_list>
#include <utility>

#include "peers.hpp"

#if FARO_HAVE_LIBXSMM
#include <libxsmm.h>
#endif

namespace faro::peers {
namespace {

void* open_any(std::initializer_list<const char*> names) {
  for (const char* name : names) {
    if (void* library = dlopen(name, RTLD_NOW | RTLD_LOCAL)) return library;
  }
  return nullptr;
}

template <class F>
F* function(void* library, const char* name) {
  return library == nullptr ? nullptr : reinterpret_cast<F*>(dlsym(library, name));
}

void* openblas() {
  static void* const library = open_any({"libopenblas.so.0", "libopenblas.so"});
  return library;
}

// Its threads are a layer of their own, chosen before it is first called.
void* mkl(int threads) {
  static void* const library = [&] {
    setenv("MKL_THREADING_LAYER", threads == 1 ? "SEQUENTIAL" : "GNU", 0);
    return open_any({"libmkl_rt.so.3", "libmkl_rt.so.2", "libmkl_rt.so"});
  }();
  return library;
}

// Both say: order, trans, rows, cols, alpha, a, lda, b, ldb. OpenBLAS has numbers for the first
// two, int sizes and complex factors by their address, MKL letters, size_t and by value.
constexpr int row_major = 101;
constexpr int transposed = 112;
struct Complex {
  double real, imaginary;
};

template <class Number>
using BlasOut = void(int, int, int, int, Number, const void*, int, void*, int);
template <class Number>
using BlasIn = void(int, int, int, int, Number, void*, int, int);
template <class Number>
using MklOut = void(char, char, std::size_t, std::size_t, Number, const void*, std::size_t, void*,
                    std::size_t);
template <class Number>
using MklIn = void(char, char, std::size_t, std::size_t, Number, void*, std::size_t, std::size_t);

template <class Number>
void add_openblas(const Task& task, Transpose t, char letter, Number one, Contenders& contenders) {
  const void* from = task.from.data();
  void* to = task.to.data();
  const int rows = static_cast<int>(t.rows);
  const int columns = static_cast<int>(t.columns);
  const std::string prefix = std::string("cblas_") + letter;
  if (task.in_place()) {
    // Through a buffer as large, and one of 2^28 bytes it cannot have ends the program.
    constexpr std::size_t bytes_max = std::size_t{1} << 27U;
    if (task.to.size() > bytes_max) return;
    if (auto* call = function<BlasIn<Number>>(openblas(), (prefix + "imatcopy").c_str())) {
      contenders.push_back({"openblas", [=] {
                              call(row_major, transposed, rows, columns, one, to, columns, rows);
                            }});
    }
  } else if (auto* call = function<BlasOut<Number>>(openblas(), (prefix + "omatcopy").c_str())) {
    contenders.push_back(
        {"openblas",
         [=] { call(row_major, transposed, rows, columns, one, from, columns, to, rows); }});
  }
}

template <class Number>
void add_mkl(const Task& task, Transpose t, char letter, Number one, Contenders& contenders) {
  void* const library = mkl(task.threads);
  if (auto* threads = function<void(int)>(library, "MKL_Set_Num_Threads")) threads(task.threads);
  const void* from = task.from.data();
  void* to = task.to.data();
  const std::string prefix = std::string("MKL_") + letter;
  if (task.in_place()) {
    if (auto* call = function<MklIn<Number>>(library, (prefix + "imatcopy").c_str())) {
      contenders.push_back(
          {"mkl", [=] { call('R', 'T', t.rows, t.columns, one, to, t.columns, t.rows); }});
    }
  } else if (auto* call = function<MklOut<Number>>(library, (prefix + "omatcopy").c_str())) {
    contenders.push_back(
        {"mkl", [=] { call('R', 'T', t.rows, t.columns, one, from, t.columns, to, t.rows); }});
  }
}

#if FARO_HAVE_LIBXSMM
void add_libxsmm(const Task& task, Transpose t, Contenders& contenders) {
  const void* from = task.from.data();
  void* to = task.to.data();
  const auto element = static_cast<unsigned>(task.element_bytes);
  const auto rows = static_cast<libxsmm_blasint>(t.rows);
  const auto columns = static_cast<libxsmm_blasint>(t.columns);
  if (!task.in_place()) {
    contenders.push_back(
        {"libxsmm", [=] { libxsmm_otrans(to, from, element, columns, rows, columns, rows); }});
  } else if (rows == columns) {
    contenders.push_back({"libxsmm", [=] { libxsmm_itrans(to, element, columns, rows, columns); }});
  }
}
#endif

}  // namespace

void add_transposers(const Task& task, Contenders& contenders) {
  const auto t = transpose_of(task.map);
  if (!t) return;
  static constexpr std::array<double, 2> one_complex{1, 0};
  if (task.element_bytes == 4) {
    if (task.threads == 1) add_openblas(task, *t, 's', 1.0F, contenders);
    add_mkl(task, *t, 'S', 1.0F, contenders);
  } else if (task.element_bytes == 8) {
    if (task.threads == 1) add_openblas(task, *t, 'd', 1.0, contenders);
    add_mkl(task, *t, 'D', 1.0, contenders);
  } else if (task.element_bytes == 16) {
    if (task.threads == 1) add_openblas(task, *t, 'z', one_complex.data(), contenders);
    add_mkl(task, *t, 'Z', Complex{1, 0}, contenders);
  }
#if FARO_HAVE_LIBXSMM
  if (task.threads == 1) add_libxsmm(task, *t, contenders);
#endif
}

std::vector<std::string> transposers(bool missing) {
  std::vector<std::string> names;
  for (const auto& [name, there] :
       {std::pair{"openblas", openblas() != nullptr}, std::pair{"mkl", mkl(1) != nullptr},
        std::pair{"libxsmm", FARO_HAVE_LIBXSMM != 0}}) {
    if (there != missing) names.emplace_back(name);
  }
  return names;
}

}  // namespace faro::peers
