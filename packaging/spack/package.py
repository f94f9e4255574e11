# The source archive is what packaging/archive.sh writes; of a tree as it stands:
#   spack repo add packaging/spack-repo (this file as packages/faro/package.py); spack dev-build faro@0.2.0
from spack.package import *


class Faro(CMakePackage):
    """Moves data between layouts: plans the movement, proves the plan, performs it."""

    license("Apache-2.0")
    version("0.2.0")

    variant("mpi", default=False, description="arrays on MPI ranks, and the program faro-mpi")
    variant("python", default=False, description="the Python module")
    variant("codecs", default=True, description="Zarr chunks of Zstandard, Blosc, zlib and LZ4")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("fmt@9:")
    depends_on("highway@1.0.3:")
    depends_on("nlohmann-json@3.11:")
    depends_on("cli11@2.1:", type="build")
    depends_on("zstd", when="+codecs")
    depends_on("c-blosc", when="+codecs")
    depends_on("zlib-api", when="+codecs")
    depends_on("lz4", when="+codecs")
    depends_on("mpi", when="+mpi")
    extends("python@3.10:", when="+python")
    depends_on("py-nanobind@2.2:", type="build", when="+python")
    conflicts("%gcc@:11")
    conflicts("%clang@:13")

    def cmake_args(self):
        return [
            self.define("FARO_TESTS", False),
            self.define("FARO_EXAMPLES", False),
            self.define("FARO_PRECOMPILE", False),
            self.define_from_variant("FARO_MPI", "mpi"),
            self.define_from_variant("FARO_PYTHON", "python"),
        ]
