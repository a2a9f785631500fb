# The binary for glibc in a process whose C library is that of Debian 11, 2.31: the oldest that can be had.
NAME=glibc-2.31
source test/far/common.sh
on_x64
BINARY=$(binary linux-x64.glibc) || skip 'there is no binary of these sources: npm run prebuild linux-x64.glibc'
SYSTEM=$(system bullseye amd64 kernel libc6 libgcc-s1 libstdc++6 busybox-static) || skip 'the packages of Debian 11 cannot be had'
NODE=$(node_of x64 22)
LIBRARIES=$SYSTEM/lib/x86_64-linux-gnu:$SYSTEM/usr/lib/x86_64-linux-gnu
HOLDFAST_BINDING=$BINARY "$SYSTEM/lib/x86_64-linux-gnu/ld-2.31.so" --library-path "$LIBRARIES" "$NODE" .ci/emulated-smoke.mjs "$PWD/dist" \
  | tee "$FAR_WORK/out"
HOLDFAST_BINDING=$BINARY "$SYSTEM/lib/x86_64-linux-gnu/ld-2.31.so" --library-path "$LIBRARIES" "$NODE" \
  -p 'const { glibcVersionRuntime: v } = process.report.getReport().header; if (v !== "2.31") process.exit(1); `glibc ${v}`'
passed
