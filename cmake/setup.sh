# Sourced by check.sh and quickstart.sh: `setup check` or `setup programs` makes sure that a compiler, CMake and the
# libraries are there. On Debian and its relatives it installs what is missing, with further packages if they are named;
# elsewhere it uses Conan if there is one. Sets $toolchain to the argument that CMake needs to find the libraries.

say() { printf '%s\n' "fltr: $*"; }
give_up() {
  printf '%s\n' "fltr: $*" >&2
  exit 1
}

setup() {
  toolchain=
  if [ "${FLTR_SETUP:-}" = skip ]; then
    say "FLTR_SETUP=skip: taking compiler, CMake and libraries as they are"
  elif command -v apt-get >/dev/null 2>&1 && command -v dpkg-query >/dev/null 2>&1; then
    setup_debian "$@"
  elif command -v conan >/dev/null 2>&1; then
    setup_conan "$1"
  else
    give_up "this is not Debian and there is no Conan. Please install a C++20 compiler (g++ 12 or clang 14), CMake 3.25," \
      "Ninja, xtensor, xtensor-blas with a BLAS, xsimd, range-v3, oneTBB, Boost (headers), xxHash, libsodium (optional), CLI11, fmt, nlohmann_json and" \
      "Catch2, then run this again with FLTR_SETUP=skip; or install Conan 2 and run it as it is."
  fi
  for tool in cmake ninja; do
    command -v $tool >/dev/null 2>&1 || give_up "there is no $tool on the PATH"
  done
  cmake --version | awk 'NR == 1 { split($3, v, "."); exit !(v[1] > 3 || (v[1] == 3 && v[2] >= 25)) }' ||
    give_up "required CMake 3.25 or later, got $(cmake --version | head -n 1)"
}

setup_debian() {
  packages="g++ cmake ninja-build libxtensor-dev libxtensor-blas-dev libopenblas-dev libxsimd-dev librange-v3-dev
    libtbb-dev libboost-dev libxxhash-dev libsodium-dev libcli11-dev libfmt-dev nlohmann-json3-dev"
  [ "$1" = programs ] || packages="$packages catch2 python3-numpy libopenmpi-dev openmpi-bin"
  shift
  packages="$packages $*"

  missing=
  for package in $packages; do
    case $(dpkg-query -W -f '${Status}' "$package" 2>/dev/null) in
      *' installed') ;;
      *) missing="$missing $package" ;;
    esac
  done
  if [ -z "$missing" ]; then
    say "all packages are there"
    return
  fi

  as_root=
  if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null 2>&1 || give_up "please install, as root:$missing"
    as_root=sudo
  fi
  say "installing with apt-get:$missing"
  # env, since sudo does not pass variables on.
  $as_root env DEBIAN_FRONTEND=noninteractive apt-get update -q || say "apt-get update failed; trying all the same"
  # shellcheck disable=SC2086  # a list of words
  $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends $missing ||
    give_up "apt-get could not install:$missing"
}

setup_conan() {
  build_type=Release
  [ "$1" = programs ] || build_type=RelWithDebInfo
  say "getting the libraries with Conan, into build/conan-$1"
  conan profile detect --exist-ok
  conan export cmake/conan/xtensor-blas
  conan install . --output-folder "build/conan-$1" --build missing -s build_type=$build_type -s compiler.cppstd=20
  generators=$(dirname "$(find "$PWD/build/conan-$1" -name conan_toolchain.cmake | head -n 1)")
  [ -f "$generators/conan_toolchain.cmake" ] || give_up "Conan made no toolchain file in build/conan-$1"
  if [ -f "$generators/conanbuild.sh" ]; then
    . "$generators/conanbuild.sh"
  fi
  toolchain=-DCMAKE_TOOLCHAIN_FILE=$generators/conan_toolchain.cmake
}
