; Loops that touch memory through indices: what is known in front of them, and what is not. Each access is also looked at in the loop, for few indices.
declare i32 @rand()

; hooks: range load, gather store, store 8
; remark: Gathered a store is computed from its indices before 1 loop
; copy: yes
define void @through_indices(ptr noalias %a, ptr noalias %where, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %from = getelementptr i32, ptr %where, i64 %i
  %index = load i32, ptr %from
  %at = sext i32 %index to i64
  %to = getelementptr double, ptr %a, i64 %at
  store double 0.0, ptr %to
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}

; Two arrays, and two indices of an element: what has the same base is told of together.
; hooks: range load, gather load, gather load, load 8, load 8, load 4
define double @corners(ptr noalias %a, ptr noalias %b, ptr noalias %element, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %sum = phi double [ 0.0, %entry ], [ %total, %loop ]
  %first = getelementptr [2 x i32], ptr %element, i64 %i
  %second = getelementptr i8, ptr %first, i64 4
  %k = load i32, ptr %first
  %l = load i32, ptr %second
  %at_k = sext i32 %k to i64
  %at_l = sext i32 %l to i64
  %a_k = getelementptr double, ptr %a, i64 %at_k
  %a_l = getelementptr double, ptr %a, i64 %at_l
  %b_l = getelementptr float, ptr %b, i64 %at_l
  %v = load double, ptr %a_k
  %w = load double, ptr %a_l
  %x = load float, ptr %b_l
  %y = fpext float %x to double
  %vw = fadd double %v, %w
  %all = fadd double %vw, %y
  %total = fadd double %sum, %all
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret double %total
}

; The rows of a matrix with a constant number of elements each, of which LLVM does not see that: 25 * row + 25 is larger than 25 * row + 1.
; hooks: range load, range store, gather load, load 8
; remark: Gathered a load is computed from its indices before 2 loops
define void @sparse_rows(ptr noalias %product, ptr noalias %columns, ptr noalias %vector, i64 %rows) {
entry:
  br label %outer
outer:
  %row = phi i64 [ 0, %entry ], [ %next_row, %outer_end ]
  %next_row = add nuw nsw i64 %row, 1
  %last = mul nuw nsw i64 %next_row, 25
  %first = mul nuw nsw i64 %row, 25
  br label %inner
inner:
  %i = phi i64 [ %first, %outer ], [ %next, %inner ]
  %sum = phi double [ 0.0, %outer ], [ %total, %inner ]
  %from = getelementptr i32, ptr %columns, i64 %i
  %column = load i32, ptr %from
  %at = zext i32 %column to i64
  %where = getelementptr double, ptr %vector, i64 %at
  %v = load double, ptr %where
  %total = fadd double %sum, %v
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %last
  br i1 %more, label %inner, label %outer_end
outer_end:
  %to = getelementptr double, ptr %product, i64 %row
  store double %total, ptr %to
  %end_of_rows = icmp eq i64 %next_row, %rows
  br i1 %end_of_rows, label %end, label %outer
end:
  ret void
}

; What is stored may be an index that comes later.
; hooks: range load, store 8
; remark: Stays a store is checked in every iteration: its addresses are not evenly spaced
define void @indices_may_change(ptr %a, ptr %where) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %from = getelementptr i64, ptr %where, i64 %i
  %index = load i64, ptr %from
  %to = getelementptr i64, ptr %a, i64 %index
  store i64 0, ptr %to
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, 50
  br i1 %more, label %loop, label %end
end:
  ret void
}

; Numbers of another type are not.
; hooks: range load, gather store, store 8
define void @other_type(ptr %a, ptr %where) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %from = getelementptr i64, ptr %where, i64 %i
  %index = load i64, ptr %from, !tbaa !1
  %to = getelementptr double, ptr %a, i64 %index
  store double 0.0, ptr %to, !tbaa !2
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, 50
  br i1 %more, label %loop, label %end
end:
  ret void
}

; Indices behind the one that it does not come to may not be there.
; hooks: range load, store 8
define void @may_not_end(ptr noalias %a, ptr noalias %where) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %from = getelementptr i64, ptr %where, i64 %i
  %index = load i64, ptr %from
  %to = getelementptr double, ptr %a, i64 %index
  store double 0.0, ptr %to
  %r = call i32 @rand()
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, 50
  br i1 %more, label %loop, label %end
end:
  ret void
}

; hooks: range load, store 8
define void @on_condition(ptr noalias %a, ptr noalias %where, i64 %which) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %from = getelementptr i64, ptr %where, i64 %i
  %index = load i64, ptr %from
  %wanted = icmp eq i64 %index, %which
  br i1 %wanted, label %then, label %latch
then:
  %to = getelementptr double, ptr %a, i64 %index
  store double 0.0, ptr %to
  br label %latch
latch:
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, 50
  br i1 %more, label %loop, label %end
end:
  ret void
}

; hooks: range load, load 8
define i64 @base_moves(ptr noalias %where, ptr %list) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %a = phi ptr [ %list, %entry ], [ %to, %loop ]
  %from = getelementptr i64, ptr %where, i64 %i
  %index = load i64, ptr %from
  %to = getelementptr i64, ptr %a, i64 %index
  %v = load i64, ptr %to
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, 50
  br i1 %more, label %loop, label %end
end:
  ret i64 %v
}

!0 = !{!"root"}
!1 = !{!3, !3, i64 0}
!2 = !{!4, !4, i64 0}
!3 = !{!"long", !0}
!4 = !{!"double", !0}

; Compressed rows: a row ends where the next one begins. All rows are read in front of both loops.
; hooks: range load, range store, gather load, range load, load 8
; remark: Gathered a load is computed from its indices before 2 loops
define void @compressed_rows(ptr noalias %product, ptr noalias %start, ptr noalias %columns, ptr noalias %vector, i64 %rows) {
entry:
  br label %outer
outer:
  %row = phi i64 [ 0, %entry ], [ %next_row, %outer_end ]
  %next_row = add nuw nsw i64 %row, 1
  %at_begin = getelementptr i64, ptr %start, i64 %row
  %at_end = getelementptr i64, ptr %start, i64 %next_row
  %begin = load i64, ptr %at_begin
  %end = load i64, ptr %at_end
  %some = icmp slt i64 %begin, %end
  br i1 %some, label %before, label %outer_end
before:
  br label %inner
inner:
  %i = phi i64 [ %begin, %before ], [ %next, %inner ]
  %sum = phi double [ 0.0, %before ], [ %total, %inner ]
  %from = getelementptr i32, ptr %columns, i64 %i
  %column = load i32, ptr %from
  %at = zext i32 %column to i64
  %where = getelementptr double, ptr %vector, i64 %at
  %v = load double, ptr %where
  %total = fadd double %sum, %v
  %next = add nsw i64 %i, 1
  %done = icmp eq i64 %next, %end
  br i1 %done, label %outer_end, label %inner
outer_end:
  %result = phi double [ 0.0, %outer ], [ %total, %inner ]
  %to = getelementptr double, ptr %product, i64 %row
  store double %result, ptr %to
  %last_row = icmp eq i64 %next_row, %rows
  br i1 %last_row, label %exit, label %outer
exit:
  ret void
}

; Another test decides which rows are read: only each row for itself is known.
; hooks: range load, range store, range load, gather load, load 8
; remark: Gathered a load is computed from its indices before 1 loop
define void @some_rows(ptr noalias %product, ptr noalias %start, ptr noalias %columns, ptr noalias %vector, i64 %rows) {
entry:
  br label %outer
outer:
  %row = phi i64 [ 0, %entry ], [ %next_row, %outer_end ]
  %next_row = add nuw nsw i64 %row, 1
  %at_begin = getelementptr i64, ptr %start, i64 %row
  %at_end = getelementptr i64, ptr %start, i64 %next_row
  %begin = load i64, ptr %at_begin
  %end = load i64, ptr %at_end
  %odd = trunc i64 %row to i1
  br i1 %odd, label %asked, label %outer_end
asked:
  %some = icmp slt i64 %begin, %end
  br i1 %some, label %before, label %outer_end
before:
  br label %inner
inner:
  %i = phi i64 [ %begin, %before ], [ %next, %inner ]
  %sum = phi double [ 0.0, %before ], [ %total, %inner ]
  %from = getelementptr i32, ptr %columns, i64 %i
  %column = load i32, ptr %from
  %at = zext i32 %column to i64
  %where = getelementptr double, ptr %vector, i64 %at
  %v = load double, ptr %where
  %total = fadd double %sum, %v
  %next = add nsw i64 %i, 1
  %done = icmp eq i64 %next, %end
  br i1 %done, label %outer_end, label %inner
outer_end:
  %result = phi double [ 0.0, %outer ], [ 0.0, %asked ], [ %total, %inner ]
  %to = getelementptr double, ptr %product, i64 %row
  store double %result, ptr %to
  %last_row = icmp eq i64 %next_row, %rows
  br i1 %last_row, label %exit, label %outer
exit:
  ret void
}

; The product may be the array of row starts: it may change before the next row is read.
; hooks: range load, range store, range load, gather load, load 8
; remark: Gathered a load is computed from its indices before 1 loop
define void @starts_may_change(ptr %product, ptr noalias %columns, ptr noalias %vector, i64 %rows) {
entry:
  br label %outer
outer:
  %row = phi i64 [ 0, %entry ], [ %next_row, %outer_end ]
  %next_row = add nuw nsw i64 %row, 1
  %at_begin = getelementptr i64, ptr %product, i64 %row
  %at_end = getelementptr i64, ptr %product, i64 %next_row
  %begin = load i64, ptr %at_begin
  %end = load i64, ptr %at_end
  %some = icmp slt i64 %begin, %end
  br i1 %some, label %before, label %outer_end
before:
  br label %inner
inner:
  %i = phi i64 [ %begin, %before ], [ %next, %inner ]
  %sum = phi double [ 0.0, %before ], [ %total, %inner ]
  %from = getelementptr i32, ptr %columns, i64 %i
  %column = load i32, ptr %from
  %at = zext i32 %column to i64
  %where = getelementptr double, ptr %vector, i64 %at
  %v = load double, ptr %where
  %total = fadd double %sum, %v
  %next = add nsw i64 %i, 1
  %done = icmp eq i64 %next, %end
  br i1 %done, label %outer_end, label %inner
outer_end:
  %result = phi double [ 0.0, %outer ], [ %total, %inner ]
  %to = getelementptr double, ptr %product, i64 %row
  store double %result, ptr %to
  %last_row = icmp eq i64 %next_row, %rows
  br i1 %last_row, label %exit, label %outer
exit:
  ret void
}

; A loop that reads an index of each row, of an empty one, too.
; hooks: range load, range store, range load, gather load, load 8
; remark: Gathered a load is computed from its indices before 1 loop
define void @rows_entered_at_least_once(ptr noalias %product, ptr noalias %start, ptr noalias %columns, ptr noalias %vector, i64 %rows) {
entry:
  br label %outer
outer:
  %row = phi i64 [ 0, %entry ], [ %next_row, %outer_end ]
  %next_row = add nuw nsw i64 %row, 1
  %at_begin = getelementptr i64, ptr %start, i64 %row
  %at_end = getelementptr i64, ptr %start, i64 %next_row
  %begin = load i64, ptr %at_begin
  %end = load i64, ptr %at_end
  br label %inner
inner:
  %i = phi i64 [ %begin, %outer ], [ %next, %inner ]
  %sum = phi double [ 0.0, %outer ], [ %total, %inner ]
  %from = getelementptr i32, ptr %columns, i64 %i
  %column = load i32, ptr %from
  %at = zext i32 %column to i64
  %where = getelementptr double, ptr %vector, i64 %at
  %v = load double, ptr %where
  %total = fadd double %sum, %v
  %next = add nsw i64 %i, 1
  %more = icmp slt i64 %next, %end
  br i1 %more, label %inner, label %outer_end
outer_end:
  %to = getelementptr double, ptr %product, i64 %row
  store double %total, ptr %to
  %last_row = icmp eq i64 %next_row, %rows
  br i1 %last_row, label %exit, label %outer
exit:
  ret void
}

; Where a row begins is the result of a call: only each row for itself is known.
; hooks: range load, range store, range load, gather load, load 8
; remark: Gathered a load is computed from its indices before 1 loop
define void @rows_begin_at_a_result(ptr noalias %product, ptr noalias %ends, ptr noalias %columns, ptr noalias %vector, i64 %rows) {
entry:
  br label %outer
outer:
  %row = phi i64 [ 0, %entry ], [ %next_row, %outer_end ]
  %next_row = add nuw nsw i64 %row, 1
  %at_end = getelementptr i64, ptr %ends, i64 %row
  %begin = call i64 @begin_of(i64 %row)
  %end = load i64, ptr %at_end
  %some = icmp slt i64 %begin, %end
  br i1 %some, label %before, label %outer_end
before:
  br label %inner
inner:
  %i = phi i64 [ %begin, %before ], [ %next, %inner ]
  %sum = phi double [ 0.0, %before ], [ %total, %inner ]
  %from = getelementptr i32, ptr %columns, i64 %i
  %column = load i32, ptr %from
  %at = zext i32 %column to i64
  %where = getelementptr double, ptr %vector, i64 %at
  %v = load double, ptr %where
  %total = fadd double %sum, %v
  %next = add nsw i64 %i, 1
  %done = icmp eq i64 %next, %end
  br i1 %done, label %outer_end, label %inner
outer_end:
  %result = phi double [ 0.0, %outer ], [ %total, %inner ]
  %to = getelementptr double, ptr %product, i64 %row
  store double %result, ptr %to
  %last_row = icmp eq i64 %next_row, %rows
  br i1 %last_row, label %exit, label %outer
exit:
  ret void
}
declare i64 @begin_of(i64) memory(none)
