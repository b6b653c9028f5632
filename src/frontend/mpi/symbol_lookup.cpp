// dlsym and dlvsym: a program that looks up MPI functions in a library that it loaded itself gets
// the wrappers, too. Python's ctypes, Julia and plugins do.
//
// What RTLD_DEFAULT and RTLD_NEXT mean depends on the caller. So the functions do not call those of
// the dynamic linker but jump to them, with the program's return address. That is why they are in
// assembler.
#include <elf.h>
#include <link.h>

#include <cstdint>
#include <cstring>
#include <string_view>

#include "frontend/mpi/real.h"

extern "C" {
[[gnu::visibility("hidden")]] void* (*photofinish_real_dlsym)(void*, const char*) = nullptr;
[[gnu::visibility("hidden")]] void* (*photofinish_real_dlvsym)(void*, const char*,
                                                               const char*) = nullptr;
[[gnu::visibility("hidden")]] void* photofinish_wrapper_of(void* handle, const char* name,
                                                           const void* caller);
// From the linker: where this library begins and ends in memory.
[[gnu::visibility("hidden")]] extern const char __ehdr_start[], _end[];
}

namespace photofinish::mpi {
namespace {

// --- the dynamic linker's own functions, found without dlsym

std::uint32_t gnu_hash(const char* name) {
  std::uint32_t hash = 5381;
  for (; *name != '\0'; ++name) hash = hash * 33 + static_cast<unsigned char>(*name);
  return hash;
}

struct DynamicSymbols {
  const ElfW(Sym) * symbols = nullptr;
  const char* names = nullptr;
  const std::uint32_t* hashes = nullptr;  // DT_GNU_HASH

  explicit DynamicSymbols(const dl_phdr_info& object) {
    const ElfW(Dyn)* entry = nullptr;
    for (int i = 0; i < object.dlpi_phnum; ++i)
      if (object.dlpi_phdr[i].p_type == PT_DYNAMIC)
        entry = reinterpret_cast<const ElfW(Dyn)*>(object.dlpi_addr + object.dlpi_phdr[i].p_vaddr);
    for (; entry != nullptr && entry->d_tag != DT_NULL; ++entry) {
      // Relocated, except in the vDSO, which has none of these functions.
      if (entry->d_un.d_ptr < object.dlpi_addr) continue;
      const auto* const address = reinterpret_cast<const void*>(entry->d_un.d_ptr);
      if (entry->d_tag == DT_SYMTAB) symbols = static_cast<const ElfW(Sym)*>(address);
      if (entry->d_tag == DT_STRTAB) names = static_cast<const char*>(address);
      if (entry->d_tag == DT_GNU_HASH) hashes = static_cast<const std::uint32_t*>(address);
    }
  }

  const ElfW(Sym) * find(const char* name) const {
    if (symbols == nullptr || names == nullptr || hashes == nullptr) return nullptr;
    const std::uint32_t buckets = hashes[0], first = hashes[1], bloom_words = hashes[2];
    const std::uint32_t* const bucket = hashes + 4 + bloom_words * (sizeof(ElfW(Addr)) / 4);
    const std::uint32_t* const chain = bucket + buckets;
    if (buckets == 0) return nullptr;
    const std::uint32_t hash = gnu_hash(name);
    std::uint32_t index = bucket[hash % buckets];
    if (index < first) return nullptr;
    for (;; ++index) {
      const std::uint32_t known = chain[index - first];
      const ElfW(Sym)& symbol = symbols[index];
      if ((known | 1) == (hash | 1) && symbol.st_shndx != SHN_UNDEF &&
          std::strcmp(names + symbol.st_name, name) == 0)
        return &symbol;
      if ((known & 1) != 0) return nullptr;
    }
  }
};

// In the objects behind our own, as RTLD_NEXT would.
struct Search {
  const char* name;
  bool passed_own = false;
  std::uint64_t found = 0;
};

bool is_own(const void* address) { return address >= __ehdr_start && address < _end; }

int look_in(dl_phdr_info* object, std::size_t, void* data) {
  Search& search = *static_cast<Search*>(data);
  if (!search.passed_own) return search.passed_own = is_own(object->dlpi_phdr), 0;
  if (std::string_view(object->dlpi_name).find("vdso") != std::string_view::npos) return 0;
  if (const ElfW(Sym)* symbol = DynamicSymbols(*object).find(search.name))
    search.found = object->dlpi_addr + symbol->st_value;
  return search.found != 0 ? 1 : 0;
}

template <class Function>
void find_next(Function*& function, const char* name) {
  if (function != nullptr) return;
  Search search{.name = name};
  dl_iterate_phdr(look_in, &search);
  function = reinterpret_cast<Function*>(search.found);
}

void* own_handle() {
  static void* const handle = [] {
    Dl_info own{};
    if (dladdr(__ehdr_start, &own) == 0) return static_cast<void*>(nullptr);
    return dlopen(own.dli_fname, RTLD_NOLOAD | RTLD_LAZY);
  }();
  return handle;
}

void* in_mpi_library(const char* name) {
  void* const library = dlopen(kLibrary, RTLD_NOLOAD | RTLD_LAZY);
  if (library == nullptr) return nullptr;
  void* const symbol = photofinish_real_dlsym(library, name);
  dlclose(library);
  return symbol;
}

}  // namespace
}  // namespace photofinish::mpi

// The wrapper to return for this lookup; null: the dynamic linker decides. Lookups of our own mean
// MPI's function. A function of another MPI library than the one that the wrappers call is not
// replaced.
void* photofinish_wrapper_of(void* handle, const char* name, const void* caller) {
  using namespace photofinish::mpi;
  find_next(photofinish_real_dlsym, "dlsym");
  find_next(photofinish_real_dlvsym, "dlvsym");
  if (handle == RTLD_DEFAULT || handle == RTLD_NEXT || name == nullptr || is_own(caller))
    return nullptr;
  if (std::strncmp(name, "MPI_", 4) != 0 && std::strncmp(name, "MPIX_", 5) != 0) return nullptr;
  void* const own = own_handle();
  void* const wrapper = own != nullptr ? photofinish_real_dlsym(own, name) : nullptr;
  if (wrapper == nullptr) return nullptr;
  void* const found = photofinish_real_dlsym(handle, name);
  return found != nullptr && found != wrapper && found == in_mpi_library(name) ? wrapper : nullptr;
}

#if defined(__x86_64__)
#define LOOKUP(name)                                     \
  ".globl " #name "\n.type " #name ", @function\n" #name \
  ":\n"                                                  \
  "  push %rdi\n"                                        \
  "  push %rsi\n"                                        \
  "  push %rdx\n"                                        \
  "  mov 24(%rsp), %rdx\n"                               \
  "  call photofinish_wrapper_of\n"                      \
  "  pop %rdx\n"                                         \
  "  pop %rsi\n"                                         \
  "  pop %rdi\n"                                         \
  "  test %rax, %rax\n"                                  \
  "  jne 1f\n"                                           \
  "  jmp *photofinish_real_" #name                       \
  "(%rip)\n"                                             \
  "1: ret\n"                                             \
  ".size " #name ", .-" #name "\n"
#elif defined(__aarch64__)
#define LOOKUP(name)                                     \
  ".globl " #name "\n.type " #name ", %function\n" #name \
  ":\n"                                                  \
  "  stp x29, x30, [sp, #-48]!\n"                        \
  "  stp x0, x1, [sp, #16]\n"                            \
  "  str x2, [sp, #32]\n"                                \
  "  mov x2, x30\n"                                      \
  "  mov x2, x30\n"                                      \
  "  bl photofinish_wrapper_of\n"                        \
  "  mov x16, x0\n"                                      \
  "  ldr x2, [sp, #32]\n"                                \
  "  ldp x0, x1, [sp, #16]\n"                            \
  "  ldp x29, x30, [sp], #48\n"                          \
  "  cbz x16, 1f\n"                                      \
  "  mov x0, x16\n"                                      \
  "  ret\n"                                              \
  "1: adrp x16, photofinish_real_" #name                 \
  "\n"                                                   \
  "  ldr x16, [x16, :lo12:photofinish_real_" #name       \
  "]\n"                                                  \
  "  br x16\n"                                           \
  ".size " #name ", .-" #name "\n"
#endif

#ifdef LOOKUP
asm(".text\n.p2align 4\n" LOOKUP(dlsym) ".p2align 4\n" LOOKUP(dlvsym));
#endif
