// Arrays in and out: plans bound, and the short way for small arrays.
//
// permute_fast takes the common case whole (two NumPy arrays in C order, no other argument) and
// returns NotImplemented for everything else, which faro/_arrays.py then handles. Elements are
// bytes here: a dtype is only a size, and comes back with `out`.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "array_plan.hpp"
#include "buffer.hpp"
#include "engine/reference.hpp"
#include "faro/words/say.hpp"
#include "layouts/rearrangement.hpp"

namespace faro::python {
namespace {

// --- the short way -------------------------------------------------------------------------------

struct NumPy {
  PyTypeObject* ndarray = nullptr;
  PyObject* empty_like = nullptr;
  PyObject* dtype_name = nullptr;
  std::array<PyObject*, 32> good_types{};  // dtypes without references inside; owned
  std::size_t next = 0;
};

NumPy& numpy() {
  static NumPy facts;
  return facts;
}

// Called by the Python side once NumPy is there.
void use_numpy(nb::handle ndarray, nb::handle empty_like) {
  NumPy& n = numpy();
  n.ndarray = reinterpret_cast<PyTypeObject*>(ndarray.inc_ref().ptr());
  n.empty_like = empty_like.inc_ref().ptr();
  n.dtype_name = PyUnicode_InternFromString("dtype");
}

bool holds_no_references(PyObject* array) {
  NumPy& n = numpy();
  PyObject* dtype = PyObject_GetAttr(array, n.dtype_name);
  if (dtype == nullptr) {
    PyErr_Clear();
    return false;
  }
  const bool known =
      std::find(n.good_types.begin(), n.good_types.end(), dtype) != n.good_types.end();
  if (known) {
    Py_DECREF(dtype);
    return true;
  }
  PyObject* inside = PyObject_GetAttrString(dtype, "hasobject");
  const bool good = inside == Py_False;
  Py_XDECREF(inside);
  if (!good) {
    PyErr_Clear();
    Py_DECREF(dtype);
    return false;
  }
  PyObject*& slot = n.good_types[n.next++ % n.good_types.size()];
  Py_XDECREF(slot);
  slot = dtype;
  return true;
}

// Of one type object, as almost all arrays of one type are; others are compared in Python.
bool same_type(PyObject* a, PyObject* b) {
  PyObject* const of_a = PyObject_GetAttr(a, numpy().dtype_name);
  PyObject* const of_b = PyObject_GetAttr(b, numpy().dtype_name);
  const bool same = of_a != nullptr && of_a == of_b;
  if (of_a == nullptr || of_b == nullptr) PyErr_Clear();
  Py_XDECREF(of_a);
  Py_XDECREF(of_b);
  return same;
}

struct CacheEntry {
  PyObject* map = nullptr;  // an interned text or a BitMap; owned
  std::uint64_t count = 0;
  std::uint64_t element_bytes = 0;
  Where where = Where::out_of_place;
  std::shared_ptr<const ArrayPlan> plan;  // null: words that give a shape go the long way
  bool one_axis_only = false;             // words that are flat on an array of one axis
};

constexpr std::size_t cache_entries = 256;

std::array<CacheEntry, cache_entries>& cache() {
  static std::array<CacheEntry, cache_entries> entries;
  return entries;
}

// The map, and whether it is that of every array of so many elements.
struct FlatMap {
  BitMap map;
  bool one_axis_only = false;
};

// Nothing where the words give the result a shape.
std::optional<FlatMap> flat_map(PyObject* map, std::uint64_t count) {
  const nb::handle object(map);
  if (!nb::isinstance<nb::str>(object)) return FlatMap{map_from(object, log2_exact(count)).map};
  Sizes sizes;
  sizes.shape = {count};
  const Said said = say(nb::cast<std::string>(object), sizes);
  if (said.names_axes || said.map.bits() == nullptr) return {};
  return FlatMap{said.map.as_bits(), !said.any_shape};
}

// nullptr where the text or the size is none: the long way says why.
const CacheEntry* cached_plan(PyObject* map, std::uint64_t count, std::uint64_t element_bytes,
                              Where where) {
  const std::size_t slot = ((reinterpret_cast<std::uintptr_t>(map) >> 4U) * 31 + count * 7 +
                            element_bytes * 5 + static_cast<std::size_t>(where) * 131) %
                           cache_entries;
  CacheEntry& entry = cache()[slot];
  if (entry.map == map && entry.count == count && entry.element_bytes == element_bytes &&
      entry.where == where)
    return &entry;
  if (!is_power_of_two(count)) return nullptr;
  std::shared_ptr<const ArrayPlan> plan;
  bool one_axis_only = false;
  try {
    if (const auto flat = flat_map(map, count)) {
      plan = std::make_shared<ArrayPlan>(flat->map, PermuteShape{.element_bytes = element_bytes},
                                         where, 0);
      one_axis_only = flat->one_axis_only;
    }
  } catch (const std::exception&) {
    return nullptr;
  }
  PyObject* old = entry.map;
  Py_INCREF(map);
  entry = {map, count, element_bytes, where, std::move(plan), one_axis_only};
  Py_XDECREF(old);
  return &entry;
}

PyObject* not_this_way() {
  return Py_NewRef(Py_NotImplemented);
}

PyObject* run_fast(PyObject* x, PyObject* map, PyObject* out) {
  const NumPy& n = numpy();
  Buffer from;
  if (!from.take(x, Buffer::Use::read) || !from.in_c_order()) {
    PyErr_Clear();
    return not_this_way();
  }
  const auto bytes = static_cast<std::uint64_t>(from.view().len);
  const auto element_bytes = static_cast<std::uint64_t>(from.view().itemsize);
  if (bytes == 0 || element_bytes == 0) return not_this_way();
  const Where where = out == x ? Where::in_place : Where::out_of_place;
  const CacheEntry* entry = cached_plan(map, bytes / element_bytes, element_bytes, where);
  if (entry == nullptr || entry->plan == nullptr) return not_this_way();
  if (entry->one_axis_only && from.view().ndim != 1) return not_this_way();
  const std::shared_ptr<const ArrayPlan> plan = entry->plan;  // the cache may change meanwhile
  PyObject* result = nullptr;
  Buffer to;
  if (where == Where::in_place) {
    from.release();
    if (!from.take(x, Buffer::Use::write)) {
      PyErr_Clear();
      return not_this_way();
    }
    result = Py_NewRef(x);
  } else if (out == nullptr) {
    PyObject* const arguments[1] = {x};
    result = PyObject_Vectorcall(n.empty_like, arguments, 1, nullptr);
    if (result == nullptr) return nullptr;
  } else {
    if (Py_TYPE(out) != n.ndarray || !same_type(x, out)) return not_this_way();
    result = Py_NewRef(out);
  }
  if (where == Where::out_of_place) {
    const bool fits = to.take(result, Buffer::Use::write) && to.in_c_order() &&
                      to.view().len == from.view().len &&
                      to.view().itemsize == from.view().itemsize;
    const auto a = reinterpret_cast<std::uintptr_t>(from.view().buf);
    const auto b = reinterpret_cast<std::uintptr_t>(to.view().buf);
    if (!fits || (a < b + bytes && b < a + bytes)) {
      PyErr_Clear();
      Py_DECREF(result);
      return not_this_way();
    }
  }
  try {
    plan->run(static_cast<std::byte*>(from.view().buf),
              where == Where::in_place ? nullptr : static_cast<std::byte*>(to.view().buf), nullptr);
  } catch (nb::python_error& error) {
    error.restore();
    Py_DECREF(result);
    return nullptr;
  } catch (const std::bad_alloc&) {
    Py_DECREF(result);
    return PyErr_NoMemory();
  } catch (const std::exception& error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
    Py_DECREF(result);
    return nullptr;
  }
  return result;
}

// permute(x, map) or permute(x, map, out=y) of NumPy arrays in C order, else NotImplemented.
PyObject* permute_fast(PyObject*, PyObject* const* arguments, Py_ssize_t count, PyObject* names) {
  const NumPy& n = numpy();
  if (count != 2 || n.ndarray == nullptr || Py_TYPE(arguments[0]) != n.ndarray)
    return not_this_way();
  PyObject* out = nullptr;
  if (names != nullptr && PyTuple_Size(names) > 0) {
    if (PyTuple_Size(names) != 1 ||
        PyUnicode_CompareWithASCIIString(PyTuple_GetItem(names, 0), "out") != 0)
      return not_this_way();
    out = arguments[2] == Py_None ? nullptr : arguments[2];
  }
  if (!holds_no_references(arguments[0])) return not_this_way();
  PyObject* map = arguments[1];
  if (!PyUnicode_CheckExact(map)) return run_fast(arguments[0], map, out);
  Py_INCREF(map);
  PyUnicode_InternInPlace(&map);
  PyObject* result = run_fast(arguments[0], map, out);
  Py_DECREF(map);
  return result;
}

PyMethodDef fast_methods[] = {
    {"permute_fast", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(permute_fast)),
     METH_FASTCALL | METH_KEYWORDS, "permute(x, map, out=None) where it is simple"},
    {nullptr, nullptr, 0, nullptr}};

// --- the long way ----------------------------------------------------------------------------

// The buffers' memory from the lowest address on, where the plan's arrays are; in place `out` is None.
void run_on_memory(const ArrayPlan& plan, nb::handle x, nb::handle out, nb::handle progress) {
  Buffer from;
  Buffer to;
  const bool in_place = plan.where() == Where::in_place;
  if (!from.take(x.ptr(), in_place ? Buffer::Use::write : Buffer::Use::read))
    throw nb::python_error();
  if (!in_place && !to.take(out.ptr(), Buffer::Use::write)) throw nb::python_error();
  const PlanFacts& facts = plan.plan().facts();
  const auto [a, a_bytes] = from.extent();
  const auto [b, b_bytes] = in_place ? std::pair<std::byte*, std::uint64_t>{} : to.extent();
  if (a_bytes != facts.from_bytes || (!in_place && b_bytes != facts.to_bytes))
    throw Error(ErrorCode::usage, fmt::format("arrays over {} and {} bytes for a plan of {} and {}",
                                              a_bytes, b_bytes, facts.from_bytes, facts.to_bytes));
  if (a < b + b_bytes && b < a + a_bytes)
    throw Error(ErrorCode::usage, "out overlaps the array; it must be the same memory or apart");
  plan.run(a, b, progress.ptr());
}

bool fits(const Buffer& buffer, const ArrayPlan& plan) {
  return plan.any_shape() && buffer.in_c_order() &&
         static_cast<std::uint64_t>(buffer.view().len) == plan.plan().data_bytes() &&
         static_cast<std::uint64_t>(buffer.view().itemsize) == plan.element_bytes();
}

// A plan called on two arrays, both in C order: the ready plan's short way. `out` is x in place.
bool run_ready(const ArrayPlan& plan, nb::handle x, nb::handle out) {
  Buffer from;
  Buffer to;
  const bool in_place = plan.where() == Where::in_place;
  if (in_place && !x.is(out)) return false;
  if (Py_TYPE(x.ptr()) != numpy().ndarray || !holds_no_references(x.ptr())) return false;
  if (!from.take(x.ptr(), in_place ? Buffer::Use::write : Buffer::Use::read) || !fits(from, plan)) {
    PyErr_Clear();
    return false;
  }
  auto* a = static_cast<std::byte*>(from.view().buf);
  if (in_place) {
    plan.run(a, nullptr, nullptr);
    return true;
  }
  if (Py_TYPE(out.ptr()) != numpy().ndarray || !same_type(x.ptr(), out.ptr()) ||
      !to.take(out.ptr(), Buffer::Use::write) || !fits(to, plan)) {
    PyErr_Clear();
    return false;
  }
  auto* b = static_cast<std::byte*>(to.view().buf);
  const std::uint64_t bytes = plan.plan().data_bytes();
  if (a < b + bytes && b < a + bytes) return false;
  plan.run(a, b, nullptr);
  return true;
}

// plan(x, out), a slot of the type so that it costs no frame; everything else is Python's _call.
PyObject* call_plan(PyObject* self, PyObject* arguments, PyObject* names) {
  if (names == nullptr && PyTuple_Size(arguments) == 2 && nb::inst_ready(self)) {
    PyObject* x = PyTuple_GetItem(arguments, 0);
    PyObject* out = PyTuple_GetItem(arguments, 1);
    try {
      if (run_ready(*nb::inst_ptr<ArrayPlan>(self), x, out)) return Py_NewRef(out);
    } catch (nb::python_error& error) {
      error.restore();
      return nullptr;
    } catch (const std::exception&) {  // told by the long way, which meets it again
    }
  }
  PyObject* slow = PyObject_GetAttrString(self, "_call");
  if (slow == nullptr) return nullptr;
  PyObject* result = PyObject_Call(slow, arguments, names);
  Py_DECREF(slow);
  return result;
}

using Lengths = std::vector<std::uint64_t>;
using Strides = std::vector<std::int64_t>;

// Element (0, 0, ..) of a view is above the lowest address by what negative strides reach down.
ArrayPlaces places(const Lengths& shape, const Strides& strides) {
  ArrayPlaces result{shape, strides, 0};
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (strides[d] >= 0 || shape[d] == 0) continue;
    const auto reach = std::uint64_t{0} - static_cast<std::uint64_t>(strides[d]);
    result.offset += reach * (shape[d] - 1);
  }
  return result;
}

void bind_plan(nb::module_& m) {
  static PyType_Slot slots[] = {{Py_tp_call, reinterpret_cast<void*>(call_plan)}, {0, nullptr}};
  nb::class_<ArrayPlan> c(m, "ArrayPlan", nb::type_slots(slots));
  c.def("__init__", [](ArrayPlan* self, const NamedMap& map, std::uint64_t element_bytes,
                       std::uint64_t outer, std::uint64_t inner, bool in_place, int threads) {
    new (self) ArrayPlan(map.map, PermuteShape{element_bytes, outer, inner},
                         in_place ? Where::in_place : Where::out_of_place, threads);
  });
  c.def("__init__", [](ArrayPlan* self, const Map& map, std::uint64_t element_bytes,
                       const Lengths& from, const Strides& from_strides, const Lengths& to,
                       const Strides& to_strides, bool in_place, int threads) {
    new (self) ArrayPlan(
        map, TensorShape{element_bytes, places(from, from_strides), places(to, to_strides)},
        in_place ? Where::in_place : Where::out_of_place, threads);
  });
  c.def("_run", run_on_memory, nb::arg("x"), nb::arg("out").none(), nb::arg("progress").none());
  c.def("_measure", [](ArrayPlan& self, const NamedMap& map, std::uint64_t outer,
                       std::uint64_t inner, int threads, nb::handle x, nb::handle out) {
    Buffer from;
    Buffer to;
    const std::span<const std::byte> read = from.bytes_of(x, Buffer::Use::read);
    const std::span<std::byte> written = to.bytes_of(out, Buffer::Use::write);
    self.set_plan(PermutePlan::measured(map.map, {self.element_bytes(), outer, inner}, read,
                                        written, {.threads = threads}));
  });
  c.def_prop_ro("_facts", [](const ArrayPlan& p) {
    const PlanFacts& f = p.plan().facts();
    return nb::make_tuple(f.passes.size(), f.bytes_moved, f.working_bytes, f.threads);
  });
  c.def("_describe", [](const ArrayPlan& p) { return p.plan().describe(); });
}

}  // namespace

void bind_arrays(nb::module_& m) {
  bind_plan(m);
  m.def("use_numpy", use_numpy);
  m.def("extent", [](nb::handle x) {
    Buffer buffer;
    if (!buffer.take(x.ptr(), Buffer::Use::read)) throw nb::python_error();
    const auto [low, bytes] = buffer.extent();
    return nb::make_tuple(reinterpret_cast<std::uintptr_t>(low), bytes);
  });
  m.def(
      "map_for",
      [](nb::handle map, std::optional<int> width, const std::vector<std::uint64_t>& shape) {
        return map_from(map, width, shape);
      },
      nb::arg("map"), nb::arg("width").none(), nb::arg("shape"));
  m.def("rearrangement", [](const std::string& pattern, const std::vector<std::uint64_t>& shape) {
    const Rearrangement r = einops_rearrangement(pattern, shape);
    return nb::make_tuple(nb::tuple(nb::cast(r.split)), nb::tuple(nb::cast(r.order)),
                          nb::tuple(nb::cast(r.joined)));
  });
  if (PyModule_AddFunctions(m.ptr(), fast_methods) != 0) throw nb::python_error();
}

}  // namespace faro::python
