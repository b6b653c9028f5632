#include "runtime/python_frames.h"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <climits>

namespace photofinish {
namespace {

template <class Function>
bool look_up(Function& function, const char* name) {
  function = reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, name));
  return function != nullptr;
}

// The program may change its directory later.
std::string absolute(std::string file) {
  if (file.empty() || file[0] == '/' || file[0] == '<') return file;  // <string>, <frozen …>
  char directory[PATH_MAX];
  if (getcwd(directory, sizeof directory) == nullptr) return file;
  return std::string(directory) + "/" + file;
}

}  // namespace

const PythonFrames* PythonFrames::find() {
  Functions f{};
  const bool found =
      look_up(f.is_initialized, "Py_IsInitialized") &&
      // Public since Python 3.13.
      (look_up(f.is_finalizing, "Py_IsFinalizing") ||
       look_up(f.is_finalizing, "_Py_IsFinalizing")) &&
      look_up(f.this_thread, "PyGILState_GetThisThreadState") &&
      look_up(f.ensure, "PyGILState_Ensure") && look_up(f.release, "PyGILState_Release") &&
      look_up(f.thread_frame, "PyThreadState_GetFrame") && look_up(f.caller, "PyFrame_GetBack") &&
      look_up(f.code, "PyFrame_GetCode") && look_up(f.line, "PyFrame_GetLineNumber") &&
      look_up(f.attribute, "PyObject_GetAttrString") && look_up(f.text, "PyUnicode_AsUTF8") &&
      look_up(f.decrement, "Py_DecRef") && look_up(f.fetch_error, "PyErr_Fetch") &&
      look_up(f.restore_error, "PyErr_Restore") && look_up(f.clear_error, "PyErr_Clear");
  return found ? new PythonFrames(f) : nullptr;
}

const PythonFrames* PythonFrames::get() {
  static const PythonFrames* const frames = find();
  return frames;
}

std::string PythonFrames::text_of(Object owner, const char* attribute) const {
  std::string text;
  if (Object value = functions_.attribute(owner, attribute); value != nullptr) {
    if (const char* const characters = functions_.text(value)) text = characters;
    functions_.decrement(value);
  }
  functions_.clear_error();
  return text;
}

std::vector<ScriptFrame> PythonFrames::read(std::size_t depth) const {
  std::vector<ScriptFrame> frames;
  if (functions_.is_initialized() == 0 || functions_.is_finalizing() != 0) return frames;
  Object thread = functions_.this_thread();
  if (thread == nullptr) return frames;
  const int state = functions_.ensure();
  // An exception may be pending: it is the program's.
  Object type = nullptr, value = nullptr, traceback = nullptr;
  functions_.fetch_error(&type, &value, &traceback);
  Object frame = functions_.thread_frame(thread);
  while (frame != nullptr && frames.size() < depth) {
    if (Object code = functions_.code(frame); code != nullptr) {
      ScriptFrame& read = frames.emplace_back();
      read.file = absolute(text_of(code, "co_filename"));
      read.function = text_of(code, "co_qualname");  // since Python 3.11
      if (read.function.empty()) read.function = text_of(code, "co_name");
      read.line = static_cast<std::uint64_t>(std::max(functions_.line(frame), 0));
      functions_.decrement(code);
    }
    Object caller = functions_.caller(frame);
    functions_.decrement(frame);
    frame = caller;
  }
  if (frame != nullptr) functions_.decrement(frame);
  functions_.restore_error(type, value, traceback);
  functions_.release(state);
  return frames;
}

}  // namespace photofinish
