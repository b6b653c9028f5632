#include "symbols/symbolizer.h"

#include <cxxabi.h>
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <gelf.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <climits>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string_view>

#include "base/printable.h"
#include "symbols/dwarf_walk.h"

namespace photofinish {
namespace {

// If this variable is set, libdw queries debuginfod servers. A report must not wait for a network,
// and programs started later must still see the user's value. So it is hidden only during a lookup.
class NoDebuginfod {
 public:
  NoDebuginfod() {
    if (const char* urls = std::getenv(kName)) urls_ = urls;
    unsetenv(kName);
  }
  ~NoDebuginfod() {
    if (urls_) setenv(kName, urls_->c_str(), 1);
  }
  NoDebuginfod(const NoDebuginfod&) = delete;
  NoDebuginfod& operator=(const NoDebuginfod&) = delete;

 private:
  static constexpr const char* kName = "DEBUGINFOD_URLS";
  std::optional<std::string> urls_;
};

int find_elf(Dwfl_Module* module, void** data, const char* name, Dwarf_Addr base, char** file,
             Elf** elf) {
  const NoDebuginfod scope;
  return dwfl_build_id_find_elf(module, data, name, base, file, elf);
}

int find_debuginfo(Dwfl_Module* module, void** data, const char* name, Dwarf_Addr base,
                   const char* file, const char* link, GElf_Word crc, char** found) {
  const NoDebuginfod scope;
  return dwfl_standard_find_debuginfo(module, data, name, base, file, link, crc, found);
}

const Dwfl_Callbacks kCallbacks = {.find_elf = find_elf,
                                   .find_debuginfo = find_debuginfo,
                                   .section_address = dwfl_offline_section_address,
                                   .debuginfo_path = nullptr};

// gfortran's symbol of the main program. Its name is elsewhere (Module::program_name).
constexpr std::string_view kProgramSymbol = "MAIN__";
// main of a UPC program, as the lowering pass names it.
constexpr std::string_view kUpcMain = "__upc_main";
// flang's suffix for functions of parallel regions.
constexpr std::string_view kRegionSuffix = "..omp_par";

// Demangles flang's procedure names: _QMsolverFstepPinner is solver::step::inner; the main program
// is kProgramSymbol. Upper case letters are flang's, lower case ones the program's.
std::string fortran_name(std::string_view name) {
  name.remove_prefix(2);  // _Q
  const std::string_view suffix =
      name.find(kRegionSuffix) != name.npos ? kRegionSuffix : std::string_view();
  name = name.substr(0, name.find('.'));  // copies
  if (name == "Qmain") return std::string(kProgramSymbol).append(suffix);
  std::string result;
  while (!name.empty()) {
    if (std::string_view("MSFPE").find(name[0]) == std::string_view::npos) return {};
    const std::size_t end = std::min(name.size(), name.find_first_of("MSFPBCENTDIKQ", 1));
    if (!result.empty()) result += "::";
    result += name.substr(1, end - 1);
    name.remove_prefix(end);
  }
  return result.append(suffix);
}

// Demangles gfortran's names: __solver_MOD_step is solver::step.
std::string gfortran_name(std::string_view name) {
  const std::size_t mark = name.find("_MOD_");
  if (!name.starts_with("__") || mark == name.npos || mark <= 2) return {};
  return std::string(name.substr(2, mark - 2)) + "::" + std::string(name.substr(mark + 5));
}

std::string demangled(const char* name) {
  if (std::string_view(name) == kUpcMain) return "main";
  if (const std::string fortran = gfortran_name(name); !fortran.empty()) return fortran;
  if (std::string_view(name).starts_with("_Q"))
    if (const std::string fortran = fortran_name(name); !fortran.empty()) return fortran;
  if (!std::string_view(name).starts_with("_Z")) return name;  // b is no mangled "bool"
  int status = 0;
  char* text = abi::__cxa_demangle(name, nullptr, nullptr, &status);
  if (text == nullptr || status != 0) return name;
  std::string result = text;
  std::free(text);
  return result;
}

// The source name of a variable's symbol: grid for grid.0 (static in a function), solver::grid for
// __solver_MOD_grid (gfortran) and _QMsolverEgrid (flang).
std::string variable_name(const char* symbol) {
  std::string name = symbol;
  if (const std::size_t dot = name.find_last_of('.');
      dot != name.npos && dot > 0 &&
      std::all_of(name.begin() + static_cast<std::ptrdiff_t>(dot) + 1, name.end(),
                  [](unsigned char c) { return std::isdigit(c) != 0; }))
    name.resize(dot);
  return demangled(name.c_str());
}

// Linkage names contain the scope and parameters in C++, and the module in Fortran
// (__solver_MOD_step, _QMsolverPstep). Others only decorate the plain name, which reads better.
std::string function_name(Dwarf_Die die) {
  for (const unsigned name : {DW_AT_linkage_name, DW_AT_MIPS_linkage_name}) {
    Dwarf_Attribute attribute;
    if (dwarf_attr_integrate(&die, name, &attribute) == nullptr) continue;
    const char* linkage_name = dwarf_formstring(&attribute);
    if (linkage_name == nullptr) continue;
    const std::string_view text = linkage_name;
    if (text.starts_with("_Z") || text.starts_with("_QM") || !gfortran_name(text).empty())
      return demangled(linkage_name);
  }
  const char* name = dwarf_diename(&die);  // follows abstract origins and specifications
  return name == nullptr ? "" : std::string_view(name).starts_with("_Q") ? demangled(name) : name;
}

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

// heat, if the line is "program heat".
std::string program_in(const std::string& line) {
  std::istringstream words(lower(line));
  std::string keyword, name;
  words >> keyword >> name;
  const auto end = std::ranges::find_if_not(
      name, [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
  name.erase(end, name.end());
  return keyword == "program" ? name : "";
}

std::string full_path(Dwarf_Die unit, const char* file) {
  if (file == nullptr) return {};
  std::filesystem::path path = file;
  Dwarf_Attribute attribute;
  if (path.is_relative() && dwarf_attr(&unit, DW_AT_comp_dir, &attribute) != nullptr)
    if (const char* directory = dwarf_formstring(&attribute)) path = directory / path;
  return path.lexically_normal().string();
}

int number(Dwarf_Die die, unsigned name) {
  Dwarf_Attribute attribute;
  Dwarf_Word value;
  if (dwarf_attr(&die, name, &attribute) == nullptr || dwarf_formudata(&attribute, &value) != 0)
    return 0;
  return value > INT_MAX ? 0 : static_cast<int>(value);
}

std::optional<Dwarf_Die> type_of(Dwarf_Die die) {
  Dwarf_Attribute attribute;
  Dwarf_Die type;
  if (dwarf_attr_integrate(&die, DW_AT_type, &attribute) == nullptr ||
      dwarf_formref_die(&attribute, &type) == nullptr || dwarf_peel_type(&type, &type) != 0)
    return std::nullopt;
  return type;
}

bool is_pointer(Dwarf_Die type) {
  const int tag = dwarf_tag(&type);
  return tag == DW_TAG_pointer_type || tag == DW_TAG_reference_type ||
         tag == DW_TAG_rvalue_reference_type || tag == DW_TAG_ptr_to_member_type;
}

// The variable has a fixed address, so it outlives its function.
bool is_static(Dwarf_Die variable) {
  Dwarf_Attribute attribute;
  Dwarf_Op* operations;
  size_t count;
  return dwarf_attr_integrate(&variable, DW_AT_location, &attribute) != nullptr &&
         dwarf_getlocation(&attribute, &operations, &count) == 0 && count > 0 &&
         (operations[0].atom == DW_OP_addr || operations[0].atom == DW_OP_addrx);
}

// Null if its type is not sufficiently known.
std::optional<Variable> describe_variable(Dwarf_Die die, const std::string& name) {
  const auto type = type_of(die);
  if (!type) return std::nullopt;
  Dwarf_Die mutable_type = *type;
  Dwarf_Attribute attribute;
  Variable variable{.name = name};
  variable.is_array = dwarf_tag(&mutable_type) == DW_TAG_array_type;
  // Arrays with a descriptor, such as Fortran's allocatable ones, have their memory elsewhere.
  variable.is_pointer =
      is_pointer(*type) || dwarf_attr(&mutable_type, DW_AT_data_location, &attribute) != nullptr;
  if (variable.is_array)
    if (const auto element = type_of(*type)) variable.of_pointers = is_pointer(*element);
  Dwarf_Word bytes = 0;
  if (dwarf_aggregate_size(&mutable_type, &bytes) == 0) variable.bytes = bytes;
  return variable;
}

// gfortran marks it.
bool is_main_program(Dwarf_Die die) {
  Dwarf_Attribute attribute;
  return dwarf_attr_integrate(&die, DW_AT_main_subprogram, &attribute) != nullptr;
}

struct Where {
  std::string file;
  int line = 0;
  int column = 0;
};

Where where_of_line(Dwarf_Die unit, Dwarf_Line* line) {
  Where where;
  if (line == nullptr || dwarf_lineno(line, &where.line) != 0 || where.line <= 0) return {};
  if (dwarf_linecol(line, &where.column) != 0) where.column = 0;
  where.file = full_path(unit, dwarf_linesrc(line, nullptr, nullptr));
  return where;
}

// The function and what was inlined into it at the address, outermost first.
std::vector<Dwarf_Die> scopes_at(Dwarf_Die function, Dwarf_Addr address) {
  std::vector<Dwarf_Die> scopes = inlined_calls(function, address);
  scopes.insert(scopes.begin(), function);
  return scopes;
}

// Line 0 marks code that the compiler generated or merged. The best guess is the preceding line,
// but only of the same function: a line of an inlined function would be shown under the wrong name.
Where where_at(Dwarf_Die unit, const std::vector<Dwarf_Die>& scopes, Dwarf_Addr address) {
  Dwarf_Line* line = dwarf_getsrc_die(&unit, address);
  Where where = where_of_line(unit, line);
  if (where.line > 0 || scopes.empty()) return where;
  Dwarf_Die function = scopes.front();
  for (int steps = 0; line != nullptr && steps < 64; ++steps) {
    Dwarf_Addr start;
    if (dwarf_lineaddr(line, &start) != 0 || start == 0 || dwarf_haspc(&function, start - 1) <= 0)
      return {};
    line = dwarf_getsrc_die(&unit, start - 1);
    where = where_of_line(unit, line);
    if (where.line > 0 && scopes_at(function, start - 1).back().addr == scopes.back().addr)
      return where;
  }
  return {};
}

// The line may be 0 here, too; the file is still right.
Where where_of_call(Dwarf_Die unit, Dwarf_Die call) {
  Dwarf_Files* files;
  size_t count;
  const int index = number(call, DW_AT_call_file);
  if (dwarf_getsrcfiles(&unit, &files, &count) != 0 || static_cast<size_t>(index) >= count)
    return {};
  return {full_path(unit, dwarf_filesrc(files, static_cast<size_t>(index), nullptr, nullptr)),
          number(call, DW_AT_call_line), number(call, DW_AT_call_column)};
}

std::string hex(const unsigned char* bytes, int size) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (int i = 0; i < size; ++i) {
    text += kDigits[bytes[i] >> 4];
    text += kDigits[bytes[i] & 15];
  }
  return text;
}

// Only loadable files: libdwfl also accepts archives, objects and kernel modules.
bool is_loadable_elf(int fd) {
  struct stat info;
  if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) return false;
  Elf64_Ehdr header;
  if (pread(fd, &header, sizeof header, 0) != static_cast<ssize_t>(sizeof header)) return false;
  return std::string_view(reinterpret_cast<char*>(header.e_ident), SELFMAG) == ELFMAG &&
         header.e_ident[EI_CLASS] == ELFCLASS64 &&
         (header.e_type == ET_EXEC || header.e_type == ET_DYN);
}

}  // namespace

// One opened file. Without `module_` it is missing or unreadable, and has no symbols.
class Symbolizer::Module {
 public:
  explicit Module(const std::string& path) {
    const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) return;
    dwfl_ = is_loadable_elf(fd) ? dwfl_begin(&kCallbacks) : nullptr;
    if (dwfl_ != nullptr) module_ = dwfl_report_offline(dwfl_, path.c_str(), path.c_str(), fd);
    if (module_ == nullptr) {  // otherwise libdwfl owns the descriptor
      close(fd);
      return;
    }
    dwfl_report_end(dwfl_, nullptr, nullptr);
    if (dwfl_module_getelf(module_, &elf_bias_) == nullptr) {
      module_ = nullptr;
      return;
    }
    read_build_id();
    if (Dwarf* dwarf = dwfl_module_getdwarf(module_, &dwarf_bias_)) units_.emplace(dwarf);
  }
  ~Module() {
    if (dwfl_ != nullptr) dwfl_end(dwfl_);
  }
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  bool is_open() const { return module_ != nullptr; }
  const std::string& build_id() const { return build_id_; }

  std::vector<Frame> frames_at(uint64_t address) {
    const Dwarf_Addr in_dwfl = address + elf_bias_;
    std::vector<Frame> frames = dwarf_frames(in_dwfl - dwarf_bias_);
    if (frames.empty()) frames.emplace_back();
    if (frames.back().function.empty()) frames.back().function = symbol_at(in_dwfl);
    for (Frame& frame : frames) {
      frame.is_program |= frame.function == kProgramSymbol;
      name_program(frame.function);
    }
    return frames;
  }

  std::optional<Variable> variable_at(uint64_t address) {
    GElf_Off offset = 0;
    GElf_Sym symbol{};
    const char* name = dwfl_module_addrinfo(module_, address + elf_bias_, &offset, &symbol, nullptr,
                                            nullptr, nullptr);
    if (name == nullptr || GELF_ST_TYPE(symbol.st_info) != STT_OBJECT || offset >= symbol.st_size)
      return std::nullopt;
    return Variable{.name = variable_name(name), .bytes = symbol.st_size, .offset = offset};
  }

  std::optional<Variable> local_named(uint64_t address, const std::string& name) {
    if (!units_) return std::nullopt;
    const Dwarf_Addr in_dwarf = address + elf_bias_ - dwarf_bias_;
    const auto unit = units_->unit_at(in_dwarf);
    if (!unit) return std::nullopt;
    const auto function = units_->function_at(*unit, in_dwarf);
    if (!function) return std::nullopt;
    const std::vector<Dwarf_Die> blocks = blocks_at(*function, in_dwarf);
    for (auto block = blocks.rbegin(); block != blocks.rend(); ++block) {
      const auto found = variable_in(*block, name.c_str());
      if (!found) continue;
      if (is_static(*found)) return std::nullopt;
      auto variable = describe_variable(*found, name);
      if (variable) variable->function = function_name(blocks.front());
      if (variable) name_program(variable->function);
      return variable;
    }
    return std::nullopt;
  }

 private:
  void read_build_id() {
    const unsigned char* bits;
    GElf_Addr address;
    const int size = dwfl_module_build_id(module_, &bits, &address);
    if (size > 0) build_id_ = hex(bits, size);
  }

  std::vector<Frame> dwarf_frames(Dwarf_Addr address) {
    if (!units_) return {};
    const auto unit = units_->unit_at(address);
    if (!unit) return {};
    const auto function = units_->function_at(*unit, address);
    const auto scopes = function ? scopes_at(*function, address) : std::vector<Dwarf_Die>{};
    Where where = where_at(*unit, scopes, address);
    std::vector<Frame> frames;
    for (auto scope = scopes.rbegin(); scope != scopes.rend(); ++scope) {
      const bool inlined = scope + 1 != scopes.rend();
      frames.push_back({function_name(*scope), where.file, where.line, where.column, inlined});
      frames.back().is_program = is_main_program(*scope);
      if (inlined) where = where_of_call(*unit, *scope);
    }
    if (scopes.empty() && where.line > 0)
      frames.push_back({"", where.file, where.line, where.column});
    return frames;
  }

  std::string symbol_at(Dwarf_Addr address) {
    GElf_Off offset;
    GElf_Sym symbol;
    const char* name =
        dwfl_module_addrinfo(module_, address, &offset, &symbol, nullptr, nullptr, nullptr);
    // Labels without size would cover everything up to the next symbol; $x and $d mark code and
    // data on arm64.
    if (name == nullptr || name[0] == '$' || offset >= std::max<GElf_Xword>(symbol.st_size, 1))
      return {};
    return demangled(name);
  }

  // Replaces the symbol of the main program by its name.
  void name_program(std::string& function) {
    const std::string_view text = function;
    if (text == kProgramSymbol ||
        (text.starts_with(kProgramSymbol) && text.ends_with(kRegionSuffix)))
      function.replace(0, kProgramSymbol.size(), program_name());
  }

  // Debug information may lack the name of the main program; the source contains it.
  const std::string& program_name() {
    if (!program_name_.empty()) return program_name_;
    program_name_ = "MAIN";
    const int count = units_ ? dwfl_module_getsymtab(module_) : 0;
    for (int i = 0; i < count; ++i) {
      GElf_Sym symbol;
      GElf_Addr address;
      const char* name =
          dwfl_module_getsym_info(module_, i, &symbol, &address, nullptr, nullptr, nullptr);
      if (name == nullptr || (std::string_view(name) != "_QQmain" && name != kProgramSymbol))
        continue;
      const std::string found = program_before(address - dwarf_bias_, symbol.st_size);
      if (!found.empty()) program_name_ = found;
      break;
    }
    return program_name_;
  }

  // Line tables show the first statement. The statement that names the program is before it.
  std::string program_before(Dwarf_Addr address, std::uint64_t bytes) {
    const auto unit = units_->unit_at(address);
    if (!unit) return {};
    Dwarf_Die die = *unit;
    Where first;  // skips compiler-generated code
    for (Dwarf_Addr at = address; first.line == 0 && at < address + bytes; ++at)
      first = where_of_line(*unit, dwarf_getsrc_die(&die, at));
    std::ifstream source(first.file);
    std::string line, found;
    for (int i = 0; i < first.line && std::getline(source, line); ++i)
      if (const std::string name = program_in(line); !name.empty()) found = name;
    return found;
  }

  std::string build_id_;
  std::string program_name_;  // empty until it is needed
  Dwfl* dwfl_ = nullptr;
  Dwfl_Module* module_ = nullptr;
  GElf_Addr elf_bias_ = 0;     // libdwfl's address = the file's + elf_bias_
  Dwarf_Addr dwarf_bias_ = 0;  // libdwfl's address = the debug information's + dwarf_bias_
  std::optional<UnitIndex> units_;
};

Symbolizer::Symbolizer(std::shared_ptr<SavedSymbols> saved) : saved_(std::move(saved)) {}
Symbolizer::~Symbolizer() = default;

Symbolizer::Module& Symbolizer::module(const std::string& path) {
  auto& module = modules_[path];
  if (!module) module = std::make_unique<Module>(path);
  return *module;
}

bool Symbolizer::matches(const std::string& module_path, const std::string& build_id) {
  const Module& file = module(module_path);
  return file.is_open() && (build_id.empty() || file.build_id() == lower(build_id));
}

std::optional<Variable> Symbolizer::variable_at(const std::string& module_path, uint64_t address,
                                                const std::string& build_id) {
  const SavedSymbols::Place place{module_path, address, build_id};
  if (saved_)
    if (auto saved = saved_->variable(place)) return *saved;
  if (!matches(module_path, build_id)) return std::nullopt;
  auto variable = module(module_path).variable_at(address);
  if (variable) variable->name = printable(variable->name);
  if (saved_) saved_->add_variable(place, variable);
  return variable;
}

std::optional<Variable> Symbolizer::local_named(const std::string& module_path,
                                                uint64_t return_address, const std::string& name) {
  const SavedSymbols::Place place{module_path, return_address, name};
  if (saved_)
    if (auto saved = saved_->local(place)) return *saved;
  Module& file = module(module_path);
  if (!file.is_open() || return_address == 0 || unmatched_.contains(module_path))
    return std::nullopt;
  auto variable = file.local_named(return_address - 1, name);
  if (variable) variable->function = printable(variable->function);
  if (saved_) saved_->add_local(place, variable);
  return variable;
}

std::vector<Frame> Symbolizer::frames(const std::string& module_path, uint64_t address,
                                      bool is_return_address, const std::string& build_id) {
  Module& file = module(module_path);
  const auto [entry, is_new] = cache_.try_emplace({&file, address, is_return_address, build_id});
  std::vector<Frame>& frames = entry->second;
  if (!is_new) return frames;
  const SavedSymbols::Site site{module_path, address, is_return_address, build_id};
  const std::vector<Frame>* const saved = saved_ ? saved_->frames(site) : nullptr;
  if (saved && !saved->front().file.empty()) return frames = *saved;
  const bool before = is_return_address && address > 0;
  const bool resolved = matches(module_path, build_id);
  if (!resolved && saved) return frames = *saved;
  if (!resolved) unmatched_.insert(module_path);
  frames = resolved ? file.frames_at(before ? address - 1 : address) : std::vector<Frame>(1);
  for (Frame& frame : frames) {
    frame.function = printable(frame.function);
    frame.file = printable(frame.file);
    frame.module = printable(module_path);
    frame.offset = address;
  }
  if (saved_ && resolved) saved_->add_frames(site, frames);
  return frames;
}

}  // namespace photofinish
