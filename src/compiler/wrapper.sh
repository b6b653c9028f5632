#!/bin/sh
# pfmpicc, pfmpicxx, pfmpifort: call the MPI library's own wrapper with clang (or flang) and the pass. All other arguments are forwarded.
# pfoshcc, pfoshcxx: the same with oshcc and oshc++, the wrappers of Open MPI's OpenSHMEM.
#
#   --mpi=openmpi|mpich   selects the MPI library if there are several: mpicc.openmpi instead of mpicc
#   --mpi=PATH            selects the wrapper itself
#   --compiler=clang|gcc  selects the compiler: clang and flang, or GCC 12 and gfortran 12 with a plugin, other versions with hooks
#   --compiler=gcc-11     that version of GCC; gcc-hooks, gcc-11-hooks: with hooks
# PHOTOFINISH_LLVM=19 selects one of the LLVM versions that the tool was built for.
set -eu
self=$(readlink -f "$0")
plugins=${self%/*/*}/lib/photofinish
headers=${self%/*/*}/include

case ${0##*/} in
  *cxx) language=cxx names="clang++" gnu="g++" ;;
  *fort) language=fort names="flang flang-new" gnu="gfortran" ;;
  *) language=cc names="clang" gnu="gcc" ;;
esac
# The library's own wrapper.
case ${0##*/} in
  pfoshcxx) model=osh stock=oshc++ ;;
  pfosh*) model=osh stock=oshcc ;;
  *) model=mpi stock=mpi$language ;;
esac

mpi=${PHOTOFINISH_MPI:-} family=${PHOTOFINISH_COMPILER:-}
for argument; do
  shift
  case $argument in
    --mpi=*) mpi=${argument#--mpi=} ;;
    --compiler=*) family=${argument#--compiler=} ;;
    *.upc)
      echo "${0##*/}: $argument: compile UPC with pfupcc" >&2
      exit 64
      ;;
    *) set -- "$@" "$argument" ;;
  esac
done
if [ "$#:${1:-}" = 1:--help ]; then
  libraries="openmpi|mpich|PATH"
  [ $model = mpi ] || libraries=PATH
  cat <<END
usage: ${0##*/} [--mpi=$libraries] [--compiler=clang|gcc|gcc-VERSION|gcc-hooks] ARGUMENT...

Compiles and links as $stock does, with ${names%% *} and a pass that makes loads and stores
visible to photofinish. The program also runs without photofinish.

END
  [ $model = osh ] || echo "  --mpi=openmpi|mpich   selects the MPI library if there are several"
  cat <<END
  --mpi=PATH            selects the wrapper itself, as /opt/mpi/bin/$stock
  --compiler=gcc        uses $gnu in place of ${names%% *}: version 12 with a plugin, others with
                        the hooks of -fsanitize=thread, which prevent vectorization
  --compiler=gcc-11     uses $gnu-11, with the plugin for 12 only
  --compiler=gcc-hooks  uses $gnu with the hooks; gcc-11-hooks: $gnu-11
  --help                this text; other arguments are forwarded to $stock

  PHOTOFINISH_MPI       environment variable, the same as --mpi
  PHOTOFINISH_COMPILER  environment variable, the same as --compiler
  PHOTOFINISH_LLVM      environment variable: the version of ${names%% *} to use, as 19

Options that only GCC or gfortran knows are left out, with a note, unless GCC compiles. More: man ${0##*/}
END
  exit
fi
case $model:$mpi in
  *:) wrapper=$stock ;;
  *:*/*) wrapper=$mpi ;;
  mpi:*) wrapper=$stock.$mpi ;;
  osh:mpich)
    echo "photofinish: MPICH has no OpenSHMEM: leave out --mpi=mpich to use that of Open MPI" >&2
    exit 64 ;;
  *) wrapper=$stock ;;
esac
if ! command -v "$wrapper" >/dev/null; then
  if [ $model = osh ]; then
    echo "photofinish: $wrapper is not in PATH: install it (Debian, Ubuntu: openmpi-bin and libopenmpi-dev), or choose with --mpi=/path/to/$wrapper" >&2
    exit 64
  fi
  echo "photofinish: $wrapper is not in PATH: install it, or choose with --mpi=openmpi, --mpi=mpich or --mpi=/path/to/$stock" >&2
  exit 64
fi

hooks=no release=
case $family in
  gcc-*)
    release=${family#gcc-}
    case $release in
      hooks) hooks=yes release= ;;
      *-hooks) hooks=yes release=${release%-hooks} ;;
    esac ;;
esac
case $family:$release in
  : | clang: | gcc: | gcc-hooks:) ;;
  *: | *:*[!0-9]*)
    echo "photofinish: --compiler=$family is unknown: use --compiler=clang (clang, flang), --compiler=gcc (GCC, gfortran), or a version such as --compiler=gcc-12" >&2
    exit 64 ;;
esac
chosen=$family
case $family in gcc-*) family=gcc ;; esac
compiler=
for version in ${PHOTOFINISH_LLVM:-19 16}; do
  [ "$family" != gcc ] || break
  plugin=$plugins/photofinish-pass-$version.so
  [ -f "$plugin" ] || continue
  for name in $names; do
    if command -v "$name-$version" >/dev/null; then
      compiler=$name-$version
    elif command -v "$name" >/dev/null && "$name" --version 2>/dev/null | grep -q "version $version\\."; then
      compiler=$name
    fi
    [ -z "$compiler" ] || break 2
  done
done
# GCC: of version 12 with the plugin, otherwise with hooks.
plugin_of_gcc=$plugins/photofinish-pass-gcc-12.so hooks_of_gcc=$plugins/gcc-hooks/run
find_gcc() {
  if command -v "$gnu-$1" >/dev/null; then
    compiler=$gnu-$1
  elif command -v "$gnu" >/dev/null && { version=$("$gnu" -dumpversion) && [ "${version%%.*}" = "$1" ]; }; then
    compiler=$gnu
  fi
}
if [ -z "$compiler" ] && { [ "$family" = gcc ] || [ -z "$family${PHOTOFINISH_LLVM:-}" ]; }; then
  if [ $hooks = no ] && [ "${release:-12}" = 12 ] && [ -f "$plugin_of_gcc" ]; then
    find_gcc 12
  fi
  if [ -z "$compiler" ] && [ -f "$hooks_of_gcc" ]; then
    hooks=yes
    if [ -n "$release" ]; then
      find_gcc "$release"
    elif command -v "$gnu" >/dev/null; then
      compiler=$gnu
    else
      for version in 16 15 14 13 12 11 10 9 8; do
        [ -n "$compiler" ] || find_gcc $version
      done
    fi
  fi
  absent=
  [ -n "$family" ] || absent="${names%% *} is not in PATH: "
  if [ -n "$compiler" ]; then
    case $hooks:$chosen in
      no:'') echo "photofinish: ${absent}$compiler compiles, which sees less (docs/internals/gcc.md); --compiler=gcc says that it should" >&2 ;;
      no:* | yes:*-hooks) ;;
      *) echo "photofinish: ${absent}$compiler compiles with hooks, which make loops several times slower (docs/internals/gcc.md); clang and the plugin for GCC 12 do not; --compiler=gcc-${release:+$release-}hooks omits this note" >&2 ;;
    esac
    family=gcc
  fi
fi
if [ -z "$compiler" ] && [ "$family" = gcc ]; then
  if [ -f "$hooks_of_gcc" ] || [ -f "$plugin_of_gcc" ]; then
    echo "photofinish: $gnu${release:+-$release} is not in PATH: install it, or leave out --compiler=$chosen" >&2
  else
    echo "photofinish: --compiler=$chosen needs a plugin or hooks that this installation lacks: build photofinish with g++ and gcc-12-plugin-dev, or leave it out" >&2
  fi
  exit 64
fi
if [ -z "$compiler" ]; then
  echo "photofinish: ${names%% *} (version ${PHOTOFINISH_LLVM:-19 or 16}) is not in PATH: install it" >&2
  exit 64
fi

# After an error: whether the program needs another wrapper.
meant_for() {
  for argument; do
    [ -f "$argument" ] || continue
    what=
    case $language,$argument in
      fort,*.[fF] | fort,*.[fF][0-9][0-9])
        ! grep -qiE '^[^!]*(this_image|num_images|sync +all|codimension|\[ *\* *\])' "$argument" || what="uses coarrays: compile it with pfcaf" ;;
      fort,*.c) what="is C: compile it with pfmpicc" ;;
      c*,*.[fF] | c*,*.[fF][0-9][0-9]) what="is Fortran: compile it with pfmpifort" ;;
      *,*.c | *,*.C | *,*.cc | *,*.cpp | *,*.cxx | *,*.[oa])
        if [ $model = mpi ] && LC_ALL=C grep -qaE '(^|[^A-Za-z0-9_])p?shmem_(init|my_pe|n_pes|barrier_all|finalize)' "$argument"; then
          what="uses OpenSHMEM: compile and link with pfoshcc (C++: pfoshcxx)"
        else
          case $language:$model,$argument in
            cc:mpi,*.C | cc:mpi,*.cc | cc:mpi,*.cpp | cc:mpi,*.cxx) what="is C++: compile and link with pfmpicxx" ;;
            cc:osh,*.C | cc:osh,*.cc | cc:osh,*.cpp | cc:osh,*.cxx) what="is C++: compile and link with pfoshcxx" ;;
          esac
        fi ;;
    esac
    [ -z "$what" ] || { echo "photofinish: $argument $what, not ${0##*/}" >&2; return; }
  done
}
run() {
  status=0
  "$wrapper" "$@" || status=$?
  [ $status = 0 ] || meant_for "$@"
  return $status
}

# Queries that compile nothing are forwarded. Otherwise add line tables for reports, unless the command line asks for more debug information.
case "$#:${1:-}" in
  1:-v | 1:--version | 1:-V | 1:-dump* | 1:-print* | 1:-show | 1:-showme*) question=yes ;;
  *) question=no ;;
esac
if [ "$family" = gcc ]; then
  for argument; do
    case $argument in
      -static | --static) why="photofinish is loaded when the program starts, and a static program loads no library" ;;
      -flto | -flto=*) why="GCC then compiles at link time, without the plugin, and loads and stores would not be seen" ;;
      -fsanitize=*address* | -fsanitize=*thread*) why="its library and that of photofinish must both be loaded first" ;;
      -fsanitize=*leak*) [ $hooks = yes ] || continue; why="GCC cannot combine it with hooks for loads and stores" ;;
      -wrapper) [ $hooks = yes ] || continue; why="photofinish uses it for its hooks" ;;
      *) continue ;;
    esac
    echo "photofinish: $argument cannot be used: $why; leave it out" >&2
    exit 64
  done
  export OSHMEM_CC="$compiler" OSHMEM_CXX="$compiler" OMPI_CC="$compiler" MPICH_CC="$compiler" I_MPI_CC="$compiler" OMPI_CXX="$compiler" MPICH_CXX="$compiler" I_MPI_CXX="$compiler"
  export OMPI_FC="$compiler" MPICH_FC="$compiler" MPICH_F90="$compiler" I_MPI_FC="$compiler"
  [ $question = no ] || exec "$wrapper" "$@"
  set -- -D__PHOTOFINISH__=1 "-I$headers" "$@"
  if [ $hooks = yes ]; then
    for argument; do
      shift
      [ "$argument" = -pipe ] || set -- "$@" "$argument" # the hooks need a file
    done
    set -- -wrapper "$hooks_of_gcc" "$@"
  else
    set -- "-fplugin=$plugin_of_gcc" "$@"
  fi
  # Equal calls of two branches or functions must stay two calls: a report tells them apart by line. And no loads that the program does not make.
  status=0
  run -g1 -fno-ipa-icf -fno-tree-tail-merge -fno-crossjumping -fno-hoist-adjacent-loads -fno-tree-partial-pre "$@" || status=$?
  exit $status
fi
# Options of other compilers would be errors. The compiler itself says which it does not know; only what cannot be an option of MPI's wrapper is left out.
check_options=no
for argument; do
  case $argument in
    -f* | -m* | -aux-info | -static-lib*) check_options=yes ;;
    -static | --static)
      echo "photofinish: $argument cannot be used: photofinish is loaded when the program starts, and a static program loads no library; leave it out" >&2
      exit 64
      ;;
  esac
done
if [ $check_options$question = yesno ]; then
  unknown=$("$compiler" '-###' -c "$@" 2>&1 | sed -n "s/^.*error: unknown argument:\{0,1\} '\(-[fm][^']*\|-aux-info\|-static-lib[^']*\)'.*$/\1/p")
  left_out= skip=no
  for argument; do
    shift
    if [ $skip = yes ]; then
      skip=no
    elif [ -n "$unknown" ] && printf '%s\n' "$unknown" | grep -qxF -e "$argument"; then
      left_out="${left_out:+$left_out, }$argument"
      [ "$argument" != -aux-info ] || skip=yes
    else
      set -- "$@" "$argument"
    fi
  done
  [ -z "$left_out" ] || echo "photofinish: ${names%% *} does not know $left_out: left out" >&2
fi
# The OpenMP runtime is a separate package. If it is missing, add advice to the compiler's error.
openmp=no
for argument; do
  case $argument in
    -fopenmp | -fopenmp=libomp) openmp=yes ;;
    -fno-openmp) openmp=no ;;
  esac
done
if [ $openmp = yes ]; then
  # flang cannot be queried; clang of the same version searches the same folders.
  asked=$compiler
  [ $language = cc ] || [ $language = cxx ] || asked=clang-$version
  library=$("$asked" -print-file-name=libomp.so 2>/dev/null) || library=/unknown
  case $library in */*) openmp=no ;; esac
fi
compile() {
  status=0
  run "$@" || status=$?
  if [ $status -ne 0 ] && [ $openmp = yes ]; then
    echo "photofinish: -fopenmp needs the OpenMP library of LLVM $version, and $compiler finds no libomp.so. Install it (Debian, Ubuntu: libomp-$version-dev), or name its directory with -L" >&2
  fi
  exit $status
}
if [ $language = fort ]; then
  case $mpi in
    openmpi | mpich) flavour=$mpi ;;
    *) flavour=$("$wrapper" -show 2>/dev/null | grep -q -e -lmpi_mpifh -e openmpi && echo openmpi || echo mpich) ;;
  esac
  export PHOTOFINISH_FLANG="$compiler" PHOTOFINISH_MODULES="$plugins/fortran-$version/$flavour"
  # By name: a path may contain spaces, which MPI's wrappers do not support.
  export PATH="$plugins:$PATH" OMPI_FC=photofinish-flang MPICH_FC=photofinish-flang I_MPI_FC=photofinish-flang
  [ $question = no ] || exec "$wrapper" "$@"
  # DO variables do not overflow: flang assumes this by default from version 20 on. The pass then finds ranges of loops. A command that only links has no use for it.
  no_overflow=
  for argument; do
    case $version,$argument in
      19,*.[fF] | 19,*.[fF][0-9][0-9] | 19,*.[fF][oO][rR] | 19,*.ftn | 19,*.FTN) no_overflow=-flang-experimental-integer-overflow ;;
    esac
  done
  compile -g1 "-fpass-plugin=$plugin" $no_overflow "$@"
fi
export OSHMEM_CC="$compiler" OSHMEM_CXX="$compiler" OMPI_CC="$compiler" MPICH_CC="$compiler" I_MPI_CC="$compiler" OMPI_CXX="$compiler" MPICH_CXX="$compiler" I_MPI_CXX="$compiler"
[ $question = no ] || exec "$wrapper" "$@"
# With -Werror, a warning or an optimization that only GCC has would be an error.
tolerated="-Wno-unknown-warning-option -Wno-ignored-optimization-argument"
# Many programs and configure scripts contain old C: GCC up to 13 warns where clang reports an error. The program's own flags come later and override these.
if [ $language = cc ]; then
  for habit in implicit-function-declaration implicit-int int-conversion incompatible-function-pointer-types return-type; do
    tolerated="$tolerated -Wno-error=$habit"
  done
fi
# shellcheck disable=SC2086
compile --start-no-unused-arguments -gline-tables-only -D__PHOTOFINISH__=1 "-I$headers" "-fpass-plugin=$plugin" $tolerated --end-no-unused-arguments "$@"
