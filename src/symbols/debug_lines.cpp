#include "symbols/debug_lines.h"

#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <unistd.h>

#include <string_view>

namespace photofinish {

bool has_debug_lines(const std::string& program) {
  if (elf_version(EV_CURRENT) == EV_NONE) return false;
  const int file = open(program.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  Elf* const elf = elf_begin(file, ELF_C_READ, nullptr);
  bool found = false;
  std::size_t names = 0;
  if (elf != nullptr && elf_kind(elf) == ELF_K_ELF && elf_getshdrstrndx(elf, &names) == 0)
    for (Elf_Scn* section = nullptr; !found && (section = elf_nextscn(elf, section)) != nullptr;) {
      GElf_Shdr header;
      const char* const name = gelf_getshdr(section, &header) != nullptr
                                   ? elf_strptr(elf, names, header.sh_name)
                                   : nullptr;
      for (const std::string_view wanted : {".debug_line", ".zdebug_line", ".gnu_debuglink"})
        found = found || (name != nullptr && wanted == name);
    }
  elf_end(elf);
  close(file);
  return found;
}

}  // namespace photofinish
