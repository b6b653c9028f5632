#include "symbols/pass_notes.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <gelf.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <string_view>

#include "photofinish/runtime_abi.h"

namespace photofinish {
namespace {

constexpr std::size_t kNumbers =
    sizeof(photofinish_note) - offsetof(photofinish_note, state);  // in front of the source name

void read_notes(Elf_Data* data, std::vector<std::string>& sources) {
  GElf_Nhdr header;
  std::size_t name = 0, words = 0;
  for (std::size_t offset = 0; (offset = gelf_getnote(data, offset, &header, &name, &words)) > 0;) {
    const char* const bytes = static_cast<const char*>(data->d_buf);
    if (header.n_namesz != sizeof PHOTOFINISH_NOTE_NAME ||
        std::memcmp(bytes + name, PHOTOFINISH_NOTE_NAME, sizeof PHOTOFINISH_NOTE_NAME) != 0)
      continue;
    if (header.n_descsz <= kNumbers) continue;
    const std::string_view source(bytes + words + kNumbers, header.n_descsz - kNumbers);
    sources.emplace_back(source.substr(0, source.find('\0')));
  }
}

std::string_view file_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

// The units in languages of the program.
void read_units(Elf* elf, const std::vector<std::string>& with, std::vector<std::string>& without) {
  Dwarf* const dwarf = dwarf_begin_elf(elf, DWARF_C_READ, nullptr);
  if (dwarf == nullptr) return;
  Dwarf_CU* unit = nullptr;
  Dwarf_Die die;
  std::uint8_t type = 0;
  while (dwarf_get_units(dwarf, unit, &unit, nullptr, &type, &die, nullptr) == 0) {
    const int language = type == DW_UT_type ? -1 : dwarf_srclang(&die);
    const char* const name = dwarf_diename(&die);
    if (name == nullptr || language < 0 || language == DW_LANG_Mips_Assembler) continue;
    if (std::string_view(name).find("/libgcc/") != std::string_view::npos)
      continue;  // the compiler's own file, linked with -ffast-math
    const bool known = std::any_of(with.begin(), with.end(), [&](const std::string& source) {
      return file_name(source) == file_name(name);
    });
    if (!known && std::find(without.begin(), without.end(), name) == without.end())
      without.emplace_back(name);
  }
  dwarf_end(dwarf);
}

}  // namespace

PassNotes pass_notes(const std::string& program) {
  PassNotes notes;
  if (elf_version(EV_CURRENT) == EV_NONE) return notes;
  const int file = open(program.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return notes;
  Elf* const elf = elf_begin(file, ELF_C_READ, nullptr);
  std::size_t names = 0;
  if (elf != nullptr && elf_kind(elf) == ELF_K_ELF && elf_getshdrstrndx(elf, &names) == 0) {
    notes.readable = true;
    for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf, section)) != nullptr;) {
      GElf_Shdr header;
      if (gelf_getshdr(section, &header) == nullptr) continue;
      const char* const name = elf_strptr(elf, names, header.sh_name);
      if (name == nullptr || std::string_view(name) != PHOTOFINISH_NOTE_SECTION) continue;
      if (Elf_Data* const data = elf_getdata(section, nullptr);
          data != nullptr && data->d_buf != nullptr)
        read_notes(data, notes.with);
    }
    read_units(elf, notes.with, notes.without);
  }
  elf_end(elf);
  close(file);
  return notes;
}

}  // namespace photofinish
