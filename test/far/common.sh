# Sourced by the scripts of this folder, with NAME set: the last line, tools, runtimes and binaries.
set -euo pipefail
FAR=$PWD/build/far
mkdir -p "$FAR"

skip() { echo "=== far $NAME: skipped: $*"; exit 0; }
passed() { echo "=== far $NAME: passed"; }

on_x64() { [ "$(uname -m)" = x86_64 ] || skip 'written for x64 only'; }

# packages PACKAGE…: Debian packages that must be installed.
packages() {
  local missing=() package as_root=()
  for package in "$@"; do
    dpkg-query -W -f '${Status}' "$package" 2> /dev/null | grep -q 'ok installed' || missing+=("$package")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  [ "$(id -u)" -eq 0 ] || as_root=(sudo -n)
  { "${as_root[@]}" apt-get -qq update && DEBIAN_FRONTEND=noninteractive "${as_root[@]}" apt-get -qq -o Dpkg::Use-Pty=0 install -y \
    --no-install-recommends "${missing[@]}"; } > /dev/null 2>&1 || skip "cannot install ${missing[*]}"
}

# system RELEASE ARCHITECTURE PACKAGE…: prints the folder of a foreign system.
system() {
  local folder=$FAR/$1-$2
  bash test/far/fetch.sh "$1" "$2" "$folder" "${@:3}" >&2 || return 1
  echo "$folder"
}

# node_of PROCESSOR VERSION: prints the path of npm's Node, in the folder that .ci/steps/80-nodes.sh has for it.
node_of() {
  local home=$PWD/build/nodes/$2
  [ "$1" = x64 ] || home=$home-$1
  if [ ! -e "$home/node_modules/node-linux-$1/bin/node" ]; then
    mkdir -p "$home"
    npm install --prefix "$home" --force --no-save --no-package-lock --no-audit --no-fund --silent "node-linux-$1@$2" >&2
  fi
  echo "$home/node_modules/node-linux-$1/bin/node"
}

# binary TARGET: prints the path of a release binary of these sources.
binary() { node .ci/binary-of.mjs "$1"; }
