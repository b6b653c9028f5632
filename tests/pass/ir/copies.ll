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

; Calls MPI, but not in its loops: of those inside each other the outer one has a copy. What it comes to is used behind it.
; hooks: store 4, load 8
; copy: no
; loops: 2
define i64 @loops_between_calls(ptr %a, ptr %b, i64 %n) {
entry:
  call void @mpi()
  br label %outer
outer:
  %o = phi i64 [ 0, %entry ], [ %next_o, %outer_end ]
  br label %inner
inner:
  %i = phi i64 [ 0, %outer ], [ %next, %inner ]
  %r = call i32 @rand()
  %at = getelementptr i32, ptr %a, i32 %r
  store i32 1, ptr %at
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %inner, label %outer_end
outer_end:
  %next_o = add i64 %o, 1
  %more_o = icmp slt i64 %next_o, %n
  br i1 %more_o, label %outer, label %between
between:
  call void @mpi()
  br label %last
last:
  %k = phi i64 [ 0, %between ], [ %next_k, %more_last ]
  %sum = phi i64 [ 0, %between ], [ %total, %more_last ]
  %r_k = call i32 @rand()
  %at_k = getelementptr i64, ptr %b, i32 %r_k
  %v = load i64, ptr %at_k
  %found = icmp eq i64 %v, 7
  br i1 %found, label %early, label %more_last
more_last:
  %total = add i64 %sum, %v
  %next_k = add i64 %k, 1
  %more_k = icmp slt i64 %next_k, %n
  br i1 %more_k, label %last, label %end
early:
  %so_far = mul i64 %sum, 3
  ret i64 %so_far
end:
  ret i64 %total
}

; All that its loop touches is looked at in front of it: there is nothing to choose.
; hooks: range store
; loops: 0
define void @range_between_calls(ptr %a) {
entry:
  call void @mpi()
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr i64, ptr %a, i64 %i
  store i64 1, ptr %at
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, 100
  br i1 %more, label %loop, label %end
end:
  call void @mpi()
  ret void
}
