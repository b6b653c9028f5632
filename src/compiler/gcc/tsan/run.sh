#!/bin/sh
# GCC runs its own programs by this script (option -wrapper): the compilers get -fsanitize=thread, which the driver must not see since it
# would link the sanitizer's library. The assembler gets the text with the hooks of photofinish.
set -eu
here=${0%/*}

case ${1##*/} in
  cc1 | cc1plus)
    # A copy that is expanded in place calls no hook. Code for __SANITIZE_THREAD__ expects the sanitizer's library.
    exec "$@" -fsanitize=thread -Wno-tsan -U__SANITIZE_THREAD__ -fno-builtin-memcpy -fno-builtin-memmove -fno-builtin-memset -fno-builtin-bzero
    ;;
  # gfortran assumes that procedures do not store the addresses of their arguments, but MPI does.
  f951) exec "$@" -fsanitize=thread -fno-tree-pta ;;
  as | *-as) ;;
  *) exec "$@" ;;
esac
for text; do :; done # GCC names it last
[ -f "$text" ] || exec "$@"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
trap 'exit 1' HUP INT TERM
last=$text
if grep -q __tsan_init "$text"; then # not assembler source of the program
  LC_ALL=C awk -f "$here/repeated.awk" -f "$here/assemble.awk" phase=1 "$here/hooks.s" phase=2 "$text" phase=3 "$text" >"$folder/hooked.s"
  last=$folder/hooked.s
fi
count=$#
for word; do
  shift
  count=$((count - 1))
  [ $count -ne 0 ] || word=$last
  set -- "$@" "$word"
done
status=0
"$@" || status=$?
exit $status
