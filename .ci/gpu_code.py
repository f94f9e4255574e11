"""Machine code of the kernels that faro emits, as NVIDIA's and AMD's compilers make it without a device.
usage: gpu_code.py FARO      NVRTC and cuobjdump are looked for among the wheels of this Python, clang on the path

Every kernel is compiled by NVRTC for every architecture from sm_75 to sm_121 that it knows: no word in its log, no
spill, no stack, and the promised accesses, by width and number; the last are counted in the machine code, SASS."""
import collections
import ctypes
import pathlib
import random
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile

faro = sys.argv[1]
tally = {"passed": 0, "failed": 0, "skipped": 0}
rng = random.Random(6)
TARGETS = (75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121)

# What a kernel moves, and the accesses of a thread: global read and written, shared stored and loaded, as number x bits.
REVERSED = "i:24 -> rev(i)"
GOLDEN = [
    (REVERSED, 1, [], "4x128 4x128 16x32 16x32"),
    (REVERSED, 2, [], "4x128 4x128 16x32 16x32"),
    (REVERSED, 4, [], "4x128 4x128 4x128 16x32"),
    (REVERSED, 8, [], "4x128 4x128 4x128 8x64"),
    (REVERSED, 16, [], "4x128 4x128 4x128 4x128"),
    (REVERSED, 32, [], "4x128 4x128 4x128 4x128"),
    ("i:24 -> swap(i, 0, 23)", 4, [], "4x128 4x128 16x32 16x32"),
    ("i:24 -> swap(i, 0, 23)", 8, [], "4x128 4x128 4x128 8x64"),
    ("i:24 -> ~rev(i)", 4, [], "4x128 4x128 4x128 16x32"),
    ("i:24 -> gray(i)", 4, [], "4x32 4x32 - -"),
    ("i:24 -> gray(i)", 16, [], "4x128 4x128 - -"),
    (REVERSED, 4, ["--in-place"], "8x128 8x128 8x128 32x32"),
    (REVERSED, 8, ["--in-place"], "4x128 4x128 4x128 8x64"),
    (REVERSED, 16, ["--in-place"], "8x128 8x128 8x128 8x128"),
    (REVERSED, 1, ["--in-place"], "8x128 8x128 32x32 32x32"),
]
# Whose loops have no golden number of accesses: axes of any length, rolled ones, odd elements, some elements only.
OTHERS = [
    ("r=6001 c=6003 -> c r", 4, []), ("r=6001 c=6003 -> c r", 8, []), ("r=9 b:7 c=5 -> gray(b) ~c r", 1, []),
    ("r=1001 c=703 -> roll(c, 2) roll(r, 3)", 4, []), ("r=1001 -> roll(r, 500)", 16, []), (REVERSED, 3, []),
    (REVERSED, 12, []), (REVERSED, 24, ["--in-place"]), ("i:24 -> swap(i, 0, 23)", 8, ["--in-place", "--only", "5=1,3=0"]),
    ("i:24 -> swap(i, 0, 23)", 16, ["--only", "1=1"]), ("i:37 -> rev(i)", 1, []), ("i:4 -> rev(i)", 4, ["--in-place"]),
]


def check(good, *words):
    tally["passed" if good else "failed"] += 1
    if not good:
        print("FAILED:", *words, flush=True)
    return good


def random_matrix(n):
    """In the notation: invertible, as a product of a permutation and two triangles."""
    columns = [1 << i for i in rng.sample(range(n), n)]
    for _ in range(4 * n):
        i, j = rng.sample(range(n), 2)
        columns[i] ^= columns[j]
    return f"matrix({', '.join(map(hex, columns))}) ^ {hex(rng.getrandbits(n))}"


def emitted(language, words, element, more, name="moved"):
    done = subprocess.run([faro, "emit", language, words, "--element", str(element), "--name", name, *more],
                          capture_output=True, text=True)
    check(done.returncode == 0, words, element, done.stderr)
    return done.stdout


def found(name):
    """A file of NVIDIA's wheels."""
    folder = pathlib.Path(sysconfig.get_paths()["purelib"], "nvidia")
    newest = sorted(folder.rglob(name), key=lambda path: (path.name, str(path)), reverse=True)
    return str(newest[0]) if newest else shutil.which(name)


class Nvrtc:
    def __init__(self, path):
        self.library = ctypes.CDLL(path)
        count = ctypes.c_int()
        self.library.nvrtcGetNumSupportedArchs(ctypes.byref(count))
        known = (ctypes.c_int * count.value)()
        self.library.nvrtcGetSupportedArchs(known)
        self.targets = [target for target in TARGETS if target in known]

    def text(self, program, what):
        size = ctypes.c_size_t()
        getattr(self.library, f"nvrtcGet{what}Size")(program, ctypes.byref(size))
        held = ctypes.create_string_buffer(size.value)
        getattr(self.library, f"nvrtcGet{what}")(program, held)
        return held.raw

    def compiled(self, source, target):
        """The machine code and what the compiler says."""
        program = ctypes.c_void_p()
        self.library.nvrtcCreateProgram(ctypes.byref(program), source.encode(), b"moved.cu", 0, None, None)
        options = (ctypes.c_char_p * 1)(f"--gpu-architecture=sm_{target}".encode())
        status = self.library.nvrtcCompileProgram(program, 1, options)
        log = self.text(program, "ProgramLog").rstrip(b"\0").decode().strip()
        code = self.text(program, "CUBIN") if status == 0 else b""
        self.library.nvrtcDestroyProgram(ctypes.byref(program))
        return code, log


def accesses(sass):
    """Of a thread, by space: the widths in bits and how many."""
    counts = {space: collections.Counter() for space in ("LDG", "STG", "STS", "LDS")}
    for space, rest in re.findall(r"\b(LDG|STG|STS|LDS)((?:\.\w+)*)", sass):
        width = re.search(r"\.(?:U|S)?(8|16|64|128)\b", rest)
        counts[space][int(width.group(1)) if width else 32] += 1
    return " ".join("+".join(f"{n}x{w}" for w, n in sorted(c.items())) or "-" for c in counts.values())


def ready(folder):
    """The ready code of the library, as the driver will translate it: no spill, no stack."""
    ptxas = found("ptxas") or shutil.which("/usr/local/cuda/bin/ptxas")
    if ptxas is None:
        print("no ptxas here (pip install nvidia-cuda-nvcc): the ready code is not translated")
        tally["skipped"] += 1
        return
    known = subprocess.run([ptxas, "--help"], capture_output=True, text=True).stdout
    for target in (target for target in TARGETS if f"sm_{target}'" in known):
        done = subprocess.run([ptxas, f"-arch=sm_{target}", "-v", "-o", pathlib.Path(folder, "ready.cubin"),
                               "src/gpu/table_kernels.ptx"], capture_output=True, text=True)
        frames = re.findall(r"(\d+) bytes stack frame, (\d+) bytes spill stores", done.stderr)
        check(done.returncode == 0 and frames == [("0", "0")] * 5, "ptxas", f"sm_{target}", done.stderr[-1500:])


def nvidia(folder):
    library, dump = found("libnvrtc.so.1[0-9]"), found("cuobjdump")
    if library is None:
        print("no NVRTC here (pip install nvidia-cuda-nvrtc): the CUDA text is not compiled")
        tally["skipped"] += 1
        return
    nvrtc = Nvrtc(library)
    check(nvrtc.targets[0] == 75 and nvrtc.targets[-1] >= 90, "architectures", nvrtc.targets)
    affine = [(random_matrix(24), element, [], None) for element in (1, 2, 4, 8, 16)]
    kernels = GOLDEN + [(*case, None) for case in OTHERS] + affine
    texts = [emitted("cuda", *case[:3], f"k{i}") for i, case in enumerate(kernels)]
    for i in range(0, len(kernels), 7):  # each alone too, as somebody pastes it
        check(not nvrtc.compiled(texts[i], 90)[1], "NVRTC", *kernels[i][:3])
    whole = texts[0] + "".join(re.sub(r"^(typedef|#define) .*\n", "", text, flags=re.M) for text in texts[1:])
    for target in nvrtc.targets:
        code, log = nvrtc.compiled(whole, target)
        if not check(code and not log, "NVRTC", f"sm_{target}", log) or dump is None:
            continue
        file = pathlib.Path(folder, "moved.cubin")
        file.write_bytes(code)
        usage = subprocess.run([dump, "-res-usage", file], capture_output=True, text=True).stdout
        sass = subprocess.run([dump, "-sass", file], capture_output=True, text=True).stdout
        used = dict(re.findall(r"Function k(\d+):\s*(REG:.*)", usage))
        bodies = dict(re.findall(r"Function : k(\d+)\n(.*?)(?=Function : |\Z)", sass, re.S))
        check(len(used) == len(bodies) == len(kernels), "kernels in the machine code", len(used), len(bodies))
        for i, (words, element, more, golden) in enumerate(kernels):
            name, body, numbers = (words, element, *more, f"sm_{target}"), bodies.get(str(i), ""), used.get(str(i), "")
            check("STACK:0" in numbers and "LOCAL:0" in numbers and not re.search(r"\b(LDL|STL)\b", body), "spills", *name, numbers)
            counted = accesses(body)
            if golden:
                check(counted == golden, "accesses of", *name, "are", counted, "wanted", golden)
            elif "matrix" in words:
                check(counted.startswith("4x128 4x128 "), "whole vectors", *name, counted)
            if target == 90:
                registers = numbers.split()[0].removeprefix("REG:")
                print(f"{registers} registers  {counted:28} {element:2} bytes  {words[:44]} {' '.join(more)}")
    if dump is None:
        print("no cuobjdump here (pip install nvidia-cuda-cuobjdump nvidia-cuda-nvdisasm): the machine code is not read")
        tally["skipped"] += 1


# What HIP's headers declare that a kernel uses, so that clang needs no ROCm.
HIP = """#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __device__ __attribute__((device))
#define __launch_bounds__(N) __attribute__((amdgpu_flat_work_group_size(1, N)))
struct alignas(8) uint2 { unsigned x, y; };
struct alignas(16) uint4 { unsigned x, y, z, w; };
__device__ inline uint2 make_uint2(unsigned a, unsigned b) { return {a, b}; }
__device__ inline uint4 make_uint4(unsigned a, unsigned b, unsigned c, unsigned d) { return {a, b, c, d}; }
__device__ inline int __popc(unsigned a) { return __builtin_popcount(a); }
struct Lane { __device__ operator unsigned() const { return __builtin_amdgcn_workitem_id_x(); } };
struct Block { __device__ operator unsigned() const { return __builtin_amdgcn_workgroup_id_x(); } };
struct { Lane x; } static constexpr __device__ threadIdx{};
struct { Block x; } static constexpr __device__ blockIdx{};
__device__ inline void __syncthreads() {
  __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup");
  __builtin_amdgcn_s_barrier();
}
"""


def amd(folder):
    clang = shutil.which("clang++-14") or shutil.which("clang++")
    if clang is None:
        print("no clang here: the HIP text is not compiled")
        tally["skipped"] += 1
        return
    for words, element, more, golden in GOLDEN + [(*case, None) for case in OTHERS]:
        text = emitted("hip", words, element, more)
        check("#include <hip/hip_runtime.h>" in text, "HIP's header", words)
        source, out = pathlib.Path(folder, "moved.hip"), pathlib.Path(folder, "moved.s")
        source.write_text(HIP + re.sub(r"#ifndef __HIPCC_RTC__\n.*\n#endif\n", "", text))
        for target in ("gfx906", "gfx90a", "gfx1030"):
            name = (words, element, *more, target)
            done = subprocess.run([clang, "-x", "hip", "--cuda-device-only", "-nogpulib", "-nogpuinc", "-O3", "-S", "-std=c++17",
                                   "-Wall", "-Wextra", "-Werror", "-Wno-unused-function", "-Wno-unused-const-variable", f"--offload-arch={target}", "-o", out, source],
                                  capture_output=True, text=True)
            if not check(done.returncode == 0, "clang for", *name, done.stderr[-1500:]):
                continue
            code = out.read_text()
            spills = re.findall(r"\.(?:v|s)gpr_spill_count:\s*(\d+)", code)
            check(spills and set(spills) == {"0"}, "spills", *name, spills)
            if golden and "128" in golden.split()[0]:
                wanted = int(golden.split("x")[0])
                loads = len(re.findall(r"global_load_dwordx4|flat_load_dwordx4", code))
                stores = len(re.findall(r"global_store_dwordx4|flat_store_dwordx4", code))
                check((loads, stores) == (wanted, wanted), "128-bit accesses", *name, loads, stores, "wanted", wanted)


with tempfile.TemporaryDirectory() as place:
    ready(place)
    nvidia(place)
    amd(place)
print(f"gpu-code: {tally['passed']} passed, {tally['failed']} failed, {tally['skipped']} skipped")
sys.exit(tally["failed"] != 0)
