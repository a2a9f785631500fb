# The binary for musl, run for real. npm has no Node for musl; Bun's build for musl is a process with that libc and Node-API.
# It wants a libstdc++ for musl, which Debian lacks: .ci/musl/shim.c makes the part that it asks for.
NAME=musl-bun
source test/far/common.sh
on_x64
BINARY=$(binary linux-x64.musl) || skip 'there is no binary of these sources: npm run prebuild linux-x64.musl'
packages musl musl-dev g++
HOME_OF_BUN=$PWD/build/nodes/musl
BUN=$HOME_OF_BUN/node_modules/@oven/bun-linux-x64-musl/bin/bun
if [ ! -e "$BUN" ]; then
  mkdir -p "$HOME_OF_BUN"
  npm install --prefix "$HOME_OF_BUN" --force --no-save --no-package-lock --no-audit --no-fund --silent @oven/bun-linux-x64-musl@1.4.5
fi
"$BUN" --version 2>&1 | sed -n 's/.*: \([^ ]*\): symbol not found$/-Wl,-u,\1/p' | sort -u > "$FAR_WORK/symbols" || true
gcc -c -fPIC -O1 -Wall -Wextra -o "$FAR_WORK/shim.o" .ci/musl/shim.c
ARCHIVES=()
for ARCHIVE in libstdc++.a libgcc_eh.a libgcc.a; do ARCHIVES+=("$(g++ -print-file-name=$ARCHIVE)"); done
# By -l and not by path: musl's libc has no soname, and its path would become part of the library.
gcc -shared -nostdlib -Wl,-soname,libstdc++.so.6 -o "$FAR_WORK/libstdc++.so.6" "$FAR_WORK/shim.o" "@$FAR_WORK/symbols" \
  -Wl,--start-group "${ARCHIVES[@]}" -Wl,--end-group -L/usr/lib/x86_64-linux-musl -l:libc.so -Wl,-z,defs
HOLDFAST_BINDING=$BINARY LD_LIBRARY_PATH=$FAR_WORK "$BUN" .ci/emulated-smoke.mjs "$PWD/dist"
passed
