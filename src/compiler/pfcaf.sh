#!/bin/sh
# pfcaf: compiles and links Fortran coarray programs with gfortran 12, its plugin for loads and stores, and the shared library of OpenCoarrays.
#
#   --mpi=openmpi|mpich   selects the MPI library if there are several: mpifort.openmpi instead of mpifort
#   --mpi=PATH            selects the wrapper itself
#   --coarrays=PATH       selects the coarray library: libcaf_mpi.so of an installation of OpenCoarrays
set -eu
self=$(readlink -f "$0")
plugin=${self%/*/*}/lib/photofinish/photofinish-pass-gcc-12.so
headers=${self%/*/*}/include

mpi=${PHOTOFINISH_MPI:-} library=${PHOTOFINISH_COARRAYS:-}
for argument; do
  shift
  case $argument in
    --mpi=*) mpi=${argument#--mpi=} ;;
    --coarrays=*) library=${argument#--coarrays=} ;;
    *) set -- "$@" "$argument" ;;
  esac
done
if [ "$#:${1:-}" = 1:--help ]; then
  cat <<END
usage: pfcaf [--mpi=openmpi|mpich|PATH] [--coarrays=PATH] ARGUMENT...

Compiles and links Fortran coarray programs with gfortran 12 and OpenCoarrays, so that photofinish
sees coindexed accesses, and loads and stores of coarrays. The program also runs without photofinish.

  --mpi=openmpi|mpich   selects the MPI library if there are several
  --mpi=PATH            selects the wrapper itself, such as /opt/mpi/bin/mpifort
  --coarrays=PATH       selects the coarray library, such as /opt/opencoarrays/lib/libcaf_mpi.so
  --help                this text; other arguments are forwarded to mpifort

  PHOTOFINISH_MPI       environment variable, the same as --mpi
  PHOTOFINISH_COARRAYS  environment variable, the same as --coarrays

More: man pfcaf
END
  exit
fi
case $mpi in
  '') wrapper=mpifort ;;
  */*) wrapper=$mpi ;;
  *) wrapper=mpifort.$mpi ;;
esac
if ! command -v "$wrapper" >/dev/null; then
  echo "photofinish: $wrapper is not in PATH: install it, or choose with --mpi=openmpi, --mpi=mpich or --mpi=/path/to/mpifort" >&2
  exit 64
fi
compiler=
if command -v gfortran-12 >/dev/null; then
  compiler=gfortran-12
elif command -v gfortran >/dev/null && { version=$(gfortran -dumpversion) && [ "${version%%.*}" = 12 ]; }; then
  compiler=gfortran
fi
if [ -z "$compiler" ]; then
  echo "photofinish: gfortran (version 12) is not in PATH: install it" >&2
  exit 64
fi
if ! [ -f "$plugin" ]; then
  echo "photofinish: this installation has no GCC plugin, which pfcaf needs: install gcc-12-plugin-dev and rebuild photofinish" >&2
  exit 64
fi
for argument; do
  case $argument in
    -static | --static) why="photofinish is loaded when the program starts, and a static program loads no library" ;;
    -flto | -flto=*) why="GCC then compiles at link time, without the plugin, and loads and stores would not be seen" ;;
    -fsanitize=*address* | -fsanitize=*thread*) why="its library and that of photofinish must both be loaded first" ;;
    -fcoarray=single | -fcoarray=none) why="the program would have one image" ;;
    *) continue ;;
  esac
  echo "photofinish: $argument cannot be used: $why; leave it out" >&2
  exit 64
done
case $mpi in
  openmpi | mpich) flavour=$mpi ;;
  *) flavour=$("$wrapper" -show 2>/dev/null | grep -q -e -lmpi_mpifh -e openmpi && echo openmpi || echo mpich) ;;
esac
# Debian has a library for each MPI, an installation of OpenCoarrays one, beside its compiler wrapper caf.
if [ -z "$library" ]; then
  for candidate in "$("$compiler" -print-file-name="libcaf_$flavour.so")" "$("$compiler" -print-file-name=libcaf_mpi.so)" \
    "$(command -v caf >/dev/null && readlink -f "$(command -v caf)" | sed 's,/[^/]*/[^/]*$,,')/lib/libcaf_mpi.so"; do
    case $candidate in */*) [ ! -f "$candidate" ] || { library=$candidate; break; } ;; esac
  done
fi
if ! [ -f "$library" ]; then
  echo "photofinish: no shared coarray library (libcaf_$flavour.so, libcaf_mpi.so) was found: install OpenCoarrays (Debian, Ubuntu: libcoarrays-$flavour-dev), or choose with --coarrays=/path/to/libcaf_mpi.so" >&2
  exit 64
fi
export OMPI_FC="$compiler" MPICH_FC="$compiler" MPICH_F90="$compiler" I_MPI_FC="$compiler"
case "$#:${1:-}" in
  1:-v | 1:--version | 1:-V | 1:-dump* | 1:-print* | 1:-show | 1:-showme*) exec "$wrapper" "$@" ;;
esac
# Debian's library is where the loader searches anyway.
rpath=
folder=$(cd "$(dirname "$library")" && pwd)
library=$folder/${library##*/}
case $("$compiler" -print-file-name="${library##*/}") in
  */*) ;;
  *) rpath=-Wl,-rpath,$folder ;;
esac
for argument; do
  case $argument in -c | -S | -E | -fsyntax-only) rpath='' library='' ;; esac  # nothing is linked
done
# The options of pfmpifort --compiler=gcc. -g: the bounds of coarrays are in the debug information of variables.
exec "$wrapper" -g -D__PHOTOFINISH__=1 "-I$headers" "-fplugin=$plugin" -fno-ipa-icf -fno-tree-tail-merge -fno-crossjumping -fno-hoist-adjacent-loads \
  -fno-tree-partial-pre -fcoarray=lib "$@" ${rpath:+"$rpath"} ${library:+"$library"}
