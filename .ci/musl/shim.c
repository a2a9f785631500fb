// The rest of libstdc++ for Bun's musl build, which wants some forty of its symbols, on a Debian that has libstdc++ for
// glibc only. The static library's own objects are linked; here is what they would fetch too much for, or glibc alone has.
#include <stdio.h>
#include <stdlib.h>

static void end(const char *what) {
  fprintf(stderr, "libstdc++ shim: %s\n", what);
  abort();
}

void _ZSt17__throw_bad_allocv(void) { end("bad_alloc"); }
void _ZSt28__throw_bad_array_new_lengthv(void) { end("bad_array_new_length"); }
void _ZSt25__throw_bad_function_callv(void) { end("bad_function_call"); }
void _ZSt19__throw_logic_errorPKc(const char *what) { end(what); }
void _ZSt20__throw_length_errorPKc(const char *what) { end(what); }
void _ZSt24__throw_out_of_range_fmtPKcz(const char *what, ...) { end(what); }
void _ZSt20__throw_system_errori(int code) { (void)code; end("system_error"); }
void _ZSt21__glibcxx_assert_failPKciS0_S0_(const char *file, int line, const char *function, const char *condition) {
  (void)file, (void)line, (void)function;
  end(condition);
}

char __libc_single_threaded = 0;
int __sprintf_chk(char *to, int flag, size_t size, const char *format, ...) {
  (void)flag;
  __builtin_va_list arguments;
  __builtin_va_start(arguments, format);
  const int length = vsnprintf(to, size, format, arguments);
  __builtin_va_end(arguments);
  return length;
}

__attribute__((visibility("hidden"))) void *__dso_handle = &__dso_handle;
__attribute__((visibility("hidden"))) int _dl_find_object(void *address, void *result) {
  (void)address, (void)result;
  return -1;
}
