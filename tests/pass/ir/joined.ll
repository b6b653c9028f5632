; Neighbours in one block.
declare void @mpi()

; hooks: load 8
; remark: Joined 2 accesses are checked together, as 1
define i32 @two_loads(ptr %p) {
  %q = getelementptr i8, ptr %p, i64 4
  %a = load i32, ptr %p
  %b = load i32, ptr %q
  %c = add i32 %a, %b
  ret i32 %c
}

; With a gap they are two, behind one test.
; hooks: load 4, load 4
; tests: 1
; remark: Joined 2 accesses are checked together, as 2
define i32 @with_a_gap(ptr %p) {
  %q = getelementptr i8, ptr %p, i64 12
  %a = load i32, ptr %p
  %b = load i32, ptr %q
  %c = add i32 %a, %b
  ret i32 %c
}

; A load of what is stored to on the same line adds nothing.
; hooks: store 4
define void @increment(ptr %p) {
  %a = load i32, ptr %p
  %b = add i32 %a, 1
  store i32 %b, ptr %p
  ret void
}

; Twice the same is once, unless something between may lead to MPI.
; hooks: store 4
define void @twice(ptr %p) {
  store i32 1, ptr %p
  store i32 2, ptr %p
  ret void
}

; hooks: store 4, store 4
; tests: 2
define void @twice_with_a_call(ptr %p) {
  store i32 1, ptr %p
  call void @mpi()
  store i32 2, ptr %p
  ret void
}

; Too far from each other for one test.
; hooks: load 4, load 4
; tests: 2
define i32 @far(ptr %p) {
  %q = getelementptr i8, ptr %p, i64 1000
  %a = load i32, ptr %p
  %b = load i32, ptr %q
  %c = add i32 %a, %b
  ret i32 %c
}

; hooks: store 4, store 1
; tests: 2
define void @of_two_pointers(ptr %p, ptr %q) {
  store i32 1, ptr %p
  store i8 1, ptr %q
  ret void
}
