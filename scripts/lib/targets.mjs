// The release binaries: one row a file. What differs between platforms is here; the flags are in CMakeLists.txt.
//   tuple     folder below prebuilds/, and what process.platform and process.arch say
//   libc      part of the file name where a platform has more than one
//   zig       target triple of the cross compiler; the number is the oldest glibc
//   format    elf, pe or macho: which audit looks at it (scripts/lib/audit)
//   machine   the processor in the file's header
//   needed    the only shared libraries that the binary may ask for; a name may end in *
//   warden    whether a warden lies beside it
//   interrupt whether the program that tells a Job of Ctrl-C lies beside it
const GLIBC = ['libc.so.6', 'libm.so.6', 'libpthread.so.0', 'libdl.so.2'];
const WINDOWS = ['kernel32.dll', 'advapi32.dll', 'api-ms-win-crt-*'];
const DARWIN = ['/usr/lib/libSystem.B.dylib'];
const x64 = { elf: 62, pe: 0x8664, macho: 0x0100_0007 };
const arm64 = { elf: 183, pe: 0xaa64, macho: 0x0100_000c };

export const TARGETS = [
  { tuple: 'linux-x64', libc: 'glibc', zig: 'x86_64-linux-gnu.2.28', format: 'elf', machine: x64.elf, needed: [...GLIBC, 'ld-linux-x86-64.so.2'], warden: true },
  { tuple: 'linux-x64', libc: 'musl', zig: 'x86_64-linux-musl', format: 'elf', machine: x64.elf, needed: ['libc.so'], warden: true },
  { tuple: 'linux-arm64', libc: 'glibc', zig: 'aarch64-linux-gnu.2.28', format: 'elf', machine: arm64.elf, needed: [...GLIBC, 'ld-linux-aarch64.so.1'], warden: true },
  { tuple: 'linux-arm64', libc: 'musl', zig: 'aarch64-linux-musl', format: 'elf', machine: arm64.elf, needed: ['libc.so'], warden: true },
  { tuple: 'win32-x64', zig: 'x86_64-windows-gnu', format: 'pe', machine: x64.pe, needed: WINDOWS, warden: false, interrupt: true },
  { tuple: 'win32-arm64', zig: 'aarch64-windows-gnu', format: 'pe', machine: arm64.pe, needed: WINDOWS, warden: false, interrupt: true },
  { tuple: 'darwin-x64', zig: 'x86_64-macos.11.0', format: 'macho', machine: x64.macho, needed: DARWIN, warden: false },
  { tuple: 'darwin-arm64', zig: 'aarch64-macos.11.0', format: 'macho', machine: arm64.macho, needed: DARWIN, warden: false },
];

/** File name of the addon below its tuple's folder. */
export const fileName = ({ libc }) => (libc ? `holdfast.${libc}.node` : 'holdfast.node');

/** How a target is named on a command line. */
export const targetName = ({ tuple, libc }) => (libc ? `${tuple}.${libc}` : tuple);

/** The files of a target, below prebuilds/. */
export const targetFiles = (target) =>
  [fileName(target), ...(target.warden ? ['holdfast-warden'] : []), ...(target.interrupt ? ['holdfast-interrupt.exe'] : [])].map((file) => `${target.tuple}/${file}`);

/** The row for what prebuildify, or this process, calls a platform. Undefined where there is none. */
export const findTarget = (platform, arch, libc) =>
  TARGETS.find((row) => row.tuple === `${platform}-${arch}` && (row.libc === undefined || row.libc === libc));
