#include "launch/elf.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>

#ifndef DF_1_PIE
#define DF_1_PIE 0x08000000
#endif

namespace photofinish {
namespace {

// A regular file; reads only ranges inside of it.
class File {
 public:
  explicit File(const std::string& path) {
    // Non-blocking: opening a named pipe must not wait for its writer.
    fd_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat info;
    if (fd_ >= 0 && fstat(fd_, &info) == 0 && S_ISREG(info.st_mode))
      size_ = static_cast<uint64_t>(info.st_size);
  }
  ~File() {
    if (fd_ >= 0) ::close(fd_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  bool is_open() const { return fd_ >= 0; }

  template <class T>
  std::optional<std::vector<T>> read(uint64_t offset, uint64_t count) const {
    if (offset > size_ || count > (size_ - offset) / sizeof(T)) return std::nullopt;
    std::vector<T> items(count);
    if (!read_bytes(offset, reinterpret_cast<char*>(items.data()), count * sizeof(T)))
      return std::nullopt;
    return items;
  }

 private:
  bool read_bytes(uint64_t offset, char* to, uint64_t size) const {
    while (size > 0) {
      const ssize_t got = pread(fd_, to, size, static_cast<off_t>(offset));
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return false;
      to += got;
      offset += static_cast<uint64_t>(got);
      size -= static_cast<uint64_t>(got);
    }
    return true;
  }

  int fd_ = -1;
  uint64_t size_ = 0;
};

using Strings = std::vector<char>;

std::optional<std::string> string_at(const Strings& strings, uint64_t offset) {
  if (offset >= strings.size()) return std::nullopt;
  const char* start = strings.data() + offset;
  const void* end = std::memchr(start, '\0', strings.size() - offset);
  if (end == nullptr) return std::nullopt;
  return std::string(start, static_cast<const char*>(end));
}

bool string_at_is(const Strings& strings, uint64_t offset, std::string_view text) {
  if (offset >= strings.size() || strings.size() - offset <= text.size()) return false;
  const char* start = strings.data() + offset;
  return std::memcmp(start, text.data(), text.size()) == 0 && start[text.size()] == '\0';
}

Error damaged(const std::string& path, const char* part) {
  return Error{path + ": damaged or incomplete ELF file (" + part + "); build it again"};
}

struct Headers {
  Elf64_Ehdr file;
  std::vector<Elf64_Phdr> segments;
};

Result<Headers> read_headers(const File& file, const std::string& path) {
  if (!file.is_open()) return Error{path + ": cannot be read (" + std::strerror(errno) + ")"};
  const auto ident = file.read<unsigned char>(0, EI_NIDENT);
  if (!ident || std::memcmp(ident->data(), ELFMAG, SELFMAG) != 0)
    return Error{path + ": not an ELF file; give a program that is linked with MPI"};
  if ((*ident)[EI_CLASS] != ELFCLASS64 || (*ident)[EI_DATA] != ELFDATA2LSB)
    return Error{path + ": not a 64-bit little-endian program; build it for this machine"};
  const auto header = file.read<Elf64_Ehdr>(0, 1);
  if (!header) return damaged(path, "file header");
  Headers headers{(*header)[0], {}};
  if (headers.file.e_phnum == 0) return headers;
  if (headers.file.e_phentsize != sizeof(Elf64_Phdr)) return damaged(path, "program header size");
  auto segments = file.read<Elf64_Phdr>(headers.file.e_phoff, headers.file.e_phnum);
  if (!segments) return damaged(path, "program headers");
  headers.segments = std::move(*segments);
  return headers;
}

const Elf64_Phdr* find_segment(const Headers& headers, uint32_t type) {
  const auto found = std::ranges::find(headers.segments, type, &Elf64_Phdr::p_type);
  return found == headers.segments.end() ? nullptr : &*found;
}

std::optional<uint64_t> file_offset_of(const Headers& headers, uint64_t address) {
  for (const Elf64_Phdr& segment : headers.segments) {
    if (segment.p_type != PT_LOAD || address < segment.p_vaddr) continue;
    const uint64_t inside = address - segment.p_vaddr;
    uint64_t offset;
    if (inside < segment.p_filesz && !__builtin_add_overflow(segment.p_offset, inside, &offset))
      return offset;
  }
  return std::nullopt;
}

std::optional<uint64_t> value_of(const std::vector<Elf64_Dyn>& entries, int64_t tag) {
  const auto found = std::ranges::find(entries, tag, &Elf64_Dyn::d_tag);
  if (found == entries.end()) return std::nullopt;
  return found->d_un.d_val;
}

// Stops at DT_NULL: the rest is padding.
std::optional<std::vector<Elf64_Dyn>> read_dynamic(const File& file, const Elf64_Phdr& segment) {
  auto entries = file.read<Elf64_Dyn>(segment.p_offset, segment.p_filesz / sizeof(Elf64_Dyn));
  if (entries)
    entries->erase(std::ranges::find(*entries, DT_NULL, &Elf64_Dyn::d_tag), entries->end());
  return entries;
}

std::optional<Strings> read_dynamic_strings(const File& file, const Headers& headers,
                                            const std::vector<Elf64_Dyn>& entries) {
  const auto address = value_of(entries, DT_STRTAB);
  const auto size = value_of(entries, DT_STRSZ);
  if (!address || !size) return std::nullopt;
  const auto offset = file_offset_of(headers, *address);
  if (!offset) return std::nullopt;
  return file.read<char>(*offset, *size);
}

// False if an entry points outside of the string table.
bool fill_from_dynamic(Elf& elf, const std::vector<Elf64_Dyn>& entries, const Strings& strings) {
  for (const Elf64_Dyn& entry : entries) {
    const int64_t tag = entry.d_tag;
    if (tag != DT_NEEDED && tag != DT_SONAME && tag != DT_RPATH && tag != DT_RUNPATH) continue;
    const auto text = string_at(strings, entry.d_un.d_val);
    if (!text) return false;
    if (tag == DT_NEEDED) elf.needed.push_back(*text);
    if (tag == DT_SONAME) elf.soname = *text;
    if (tag == DT_RPATH) elf.rpath = *text;
    if (tag == DT_RUNPATH) elf.runpath = *text;
  }
  return true;
}

class SymbolSearch {
 public:
  explicit SymbolSearch(std::span<const std::string_view> names)
      : names_(names), uses_(names.size()) {}

  void scan(const std::vector<Elf64_Sym>& symbols, const Strings& strings) {
    for (const Elf64_Sym& symbol : symbols)
      for (size_t i = 0; i < names_.size(); ++i)
        if (string_at_is(strings, symbol.st_name, names_[i])) note(uses_[i], symbol);
  }

  std::vector<SymbolUse> take() { return std::move(uses_); }

 private:
  // An undefined symbol with a value (the address of a function, taken in a non-PIE program) is
  // still undefined.
  static void note(SymbolUse& use, const Elf64_Sym& symbol) {
    (symbol.st_shndx == SHN_UNDEF ? use.needed : use.defined) = true;
  }

  std::span<const std::string_view> names_;
  std::vector<SymbolUse> uses_;
};

class PrefixSearch {
 public:
  explicit PrefixSearch(std::span<const std::string_view> prefixes) : prefixes_(prefixes) {}

  void scan(const std::vector<Elf64_Sym>& symbols, const Strings& strings) {
    for (const Elf64_Sym& symbol : symbols) {
      const auto name = string_at(strings, symbol.st_name);
      if (!name || std::none_of(prefixes_.begin(), prefixes_.end(),
                                [&](std::string_view prefix) { return name->starts_with(prefix); }))
        continue;
      (symbol.st_shndx == SHN_UNDEF ? found_.needed : found_.defined).push_back(*name);
    }
  }
  DynamicSymbols take() { return std::move(found_); }

 private:
  std::span<const std::string_view> prefixes_;
  DynamicSymbols found_;
};

std::optional<std::vector<Elf64_Shdr>> read_sections(const File& file, const Elf64_Ehdr& header) {
  if (header.e_shoff == 0) return std::vector<Elf64_Shdr>{};
  if (header.e_shentsize != sizeof(Elf64_Shdr)) return std::nullopt;
  uint64_t count = header.e_shnum;
  if (count == 0) {  // more than 16 bits can count: the first section header has the number
    const auto first = file.read<Elf64_Shdr>(header.e_shoff, 1);
    if (!first) return std::nullopt;
    count = (*first)[0].sh_size;
  }
  return file.read<Elf64_Shdr>(header.e_shoff, count);
}

bool scan_sections(const File& file, const std::vector<Elf64_Shdr>& sections,
                   SymbolSearch& search) {
  for (const Elf64_Shdr& section : sections) {
    if (section.sh_type != SHT_SYMTAB && section.sh_type != SHT_DYNSYM) continue;
    if (section.sh_link >= sections.size()) return false;
    const Elf64_Shdr& string_section = sections[section.sh_link];
    if (string_section.sh_type != SHT_STRTAB)
      continue;  // a separate debug file: names are elsewhere
    const auto symbols =
        file.read<Elf64_Sym>(section.sh_offset, section.sh_size / sizeof(Elf64_Sym));
    const auto strings = file.read<char>(string_section.sh_offset, string_section.sh_size);
    if (!symbols || !strings) return false;
    search.scan(*symbols, *strings);
  }
  return true;
}

// Without section headers nothing says how many dynamic symbols there are; linkers put the strings
// right after them.
template <class Search>
bool scan_dynamic(const File& file, const Headers& headers, Search& search) {
  const Elf64_Phdr* segment = find_segment(headers, PT_DYNAMIC);
  if (segment == nullptr) return true;
  const auto entries = read_dynamic(file, *segment);
  if (!entries) return false;
  const auto strings = read_dynamic_strings(file, headers, *entries);
  const auto symbols_at = value_of(*entries, DT_SYMTAB);
  const auto strings_at = value_of(*entries, DT_STRTAB);
  if (!strings || !symbols_at || !strings_at || *strings_at < *symbols_at) return false;
  const auto offset = file_offset_of(headers, *symbols_at);
  if (!offset) return false;
  const auto symbols =
      file.read<Elf64_Sym>(*offset, (*strings_at - *symbols_at) / sizeof(Elf64_Sym));
  if (!symbols) return false;
  search.scan(*symbols, *strings);
  return true;
}

}  // namespace

FileKind kind_of_file(const std::string& path) {
  const File file(path);
  const auto start = file.read<char>(0, 2);
  if (!start) return FileKind::Other;
  if ((*start)[0] == '#' && (*start)[1] == '!') return FileKind::Script;
  const auto magic = file.read<char>(0, SELFMAG);
  return magic && std::memcmp(magic->data(), ELFMAG, SELFMAG) == 0 ? FileKind::Elf
                                                                   : FileKind::Other;
}

Result<Elf> read_elf(const std::string& path) {
  const File file(path);
  const auto headers = read_headers(file, path);
  if (!headers) return headers.error();
  if (headers->file.e_type != ET_EXEC && headers->file.e_type != ET_DYN)
    return Error{path +
                 ": neither a program nor a shared library (an object file or a core dump?); give "
                 "the program"};

  Elf elf{.path = path, .machine = headers->file.e_machine};
  elf.has_interpreter = find_segment(*headers, PT_INTERP) != nullptr;
  elf.is_program = headers->file.e_type == ET_EXEC || elf.has_interpreter;
  const Elf64_Phdr* segment = find_segment(*headers, PT_DYNAMIC);
  if (segment == nullptr) return elf;
  elf.has_dynamic_section = true;

  const auto entries = read_dynamic(file, *segment);
  if (!entries) return damaged(path, "dynamic section");
  if (value_of(*entries, DT_FLAGS_1).value_or(0) & DF_1_PIE) elf.is_program = true;
  const auto strings = read_dynamic_strings(file, *headers, *entries);
  if (!strings) return damaged(path, "dynamic strings");
  if (!fill_from_dynamic(elf, *entries, *strings)) return damaged(path, "dynamic section");
  return elf;
}

Result<std::vector<SymbolUse>> find_symbols(const std::string& path,
                                            std::span<const std::string_view> names) {
  const File file(path);
  const auto headers = read_headers(file, path);
  if (!headers) return headers.error();
  const auto sections = read_sections(file, headers->file);
  if (!sections) return damaged(path, "section headers");
  SymbolSearch search(names);
  const bool whole = sections->empty() ? scan_dynamic(file, *headers, search)
                                       : scan_sections(file, *sections, search);
  if (!whole) return damaged(path, "symbol table");
  return search.take();
}

Result<DynamicSymbols> dynamic_symbols(const std::string& path,
                                       std::span<const std::string_view> prefixes) {
  const File file(path);
  const auto headers = read_headers(file, path);
  if (!headers) return headers.error();
  PrefixSearch search(prefixes);
  if (!scan_dynamic(file, *headers, search)) return damaged(path, "symbol table");
  return search.take();
}

}  // namespace photofinish
