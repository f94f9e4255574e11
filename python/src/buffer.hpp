// An array's memory through the buffer protocol: elements are bytes, a dtype is only a size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "module.hpp"

namespace faro::python {

class Buffer {
 public:
  enum class Use { read, write };
  Buffer() = default;
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() { release(); }

  // False with a Python error set.
  bool take(PyObject* object, Use use) {
    const int flags = PyBUF_STRIDES | (use == Use::write ? PyBUF_WRITABLE : 0);
    held_ = PyObject_GetBuffer(object, &view_, flags) == 0;
    return held_;
  }
  void release() {
    if (held_) PyBuffer_Release(&view_);
    held_ = false;
  }
  const Py_buffer& view() const { return view_; }
  // All of an array without gaps. Throws python_error, Error(usage).
  std::span<std::byte> bytes_of(nb::handle object, Use use) {
    if (!take(object.ptr(), use)) throw nb::python_error();
    if (!in_c_order()) throw Error(ErrorCode::usage, "bytes that are not contiguous");
    return {static_cast<std::byte*>(view_.buf), static_cast<std::size_t>(view_.len)};
  }
  bool in_c_order() const { return PyBuffer_IsContiguous(&view_, 'C') != 0; }

  // The lowest address and how many bytes to the end of the highest element.
  std::pair<std::byte*, std::uint64_t> extent() const {
    std::int64_t low = 0;
    std::int64_t high = view_.itemsize;
    for (int d = 0; d < view_.ndim; ++d) {
      if (view_.shape[d] == 0) return {static_cast<std::byte*>(view_.buf), 0};
      const std::int64_t reach = view_.strides[d] * (view_.shape[d] - 1);
      (reach < 0 ? low : high) += reach;
    }
    return {static_cast<std::byte*>(view_.buf) + low, static_cast<std::uint64_t>(high - low)};
  }

 private:
  Py_buffer view_{};
  bool held_ = false;
};

// copy(span, span) from one array's bytes to another's, while Python goes on.
template <class Copy>
void between_buffers(nb::handle from, nb::handle to, Copy copy) {
  Buffer source;
  Buffer target;
  const std::span<const std::byte> read = source.bytes_of(from, Buffer::Use::read);
  const std::span<std::byte> written = target.bytes_of(to, Buffer::Use::write);
  const nb::gil_scoped_release unlocked;
  copy(read, written);
}

}  // namespace faro::python
