// dlsym and dlvsym: a program that looks up MPI functions in a library that it loaded itself gets
// the wrappers, too. Python's ctypes, Julia and plugins do.
//
// What RTLD_DEFAULT and RTLD_NEXT mean depends on the caller. So the functions do not call those of
// the dynamic linker but jump to them, with the program's return address. That is why they are in
// assembler.
#include <elf.h>
#include <link.h>

#include <cstdint>

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
//
// A sanitizer's runtime looks up the functions of libc before its own replacements of them work. So
// nothing here calls one: not even to compare strings.

bool starts_with(const char* text, const char* start) {
  for (; *start != '\0'; ++start, ++text)
    if (*text != *start) return false;
  return true;
}
bool equals(const char* one, const char* other) {
  for (; *one != '\0'; ++one, ++other)
    if (*one != *other) return false;
  return *other == '\0';
}
bool contains(const char* text, const char* part) {
  for (; *text != '\0'; ++text)
    if (starts_with(text, part)) return true;
  return false;
}

std::uint32_t gnu_hash(const char* name) {
  std::uint32_t hash = 5381;
  for (; *name != '\0'; ++name) hash = hash * 33 + static_cast<unsigned char>(*name);
  return hash;
}

struct DynamicSymbols {
  const ElfW(Sym) * symbols = nullptr;
  const char* names = nullptr;
  const std::uint32_t* hashes = nullptr;  // DT_GNU_HASH

  explicit DynamicSymbols(const link_map& object) {
    for (const ElfW(Dyn)* entry = object.l_ld; entry != nullptr && entry->d_tag != DT_NULL;
         ++entry) {
      // Relocated, except in the vDSO, which has none of these functions.
      if (entry->d_un.d_ptr < object.l_addr) continue;
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
          equals(names + symbol.st_name, name))
        return &symbol;
      if ((known & 1) != 0) return nullptr;
    }
  }
};

bool is_own(const void* address) { return address >= __ehdr_start && address < _end; }

// In the objects behind our own, as RTLD_NEXT would.
template <class Function>
void find_next(Function*& function, const char* name) {
  bool passed_own = false;
  for (const link_map* object = _r_debug.r_map; object != nullptr && function == nullptr;
       object = object->l_next) {
    if (!passed_own)
      passed_own = is_own(object->l_ld);
    else if (contains(object->l_name, "vdso"))
      continue;
    else if (const ElfW(Sym)* symbol = DynamicSymbols(*object).find(name))
      function = reinterpret_cast<Function*>(object->l_addr + symbol->st_value);
  }
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
  if (!starts_with(name, "MPI_") && !starts_with(name, "MPIX_")) return nullptr;
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
