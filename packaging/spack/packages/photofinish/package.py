# A recipe for Spack, to be used from a clone of the sources:
#
#   spack repo add packaging/spack
#   spack dev-build photofinish@0.1.0 ^openmpi
#
# The version stands for the sources in the current directory; there is no archive to download.
from spack.package import *

try:  # from Spack 1.0 on; before that it is in spack.package
    from spack_repo.builtin.build_systems.cmake import CMakePackage, generator
except ImportError:
    pass


class Photofinish(CMakePackage):
    """Detects races (one-sided, buffer and message races) and deadlocks in MPI programs, and confirms races by forcing each
    order."""

    manual_download = True
    license("Apache-2.0")

    version("0.1.0")

    variant("pass", default=True, description="The compiler pass that instruments loads and stores (pfmpicc, pfmpicxx)")
    variant("fortran", default=False, when="+pass", description="The same for Fortran (pfmpifort)")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("python@3.9:", type="build")

    depends_on("mpi@3.1:")
    depends_on("cli11@2.1:2", type="build")
    depends_on("fmt@9:")
    depends_on("zstd@1.5: libs=static")
    depends_on("zlib-api")
    depends_on("xxhash@0.8:", type="build")
    depends_on("robin-map@1:", type="build")
    depends_on("elfutils@0.186:")
    depends_on("llvm@19 +clang", when="+pass", type=("build", "link", "run"))
    depends_on("llvm@19 +clang +flang", when="+fortran", type=("build", "link", "run"))

    conflicts("%gcc@:11", msg="C++20 is needed")
    requires("target=x86_64:", "target=aarch64:", policy="one_of", msg="the libraries exist for x86_64 and aarch64")

    generator("ninja")

    def flavour(self):
        """The name of the MPI in our build: the one that the virtual package stands for."""
        return "openmpi" if self.spec.satisfies("^[virtuals=mpi] openmpi") else "mpich"

    def cmake_args(self):
        mpi = self.spec["mpi"]
        other = "mpich" if self.flavour() == "openmpi" else "openmpi"
        arguments = [
            self.define("PHOTOFINISH_TESTS", False),  # ./test runs them in a clone
            self.define(f"PHOTOFINISH_MPICC_{self.flavour()}", mpi.mpicc),
            self.define(f"PHOTOFINISH_MPICXX_{self.flavour()}", mpi.mpicxx),
            # One MPI for each installation, and not what else may be in PATH.
            self.define(f"PHOTOFINISH_MPICC_{other}", ""),
            self.define("PHOTOFINISH_LLVM_CONFIG_16", ""),
            self.define("PHOTOFINISH_LLVM_CONFIG_19", self.spec["llvm"].prefix.bin.join("llvm-config") if self.spec.satisfies("+pass") else ""),
        ]
        if self.spec.satisfies("+fortran"):
            arguments.append(self.define("PHOTOFINISH_FLANG_19", self.spec["llvm"].prefix.bin.join("flang-new")))
        return arguments

    def setup_run_environment(self, env):
        env.set("PHOTOFINISH_ROOT", self.prefix)
        if self.spec.satisfies("+pass"):
            env.prepend_path("PATH", self.spec["llvm"].prefix.bin)

    def test_doctor(self):
        """the tool finds its own libraries, and an MPI that starts processes"""
        Executable(self.prefix.bin.photofinish)("doctor")
