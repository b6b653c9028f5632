; What touches memory, beside loads and stores.
declare void @free(ptr)
declare void @_ZdlPv(ptr)
declare i64 @strlen(ptr)
declare i64 @read(i32, ptr, i64)
declare void @qsort(ptr, i64, i64, ptr)
declare ptr @memchr(ptr, i32, i64)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare <vscale x 2 x double> @llvm.masked.load.nxv2f64.p0(ptr, i32, <vscale x 2 x i1>, <vscale x 2 x double>)
declare void @llvm.masked.store.v4i32.p0(<4 x i32>, ptr, i32, <4 x i1>)

; hooks: store 4
define i32 @atomic(ptr %p) {
  %v = atomicrmw add ptr %p, i32 1 seq_cst
  ret i32 %v
}

; hooks: store 8
define void @exchange(ptr %p) {
  %v = cmpxchg ptr %p, i64 0, i64 1 seq_cst seq_cst
  ret void
}

; hooks: store 16, load 16
define void @copy(ptr %p, ptr %q) {
  call void @llvm.memcpy.p0.p0.i64(ptr %p, ptr %q, i64 16, i1 false)
  ret void
}

; hooks: range store
define void @set(ptr %p, i64 %n) {
  call void @llvm.memset.p0.i64(ptr %p, i8 0, i64 %n, i1 false)
  ret void
}

; hooks: release
define void @gives_back(ptr %p) {
  call void @free(ptr %p)
  ret void
}

; hooks: release
define void @deletes(ptr %p) {
  call void @_ZdlPv(ptr %p)
  ret void
}

; hooks: range load
define i64 @length(ptr %p) {
  %n = call i64 @strlen(ptr %p)
  ret i64 %n
}

; hooks: range store
define i64 @reads(ptr %p, i64 %n) {
  %got = call i64 @read(i32 0, ptr %p, i64 %n)
  ret i64 %got
}

; hooks: range load
define ptr @finds(ptr %p, i64 %n) {
  %at = call ptr @memchr(ptr %p, i32 65, i64 %n)
  ret ptr %at
}

; hooks: range store
define void @sorts(ptr %p, i64 %n, ptr %compare) {
  call void @qsort(ptr %p, i64 %n, i64 4, ptr %compare)
  ret void
}

; hooks: range load
define <vscale x 2 x double> @scalable(ptr %p) {
  %v = load <vscale x 2 x double>, ptr %p
  ret <vscale x 2 x double> %v
}

; hooks: range load
define <vscale x 2 x double> @scalable_with_a_mask(ptr %p, <vscale x 2 x i1> %mask) {
  %v = call <vscale x 2 x double> @llvm.masked.load.nxv2f64.p0(ptr %p, i32 8, <vscale x 2 x i1> %mask, <vscale x 2 x double> undef)
  ret <vscale x 2 x double> %v
}

; hooks: range store, range store, range store, range store
; tests: 1
define void @mask(ptr %p, <4 x i32> %v, <4 x i1> %mask) {
  call void @llvm.masked.store.v4i32.p0(<4 x i32> %v, ptr %p, i32 4, <4 x i1> %mask)
  ret void
}

; Where it returns to, and not where it throws to.
; hooks: range store
define i64 @reads_or_throws(ptr %p, i64 %n) personality ptr @__gxx_personality_v0 {
  %got = invoke i64 @read(i32 0, ptr %p, i64 %n) to label %fine unwind label %thrown
fine:
  ret i64 %got
thrown:
  %what = landingpad { ptr, i32 } cleanup
  resume { ptr, i32 } %what
}
declare i32 @__gxx_personality_v0(...)

; What is left when something is thrown right here.
; hooks: store 4, release
define void @throws(ptr %exception) {
  %x = alloca i32
  store i32 1, ptr %x
  call void @keeps(ptr %x)
  call void @__cxa_throw(ptr %exception, ptr null, ptr null)
  unreachable
}
declare void @keeps(ptr)
declare void @__cxa_throw(ptr, ptr, ptr)

; Arrays of Fortran, by their descriptors.
; hooks: range load, range store
define void @assigns(ptr %to, ptr %from) {
  call void @_FortranAAssign(ptr %to, ptr %from, ptr null, i32 0)
  ret void
}
declare void @_FortranAAssign(ptr, ptr, ptr, i32)

; hooks: range load
define i32 @sums(ptr %array) {
  %sum = call i32 @_FortranASumInteger4(ptr %array, ptr null, i32 0, i32 0, ptr null)
  ret i32 %sum
}
declare i32 @_FortranASumInteger4(ptr, ptr, i32, i32, ptr)

; Strings of a format that is a constant.
; hooks: range load, range load
define void @prints(ptr %a, ptr %b) {
  %n = call i32 (ptr, ...) @printf(ptr @text, i32 1, ptr %a, ptr %b)
  ret void
}
@text = private constant [9 x i8] c"%d %s %s\00"
declare i32 @printf(ptr, ...)

; hooks: none
define void @prints_what_it_is_given(ptr %format, ptr %a) {
  %n = call i32 (ptr, ...) @printf(ptr %format, ptr %a)
  ret void
}
