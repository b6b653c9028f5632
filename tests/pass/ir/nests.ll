; Loops inside loops, told before they are vectorised. What comes out of the vectoriser has several loops for the inner one, and a test for each row.
; passes: photofinish-nests,function(loop-vectorize),photofinish

; Rows that may overlap, each added to the next.
; hooks: range load, range store
; remark: Hoisted a load is checked before 2 loops
; remark: Hoisted a store is checked before 2 loops
define void @rows(ptr %a, ptr %b, i64 %rows, i64 %columns) {
entry:
  br label %outer
outer:
  %row = phi i64 [ 0, %entry ], [ %next_row, %outer_end ]
  %from = getelementptr [256 x double], ptr %a, i64 %row
  %into = getelementptr [256 x double], ptr %b, i64 %row
  br label %inner
inner:
  %i = phi i64 [ 0, %outer ], [ %next, %inner ]
  %from_i = getelementptr double, ptr %from, i64 %i
  %into_i = getelementptr double, ptr %into, i64 %i
  %value = load double, ptr %from_i
  store double %value, ptr %into_i
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %columns
  br i1 %more, label %inner, label %outer_end, !llvm.loop !0
outer_end:
  %next_row = add nuw nsw i64 %row, 1
  %more_rows = icmp ult i64 %next_row, %rows
  br i1 %more_rows, label %outer, label %end
end:
  ret void
}

; Whether the last loop has anything to do is the same for all rows.
; hooks: range store
; remark: Hoisted a store is checked before 2 loops
define void @triangle(ptr %a, i64 %rows, i64 %columns) {
entry:
  %any = icmp ult i64 3, %columns
  br label %outer
outer:
  %row = phi i64 [ 0, %entry ], [ %next_row, %outer_end ]
  br i1 %any, label %before, label %outer_end
before:
  %begin = getelementptr [256 x double], ptr %a, i64 %row
  br label %inner
inner:
  %i = phi i64 [ 3, %before ], [ %next, %inner ]
  %into = getelementptr double, ptr %begin, i64 %i
  store double 1.0, ptr %into
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %columns
  br i1 %more, label %inner, label %outer_end, !llvm.loop !0
outer_end:
  %next_row = add nuw nsw i64 %row, 1
  %more_rows = icmp ult i64 %next_row, %rows
  br i1 %more_rows, label %outer, label %end
end:
  ret void
}

; A call that may lead to MPI between the rows: each row for itself, behind the vectoriser.
; hooks: range store, range store
define void @with_a_call(ptr %a, i64 %rows) {
entry:
  br label %outer
outer:
  %row = phi i64 [ 0, %entry ], [ %next_row, %outer_end ]
  %begin = getelementptr [256 x double], ptr %a, i64 %row
  call void @unknown()
  br label %inner
inner:
  %i = phi i64 [ 0, %outer ], [ %next, %inner ]
  %into = getelementptr double, ptr %begin, i64 %i
  store double 1.0, ptr %into
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, 255
  br i1 %more, label %inner, label %outer_end, !llvm.loop !0
outer_end:
  %next_row = add nuw nsw i64 %row, 1
  %more_rows = icmp ult i64 %next_row, %rows
  br i1 %more_rows, label %outer, label %end
end:
  ret void
}

declare void @unknown()

!0 = distinct !{!0, !1, !2}
!1 = !{!"llvm.loop.vectorize.enable", i1 true}
!2 = !{!"llvm.loop.vectorize.width", i32 2}
