# Debian 11 in a virtual machine: a kernel without cgroup.kill, and glibc 2.31. Every owner must hold.
NAME=kernel-5.10
source test/far/common.sh
on_x64
BINARY=$(binary linux-x64.glibc) || skip 'there is no binary of these sources: npm run prebuild linux-x64.glibc'
packages qemu-system-x86 cpio
SYSTEM=$(system bullseye amd64 kernel libc6 libgcc-s1 libstdc++6 busybox-static) || skip 'the packages of Debian 11 cannot be had'
NODE=$(node_of x64 22)
bash test/far/vm.sh amd64 "$SYSTEM" "$NODE" "$BINARY" dist test/far/owners.mjs cgroup subreaper group
passed
