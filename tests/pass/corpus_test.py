#!/usr/bin/env python3
"""The pass over a large body of C, C++ and Fortran: every file that compiles without the pass must compile with it.

  corpus_test.py --passes DIRECTORY [--files 40] [--jobs 2] [--levels -O0,-O2] [--llvm 19] [--folder DIRECTORY] [PACKAGE…]

Source packages come from Debian (apt-get source, with apt files of the test's own; nothing of the system's is changed). Of each
package `--files` files are taken, evenly spread, and compiled for each LLVM version and level. The pass runs LLVM's verifier on
what it makes and ends the compilation if that is invalid. With --codegen, machine code is generated too.

A file that does not compile without the pass (missing headers, modules of other files, other compilers' extensions) is skipped and
counted. The test fails if a compilation fails, crashes or hangs only with the pass, and if fewer than --least were verified.
"""
import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

# What to run in a package's folder to get the headers that its build system makes; where that fails, more files are skipped.
PACKAGES = {
    "fftw3": "./configure --enable-mpi --enable-threads CC=gcc F77=gfortran",
    "hypre": "cd src && ./configure --without-superlu CC=mpicc.openmpi",
    "lammps": "cd src && sh Make.sh style",
    "lapack": "",
    "lua5.4": "",
    "mumps": "",
    "scalapack": "",
    "scotch": "",
    "superlu": "",
    "superlu-dist": "",
    "suitesparse": "",
    "hdf5": "./configure --disable-cxx --disable-hl CC=gcc",
    "petsc": "",
    "zstd": "",
    "elpa": "",
    "arpack": "",
}
SUFFIXES = {".c": "c", ".cpp": "c++", ".cc": "c++", ".cxx": "c++", ".C": "c++", ".f": "fortran", ".F": "fortran", ".f90": "fortran", ".F90": "fortran"}
HEADERS = {".h", ".hh", ".hpp", ".hxx", ".inc", ".i", ".fh"}
TIMEOUT = 300  # seconds for one compilation
MARK = b"__photofinish_state"  # in every module that the pass has seen


def source_lines():
    """The archives that apt knows on this machine, as archives of sources."""
    shown = subprocess.run(["apt-get", "indextargets", "--format", "$(SITE) $(RELEASE) $(COMPONENT)", "Created-By: Packages"], capture_output=True, text=True, check=True)
    return "".join(f"deb-src {line}\n" for line in sorted(set(shown.stdout.splitlines())))


class Apt:
    """Downloads sources, with lists of its own."""

    def __init__(self, folder):
        self.folder = folder
        for name in ("lists/partial", "cache/archives/partial", "etc"):
            (folder / name).mkdir(parents=True, exist_ok=True)
        (folder / "etc/sources.list").write_text(source_lines())
        (folder / "apt.conf").write_text(
            f'Dir::Etc::sourcelist "{folder}/etc/sources.list";\nDir::Etc::sourceparts "/dev/null";\n'
            f'Dir::State::lists "{folder}/lists";\nDir::Cache "{folder}/cache";\nAPT::Sandbox::User "root";\n')
        self.environment = {**os.environ, "APT_CONFIG": str(folder / "apt.conf")}

    def update(self):
        subprocess.run(["apt-get", "-qq", "update"], env=self.environment, check=True, timeout=600)

    def fetch(self, package, to):
        """Unpacks the package there; None, or why that failed."""
        with tempfile.TemporaryDirectory(dir=self.folder) as name:
            fetched = subprocess.run(["apt-get", "-qq", "source", "--download-only", package], cwd=name, env=self.environment, capture_output=True, text=True, timeout=1200)
            described = list(Path(name).glob("*.dsc"))
            if fetched.returncode != 0 or not described:
                return fetched.stderr.strip().splitlines()[-1:] or ["nothing was downloaded"]
            unpacked = subprocess.run(["dpkg-source", "--skip-patches", "--no-check", "-x", str(described[0]), str(to)], capture_output=True, text=True, timeout=600)
            return None if unpacked.returncode == 0 else unpacked.stderr.strip().splitlines()[-1:]


class Package:
    def __init__(self, name, root, most):
        self.name, self.root = name, root
        files = sorted(path for path in root.rglob("*") if path.suffix in SUFFIXES and path.is_file() and not path.is_symlink())
        step = max(1, len(files) // most) if most else 1
        self.files = files[::step][:most or None]
        folders = Counter(path.parent for path in root.rglob("*") if path.suffix in HEADERS)
        self.includes = [folder for folder, _ in folders.most_common(150)]

    def flags(self, path):
        around = [path.parent, *[parent for parent in path.parents if self.root in parent.parents][:3]]
        near = [folder for parent in around for folder in (parent, parent / "include", parent.parent / "include") if folder.is_dir()]
        # Behind the system's own headers, some of which have the same names; flang has one option only.
        option = "-I" if SUFFIXES[path.suffix] == "fortran" else "-idirafter"
        return [f"{option}{folder}" for folder in dict.fromkeys([*near, *self.includes])]


class Compiler:
    def __init__(self, arguments):
        self.arguments = arguments
        shown = subprocess.run(["mpicc.openmpi", "--showme:incdirs"], capture_output=True, text=True)
        self.mpi = [f"-I{folder}" for folder in shown.stdout.split()]

    def command(self, package, path, version, level, plugin):
        language = SUFFIXES[path.suffix]
        name = {"c": f"clang-{version}", "c++": f"clang++-{version}", "fortran": f"flang-new-{version}"}[language]
        if shutil.which(name) is None:
            return None
        command = ["nice", name, level, "-g", "-c", *package.flags(path), *self.mpi, str(path)]
        if language == "c":
            command += ["-w", "-D_GNU_SOURCE", "-DAdd_", "-DNDEBUG", "-std=gnu11", "-Wno-error=implicit-function-declaration", "-Wno-error=implicit-int",
                        "-Wno-error=int-conversion", "-Wno-error=incompatible-function-pointer-types", "-Wno-error=return-type"]
        elif language == "c++":
            command += ["-w", "-D_GNU_SOURCE", "-std=gnu++17"]
        if not self.arguments.codegen:
            command += ["-emit-llvm"]
        if plugin:
            command += [f"-fpass-plugin={self.arguments.passes / f'photofinish-pass-{version}.so'}"]
        return command

    def run(self, command, output):
        """None if it went well, otherwise what it printed."""
        modules = ["-J", str(output.parent)] if "flang" in command[1] else []
        try:
            ended = subprocess.run([*command, *modules, "-o", str(output)], capture_output=True, text=True, errors="replace", timeout=TIMEOUT)
        except subprocess.TimeoutExpired:
            return f"it takes more than {TIMEOUT} s"
        return None if ended.returncode == 0 else ended.stderr or f"exit code {ended.returncode}"

    def check(self, package, path, folder):
        """Of one file: how many compilations were verified, and the failures; None if it is skipped."""
        verified, failures = Counter(), []
        output = Path(tempfile.mkstemp(dir=folder, suffix=".o")[1])
        try:
            for version in self.arguments.llvm:
                for level in self.arguments.levels:
                    command = self.command(package, path, version, level, True)
                    if command is None:
                        continue
                    output.write_bytes(b"")
                    problem = self.run(command, output)
                    if problem is None and not self.arguments.codegen and MARK not in output.read_bytes():
                        problem = "the pass has not run"
                    if problem is None:
                        verified[version, SUFFIXES[path.suffix]] += 1
                        continue
                    if self.run(self.command(package, path, version, level, False), output) is not None:
                        if not verified and not failures:
                            return None  # nor would the other levels
                        continue
                    failures.append(f"{' '.join(command)}\n{problem[:3000]}")
        finally:
            output.unlink(missing_ok=True)
        return (verified, failures) if verified or failures else None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--passes", type=Path, required=True)
    parser.add_argument("--files", type=int, default=0, help="of each package; 0: all")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--levels", type=lambda text: text.split(","), default=["-O0", "-O1", "-O2", "-O3"])
    parser.add_argument("--llvm", type=lambda text: text.split(","), default=["19", "16"])
    parser.add_argument("--codegen", action="store_true")
    parser.add_argument("--least", type=int, default=1000, help="compilations that must have been verified")
    parser.add_argument("--folder", type=Path, help="where packages are unpacked and kept; otherwise nothing is kept")
    parser.add_argument("packages", nargs="*", default=list(PACKAGES))
    arguments = parser.parse_args()
    arguments.llvm = [version for version in arguments.llvm if (arguments.passes / f"photofinish-pass-{version}.so").is_file()]
    compiler, total, failures = Compiler(arguments), Counter(), []
    with tempfile.TemporaryDirectory(prefix="pf-") as name, ThreadPoolExecutor(arguments.jobs) as pool:
        apt, unpacked = None, arguments.folder or Path(name) / "sources"
        unpacked.mkdir(parents=True, exist_ok=True)
        for package_name in arguments.packages:
            root = unpacked / package_name
            if not root.is_dir():
                if apt is None:
                    apt = Apt(Path(name) / "apt")
                    apt.update()
                if problem := apt.fetch(package_name, root):
                    print(f"{package_name}: not fetched: {' '.join(problem)}", flush=True)
                    continue
                if prepare := PACKAGES.get(package_name):
                    try:
                        subprocess.run(prepare, shell=True, cwd=root, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=900)
                    except subprocess.TimeoutExpired:
                        pass
            package = Package(package_name, root, arguments.files)
            results = list(pool.map(lambda path: compiler.check(package, path, name), package.files))
            verified = sum((result[0] for result in results if result), Counter())
            failed = [failure for result in results if result for failure in result[1]]
            total += verified
            failures += failed
            print(f"{package_name}: {len(package.files)} files, {results.count(None)} skipped, {sum(verified.values())} compilations verified, {len(failed)} failed", flush=True)
            for failure in failed:
                print(failure, flush=True)
            if arguments.folder is None:
                shutil.rmtree(root)
    for (version, language), count in sorted(total.items()):
        print(f"LLVM {version}, {language}: {count} verified")
    print(f"{sum(total.values())} compilations verified, {len(failures)} failed")
    return 1 if failures or sum(total.values()) < arguments.least else 0


if __name__ == "__main__":
    sys.exit(main())
