"""The packages: a Debian package that is made, unpacked and used on a real program; the CMake package in a project of a user; and what cannot be run here
(Spack, Apptainer, a workflow) read as those who run it would.

  package_test.py --photofinish BIN --mpi openmpi|mpich --build DIR [--yield-preload LIB] [unittest arguments]
"""
import ast
import glob
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
import types
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli"))
import cli_test  # noqa: E402
from cli_test import Case, environment  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(cli_test.HERE))
PACKAGING = os.path.join(ROOT, "packaging")


def read(*path):
    with open(os.path.join(*path)) as file:
        return file.read()


class Debian(Case):
    @unittest.skipUnless(shutil.which("dpkg-shlibdeps"), "needs dpkg-dev")
    def test_made_unpacked_and_used(self):
        build = cli_test.arguments.build
        made = self.run_("cpack", "--config", os.path.join(build, "CPackConfig.cmake"), "-G", "DEB", "-B", self.path("made"), "-D", "CPACK_DEBIAN_COMPRESSION_TYPE=gzip")
        self.assertEqual(made.code, 0, made)
        (package,) = glob.glob(self.path("made/*.deb"))
        fields = self.run_("dpkg-deb", "-f", package).out
        depends = re.search(r"^Depends: (.*)$", fields, re.M).group(1)
        for wanted in ("libc6", "libdw1", "openmpi-bin | mpich"):
            self.assertIn(wanted, depends)
        for mpi, library in (("openmpi", "libopenmpi3"), ("mpich", "libmpich12")):
            if os.path.exists(os.path.join(build, "lib/photofinish", f"photofinish-analyze-{mpi}")):
                self.assertIn(library, depends)
        self.assertRegex(fields, r"(?m)^Recommends: libopenmpi-dev \| libmpich-dev")
        self.assertNotIn(build, fields)

        files = self.run_("dpkg-deb", "-c", package).out
        for wanted in ("/usr/bin/photofinish\n", "/usr/bin/pfmpicc\n", f"/usr/lib/photofinish/libphotofinish-{cli_test.arguments.mpi}.so\n", "/usr/share/man/man1/photofinish-check.1.gz\n", "/usr/share/man/man1/pfmpicxx.1.gz\n", "/usr/share/doc/photofinish/copyright\n", "/usr/share/doc/photofinish/changelog.gz\n",
                       "/usr/share/bash-completion/completions/photofinish\n", "/usr/include/photofinish/annotate.h\n", "/usr/lib/cmake/photofinish/photofinish-config.cmake\n"):
            self.assertIn(wanted, files)
        self.assertNotIn("/usr/local", files)

        if shutil.which("lintian"):
            told = self.run_("lintian", "--no-tag-display-limit", package)
            self.assertEqual([line for line in told.out.splitlines() if line.startswith(("E:", "W:"))], [], told)

        # A root of its own: the tree works wherever it is.
        self.assertEqual(self.run_("dpkg-deb", "-x", package, self.path("root")).code, 0)
        tool = self.path("root/usr/bin/photofinish")
        env = environment(PATH=os.path.dirname(tool) + ":" + os.environ["PATH"])
        source = os.path.join(ROOT, "examples/findings/local_load.c")
        if os.path.exists(self.path("root/usr/lib/photofinish/photofinish-pass-19.so")) and shutil.which("clang-19"):
            built = self.run_("pfmpicc", f"--mpi={cli_test.arguments.mpi}", "-g", source, "-o", "app", env=env)
            self.assertEqual(built.code, 0, built)
            found = self.run_(tool, "check", "-n", "2", "./app", env=env)
            self.assertEqual(found.code, 66, found)
            self.assertIn("conflicts with load of 4 bytes by rank 1\n    #0 main", found.err, found)
            fixed = self.run_("pfmpicc", f"--mpi={cli_test.arguments.mpi}", "-g", "-DFIXED", source, "-o", "app", env=env)
            self.assertEqual(fixed.code, 0, fixed)
            self.assertEqual(self.run_(tool, "check", "-n", "2", "--overwrite", "./app", env=env).code, 0)
        # What was built is what is packed, but for its debug information.
        self.assertEqual(self.run_(tool, "--version", env=env).out, self.photofinish("--version").out)
        doctor = self.run_(tool, "doctor", env=env)
        self.assertIn(f"photofinish {self.photofinish('--version').out.split()[1]} in {os.path.realpath(tool)}\n", doctor.out, doctor)


@unittest.skipUnless(shutil.which("clang-19"), "needs clang-19")
class CMakeProject(Case):
    """find_package(photofinish CONFIG) in a project of a user, with the functions that it gives."""

    @classmethod
    def setUpClass(cls):
        cls.prefix = tempfile.mkdtemp(prefix="photofinish-prefix-")
        cls.addClassCleanup(shutil.rmtree, cls.prefix, ignore_errors=True)
        subprocess.run(["cmake", "--install", cli_test.arguments.build, "--prefix", cls.prefix], check=True, capture_output=True)

    def setUp(self):
        super().setUp()
        os.mkdir(self.path("project"))
        shutil.copy(os.path.join(ROOT, "examples/findings/local_load.c"), self.path("project/app.c"))
        self.write("project/CMakeLists.txt", """
cmake_minimum_required(VERSION 3.25)
project(user LANGUAGES C)
enable_testing()
find_package(MPI REQUIRED COMPONENTS C)
find_package(photofinish CONFIG REQUIRED)
add_executable(wrong app.c)
add_executable(right app.c)
target_compile_definitions(right PRIVATE FIXED)
foreach(target wrong right)
  target_link_libraries(${target} PRIVATE MPI::MPI_C)
  photofinish_instrument(${target})
  photofinish_add_test(${target} 2 ${target})
endforeach()
""")

    def configure(self, compiler, *more):
        env = environment(PATH=self.prefix + "/bin:" + os.environ["PATH"], OMPI_CC="clang-19", MPICH_CC="clang-19")
        self.env = env
        return self.run_("cmake", "-S", "project", "-B", compiler, f"-DCMAKE_PREFIX_PATH={self.prefix}", f"-DCMAKE_C_COMPILER={compiler}",
                         f"-DMPI_C_COMPILER=mpicc.{cli_test.arguments.mpi}", *more, env=env)

    def build_and_test(self, folder):
        built = self.run_("cmake", "--build", folder, env=self.env)
        self.assertEqual(built.code, 0, built)
        self.assertIn("instrumented: ", self.photofinish("doctor", f"{folder}/right").out)
        tested = self.run_("ctest", "--test-dir", folder, "--output-on-failure", env=self.env)
        self.assertRegex(tested.out, r"(?s)wrong.*\*\*\*Failed.*conflicts with load of 4 bytes.*right.*Passed", tested)
        self.assertNotEqual(tested.code, 0)

    def test_with_clang(self):
        configured = self.configure("clang-19")
        self.assertEqual(configured.code, 0, configured)
        self.build_and_test("clang-19")

    def test_with_the_wrapper(self):
        configured = self.configure("pfmpicc", "-DMPI_C_COMPILER=pfmpicc")
        self.assertEqual(configured.code, 0, configured)
        self.assertNotIn("-fpass-plugin", read(self.dir, "pfmpicc/CMakeFiles/wrong.dir/flags.make"))
        with unittest.mock.patch.dict(self.env, PHOTOFINISH_MPI=cli_test.arguments.mpi):
            self.build_and_test("pfmpicc")

    def test_with_another_compiler(self):
        configured = self.configure("gcc")
        self.assertNotEqual(configured.code, 0)
        self.assertRegex(" ".join(configured.err.split()), r"photofinish_instrument: \S+ is GNU [\d.]+, and there is a pass for clang \d+( or \d+)*: configure with", configured)


class Recipes(Case):
    def options_of_our_build(self):
        text = "".join(read(path) for pattern in ("CMakeLists.txt", "cmake/*.cmake", "src/CMakeLists.txt", "src/compiler/**/CMakeLists.txt")
                       for path in glob.glob(os.path.join(ROOT, pattern), recursive=True))
        names = set(re.findall(r"\b(PHOTOFINISH_[A-Z]+)\b", text))
        for flavour in ("openmpi", "mpich"):
            names |= {f"PHOTOFINISH_MPICC_{flavour}", f"PHOTOFINISH_MPICXX_{flavour}"}
        for version in (16, 19):
            names |= {f"PHOTOFINISH_LLVM_CONFIG_{version}", f"PHOTOFINISH_FLANG_{version}"}
        for part in ("PHOTOFINISH_MPICC_${flavour}", "PHOTOFINISH_LLVM_CONFIG_${version}", "PHOTOFINISH_FLANG_${version}"):
            self.assertIn(part, text)
        return names

    def spack_class(self):
        """The recipe, run by what stands in for Spack: directives note what they are given."""
        said = []

        class CMakePackage:
            prefix = types.SimpleNamespace(bin=types.SimpleNamespace(photofinish="bin/photofinish"))

            @staticmethod
            def define(name, value):
                return f"-D{name}={value}"

        module = types.ModuleType("spack.package")
        module.CMakePackage = CMakePackage
        module.Executable = lambda path: None
        for name in ("version", "variant", "depends_on", "conflicts", "requires", "generator", "license"):
            setattr(module, name, lambda *words, _name=name, **more: said.append((_name, words, more)))
        spack = types.ModuleType("spack")
        spack.package = module
        path = os.path.join(PACKAGING, "spack/packages/photofinish/package.py")
        with unittest.mock.patch.dict(sys.modules, {"spack": spack, "spack.package": module}):
            spec = importlib.util.spec_from_file_location("recipe", path)
            recipe = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(recipe)
        return recipe.Photofinish, said

    def test_spack(self):
        recipe, said = self.spack_class()
        version = re.search(r"project\(photofinish VERSION (\S+)", read(ROOT, "CMakeLists.txt")).group(1)
        self.assertIn(("version", (version,), {}), said)
        needed = " ".join(words[0] for name, words, _ in said if name == "depends_on")
        for package in ("mpi", "cli11", "fmt", "zstd", "zlib-api", "xxhash", "robin-map", "elfutils", "llvm@19", "cmake@3.25:"):
            self.assertIn(package, needed)

        class Bin:
            @staticmethod
            def join(name):
                return "/llvm/bin/" + name

        class Spec:
            def __init__(self, *facts):
                self.facts = facts

            def satisfies(self, what):
                return what in self.facts

            def __getitem__(self, name):
                return types.SimpleNamespace(mpicc="/mpi/mpicc", mpicxx="/mpi/mpicxx", prefix=types.SimpleNamespace(bin=Bin))

        for facts, wanted in ((("^[virtuals=mpi] openmpi", "+pass"), ["-DPHOTOFINISH_MPICC_openmpi=/mpi/mpicc", "-DPHOTOFINISH_MPICC_mpich=", "-DPHOTOFINISH_LLVM_CONFIG_19=/llvm/bin/llvm-config"]),
                              (("+pass", "+fortran"), ["-DPHOTOFINISH_MPICC_mpich=/mpi/mpicc", "-DPHOTOFINISH_MPICC_openmpi=", "-DPHOTOFINISH_FLANG_19=/llvm/bin/flang-new"]),
                              ((), ["-DPHOTOFINISH_LLVM_CONFIG_19="])):
            package = recipe()
            package.spec = Spec(*facts)
            arguments = package.cmake_args()
            for word in wanted:
                self.assertIn(word, arguments)
            for word in arguments:
                self.assertIn(re.match(r"-D(\w+)=", word).group(1), self.options_of_our_build())
        self.assertEqual(read(PACKAGING, "spack/repo.yaml").split(), ["repo:", "namespace:", "photofinish"])
        ast.parse(read(PACKAGING, "spack/packages/photofinish/package.py"))

    @unittest.skipUnless(shutil.which("tclsh"), "needs tclsh")
    def test_module_in_tcl(self):
        """As module would run it, from the place where it is installed."""
        place = self.path("prefix/share/modulefiles/photofinish")
        os.makedirs(place)
        shutil.copy(os.path.join(PACKAGING, "modulefiles/photofinish.tcl"), os.path.join(place, "0.1.0"))
        self.write("run.tcl", "foreach name {module-whatis conflict prepend-path setenv} { proc $name args \"puts \\\"$name \\$args\\\"\" }\n"
                   f"set ModulesCurrentModulefile {place}/0.1.0\nsource $ModulesCurrentModulefile\n")
        result = self.run_("tclsh", "run.tcl")
        self.assertEqual(result.code, 0, result)
        self.assertIn(f"prepend-path PATH {self.path('prefix')}/bin\n", result.out)
        self.assertIn(f"setenv PHOTOFINISH_ROOT {self.path('prefix')}\n", result.out)
        self.assertTrue(read(place, "0.1.0").startswith("#%Module"))

    def test_module_in_lua(self):
        lua = next((name for name in ("lua", "lua5.4", "lua5.3", "lua5.2", "lua5.1", "luajit", "texlua") if shutil.which(name)), None)
        if lua is None:
            self.skipTest("needs lua")
        self.write("run.lua", "function myFileName() return '/p/share/modulefiles/photofinish/0.1.0.lua' end\nfunction pathJoin(a, b) return a .. '/' .. b end\n"
                   "for _, name in ipairs({'help', 'whatis', 'conflict', 'prepend_path', 'setenv'}) do _G[name] = function(...) print(name, ...) end end\n"
                   f"dofile('{PACKAGING}/modulefiles/photofinish.lua')\n")
        result = self.run_(lua, "run.lua")
        self.assertEqual(result.code, 0, result)
        self.assertIn("prepend_path\tPATH\t/p/bin\n", result.out)
        self.assertIn("setenv\tPHOTOFINISH_ROOT\t/p\n", result.out)

    def test_both_modules_set_the_same(self):
        tcl, lua = (read(PACKAGING, "modulefiles/photofinish" + end) for end in (".tcl", ".lua"))
        self.assertEqual(re.findall(r"^(?:prepend-path|setenv)\s+(\w+)", tcl, re.M), re.findall(r'^(?:prepend_path|setenv)\("(\w+)"', lua, re.M))

    def check_shell(self, text):
        result = subprocess.run(["bash", "-n"], input=text, capture_output=True, text=True)
        self.assertEqual((result.returncode, result.stderr), (0, ""), text)

    def check_photofinish_lines(self, text):
        """Commands and flags of ours in a script are those that there are."""
        for line in re.findall(r"(?:^|\s)photofinish ([a-z]+)((?: +\S+)*)", text):
            shown = self.photofinish(line[0], "--help")
            self.assertEqual(shown.code, 0, line)
            for flag in re.findall(r"(?<= )--?[a-z][a-z-]*", line[1]):
                self.assertRegex(shown.out, rf"(?:^|[\s,]){flag}[\s,]", line)

    def test_apptainer(self):
        text = read(PACKAGING, "apptainer/photofinish.def")
        head, *parts = re.split(r"^%(\w+)\n", text, flags=re.M)
        self.assertRegex(head, r"^Bootstrap: docker\nFrom: debian:12\n")
        sections = dict(zip(parts[::2], parts[1::2]))
        self.assertEqual(list(sections), ["files", "post", "environment", "runscript", "test", "labels", "help"])
        for name in ("post", "environment", "runscript", "test"):
            self.check_shell(sections[name])
        (copied,) = re.findall(r"^\s+\S+ (\S+)$", sections["files"], re.M)
        self.assertIn(copied, sections["post"])
        self.check_photofinish_lines(sections["test"])

    def test_workflow(self):
        try:
            import yaml
        except ImportError:
            self.skipTest("needs python3-yaml")
        workflow = yaml.safe_load(read(PACKAGING, "github-actions/races.yml"))
        job = workflow["jobs"]["check"]
        self.assertEqual(workflow[True], ["push", "pull_request"])  # YAML reads the key "on" so
        for step in job["steps"]:
            self.assertTrue(("run" in step) != ("uses" in step), step)
            self.check_shell(step.get("run", ""))
            self.check_photofinish_lines(step.get("run", ""))


if __name__ == "__main__":
    import unittest.mock
    cli_test.main()
