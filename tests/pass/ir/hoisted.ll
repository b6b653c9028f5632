; Loops: what becomes one range in front of them, and what stays inside.
declare void @mpi()
declare i32 @rand()

; hooks: range load, range store
; remark: Hoisted a load is checked before 1 loop
; remark: Hoisted a store is checked before 1 loop
define void @forwards(ptr %a, ptr %b, i64 %n) {
entry:
  %some = icmp sgt i64 %n, 0
  br i1 %some, label %before, label %end
before:
  br label %loop
loop:
  %i = phi i64 [ 0, %before ], [ %next, %loop ]
  %from = getelementptr double, ptr %a, i64 %i
  %v = load double, ptr %from
  %to = getelementptr double, ptr %b, i64 %i
  store double %v, ptr %to
  %next = add nuw nsw i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %after
after:
  br label %end
end:
  ret void
}

; A column of a matrix in each iteration of the outer loop.
; hooks: range store
; remark: Hoisted a store is checked before 2 loops
define void @nest(ptr %a, i64 %rows) {
entry:
  br label %outer
outer:
  %j = phi i64 [ 0, %entry ], [ %next_j, %outer_end ]
  %column = getelementptr double, ptr %a, i64 %j
  br label %inner
inner:
  %i = phi i64 [ 0, %outer ], [ %next_i, %inner ]
  %offset = mul nuw nsw i64 %i, 100
  %to = getelementptr double, ptr %column, i64 %offset
  store double 0.0, ptr %to
  %next_i = add nuw nsw i64 %i, 1
  %more_i = icmp ult i64 %next_i, 50
  br i1 %more_i, label %inner, label %outer_end
outer_end:
  %next_j = add nuw nsw i64 %j, 1
  %more_j = icmp ult i64 %next_j, 60
  br i1 %more_j, label %outer, label %end
end:
  ret void
}

; hooks: store 8
; remark: Stays a store is checked in every iteration: the loop calls something that could lead to MPI
define void @calls(ptr %a) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %to = getelementptr double, ptr %a, i64 %i
  store double 0.0, ptr %to
  call void @mpi()
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, 50
  br i1 %more, label %loop, label %end
end:
  ret void
}

; hooks: range store
define void @calls_what_is_quiet(ptr %a) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %v = call i32 @rand()
  %to = getelementptr i32, ptr %a, i64 %i
  store i32 %v, ptr %to
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, 50
  br i1 %more, label %loop, label %end
end:
  ret void
}

; hooks: range load, store 8
; remark: Stays a store is checked in every iteration: its addresses are not evenly spaced
define void @scattered(ptr %a, ptr %where) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %from = getelementptr i64, ptr %where, i64 %i
  %at = load i64, ptr %from
  %to = getelementptr double, ptr %a, i64 %at
  store double 0.0, ptr %to
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, 50
  br i1 %more, label %loop, label %end
end:
  ret void
}

; hooks: store 8
; remark: Stays a store is checked in every iteration: it is not made in every iteration
define void @on_condition(ptr %a, i64 %which) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %wanted = icmp eq i64 %i, %which
  br i1 %wanted, label %then, label %latch
then:
  %to = getelementptr double, ptr %a, i64 %i
  store double 0.0, ptr %to
  br label %latch
latch:
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, 50
  br i1 %more, label %loop, label %end
end:
  ret void
}

; One place in every iteration: once in front.
; hooks: range load
define double @invariant(ptr %a) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %sum = phi double [ 0.0, %entry ], [ %total, %loop ]
  %v = load double, ptr %a
  %total = fadd double %sum, %v
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, 50
  br i1 %more, label %loop, label %end
end:
  ret double %total
}

; A test that comes out the same in every iteration: the range is only told if it does.
; hooks: range store, range store
; remark: Hoisted a store is checked before 2 loops
define void @behind_a_test(ptr %a, i64 %rows, i1 %all) {
entry:
  br label %outer
outer:
  %row = phi i64 [ 0, %entry ], [ %next_row, %outer_end ]
  %begin = getelementptr [4 x double], ptr %a, i64 %row
  br i1 %all, label %before, label %one
before:
  br label %inner
inner:
  %i = phi i64 [ 0, %before ], [ %next, %inner ]
  %to = getelementptr double, ptr %begin, i64 %i
  store double 0.0, ptr %to
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, 4
  br i1 %more, label %inner, label %after
after:
  br label %outer_end
one:
  store double 0.0, ptr %begin
  br label %outer_end
outer_end:
  %next_row = add nuw nsw i64 %row, 1
  %more_rows = icmp ult i64 %next_row, %rows
  br i1 %more_rows, label %outer, label %end
end:
  ret void
}

; One that does not.
; hooks: range store
; remark: Hoisted a store is checked before 1 loop
define void @behind_another_test(ptr %a, i64 %rows, i64 %left_out) {
entry:
  br label %outer
outer:
  %row = phi i64 [ 0, %entry ], [ %next_row, %outer_end ]
  %begin = getelementptr [4 x double], ptr %a, i64 %row
  %out = icmp eq i64 %row, %left_out
  br i1 %out, label %outer_end, label %before
before:
  br label %inner
inner:
  %i = phi i64 [ 0, %before ], [ %next, %inner ]
  %to = getelementptr double, ptr %begin, i64 %i
  store double 0.0, ptr %to
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, 4
  br i1 %more, label %inner, label %outer_end
outer_end:
  %next_row = add nuw nsw i64 %row, 1
  %more_rows = icmp ult i64 %next_row, %rows
  br i1 %more_rows, label %outer, label %end
end:
  ret void
}

; Nobody knows how often: what is the same in every iteration is looked at once, the rest in each.
; hooks: range load, store 8
; remark: Hoisted a load is checked before 1 loop
define void @until_zero(ptr %scale, ptr %a, ptr %next_of) {
entry:
  br label %loop
loop:
  %at = phi i64 [ 0, %entry ], [ %then, %loop ]
  %factor = load double, ptr %scale
  %into = getelementptr double, ptr %a, i64 %at
  store double %factor, ptr %into
  %then = call i64 @llvm.bitreverse.i64(i64 %at)
  %stop = icmp eq i64 %then, 0
  br i1 %stop, label %end, label %loop
end:
  ret void
}
declare i64 @llvm.bitreverse.i64(i64)

; Not before the loop may end: it may never be made.
; hooks: load 8
define double @behind_the_exit(ptr %scale, i64 %first) {
entry:
  br label %loop
loop:
  %at = phi i64 [ %first, %entry ], [ %then, %rest ]
  %sum = phi double [ 0.0, %entry ], [ %total, %rest ]
  %stop = icmp eq i64 %at, 0
  br i1 %stop, label %end, label %rest
rest:
  %factor = load double, ptr %scale
  %total = fadd double %sum, %factor
  %then = call i64 @llvm.bitreverse.i64(i64 %at)
  br label %loop
end:
  ret double %sum
}

; A loop that is entered runs its first block once, however many iterations it has: what does not change there is looked at in front.
; hooks: range load
; remark: Hoisted a load is checked before 1 loop
define double @invariant_of_any_number(ptr %a, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %sum = phi double [ 0.0, %entry ], [ %total, %loop ]
  %v = load double, ptr %a
  %total = fadd double %sum, %v
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret double %total
}
