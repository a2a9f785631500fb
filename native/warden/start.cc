// Where the kernel enters the warden. It takes no arguments and no environment: all that it needs is descriptor 3.
#ifndef HOLDFAST_WARDEN_HOSTED
#include "main.h"

extern "C" [[noreturn, gnu::used]] void holdfast_warden_start() { holdfast::warden::run(); }

// The stack pointer at entry is aligned, but points to argc instead of a return address: a function compiled by C++
// rules cannot be the entry itself.
#if defined(__x86_64__)
__asm__(
    ".text\n"
    ".globl _start\n"
    ".type _start, @function\n"
    "_start:\n"
    "  xor %ebp, %ebp\n"
    "  and $-16, %rsp\n"
    "  call holdfast_warden_start\n"
    "  hlt\n"
    ".size _start, . - _start\n");
#elif defined(__aarch64__)
__asm__(
    ".text\n"
    ".globl _start\n"
    ".type _start, %function\n"
    "_start:\n"
    "  mov x29, #0\n"
    "  mov x30, #0\n"
    "  bl holdfast_warden_start\n"
    "  brk #1\n"
    ".size _start, . - _start\n");
#endif
#endif
