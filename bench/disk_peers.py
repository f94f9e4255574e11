"""disk_peers.py PEER MAP FILE FOLDER BITS MEMORY GROUP_MEMORY LIMIT: one peer of disk_bench.

Prints "time SECONDS", "limit SECONDS" or "none WHY". The parent makes the control group, keeps the clock
and tidies up; the child is in the group from before it touches the file.
"""
import os, shutil, signal, subprocess, sys, time
peer, name, source, folder, bits, memory, group_memory, limit = sys.argv[1:]
bits, memory, limit = int(bits), int(memory), float(limit)
half = bits // 2
rows, columns = 1 << half, 1 << (bits - half)
target = os.path.join(folder, "peer")

def none(why):
    print("none", why)
    sys.exit()

try:
    import numpy as np
    if peer == "rechunker": import rechunker, zarr
    if peer == "h5repack": import h5py
except Exception as error:
    none(error)
if peer == "h5repack" and not shutil.which("h5repack"): none("h5repack is not installed")
if peer != "memmap" and name != "transpose": none("it knows boxes alone")
if name not in ("transpose", "bit-reversal", "gray"): none("it has no words for this map")

def forget(path):
    inside = [os.path.join(where, file) for where, _, files in os.walk(path) for file in files]
    for file in inside or [path]:
        opened = os.open(file, os.O_RDONLY)
        os.fsync(opened)
        os.posix_fadvise(opened, 0, 0, os.POSIX_FADV_DONTNEED)
        os.close(opened)

def memmap():
    a = np.memmap(source, dtype="<u8", mode="r")
    b = np.memmap(target, dtype="<u8", mode="w+", shape=a.shape)
    if name == "transpose":
        b.reshape(columns, rows)[...] = a.reshape(rows, columns).T
    elif name == "bit-reversal":
        b.reshape((2,) * bits)[...] = a.reshape((2,) * bits).transpose()
    else:
        step = min(len(a), 1 << (memory // 128).bit_length())
        for at in range(0, len(a), step):
            i = np.arange(at, at + step)
            b[i ^ (i >> 1)] = a[at:at + step]
    b.flush()

# Rows of 1 MiB chunks become one chunk for each column: in chunks' order that is the transpose.
def make_zarr():
    a = np.memmap(source, dtype="<u8", mode="r").reshape(rows, columns)
    step = max((1 << 17) // columns, 1)
    z = zarr.open(target + "-in.zarr", mode="w", shape=a.shape, chunks=(step, columns),
                  dtype="<u8", compressor=None)
    for r in range(0, rows, step): z[r:r + step] = a[r:r + step]
    forget(target + "-in.zarr")

def rechunk():
    z = zarr.open(target + "-in.zarr", mode="r")
    rechunker.rechunk(z, (rows, 1), memory, target + ".zarr", temp_store=target + "-between.zarr",
                      target_options={"compressor": None}, executor="python").execute()
    os.sync()

def make_h5():
    with h5py.File(target + "-in.h5", "w") as file:
        file.create_dataset("a", shape=(rows, columns), dtype="<u8",
                            external=[(source, 0, 8 << bits)])

def h5repack():
    subprocess.run(["h5repack", "-l", f"a:CHUNK={rows}x1", target + "-in.h5", target + ".h5"],
                   check=True, stdout=subprocess.DEVNULL)
    os.sync()

def tidy():
    for file in os.listdir(folder):
        path = os.path.join(folder, file)
        if file.startswith("peer"): (shutil.rmtree if os.path.isdir(path) else os.remove)(path)

prepare, work = {"memmap": (None, memmap), "rechunker": (make_zarr, rechunk),
                 "h5repack": (make_h5, h5repack)}[peer]
lines = [line.strip().split(":", 2) for line in open("/proc/self/cgroup")]
lines = {line[1]: line[2] for line in lines}
v1 = "memory" in lines
base = "/sys/fs/cgroup/memory" + lines["memory"] if v1 else "/sys/fs/cgroup" + lines.get("", "/")
group = f"{base}/faro-peer-{os.getpid()}"
try:
    if prepare: prepare()
    forget(source)
    os.mkdir(group)
    with open(group + ("/memory.limit_in_bytes" if v1 else "/memory.max"), "w") as file:
        file.write(group_memory)
except OSError as error:
    tidy()
    none(f"no control group: {error}")
start = time.monotonic()
child = os.fork()
if child == 0:
    os.setpgid(0, 0)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    with open(group + "/cgroup.procs", "w") as file: file.write(str(os.getpid()))
    try:
        work()
    except BaseException as error:
        print(error, file=sys.stderr)
        os._exit(1)
    os._exit(0)
status = None
while status is None and time.monotonic() - start < limit:
    time.sleep(0.02)
    ended, code = os.waitpid(child, os.WNOHANG)
    if ended: status = os.waitstatus_to_exitcode(code)
taken = time.monotonic() - start
if status is None:
    os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
tidy()
for _ in range(100):
    try: os.rmdir(group); break
    except OSError: time.sleep(0.1)
if status: none(f"ended with {status}")
print("limit" if status is None else "time", taken)
