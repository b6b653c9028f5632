// REAL(PMPI_Foo)(arguments…): the MPI library's own PMPI_Foo.
//
// Our library defines both MPI_Foo and PMPI_Foo (Fortran bindings call the latter), so a plain call
// would return to us. The library must also load into processes without MPI, even with LD_BIND_NOW,
// so it must not reference any MPI symbol. Functions are looked up at their first call. So are the
// predefined handles of Open MPI, which are addresses of its variables: this header redefines
// MPI_COMM_WORLD, MPI_DATATYPE_NULL and so on as lookups. They are not constants then, so they
// cannot be case labels. In MPICH they are numbers.
//
// Include this header instead of mpi.h.
#pragma once

#ifndef OMPI_SKIP_MPICXX
#define OMPI_SKIP_MPICXX 1  // the removed C++ bindings reference MPI symbols
#endif
#ifndef MPICH_SKIP_MPICXX
#define MPICH_SKIP_MPICXX 1
#endif
#include <dlfcn.h>
#include <mpi.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <type_traits>

namespace photofinish::mpi {

#if defined(OPEN_MPI)
inline constexpr const char* kLibrary = "libmpi.so.40";
#elif defined(MPICH) || defined(MPICH_VERSION)
inline constexpr const char* kLibrary = "libmpich.so.12";
#else
#error "neither Open MPI nor MPICH"
#endif

template <std::size_t size>
struct FixedString {
  char text[size]{};
  constexpr FixedString(const char (&literal)[size]) { std::copy_n(literal, size, text); }
};

// Determines where a symbol is looked up first. A function: the next definition after ours. A
// variable: the definition that the dynamic linker chooses. In a program built without -fPIC that
// is the program's copy, and the library's variable is unused.
enum class SymbolKind { Function, Variable };

// Null if there is no such symbol. Programs such as mpi4py load MPI with RTLD_LOCAL, where neither
// lookup finds it, so the library is also opened by its name, if it is loaded.
[[gnu::cold, gnu::noinline, gnu::visibility("hidden")]] inline void* find_real(SymbolKind kind,
                                                                               const char* name) {
  if (void* const symbol = dlsym(kind == SymbolKind::Function ? RTLD_NEXT : RTLD_DEFAULT, name))
    return symbol;
  void* const library = dlopen(kLibrary, RTLD_NOLOAD | RTLD_LAZY);
  if (!library) return nullptr;
  void* const symbol = dlsym(library, name);
  dlclose(library);  // drops our reference only
  return symbol;
}

// Ends the process if the symbol is missing, as the dynamic linker would: there is no function to
// pass the program's call on to.
[[gnu::cold, gnu::noinline, gnu::visibility("hidden")]] inline void* find_real_or_die(
    SymbolKind kind, const char* name) {
  void* const symbol = find_real(kind, name);
  if (symbol) return symbol;
  std::fprintf(stderr,
               "photofinish: symbol lookup error: no MPI library in this process defines %s\n",
               name);
  std::abort();
}

// Hidden visibility: otherwise `cached` would be a process-wide symbol, accessed through the global
// offset table. Two threads may both look up the symbol and store the same pointer.
template <FixedString name, class Pointer>
struct [[gnu::visibility("hidden")]] RealSymbol {
  static inline constinit std::atomic<Pointer> cached{nullptr};
  [[gnu::cold, gnu::noinline]] static Pointer find() {
    constexpr SymbolKind kind =
        std::is_same_v<Pointer, void*> ? SymbolKind::Variable : SymbolKind::Function;
    const auto symbol = reinterpret_cast<Pointer>(find_real_or_die(kind, name.text));
    cached.store(symbol, std::memory_order_relaxed);
    return symbol;
  }
  [[gnu::always_inline]] static Pointer get() {
    const Pointer symbol = cached.load(std::memory_order_relaxed);
    if (!symbol) [[unlikely]]
      return find();
    return symbol;
  }
};

template <FixedString name, class Pointer>
[[gnu::always_inline]] inline Pointer real_function() {
  return RealSymbol<name, Pointer>::get();
}

template <FixedString name>
[[gnu::always_inline]] inline void* real_variable() {
  return RealSymbol<name, void*>::get();
}

}  // namespace photofinish::mpi

#define REAL(function) (::photofinish::mpi::real_function<#function, decltype(&::function)>())

#if defined(OPEN_MPI)
#undef OMPI_PREDEFINED_GLOBAL
#define OMPI_PREDEFINED_GLOBAL(type, global) \
  (static_cast<type>(::photofinish::mpi::real_variable<#global>()))
#endif
