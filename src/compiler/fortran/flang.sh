#!/bin/sh
# pfmpifort makes the MPI library's mpifort call this script instead of the compiler that the library was built with. It calls flang, with
# modules that flang can read (make_modules.py) before the library's own, and without options that only gfortran supports.
set -eu
modules=$PHOTOFINISH_MODULES
links=yes
for argument; do
  case $argument in
    -c | -S | -E | -M | -MM | -fsyntax-only | -emit-llvm | --version | -v | '-###' | -dump*) links=no ;;
  esac
done
[ -f "$modules/libmpi_modules.a" ] || links=no
for argument; do
  shift
  case $argument in
    -ffile-prefix-map=* | -fdebug-prefix-map=* | -fmacro-prefix-map=* | -fstack-protector* | -fstack-clash-protection | -fcf-protection*) ;;
    -fallow-* | -fcheck=* | -fbacktrace | -fno-range-check | -ffree-line-length-* | -std=* | -mbranch-protection=*) ;;
    -Wl,* | -Wa,* | -Wp,* | -Werror) set -- "$@" "$argument" ;;
    -W*) ;;
    -lmpi_usempi* | -lmpichfort* | -lmpifort* | -lmpi_mpifh*)
      [ $links = no ] || set -- "$@" "$modules/libmpi_modules.a"
      links=no
      set -- "$@" "$argument"
      ;;
    *) set -- "$@" "$argument" ;;
  esac
done
[ ! -d "$modules" ] || set -- "-I$modules" "$@"
exec "$PHOTOFINISH_FLANG" "$@"
