// The frames of a Python program that calls MPI (mpi4py, ctypes): a call's site is then a line of
// the script, not of the interpreter.
//
// Rule: frames are read by the thread that runs them, through Python's C interface, which needs the
// interpreter's lock (GIL). The functions are looked up in the process: the tool does not depend on
// Python. Nothing is read by threads that Python does not know, before the interpreter starts, or
// once it ends (mpi4py calls MPI_Finalize then).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace photofinish {

struct ScriptFrame {
  std::string file;
  std::string function;
  std::uint64_t line = 0;
};

class PythonFrames {
 public:
  // Null without an interpreter in the process.
  static const PythonFrames* get();
  // Innermost first, at most `depth`.
  std::vector<ScriptFrame> read(std::size_t depth) const;
  // An address in the file that contains the interpreter.
  std::uint64_t interpreter() const { return reinterpret_cast<std::uint64_t>(functions_.ensure); }

 private:
  using Object = void*;
  struct Functions {
    int (*is_initialized)();
    int (*is_finalizing)();
    Object (*this_thread)();
    int (*ensure)();
    void (*release)(int);
    Object (*thread_frame)(Object);
    Object (*caller)(Object);
    Object (*code)(Object);
    int (*line)(Object);
    Object (*attribute)(Object, const char*);
    const char* (*text)(Object);
    void (*decrement)(Object);
    void (*fetch_error)(Object*, Object*, Object*);
    void (*restore_error)(Object, Object, Object);
    void (*clear_error)();
  };
  explicit PythonFrames(const Functions& functions) : functions_(functions) {}
  static const PythonFrames* find();
  std::string text_of(Object owner, const char* attribute) const;

  Functions functions_;
};

}  // namespace photofinish
