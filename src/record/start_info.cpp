#include "record/start_info.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/system_file.h"
#include "trace/reader.h"

namespace photofinish {
std::uint64_t hash_of_file(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  struct stat status{};
  std::uint64_t hash = 0;
  if (fstat(file, &status) == 0 && status.st_size > 0) {
    const auto size = static_cast<std::size_t>(status.st_size);
    void* contents = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
    if (contents != MAP_FAILED) {
      hash = XXH3_64bits(contents, size);
      munmap(contents, size);
    }
  }
  close(file);
  return hash;
}

bool may_be_secret(std::string_view variable) {
  const std::string_view given = variable.substr(0, variable.find('='));
  std::string name(given);
  for (char& c : name)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  for (const char* word : {"TOKEN", "SECRET", "PASSWORD", "PASSWD", "PASSPHRASE", "PASSCODE", "KEY",
                           "CREDENTIAL", "AUTH", "PRIVATE", "COOKIE"})
    if (name.find(word) != std::string::npos) return true;
  if (name == "PASS" || name.ends_with("_PASS") || name.ends_with("_PWD")) return true;
  const std::string_view value = variable.substr(std::min(given.size() + 1, variable.size()));
  const std::size_t scheme = value.find("://");
  if (scheme == std::string_view::npos) return false;
  const std::string_view rest = value.substr(scheme + 3);
  const std::string_view host = rest.substr(0, rest.find_first_of("/?#"));
  const std::size_t at = host.rfind('@');
  return at != std::string_view::npos && host.substr(0, at).find(':') != std::string_view::npos;
}

namespace {

bool is_kept(std::string_view name, std::string_view kept) {
  if (kept == "*") return true;
  while (!kept.empty()) {
    const std::string_view one = kept.substr(0, kept.find(','));
    if (one == name) return true;
    kept.remove_prefix(std::min(one.size() + 1, kept.size()));
  }
  return false;
}

}  // namespace

StartInfo own_start(std::string_view kept) {
  StartInfo start;
  char path[PATH_MAX];
  if (const ssize_t length = readlink("/proc/self/exe", path, sizeof path); length > 0)
    start.program.assign(path, static_cast<std::size_t>(length));
  start.name = reinterpret_cast<const char*>(getauxval(AT_EXECFN));
  start.arguments = zero_terminated_texts(read_system_file("/proc/self/cmdline"));
  for (std::string& variable : zero_terminated_texts(read_system_file("/proc/self/environ"))) {
    const std::string name = variable.substr(0, variable.find('='));
    if (!may_be_secret(variable) || is_kept(name, kept) || name.starts_with("PHOTOFINISH_")) {
      start.environment.push_back(std::move(variable));
      continue;
    }
    start.left_out_bytes += variable.size() + 1;
    start.left_out.push_back(name);
  }
  if (getcwd(path, sizeof path) != nullptr) start.folder = path;
  start.program_hash = hash_of_file(start.program);
  return start;
}

Result<StartInfo> read_start(const std::string& directory, WorldRank rank) {
  auto trace = RankTrace::open(directory, rank);
  if (!trace) return trace.error();
  Journal journal([&](std::vector<std::uint8_t>& entries) {
    return (*trace)->next_of_journal(TaskId(0), entries);
  });
  StartInfo start;
  if (journal.ask(kStartQuery, SiteId(0)) != Journal::Asked::Same)
    return Error{
        trace_path(directory, rank) +
        ((*trace)->damage().empty()
             ? ": written by check, which records nothing to replay; use photofinish record"
             : ": " + (*trace)->damage())};
  journal(start);
  if (!journal.ok())
    return Error{trace_path(directory, rank) + ": the journal of this rank is damaged"};
  return start;
}

}  // namespace photofinish
