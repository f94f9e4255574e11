// Signals and progress of long work that runs without the interpreter's lock.
#pragma once

#include <chrono>
#include <exception>
#include <memory>

#include "faro/base/error.hpp"
#include "faro/base/progress.hpp"
#include "module.hpp"

namespace faro::python {

// KeyboardInterrupt, SystemExit and others that are no failure, met by the engine in a store of
// Python; raised again after the run.
class Stopped : public Error {
 public:
  explicit Stopped(const nb::python_error& error)
      : Error(ErrorCode::cancelled, "stopped"), error_(std::make_shared<nb::python_error>(error)) {}
  void restore() const { error_->restore(); }

 private:
  std::shared_ptr<nb::python_error> error_;
};

// Hears of the work without the interpreter's lock, takes it every 20 ms at most. Out of place an
// interrupt stops the work; in place stopping would leave the data half moved, so it runs on.
class Watch {
 public:
  enum class Interrupt { stops, waits };
  Watch(PyObject* callback, Interrupt interrupt)
      : callback_(callback), interrupt_(interrupt), next_(Clock::now() + interval) {}

  Continue operator()(std::uint64_t done, std::uint64_t total) {
    const auto now = Clock::now();
    if (now < next_ && done != total) return Continue::yes;
    next_ = now + interval;
    const nb::gil_scoped_acquire lock;
    if (failed_) return answer();
    if (callback_ != nullptr && callback_ != Py_None) {
      PyObject* result =
          PyObject_CallFunction(callback_, "KK", static_cast<unsigned long long>(done),
                                static_cast<unsigned long long>(total));
      if (result == nullptr) return failed();
      Py_DECREF(result);
    }
    if (PyErr_CheckSignals() != 0) return failed();
    return Continue::yes;
  }

  // After the work, with the lock: the error that was met, if any.
  void raise_if_failed() {
    if (!failed_) return;
    PyErr_Restore(type_, value_, trace_);
    throw nb::python_error();
  }
  ~Watch() = default;

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr auto interval = std::chrono::milliseconds(20);

  Continue failed() {
    failed_ = true;
    PyErr_Fetch(&type_, &value_, &trace_);
    return answer();
  }
  Continue answer() const { return interrupt_ == Interrupt::stops ? Continue::no : Continue::yes; }

  PyObject* callback_;
  Interrupt interrupt_;
  Clock::time_point next_;
  bool failed_ = false;
  PyObject* type_ = nullptr;
  PyObject* value_ = nullptr;
  PyObject* trace_ = nullptr;
};

enum class Lock { kept, released };

// Releasing the interpreter's lock costs more than moving this little.
inline Lock lock_for(std::uint64_t bytes) {
  return bytes <= (std::uint64_t{1} << 15U) ? Lock::kept : Lock::released;
}

// work(progress), without the lock if so; then, with it, what a signal, the callback or the work
// threw.
template <class Work>
void watched(PyObject* callback, Watch::Interrupt interrupt, Lock lock, Work&& work) {
  Watch watch(callback, interrupt);
  std::exception_ptr thrown;
  const auto guarded = [&] {
    try {
      work(Progress([&](std::uint64_t done, std::uint64_t total) { return watch(done, total); }));
    } catch (...) {
      thrown = std::current_exception();
    }
  };
  if (lock == Lock::kept) {
    guarded();
  } else {
    const nb::gil_scoped_release unlocked;
    guarded();
  }
  watch.raise_if_failed();
  if (thrown) std::rethrow_exception(thrown);
}

}  // namespace faro::python
