; What need not be looked at, and what must.
@counter = internal global i32 0
@shared_counter = internal global i32 0
@visible = global i32 0
@table = private constant [4 x i32] [i32 1, i32 2, i32 3, i32 4]
@mutable = internal global [8 x i32] zeroinitializer

declare void @mpi(ptr)
declare void @looks(ptr nocapture)

; hooks: none
; remark: Dropped a store is not instrumented: a local variable that nobody else knows of
; remark: Dropped a load is not instrumented: a local variable that nobody else knows of
; remark: Function 0 of 2 accesses are instrumented
define i32 @local() {
  %x = alloca i32
  store i32 1, ptr %x
  %v = load i32, ptr %x
  ret i32 %v
}

; An unknown function may keep the address.
; hooks: store 4, release
; remark: Function 1 of 1 accesses are instrumented
define void @local_that_escapes() {
  %x = alloca i32
  store i32 1, ptr %x
  call void @mpi(ptr %x)
  ret void
}

; hooks: none
define void @local_that_is_looked_at() {
  %x = alloca i32
  store i32 1, ptr %x
  call void @looks(ptr %x)
  ret void
}

; hooks: none
; remark: Dropped a load is not instrumented: a static variable that nobody else knows of
define i32 @static() {
  %v = load i32, ptr @counter
  ret i32 %v
}

; hooks: load 4
define i32 @static_that_escapes() {
  call void @mpi(ptr @shared_counter)
  %v = load i32, ptr @shared_counter
  ret i32 %v
}

; hooks: load 4
define i32 @global() {
  %v = load i32, ptr @visible
  ret i32 %v
}

; hooks: none
; remark: Dropped a load is not instrumented: a constant
define i32 @constant(i64 %i) {
  %p = getelementptr [4 x i32], ptr @table, i64 0, i64 %i
  %v = load i32, ptr %p
  ret i32 %v
}

; hooks: load 4
define i32 @argument(ptr %p) {
  %v = load i32, ptr %p
  ret i32 %v
}

; One of two, both of them nobody else's.
; hooks: none
define i32 @either(i1 %which) {
  %x = alloca i32
  %p = select i1 %which, ptr %x, ptr @counter
  store i32 1, ptr %p
  ret i32 0
}

; One of two, one of them everybody's.
; hooks: store 4
define i32 @either_that_is_not(i1 %which) {
  %x = alloca i32
  %p = select i1 %which, ptr %x, ptr @visible
  store i32 1, ptr %p
  ret i32 0
}

; --- through functions of the module

; Called with variables that nobody else knows of, and with nothing else.
; hooks: none
; remark: Dropped a store is not instrumented: an argument that is always a variable nobody else knows of
define internal void @fill_private(ptr %p) {
  store i32 7, ptr %p
  ret void
}

; hooks: none
define i32 @passes_a_local() {
  %x = alloca i32
  call void @fill_private(ptr %x)
  call void @fill_private(ptr @mutable)
  %v = load i32, ptr %x
  ret i32 %v
}

; Also called with what others know.
; hooks: store 4
define internal void @fill_any(ptr %p) {
  store i32 7, ptr %p
  ret void
}

; hooks: none
define i32 @passes_a_local_to_any() {
  %x = alloca i32
  call void @fill_any(ptr %x)
  %v = load i32, ptr %x
  ret i32 %v
}

; hooks: none
define void @passes_on(ptr %p) {
  call void @fill_any(ptr %p)
  ret void
}

; Its address is known: anybody may call it.
; hooks: store 4
define internal void @fill_by_address(ptr %p) {
  store i32 7, ptr %p
  ret void
}

; hooks: none
define ptr @gives_the_address() {
  %x = alloca i32
  call void @fill_by_address(ptr %x)
  ret ptr @fill_by_address
}

; Two that call each other and keep nothing.
; hooks: none
define internal void @even(ptr %p, i32 %n) {
  %end = icmp eq i32 %n, 0
  br i1 %end, label %done, label %more
more:
  %less = sub i32 %n, 1
  call void @odd(ptr %p, i32 %less)
  br label %done
done:
  store i32 %n, ptr %p
  ret void
}

; hooks: none
define internal void @odd(ptr %p, i32 %n) {
  call void @even(ptr %p, i32 %n)
  ret void
}

; hooks: none
define i32 @recursion() {
  %x = alloca i32
  call void @even(ptr %x, i32 4)
  %v = load i32, ptr %x
  ret i32 %v
}

; Two that call each other, and one of them keeps it.
; hooks: store 4
define internal void @even_kept(ptr %p, i32 %n) {
  %end = icmp eq i32 %n, 0
  br i1 %end, label %done, label %more
more:
  %less = sub i32 %n, 1
  call void @odd_kept(ptr %p, i32 %less)
  br label %done
done:
  store i32 %n, ptr %p
  ret void
}

; hooks: none
define internal void @odd_kept(ptr %p, i32 %n) {
  call void @mpi(ptr %p)
  call void @even_kept(ptr %p, i32 %n)
  ret void
}

; hooks: load 4, release
define i32 @recursion_kept() {
  %x = alloca i32
  call void @even_kept(ptr %x, i32 4)
  %v = load i32, ptr %x
  ret i32 %v
}

; Returned, and so not forgotten.
; hooks: none
define internal ptr @same(ptr %p) {
  ret ptr %p
}

; hooks: store 4, release
define void @returned() {
  %x = alloca i32
  %y = call ptr @same(ptr %x)
  store i32 1, ptr %y
  call void @mpi(ptr %y)
  ret void
}
