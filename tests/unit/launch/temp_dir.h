// A directory for one test, with helpers to build small programs in it.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>

#include "base/temp_directory.h"

namespace photofinish::testing {

class TempDir {
 public:
  TempDir() {
    path_ =
        std::filesystem::canonical(
            make_temp_directory(std::filesystem::temp_directory_path().string(), "photofinish-test")
                .value())
            .string();
  }
  ~TempDir() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;

  std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  const std::string& path() const { return path_; }

  std::string write(const std::string& name, const std::string& text,
                    bool executable = false) const {
    const std::string file = *this / name;
    std::filesystem::create_directories(std::filesystem::path(file).parent_path());
    std::ofstream(file, std::ios::binary) << text;
    std::filesystem::permissions(file, std::filesystem::perms(executable ? 0755 : 0644));
    return file;
  }

  // Runs a command in the directory; a failure prints the command, so that it can be repeated by
  // hand.
  void run(const std::string& command) const {
    const std::string line = "cd '" + path_ + "' && " + command;
    ASSERT_EQ(std::system(line.c_str()), 0) << line;
  }

 private:
  std::string path_;
};

inline std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline bool have(const std::string& command) {
  return std::system(("command -v " + command + " >/dev/null 2>&1").c_str()) == 0;
}

// Sets a variable for one scope (no value: unsets it).
class ScopedEnv {
 public:
  ScopedEnv(const char* name, std::optional<std::string> value) : name_(name) {
    if (const char* old = std::getenv(name)) old_ = old;
    set(value);
  }
  ~ScopedEnv() { set(old_); }
  ScopedEnv(const ScopedEnv&) = delete;
  ScopedEnv& operator=(const ScopedEnv&) = delete;

 private:
  void set(const std::optional<std::string>& value) {
    value ? setenv(name_, value->c_str(), 1) : unsetenv(name_);
  }
  const char* name_;
  std::optional<std::string> old_;
};

class ScopedDirectory {
 public:
  explicit ScopedDirectory(const std::string& path) : old_(std::filesystem::current_path()) {
    std::filesystem::current_path(path);
  }
  ~ScopedDirectory() { std::filesystem::current_path(old_); }
  ScopedDirectory(const ScopedDirectory&) = delete;
  ScopedDirectory& operator=(const ScopedDirectory&) = delete;

 private:
  std::filesystem::path old_;
};

// A library with the soname of an MPI library and PMPI_Init: no MPI needs to be installed.
inline void build_fake_mpi(const TempDir& dir, const std::string& soname) {
  dir.write("fake_mpi.c",
            "int PMPI_Init(void) { return 0; }\nint MPI_Init(void) { return PMPI_Init(); }\n");
  dir.run("cc -shared -fPIC -Wl,-soname," + soname + " fake_mpi.c -o " + soname);
}

// A program linked with it that finds it through its rpath.
inline std::string build_fake_program(const TempDir& dir, const std::string& name,
                                      const std::string& soname) {
  build_fake_mpi(dir, soname);
  dir.write("calls_mpi.c", "int MPI_Init(void);\nint main(void) { return MPI_Init(); }\n");
  dir.run("cc calls_mpi.c ./" + soname + " -Wl,-rpath,'$ORIGIN' -o " + name);
  return dir / name;
}

}  // namespace photofinish::testing
