// REAL(PMPI_Foo)(arguments…): the MPI library's own PMPI_Foo.
//
// Our library defines both MPI_Foo and PMPI_Foo (Fortran bindings call the latter), so a plain call
// would come back to us. It must also load into processes that have no MPI at all, even with
// LD_BIND_NOW: so it may not name a single symbol of MPI. Functions are looked up when they are
// first called. So are the predefined handles of Open MPI, which are addresses of its variables:
// from this header on, MPI_COMM_WORLD, MPI_DATATYPE_NULL and so on mean a look-up, too. (They are
// no constants, then: compare, do not switch. In MPICH they are numbers.)
//
// Include this header instead of mpi.h.
#pragma once

#ifndef OMPI_SKIP_MPICXX
#define OMPI_SKIP_MPICXX 1  // the removed C++ bindings name symbols of the library
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

// Where a name is looked for first. A function: behind our own definition. A variable: where
// everyone finds it, which is the program itself if that has a copy of it (a program built without
// -fPIC has), and nobody uses the library's.
enum class SymbolKind { Function, Variable };

// Null if there is none. mpi4py and its like load MPI with RTLD_LOCAL, where neither looks, so the
// library is also asked by its name, if someone has loaded it.
[[gnu::cold, gnu::noinline, gnu::visibility("hidden")]] inline void* find_real(SymbolKind kind,
                                                                               const char* name) {
  if (void* const symbol = dlsym(kind == SymbolKind::Function ? RTLD_NEXT : RTLD_DEFAULT, name))
    return symbol;
  void* const library = dlopen(kLibrary, RTLD_NOLOAD | RTLD_LAZY);
  if (!library) return nullptr;
  void* const symbol = dlsym(library, name);
  dlclose(library);  // gives back our reference; whoever loaded it keeps it
  return symbol;
}

// As when the dynamic linker finds a symbol missing: there is nothing that the program's call could
// be passed on to.
[[gnu::cold, gnu::noinline, gnu::visibility("hidden")]] inline void* find_real_or_die(
    SymbolKind kind, const char* name) {
  void* const symbol = find_real(kind, name);
  if (symbol) return symbol;
  std::fprintf(stderr,
               "photofinish: symbol lookup error: no MPI library in this process defines %s\n",
               name);
  std::abort();
}

// Hidden: otherwise the variable were one for the whole process, found through a table. Two threads
// may both look the name up and store the same pointer.
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
