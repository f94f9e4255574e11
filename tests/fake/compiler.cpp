// A compiler of kernels that compiles nothing: NVRTC, or with FAKE_HIP hipRTC. Its code is the text
// with the options in front, which the fake driver reads.
#include <cstddef>
#include <cstring>
#include <string>

#ifdef FAKE_HIP
#define NAME(what) hiprtc##what
#else
#define NAME(what) nvrtc##what
#endif

namespace {

struct Program {
  std::string text;
  std::string code;
};
Program& of(void* program) {
  return *static_cast<Program*>(program);
}

}  // namespace

extern "C" {

int NAME(CreateProgram)(void** program, const char* text, const char* /*name*/, int headers,
                        const char* const* /*texts*/, const char* const* /*names*/) {
  if (headers != 0) return 3;
  *program = new Program{text, {}};
  return 0;
}
int NAME(CompileProgram)(void* program, int count, const char* const* options) {
  Program& held = of(program);
  if (held.text.find("faro_permute") == std::string::npos) return 6;
  for (int i = 0; i < count; ++i) held.code += options[i] + std::string(" ");
  held.code += "\n" + held.text;
  return 0;
}
int NAME(DestroyProgram)(void** program) {
  delete static_cast<Program*>(*program);
  return 0;
}
int NAME(GetProgramLogSize)(void* /*program*/, std::size_t* bytes) {
  *bytes = 1;
  return 0;
}
int NAME(GetProgramLog)(void* /*program*/, char* log) {
  *log = 0;
  return 0;
}
const char* NAME(GetErrorString)(int /*status*/) {
  return "FAKE_COMPILER_ERROR";
}
static int size(void* program, std::size_t* bytes) {
  *bytes = of(program).code.size() + 1;
  return 0;
}
static int code(void* program, char* to) {
  std::memcpy(to, of(program).code.c_str(), of(program).code.size() + 1);
  return 0;
}
#ifdef FAKE_HIP
int hiprtcGetCodeSize(void* program, std::size_t* bytes) {
  return size(program, bytes);
}
int hiprtcGetCode(void* program, char* to) {
  return code(program, to);
}
#else
int nvrtcGetCUBINSize(void* program, std::size_t* bytes) {
  return size(program, bytes);
}
int nvrtcGetCUBIN(void* program, char* to) {
  return code(program, to);
}
int nvrtcGetPTXSize(void* program, std::size_t* bytes) {
  return size(program, bytes);
}
int nvrtcGetPTX(void* program, char* to) {
  return code(program, to);
}
int nvrtcGetNumSupportedArchs(int* count) {
  *count = 2;
  return 0;
}
int nvrtcGetSupportedArchs(int* targets) {
  targets[0] = 80;
  targets[1] = 90;
  return 0;
}
#endif

}  // extern "C"
