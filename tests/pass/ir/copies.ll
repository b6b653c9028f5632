; Copies without tests: of functions that look at memory in a loop, and cannot lead to an MPI call.
$scatter = comdat any
declare void @mpi()
declare i32 @rand()

; The choice comes first, behind the variables.
; hooks: load 4, load 8
; copy: yes
define noundef signext i32 @gather(ptr %a, ptr %index, i32 signext %n) {
entry:
  %local = alloca i64
  store i64 0, ptr %local
  %first = load i32, ptr %index
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %r = call i32 @rand()
  %at = getelementptr i64, ptr %a, i32 %r
  %v = load i64, ptr %at
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  store i64 %v, ptr %local
  ret i32 %first
}

; hooks: store 4
; copy: yes
define void @scatter(ptr %a, i64 %n) comdat {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %r = call i32 @rand()
  %at = getelementptr i32, ptr %a, i32 %r
  store i32 1, ptr %at
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}


; What can be reached may change in it.
; hooks: store 4
; copy: no
define void @calls_mpi(ptr %a, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %r = call i32 @rand()
  %at = getelementptr i32, ptr %a, i32 %r
  store i32 1, ptr %at
  call void @mpi()
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}

; hooks: store 4
; copy: no
define void @no_loop(ptr %a) {
  store i32 1, ptr %a
  ret void
}

; All of it is in front of the loop.
; hooks: range store
; copy: no
define void @hoisted(ptr %a, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr i32, ptr %a, i64 %i
  store i32 1, ptr %at
  %next = add nuw nsw i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}

; Its arguments cannot be handed on.
; hooks: store 4
; copy: no
define void @any_number(ptr %a, i64 %n, ...) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %r = call i32 @rand()
  %at = getelementptr i32, ptr %a, i32 %r
  store i32 1, ptr %at
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}
