# Debian 12 for arm64 in an emulated machine: the warden, the cgroups and the terminals of another processor.
NAME=arm64-system
source test/far/common.sh
BINARY=$(binary linux-arm64.glibc) || skip 'there is no binary of these sources: npm run prebuild linux-arm64.glibc'
packages qemu-system-arm cpio
SYSTEM=$(system bookworm arm64 kernel libc6 libgcc-s1 libstdc++6 busybox-static) || skip 'the packages of Debian for arm64 cannot be had'
NODE=$(node_of arm64 22)
bash test/far/vm.sh arm64 "$SYSTEM" "$NODE" "$BINARY" dist test/far/owners.mjs cgroup subreaper group
passed
