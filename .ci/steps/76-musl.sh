# The committed binary for musl, run for real. npm has no Node for musl; Bun's build for musl is a process with that libc
# and Node-API. It wants a libstdc++ for musl, which Debian lacks: .ci/musl/shim.c makes the part that it asks for.
# lane: builds
# deadline: 300
if ! node .ci/prebuilt-fits.mjs; then echo "skipped: prebuilds/ is missing or of other sources"; exit 77; fi
if [ "$(uname -m)" != x86_64 ]; then echo "skipped: written for x64 only"; exit 77; fi
home="$PWD/build/nodes/musl"
bun="$home/node_modules/@oven/bun-linux-x64-musl/bin/bun"
if [ ! -e "$bun" ]; then
  mkdir -p "$home"
  npm install --prefix "$home" --force --no-save --no-package-lock --no-audit --no-fund --silent @oven/bun-linux-x64-musl@1.4.5
fi
"$bun" --version 2>&1 | sed -n 's/.*: \([^ ]*\): symbol not found$/-Wl,-u,\1/p' | sort -u > "$home/symbols" || true
gcc -c -fPIC -O1 -Wall -Wextra -o "$home/shim.o" .ci/musl/shim.c
archives=()
for name in libstdc++.a libgcc_eh.a libgcc.a; do archives+=("$(g++ -print-file-name=$name)"); done
# By -l and not by path: musl's libc has no soname, and its path would become part of the library.
gcc -shared -nostdlib -Wl,-soname,libstdc++.so.6 -o "$home/libstdc++.so.6" "$home/shim.o" "@$home/symbols" \
  -Wl,--start-group "${archives[@]}" -Wl,--end-group -L/usr/lib/x86_64-linux-musl -l:libc.so -Wl,-z,defs
node_modules/.bin/tsc -p tsconfig.json --outDir build/beside/dist
HOLDFAST_BINDING="$PWD/prebuilds/linux-x64/holdfast.musl.node" LD_LIBRARY_PATH="$home" \
  "$bun" .ci/emulated-smoke.mjs "$PWD/build/beside/dist"
