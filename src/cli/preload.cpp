#include "cli/preload.h"

#include <limits.h>
#include <unistd.h>

namespace photofinish {

std::string own_path() {
  char path[PATH_MAX];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
  return length > 0 ? std::string(path, static_cast<std::size_t>(length)) : std::string();
}

namespace {

Result<std::string> of_flavour(MpiFlavour flavour, const char* what, const char* begin,
                               const char* end) {
  const std::string bin = own_path().substr(0, own_path().find_last_of('/'));
  const std::string prefix = bin.substr(0, bin.find_last_of('/'));
  const std::string path = prefix + "/lib/photofinish/" + begin +
                           (flavour == MpiFlavour::OpenMpi ? "openmpi" : "mpich") + end;
  if (access(path.c_str(), R_OK) != 0)
    return Error{std::string("this photofinish has no ") + what + " for " + name_of(flavour) +
                 " (" + path + " is missing); build it where " + name_of(flavour) +
                 " is installed with its development files"};
  return path;
}

Result<std::string> own_library(const char* name) {
  const std::string bin = own_path().substr(0, own_path().find_last_of('/'));
  const std::string path = bin.substr(0, bin.find_last_of('/')) + "/lib/photofinish/" + name;
  if (access(path.c_str(), R_OK) != 0)
    return Error{"this photofinish installation is incomplete: " + path + " is missing"};
  return path;
}

}  // namespace

Result<std::string> outside_library() { return own_library("libphotofinish-outside.so"); }
Result<std::string> heap_library() { return own_library("libphotofinish-heap.so"); }

Result<std::string> preload_library(MpiFlavour flavour) {
  return of_flavour(flavour, "library", "libphotofinish-", ".so");
}
Result<std::string> analysis_program(MpiFlavour flavour) {
  return of_flavour(flavour, "analysis program", "photofinish-analyze-", "");
}

std::optional<MpiFlavour> chosen_flavour(const std::string& option) {
  if (option == "openmpi") return MpiFlavour::OpenMpi;
  if (option == "mpich") return MpiFlavour::Mpich;
  return std::nullopt;
}

}  // namespace photofinish
