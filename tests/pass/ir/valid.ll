; What LLVM's verifier would reject if the pass did it wrong: values of a loop that are used behind it, when the loop gets a copy;
; types and positions that hooks cannot have.

declare i32 @MPI_Barrier(i32)
declare ptr @memcpy(ptr, ptr, i64)
declare double @strlen(double)
declare ptr @read(i32, ptr, i64)
declare void @fwrite(ptr, ptr, double, ptr)
declare ptr @strcpy(ptr, ptr)

; while (*s == ' ') s++; *s = 'X'; MPI_Barrier(); the store's address is a value of the loop.
; hooks: load 1, store 1
; loops: 1
define ptr @skip(ptr %s) {
entry:
  br label %loop
loop:
  %at = phi ptr [ %s, %entry ], [ %next, %loop ]
  %c = load i8, ptr %at
  %blank = icmp eq i8 %c, 32
  %next = getelementptr i8, ptr %at, i64 1
  br i1 %blank, label %loop, label %end
end:
  store i8 88, ptr %at
  call i32 @MPI_Barrier(i32 0)
  ret ptr %at
}

; The same value, in front of a second loop over what comes behind it: a range, with a condition that is a value of the first loop.
; hooks: load 1, range store
define void @clear(ptr %s, i64 %n) {
entry:
  br label %skip
skip:
  %at = phi ptr [ %s, %entry ], [ %next, %skip ]
  %c = load i8, ptr %at
  %blank = icmp eq i8 %c, 32
  %wanted = icmp ugt i8 %c, 64
  %next = getelementptr i8, ptr %at, i64 1
  br i1 %blank, label %skip, label %middle
middle:
  br label %loop
loop:
  %i = phi i64 [ 0, %middle ], [ %i.next, %on ]
  br i1 %wanted, label %store, label %on
store:
  %place = getelementptr i32, ptr %at, i64 %i
  store i32 0, ptr %place
  br label %on
on:
  %i.next = add i64 %i, 1
  %more = icmp ult i64 %i.next, %n
  br i1 %more, label %loop, label %end
end:
  call i32 @MPI_Barrier(i32 0)
  ret void
}

; A length and both addresses of a call.
; hooks: load 8, range store, range load
define void @copy(ptr %s, ptr %t) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %from = getelementptr i64, ptr %s, i64 %i
  %to = getelementptr i64, ptr %t, i64 %i
  %length = load i64, ptr %from
  %next = add i64 %i, 1
  %more = icmp ugt i64 %length, 1000
  br i1 %more, label %loop, label %end
end:
  call ptr @memcpy(ptr %to, ptr %from, i64 %length)
  call i32 @MPI_Barrier(i32 0)
  ret void
}

; Through indices, behind a base that is a value of a loop.
; hooks: load 8, range load, gather store, store 8
define void @scatter(ptr %s, ptr noalias %indices, i64 %n) {
entry:
  br label %skip
skip:
  %at = phi ptr [ %s, %entry ], [ %next, %skip ]
  %c = load ptr, ptr %at
  %more = icmp eq ptr %c, null
  %next = getelementptr ptr, ptr %at, i64 1
  br i1 %more, label %skip, label %middle
middle:
  br label %loop
loop:
  %i = phi i64 [ 0, %middle ], [ %i.next, %loop ]
  %where = getelementptr i32, ptr %indices, i64 %i
  %index = load i32, ptr %where
  %wide = sext i32 %index to i64
  %place = getelementptr i64, ptr %c, i64 %wide
  store i64 0, ptr %place, !tbaa !0
  %i.next = add i64 %i, 1
  %rest = icmp ult i64 %i.next, %n
  br i1 %rest, label %loop, label %end
end:
  call i32 @MPI_Barrier(i32 0)
  ret void
}

; Two loops one behind the other, each with what the other left.
; hooks: load 4, load 4, store 4
; loops: 2
define i32 @twice(ptr %s) {
entry:
  br label %first
first:
  %at = phi ptr [ %s, %entry ], [ %next, %first ]
  %a = load i32, ptr %at
  %next = getelementptr i32, ptr %at, i64 1
  %more = icmp ne i32 %a, 0
  br i1 %more, label %first, label %middle
middle:
  br label %second
second:
  %behind = phi ptr [ %next, %middle ], [ %step, %second ]
  %b = load i32, ptr %behind
  %step = getelementptr i32, ptr %behind, i64 1
  %less = icmp slt i32 %b, %a
  br i1 %less, label %second, label %end
end:
  store i32 %b, ptr %at
  call i32 @MPI_Barrier(i32 0)
  ret i32 %a
}

; A structure as one value, and a vector of pointers, cannot be compared as numbers.
; hooks: load 8, store 8, load 16, store 16
define void @values(ptr %p, ptr %q) {
  %complex = load { float, float }, ptr %p
  store { float, float } %complex, ptr %q
  call i32 @MPI_Barrier(i32 0)
  %pointers = load <2 x ptr>, ptr %p
  store <2 x ptr> %pointers, ptr %q
  ret void
}

; Relative to a segment: not an address in shared memory.
; hooks: store 4
define i32 @segment(ptr addrspace(257) %p, ptr %q) {
  %a = load i32, ptr addrspace(257) %p
  store i32 %a, ptr addrspace(257) %p
  store i32 %a, ptr %q
  ret i32 %a
}

; Functions of the program's own with the names of others.
; hooks: none
define ptr @other_types(ptr %p, double %d) {
  %a = call double @strlen(double %d)
  %b = call ptr @read(i32 0, ptr %p, i64 8)
  call void @fwrite(ptr %p, ptr %p, double %d, ptr %p)
  ret ptr %b
}

; Nothing may come between such a call and its return.
; hooks: range store, range load
define ptr @last(ptr %to, ptr %from) {
  %end = musttail call ptr @strcpy(ptr %to, ptr %from)
  ret ptr %end
}

; A switch goes out of the loop twice, to one block.
; hooks: load 4, store 4
; loops: 1
define void @ways(ptr %s) {
entry:
  br label %loop
loop:
  %at = phi ptr [ %s, %entry ], [ %next, %loop ]
  %a = load i32, ptr %at
  %next = getelementptr i32, ptr %at, i64 1
  switch i32 %a, label %loop [ i32 3, label %end
                               i32 5, label %end ]
end:
  %last = phi ptr [ %at, %loop ], [ %at, %loop ]
  store i32 0, ptr %last
  call i32 @MPI_Barrier(i32 0)
  ret void
}

!0 = !{!1, !1, i64 0}
!1 = !{!"long", !2}
!2 = !{!"any"}
