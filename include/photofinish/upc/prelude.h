// What the C that pfupcc makes of UPC needs: included before it. Programs do not include it.
#pragma once

typedef unsigned _BitInt(120) __upc_shared_void;

#ifndef THREADS
extern const int THREADS __asm__("__upc_threads");
#endif
extern const int MYTHREAD __asm__("__upc_mythread");

// The address space of pointers to blocks of b bytes: src/upc_runtime/layout.h.
#define __upc_indefinite 4096
#define __upc_space(b) ((b) < (1ul << 21) ? 4096 + (b) : __upc_large_space((b), __upc_exponent(b)))
#define __upc_exponent(b) \
  ((b) == 0 ? 0ul : __builtin_ctzl(b) > 36 ? 36ul : (unsigned long)__builtin_ctzl(b))
#define __upc_large_space(b, e)                                                                   \
  ((e) >= 5 && ((b) >> (e)) < (1ul << 17) ? 4096 + (1ul << 21) + (((e) - 5) << 17) + ((b) >> (e)) \
                                          : ~0ul)

// An array with THREADS in its size, where THREADS is not constant. A local variable may have the
// same name.
#define __upc_scaled(name, type, one, all)                                            \
  __builtin_choose_expr(__builtin_types_compatible_p(__typeof__(&name), type(*) one), \
                        *(type(*) all) & name, name)

#define __upc_local_size(size, block)                                      \
  ((__SIZE_TYPE__)((block) == 0                                            \
                       ? (size)                                            \
                       : ((size) + (block) * (unsigned long)THREADS - 1) / \
                             ((block) == 0 ? 1 : (block) * (unsigned long)THREADS) * (block)))

// & of a member: a pointer to shared [] for shared structs, as in C for others.
#define __upc_plain(e) __typeof_unqual__(e)
#define __upc_member_address(e)            \
  _Generic(&e,                             \
      __upc_plain(e) *: &e,                \
      const __upc_plain(e) *: &e,          \
      volatile __upc_plain(e) *: &e,       \
      const volatile __upc_plain(e) *: &e, \
      default: (__attribute__((address_space(__upc_indefinite))) __upc_plain(e)*)&e)
#define __upc_element_address(e, base)                                                            \
  __builtin_choose_expr(__builtin_types_compatible_p(__typeof__(base), __typeof__(&base[0])), &e, \
                        __upc_member_address(e))
#define __upc_element_size(p) \
  sizeof(*__builtin_choose_expr(__builtin_classify_type(p) == 5, (p), (char*)0))

// upc_forall. Inside another one whose affinity chose the thread, the thread executes all
// iterations.
struct __upc_forall {
  int nested, first;
};
extern int __upc_forall_depth;
static inline __attribute__((unused)) struct __upc_forall __upc_forall_enter(void) {
  struct __upc_forall scope = {__upc_forall_depth++ != 0, 1};
  return scope;
}
static inline __attribute__((unused)) void __upc_forall_leave(struct __upc_forall* scope) {
  (void)scope;
  --__upc_forall_depth;
}
#define __upc_forall_scope                                                  \
  for (struct __upc_forall __upc_f                                          \
       __attribute__((cleanup(__upc_forall_leave))) = __upc_forall_enter(); \
       __upc_f.first; __upc_f.first = 0)
#define __upc_forall_body(affinity)                \
  if (!(__upc_f.nested || __upc_mine(affinity))) { \
  } else
#define __upc_mine(a)                                                       \
  _Generic(a,                                                               \
          __upc_shared_void: __upc_owner((__upc_shared_void)a),             \
          default: __builtin_choose_expr(__builtin_classify_type(a) == 5,   \
                                         __upc_owner((__upc_shared_void)a), \
                                         __upc_modulo((long long)a))) == MYTHREAD
static inline __attribute__((unused)) int __upc_owner(__upc_shared_void p) {
  return (int)(p >> 96);
}
static inline __attribute__((unused)) int __upc_modulo(long long value) {
  const long long rest = value % THREADS;
  return (int)(rest < 0 ? rest + THREADS : rest);
}

void __upc_barrier(int has_value, int value);
void __upc_notify(int has_value, int value);
void __upc_wait(int has_value, int value);
void __upc_fence(void);
