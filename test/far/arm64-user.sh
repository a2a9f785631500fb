# The binary for arm64, run for real by npm's Node for arm64, in qemu's user mode. No warden starts there: the weakest owner
# must say so and work.
NAME=arm64-user
source test/far/common.sh
on_x64
BINARY=$(binary linux-arm64.glibc) || skip 'there is no binary of these sources: npm run prebuild linux-arm64.glibc'
packages qemu-user-static libstdc++6-arm64-cross
NODE=$(node_of arm64 20)
HOLDFAST_BINDING=$BINARY qemu-aarch64-static -L /usr/aarch64-linux-gnu "$NODE" .ci/emulated-smoke.mjs "$PWD/dist"
passed
