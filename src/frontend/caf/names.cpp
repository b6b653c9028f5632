#include "frontend/caf/names.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <string_view>

namespace photofinish::caf {
namespace {

struct Loaded {
  std::string path;
  std::uint64_t bias = 0;
};

int add_loaded(dl_phdr_info* info, std::size_t, void* all) {
  auto& modules = *static_cast<std::vector<Loaded>*>(all);
  const bool is_program = modules.empty();
  modules.push_back({is_program ? "/proc/self/exe" : info->dlpi_name, info->dlpi_addr});
  return 0;
}

// "x.5" is the local variable x, "__grid_MOD_halo" the variable halo of a module.
std::string source_name(std::string_view symbol) {
  if (const std::size_t module = symbol.find("_MOD_"); module != std::string_view::npos)
    symbol.remove_prefix(module + 5);
  return std::string(symbol.substr(0, symbol.find('.')));
}

bool may_be_coarray(std::string_view symbol) {
  return !symbol.empty() && !symbol.starts_with("caf_token") && !symbol.starts_with("_F.");
}

class File {
 public:
  explicit File(const std::string& path) {
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    struct stat facts{};
    if (file >= 0 && fstat(file, &facts) == 0 && facts.st_size > 0) {
      size_ = static_cast<std::size_t>(facts.st_size);
      data_ = mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file, 0);
      if (data_ == MAP_FAILED) data_ = nullptr;
    }
    if (file >= 0) close(file);
  }
  ~File() {
    if (data_ != nullptr) munmap(data_, size_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  // Null if the file is too short.
  template <class T>
  const T* at(std::uint64_t offset, std::uint64_t count = 1) const {
    if (data_ == nullptr || offset > size_ || count > (size_ - offset) / sizeof(T)) return nullptr;
    return reinterpret_cast<const T*>(static_cast<const char*>(data_) + offset);
  }

 private:
  void* data_ = nullptr;
  std::size_t size_ = 0;
};

// Calls visit(name, symbol) for each variable.
template <class Visit>
void each_variable(const File& file, Visit visit) {
  const auto* const header = file.at<ElfW(Ehdr)>(0);
  if (header == nullptr || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) return;
  const auto* const sections = file.at<ElfW(Shdr)>(header->e_shoff, header->e_shnum);
  if (sections == nullptr) return;
  for (int i = 0; i < header->e_shnum; ++i) {
    if (sections[i].sh_type != SHT_SYMTAB || sections[i].sh_link >= header->e_shnum) continue;
    const ElfW(Shdr)& strings = sections[sections[i].sh_link];
    const std::uint64_t count = sections[i].sh_size / sizeof(ElfW(Sym));
    const auto* const symbols = file.at<ElfW(Sym)>(sections[i].sh_offset, count);
    const auto* const texts = file.at<char>(strings.sh_offset, strings.sh_size);
    if (symbols == nullptr || texts == nullptr || strings.sh_size == 0) continue;
    for (std::uint64_t k = 0; k < count; ++k) {
      const ElfW(Sym)& symbol = symbols[k];
      if ((symbol.st_info & 0xf) != STT_OBJECT || symbol.st_name >= strings.sh_size) continue;
      // Writable data only.
      if (symbol.st_shndx == SHN_UNDEF || symbol.st_shndx >= header->e_shnum ||
          (sections[symbol.st_shndx].sh_flags & (SHF_WRITE | SHF_ALLOC)) !=
              (SHF_WRITE | SHF_ALLOC) ||
          (sections[symbol.st_shndx].sh_flags & SHF_TLS) != 0)
        continue;
      const char* const text = texts + symbol.st_name;
      visit(std::string_view(text, strnlen(text, strings.sh_size - symbol.st_name)), symbol);
    }
  }
}

// The libraries of MPI, of the compiler and of the system have no coarrays of the program.
bool may_have_coarrays(const Loaded& module) {
  if (module.path == "/proc/self/exe") return true;
  return module.path.starts_with("/") && !module.path.starts_with("/lib/") &&
         !module.path.starts_with("/usr/") &&
         module.path.find("libphotofinish-") == std::string::npos;
}

}  // namespace

const std::vector<Names::Variable>& Names::variables() {
  if (read_) return variables_;
  read_ = true;
  std::vector<Loaded> modules;
  dl_iterate_phdr(add_loaded, &modules);
  for (const Loaded& module : modules)
    if (may_have_coarrays(module))
      each_variable(File(module.path), [&](std::string_view name, const ElfW(Sym) & symbol) {
        if (may_be_coarray(name))
          variables_.push_back({module.bias + symbol.st_value, symbol.st_size, source_name(name)});
      });
  std::sort(variables_.begin(), variables_.end(),
            [](const Variable& a, const Variable& b) { return a.begin < b.begin; });
  return variables_;
}

std::string Names::at(std::uint64_t address) {
  const auto& all = variables();
  const auto next = std::upper_bound(
      all.begin(), all.end(), address,
      [](std::uint64_t value, const Variable& variable) { return value < variable.begin; });
  if (next == all.begin() || address >= std::prev(next)->begin + std::prev(next)->bytes) return "";
  return std::prev(next)->name;
}

Names::Pointer Names::pointing_to(std::uint64_t value) {
  if (value == 0) return {};  // a coarray of size 0
  for (const Variable& variable : variables())
    if (variable.bytes == sizeof value && variable.begin % sizeof value == 0 &&
        *reinterpret_cast<const std::uint64_t*>(variable.begin) == value)
      return {variable.name, variable.begin};
  return {};
}

}  // namespace photofinish::caf
