// The release binaries: one row a file. What differs between platforms is here; the flags are in CMakeLists.txt.
//   tuple     folder below prebuilds/ and what process.platform and process.arch say
//   libc      part of the file name where a platform has more than one
//   zig       target triple of the cross compiler; the number is the oldest glibc
//   machine   e_machine of the ELF header
//   needed    the only shared libraries that the binary may ask for
export const TARGETS = [
  {
    tuple: 'linux-x64', libc: 'glibc', zig: 'x86_64-linux-gnu.2.28', machine: 62,
    needed: ['libc.so.6', 'libm.so.6', 'libpthread.so.0', 'libdl.so.2', 'ld-linux-x86-64.so.2'],
  },
  { tuple: 'linux-x64', libc: 'musl', zig: 'x86_64-linux-musl', machine: 62, needed: ['libc.so'] },
  {
    tuple: 'linux-arm64', libc: 'glibc', zig: 'aarch64-linux-gnu.2.28', machine: 183,
    needed: ['libc.so.6', 'libm.so.6', 'libpthread.so.0', 'libdl.so.2', 'ld-linux-aarch64.so.1'],
  },
  { tuple: 'linux-arm64', libc: 'musl', zig: 'aarch64-linux-musl', machine: 183, needed: ['libc.so'] },
  { tuple: 'darwin-x64', zig: 'x86_64-macos.11.0', machine: 0x01000007, needed: ['/usr/lib/libSystem.B.dylib'] },
  { tuple: 'darwin-arm64', zig: 'aarch64-macos.11.0', machine: 0x0100000c, needed: ['/usr/lib/libSystem.B.dylib'] },
];

/** File name of the addon below its tuple's folder. */
export const fileName = ({ libc }) => (libc ? `holdfast.${libc}.node` : 'holdfast.node');

/** The row for what prebuildify, or this process, calls a platform. Undefined where there is none. */
export const findTarget = (platform, arch, libc) =>
  TARGETS.find((row) => row.tuple === `${platform}-${arch}` && (row.libc === undefined || row.libc === libc));
