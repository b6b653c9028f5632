#include "trace/run_directory.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>

#include "base/private_file.h"
#include "base/ticks.h"
#include "trace/findings_file.h"
#include "trace/format.h"
#include "trace/interruption.h"
#include "trace/shared_directory.h"
#include "trace/spill_file.h"

namespace photofinish {
namespace {

constexpr const char* kRunFile = "/run.json";

std::string json_string(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    char escaped[8];
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      std::snprintf(escaped, sizeof escaped, "\\u%04x", c);
      out += escaped;
    } else {
      out += c;
    }
  }
  return out + "\"";
}

// Parses the output of json_string, from its first quote on; false on a mismatch. Sets `at` to its
// end.
bool read_json_string(std::string_view text, std::size_t& at, std::string& out) {
  out.clear();
  if (at >= text.size() || text[at] != '"') return false;
  for (++at; at < text.size() && text[at] != '"'; ++at) {
    if (text[at] != '\\') {
      out += text[at];
      continue;
    }
    if (++at >= text.size()) return false;
    if (text[at] != 'u') {
      out += text[at];
      continue;
    }
    unsigned code = 0;
    if (at + 4 >= text.size() ||
        std::from_chars(text.data() + at + 1, text.data() + at + 5, code, 16).ptr !=
            text.data() + at + 5)
      return false;
    out += static_cast<char>(code);
    at += 4;
  }
  return at < text.size() && text[at++] == '"';
}

// Position after the name of a member, which is at the start of a line; npos if absent.
std::size_t member(std::string_view text, const char* name) {
  const std::string start = std::string("\n  \"") + name + "\": ";
  const std::size_t found = text.find(start);
  return found == std::string_view::npos ? found : found + start.size();
}

std::vector<std::string> entries(const std::string& directory) {
  std::vector<std::string> names;
  if (DIR* open = opendir(directory.c_str())) {
    while (const dirent* entry = readdir(open)) {
      const std::string name = entry->d_name;
      if (name != "." && name != "..") names.push_back(name);
    }
    closedir(open);
  }
  return names;
}

// The rank of a file named by trace_path, live_path or findings_path; -1 if it is none.
int rank_of_file(std::string_view name, std::string_view ending) {
  constexpr std::string_view kPrefix = "rank-";
  if (!name.starts_with(kPrefix) || !name.ends_with(ending)) return -1;
  name.remove_prefix(kPrefix.size());
  name.remove_suffix(std::min(ending.size(), name.size()));
  int rank = -1;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), rank);
  return name.size() >= 6 && error == std::errc() && end == name.data() + name.size() ? rank : -1;
}

// Findings files, including unfinished ones.
bool is_findings(std::string_view name) {
  if (name.ends_with(kUnfinished)) name.remove_suffix(kUnfinished.size());
  // (perfetto.json: the name in earlier versions.)
  for (const std::string_view report :
       {kHtmlReport, kJsonReport, kSarifReport, kPerfettoReport, std::string_view("perfetto.json")})
    if (name == report) return true;
  return name == kAnalysisFile || name == kMessagesFile || name == kConfirmationsFile ||
         rank_of_file(name, kFindingsEnding) >= 0;
}

// A file that was removed while open on NFS. It disappears when it is closed, and cannot be removed
// before.
bool is_removed_on_nfs(const std::string& name) {
  return name.starts_with(".nfs") && name.size() > 4 &&
         name.find_first_not_of("0123456789abcdef", 4) == std::string::npos;
}

// The output of replay --vscode for the editor: a folder per rank, and shared files.
bool is_debugging_folder(const std::string& directory, const std::string& name) {
  if (name != "debugging") return false;
  struct stat status;
  if (lstat((directory + "/" + name).c_str(), &status) != 0 || !S_ISDIR(status.st_mode))
    return false;
  const std::vector<std::string> inside = entries(directory + "/" + name);
  return std::all_of(inside.begin(), inside.end(), [](const std::string& one) {
    return one.starts_with("offers") || one.starts_with("rank-");
  });
}

bool is_ours(const std::string& directory, const std::string& name) {
  if (is_debugging_folder(directory, name)) return true;
  struct stat status;
  return (name == "run.json" || name == kInterruptedFile || name == kUnrecordedFile ||
          name == kExploredFile || name == kScheduleName || name.starts_with(kSymbolsName) ||
          rank_of_file(name, ".trace") >= 0 || rank_of_file(name, ".live") >= 0 ||
          rank_of_file(name, kSpillEnding) >= 0 || is_findings(name)) &&
         lstat((directory + "/" + name).c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

// Removes a file, or a folder with its contents; links are not followed.
bool remove_entry(const std::string& path) {
  if (unlink(path.c_str()) == 0) return true;
  if (errno != EISDIR && errno != EPERM) return false;
  for (const std::string& name : entries(path)) remove_entry(path + "/" + name);
  return rmdir(path.c_str()) == 0;
}

// The ranks with a file of this suffix, in order.
std::vector<WorldRank> ranks_with(const std::string& directory, std::string_view ending) {
  std::vector<WorldRank> ranks;
  for (const std::string& name : entries(directory))
    if (const int rank = rank_of_file(name, ending); rank >= 0) ranks.push_back(WorldRank(rank));
  std::sort(ranks.begin(), ranks.end());
  return ranks;
}

Result<bool> write_run_file(const std::string& directory, const RunInfo& info) {
  std::string text = "{\n  \"format\": 1,\n  \"token\": " + json_string(info.token) +
                     ",\n  \"started_ns\": " + std::to_string(clock_ns(CLOCK_REALTIME)) +
                     ",\n  \"command\": [";
  for (std::size_t i = 0; i < info.command.size(); ++i)
    text += (i ? ", " : "") + json_string(info.command[i]);
  text += "],\n  \"ranks\": " + std::to_string(info.ranks) +
          ",\n  \"options\": " + json_string(info.options) +
          ",\n  \"folder\": " + json_string(info.folder) + "\n}\n";
  const std::string path = directory + kRunFile;
  const int file = open_private(path, O_WRONLY | O_TRUNC);
  const bool written =
      file >= 0 && write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  const int error = errno;
  if (file >= 0) close(file);
  if (!written)
    return Error{"cannot write " + path + ": " + std::strerror(error) +
                 "; choose another place with -o DIR"};
  return true;
}

}  // namespace

std::string new_token() {
  unsigned char bytes[8] = {};
  if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes) {
    const std::uint64_t now =
        clock_ns(CLOCK_REALTIME) ^ (static_cast<std::uint64_t>(getpid()) << 40);
    std::memcpy(bytes, &now, sizeof bytes);
  }
  char text[17];
  for (int i = 0; i < 8; ++i) std::snprintf(text + 2 * i, 3, "%02x", bytes[i]);
  return text;
}

std::string absolute_path(const std::string& path) {
  if (path.starts_with('/')) return path;
  char* here = getcwd(nullptr, 0);
  const std::string absolute = (here ? std::string(here) : std::string()) + "/" + path;
  std::free(here);
  return absolute;
}

Result<bool> create_run_directory(const std::string& directory, const RunInfo& info,
                                  bool overwrite) {
  if (make_private_directory(directory) != 0) {
    if (errno != EEXIST)
      return Error{"cannot create the run directory " + directory + ": " + std::strerror(errno) +
                   "; choose another place with -o DIR"};
    struct stat status;
    if (stat(directory.c_str(), &status) != 0 || !S_ISDIR(status.st_mode))
      return Error{directory + " exists and is not a directory; choose another name with -o DIR"};
    std::vector<std::string> names = entries(directory);
    std::erase_if(names, is_removed_on_nfs);
    if (!std::all_of(names.begin(), names.end(),
                     [&](const std::string& name) { return is_ours(directory, name); }))
      return Error{
          directory +
          " contains files that are not part of a run; choose another directory with -o DIR"};
    if (!names.empty() && !overwrite)
      return Error{directory +
                   " contains an earlier run; choose another directory with -o DIR, or replace it "
                   "with --overwrite"};
    for (const std::string& name : names)
      if (!remove_entry(directory + "/" + name))
        return Error{"cannot remove " + directory + "/" + name + ": " + std::strerror(errno)};
    // If the directory belongs to another user, the files in it are private anyway.
    if ((status.st_mode & 077) != 0) (void)!chmod(directory.c_str(), status.st_mode & 0700);
  }
  return write_run_file(directory, info);
}

std::string next_run_directory(const std::string& directory) {
  std::string candidate = directory;
  for (int number = 2; access(candidate.c_str(), F_OK) == 0; ++number)
    candidate = directory + "." + std::to_string(number);
  return candidate;
}

bool is_run_directory(const std::string& directory) {
  struct stat status;
  return lstat(directory.c_str(), &status) == 0 && S_ISDIR(status.st_mode) &&
         lstat((directory + kRunFile).c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

Result<std::string> set_aside_run(const std::string& directory) {
  const std::size_t slash = directory.find_last_of('/');
  const std::string folder = slash == std::string::npos ? "." : directory.substr(0, slash + 1);
  const std::string prefix =
      (slash == std::string::npos ? directory : directory.substr(slash + 1)) + ".";
  int highest = 0;
  for (const std::string& name : entries(folder)) {
    int number = 0;
    if (!name.starts_with(prefix)) continue;
    const char* const end = name.data() + name.size();
    if (std::from_chars(name.data() + prefix.size(), end, number).ptr == end)
      highest = std::max(highest, number);
  }
  const std::string aside = directory + "." + std::to_string(highest + 1);
  if (rename(directory.c_str(), aside.c_str()) != 0)
    return Error{"cannot rename the earlier run " + directory + " to " + aside + ": " +
                 std::strerror(errno) + "; choose another directory with -o DIR"};
  return aside;
}

int lock_run(const std::string& directory) {
  const int file = open((directory + kRunFile).c_str(), O_RDONLY | O_CLOEXEC);
  if (file >= 0 && flock(file, LOCK_EX | LOCK_NB) == 0) return file;
  if (file >= 0) close(file);
  return -1;
}

bool run_in_use(const std::string& directory) {
  const int file = open((directory + kRunFile).c_str(), O_RDONLY | O_CLOEXEC);
  const bool locked =
      file >= 0 && flock(file, LOCK_EX | LOCK_NB) != 0 && (errno == EWOULDBLOCK || errno == EINTR);
  if (file >= 0) close(file);
  if (locked) return true;
  // Ranks started by the user's launcher have no check process, but their files are mapped.
  if (ranks_with(directory, ".live").empty()) return false;
  char* resolved = realpath(directory.c_str(), nullptr);
  const std::string mapped = std::string(resolved != nullptr ? resolved : directory) + "/rank-";
  std::free(resolved);
  for (const std::string& process : entries("/proc")) {
    if (process.find_first_not_of("0123456789") != std::string::npos) continue;
    std::FILE* maps = std::fopen(("/proc/" + process + "/maps").c_str(), "re");
    if (maps == nullptr) continue;
    char line[4352];
    bool found = false;
    while (!found && std::fgets(line, sizeof line, maps) != nullptr)
      found = std::strstr(line, mapped.c_str()) != nullptr;
    std::fclose(maps);
    if (found) return true;
  }
  return false;
}

Result<std::string> create_next_run_directory(const std::string& directory, const RunInfo& info) {
  for (int number = 1; number < 10000; ++number) {
    const std::string candidate =
        number == 1 ? directory : directory + "." + std::to_string(number);
    if (make_private_directory(candidate) == 0) {
      if (const auto written = write_run_file(candidate, info); !written) return written.error();
      return candidate;
    }
    if (errno != EEXIST)
      return Error{"cannot create the run directory " + candidate + ": " + std::strerror(errno) +
                   "; choose another place with -o DIR"};
  }
  return Error{directory +
               " and 9999 more like it exist; remove some, or choose another name with -o DIR"};
}

void remove_run_directory(const std::string& directory) {
  for (const std::string& name : entries(directory))
    if (is_ours(directory, name)) remove_entry(directory + "/" + name);
  rmdir(directory.c_str());
}

Result<RunInfo> read_run_info(const std::string& directory) {
  const std::string path = directory + kRunFile;
  std::string text;
  if (std::FILE* file = std::fopen(path.c_str(), "re")) {
    for (int c = std::fgetc(file); c != EOF && text.size() < (1 << 24); c = std::fgetc(file))
      text += static_cast<char>(c);
    std::fclose(file);
  } else {
    return Error{"cannot read " + path + ": " + std::strerror(errno)};
  }
  RunInfo info;
  const auto read_number = [&](const char* name, auto& value) {
    if (const std::size_t at = member(text, name); at != std::string::npos)
      std::from_chars(text.data() + at, text.data() + text.size(), value);
  };
  const auto read_string = [&](const char* name, std::string& value) {
    std::size_t at = member(text, name);
    return at != std::string::npos && read_json_string(text, at, value);
  };
  read_number("ranks", info.ranks);
  read_number("started_ns", info.started_ns);
  read_string("options", info.options);
  read_string("folder", info.folder);
  std::size_t at = member(text, "command");
  bool whole = read_string("token", info.token) && at != std::string::npos && at < text.size() &&
               text[at++] == '[';
  while (whole && at < text.size() && text[at] != ']') {
    if (text[at] == ',' || text[at] == ' ') {
      ++at;
      continue;
    }
    whole = read_json_string(text, at, info.command.emplace_back());
  }
  if (!whole) return Error{path + ": damaged"};
  return info;
}

bool holds_token(const std::string& directory, const std::string& token) {
  const int file = open((directory + kRunFile).c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  char text[512];
  const ssize_t got = read(file, text, sizeof text);
  close(file);
  const std::string_view found(text, static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  return found.find("\"token\": " + json_string(token)) != std::string_view::npos;
}

Result<std::vector<WorldRank>> recorded_ranks(const std::string& directory) {
  struct stat status;
  if (stat(directory.c_str(), &status) != 0)
    return Error{directory + ": " + std::strerror(errno) +
                 "; give the directory that photofinish check or record wrote"};
  if (!S_ISDIR(status.st_mode))
    return Error{directory +
                 " is not a directory; give the one that photofinish check or record wrote"};
  if (access(directory.c_str(), R_OK | X_OK) != 0)
    return Error{"cannot read " + directory + ": " + std::strerror(errno)};
  std::vector<WorldRank> ranks = ranks_with(directory, ".trace");
  if (ranks.empty() && access((directory + kRunFile).c_str(), F_OK) != 0)
    return Error{directory +
                 " is not a photofinish run (it has no run.json); give the directory that "
                 "photofinish check or record wrote"};
  return ranks;
}

std::vector<WorldRank> ranks_with_findings(const std::string& directory) {
  return ranks_with(directory, kFindingsEnding);
}

}  // namespace photofinish
