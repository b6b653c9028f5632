# What ./quickstart and ./test both need: the packages, and a build. Sourced, not run.
# shellcheck shell=bash

packages=(
  cmake ninja-build g++ pkg-config python3 binutils gdb gdbserver
  libopenmpi-dev openmpi-bin libmpich-dev mpich gfortran
  libcli11-dev libfmt-dev nlohmann-json3-dev libzstd-dev libxxhash-dev robin-map-dev libdw-dev zlib1g-dev
  libgtest-dev librapidcheck-dev libboost-dev
  clang-19 llvm-19-dev flang-19 clang-16 llvm-16-dev g++-12 gcc-12-plugin-dev
  dpkg-dev file groff-base python3-yaml libotf2-trace-dev libz3-dev
)

# Only the tests need these: what reads our reports and packages.
test_packages=(zstd python3-jsonschema chromium otf2-tools lintian iproute2 util-linux slurm-wlm munge clang-format-19 clang-tidy-19 libomp-19-dev python3-mpi4py python3-numpy libcoarrays-openmpi-dev libcoarrays-mpich-dev)

missing_packages() {
  local package
  for package in "${packages[@]}"; do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' || echo "$package"
  done
}

# Reads what a build or apt-get prints, and shows how far it is: on a terminal one line that is rewritten, otherwise a line every ten percent.
show_steps() {
  local line percent last=-1 terminal=no installed=0 total=0 step
  [ -t 1 ] && terminal=yes
  while IFS= read -r line; do
    step=
    if [[ $line =~ ^\[([0-9]+)/([0-9]+)\]\ (.*) ]]; then
      percent=$((100 * BASH_REMATCH[1] / BASH_REMATCH[2]))
      step=${BASH_REMATCH[3]##*/}
    elif [[ $line =~ ([0-9]+)\ newly\ installed ]]; then
      total=$((2 * BASH_REMATCH[1]))
      continue
    elif [[ $line =~ ^(Unpacking|Setting\ up)\ ([^ ]+) ]] && [ "$total" -gt 0 ]; then
      installed=$((installed + 1))
      percent=$((installed < total ? 100 * installed / total : 100))
      step="${BASH_REMATCH[1]} ${BASH_REMATCH[2]}"
    else
      continue
    fi
    if [ $terminal = yes ]; then
      printf '\r\033[K  %3d %%  %.60s' "$percent" "$step"
    elif [ $((percent / 10)) -gt $((last / 10)) ] || [ "$last" -lt 0 ]; then
      printf '  %3d %%\n' "$percent"
      last=$percent
    fi
  done
  if [ $terminal = yes ]; then printf '\r\033[K'; fi
}

install_packages() {
  if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
    echo "This set-up knows Debian's packages only, and there is no apt here. Install what these hold, then build with CMake:" >&2
    echo "  ${packages[*]}" >&2
    exit 1
  fi
  local missing
  mapfile -t missing < <(missing_packages)
  [ ${#missing[@]} -eq 0 ] && return
  local sudo=()
  if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null; then
      echo "Packages are missing, and installing them needs root or sudo. As root: apt-get install ${missing[*]}" >&2
      exit 1
    fi
    sudo=(sudo)
  fi
  echo "Installing: ${missing[*]}"
  local log
  log=$(mktemp)
  if ! { "${sudo[@]}" apt-get update -qq &&
         "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "${missing[@]}"; } 2>&1 | tee "$log" | show_steps; then
    tail -n 20 "$log" >&2
    echo "Installing packages failed; the whole log is in $log" >&2
    exit 1
  fi
  rm -f "$log"
}

# build PRESET [TARGET…]: configures when it never was, then builds; quick when nothing has to be done.
build() {
  local preset=$1
  shift
  if [ ! -f "build/$preset/build.ninja" ]; then
    cmake --preset "$preset" >"build-$preset.log" 2>&1 || { cat "build-$preset.log" >&2; exit 1; }
    rm -f "build-$preset.log"
  fi
  cmake --build --preset "$preset" ${1:+--target "$@"}
}
