// Drivers that tests have: the fake ones of both vendors, and OpenCL's where a device is.
#pragma once

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "faro/base/error.hpp"
#include "faro/gpu/device.hpp"
#include "faro/words/say.hpp"
#include "paths.hpp"

namespace faro {

using gpu::Language;
using gpu::Stream;

// Opened before the library asks for it by its name, of which the loader takes the one there is.
class Fake {
 public:
  explicit Fake(Language language) : language_(language) {
    const bool cuda = language == Language::cuda;
    const char* const driver = cuda ? "libcuda.so.1" : "libamdhip64.so";
    const char* const compiler = cuda ? "libnvrtc.so.13" : "libhiprtc.so";
    handle_ = ::dlopen(testing::build_path(std::string("tests/fake/") + driver).c_str(), RTLD_NOW);
    void* const other =
        ::dlopen(testing::build_path(std::string("tests/fake/") + compiler).c_str(), RTLD_NOW);
    EXPECT_TRUE(handle_ != nullptr && other != nullptr) << ::dlerror();
    current(0);
    forget();
  }
  Fake(const Fake&) = delete;
  Fake& operator=(const Fake&) = delete;
  ~Fake() {
    call<void(int)>("fake_failing")(0);
    current(-1);
  }

  std::string said() const { return call<const char*()>("fake_said")(); }
  void forget() const { call<void()>("fake_forget")(); }
  void failing(int status) const { call<void(int)>("fake_failing")(status); }
  void current(int device) const { call<void(int)>("fake_current")(device); }
  const std::string& table() const { return *call<const std::string*()>("fake_table")(); }
  std::size_t modules() const { return call<std::size_t()>("fake_modules")(); }
  Stream stream(int device) const {
    return {language_, call<void*(int)>("fake_stream")(device),
            language_ == Language::cuda ? -1 : device};
  }

 private:
  template <class Function>
  Function* call(const char* name) const {
    return reinterpret_cast<Function*>(::dlsym(handle_, name));
  }
  Language language_;
  void* handle_ = nullptr;
};

// What a call throws, in words.
template <class Work>
std::string refusal(Work&& work) {
  try {
    work();
  } catch (const Error& error) {
    return std::string(name_of(error.code())) + ": " + error.what();
  }
  return "none";
}

inline void expect_in(const std::string& words, const std::string& text) {
  EXPECT_NE(text.find(words), std::string::npos) << "'" << words << "' is not in: " << text;
}

inline BitMap reversal(int width) {
  return say("i:" + std::to_string(width) + " -> rev(i)").map.as_bits();
}

inline std::size_t opencl_devices() {
  ::setenv("POCL_DEVICES", "basic basic", 0);  // read when it is first asked: PoCL has two of them
  try {
    return gpu::devices(Language::opencl).size();
  } catch (const Error&) {
    return 0;
  }
}

}  // namespace faro
