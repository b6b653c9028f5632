// Reads files and directories of the system (/proc, /sys) without the C library's streams: those
// allocate from the program's heap, even in the tool's libraries.
#pragma once

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish {

// Empty: the file does not exist, or is empty.
inline std::string read_system_file(const char* path) {
  std::string text;
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return text;
  char part[4096];
  for (ssize_t size = 0; (size = read(file, part, sizeof part)) > 0;)
    text.append(part, static_cast<std::size_t>(size));
  close(file);
  return text;
}

// Splits at zero bytes, as in /proc/self/cmdline.
inline std::vector<std::string> zero_terminated_texts(std::string_view text) {
  std::vector<std::string> texts;
  while (!text.empty()) {
    texts.emplace_back(text.substr(0, text.find('\0')));
    text.remove_prefix(std::min(texts.back().size() + 1, text.size()));
  }
  return texts;
}

// By SIGSTOP, or by a debugger.
inline bool is_stopped_process(std::uint64_t process) {
  const std::string stat = read_system_file(("/proc/" + std::to_string(process) + "/stat").c_str());
  const std::size_t name_end = stat.rfind(')');
  if (name_end == std::string::npos || name_end + 2 >= stat.size()) return false;
  return stat[name_end + 2] == 'T' || stat[name_end + 2] == 't';
}

inline std::string_view first_line(std::string_view text) {
  return text.substr(0, text.find('\n'));
}

// Names in a directory, "." and ".." included. Empty: it cannot be read.
inline std::vector<std::string> names_in_directory(const char* path) {
  struct Entry {  // struct linux_dirent64
    std::uint64_t inode, offset;
    std::uint16_t size;
    std::uint8_t type;
  };
  constexpr std::size_t kName = offsetof(Entry, type) + 1;
  std::vector<std::string> names;
  const int directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory < 0) return names;
  alignas(Entry) char part[4096];
  for (long size = 0; (size = syscall(SYS_getdents64, directory, part, sizeof part)) > 0;)
    for (long at = 0; at < size;) {
      std::uint16_t entry_size;
      std::memcpy(&entry_size, part + at + offsetof(Entry, size), sizeof entry_size);
      names.emplace_back(part + at + kName);
      at += entry_size;
    }
  close(directory);
  return names;
}

}  // namespace photofinish
