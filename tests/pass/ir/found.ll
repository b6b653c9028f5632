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
