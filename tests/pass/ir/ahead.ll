; Copies with values: loops whose accesses are looked at in front of them, or by blocks.
declare void @other()
declare double @slow(double) nounwind willreturn memory(none)
declare double @llvm.sqrt.f64(double)

; What lies next to each other, or is the same, is one question; loads and stores are two.
; hooks: range store, range load
; ahead: 2 spaced, 0 around
define void @next_to_each_other(ptr %a, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr { i64, i64 }, ptr %a, i64 %i
  %behind = getelementptr i8, ptr %at, i64 8
  %x = load i64, ptr %at
  %y = load i64, ptr %behind
  %sum = add i64 %x, %y
  store i64 %sum, ptr %at
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}

; Through an index: the row of indices is known, what they lead to is not.
; hooks: range load, gather load, load 8
; ahead: 1 spaced, 1 around
define double @through_an_index(ptr %a, ptr %index, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %all = phi double [ 0.0, %entry ], [ %sum, %loop ]
  %at_index = getelementptr i32, ptr %index, i64 %i
  %number = load i32, ptr %at_index
  %wide = sext i32 %number to i64
  %at = getelementptr double, ptr %a, i64 %wide
  %x = load double, ptr %at
  %root = call double @llvm.sqrt.f64(double %x)
  %sum = fadd double %all, %root
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret double %sum
}

; It is not known when it ends: looks again now and then.
; hooks: load 8
; ahead: 0 spaced, 1 around
define i64 @until_found(ptr %a, i64 %wanted) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr i64, ptr %a, i64 %i
  %x = load i64, ptr %at
  %next = add i64 %i, 1
  %more = icmp ne i64 %x, %wanted
  br i1 %more, label %loop, label %end
end:
  ret i64 %i
}

; A round may take a second.
; hooks: range load, store 8
; ahead: none
define void @until_told(ptr %a, ptr %b) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %x = phi double [ 1.0, %entry ], [ %better, %loop ]
  %better = call double @slow(double %x)
  %at = getelementptr double, ptr %b, i64 %i
  store double %better, ptr %at
  %next = add i64 %i, 1
  %told = load i64, ptr %a
  %more = icmp eq i64 %told, 0
  br i1 %more, label %loop, label %end
end:
  ret void
}

; A pointer that comes out of a loop, which has a copy as well.
; hooks: load 8, load 8, range load, gather load, load 8
; ahead: 1 spaced, 2 around
define double @pointer_from_a_loop(ptr %t, ptr %index, i64 %n) {
entry:
  br label %rounds
rounds:
  %r = phi i64 [ 0, %entry ], [ %next_r, %rounds_end ]
  br label %search
search:
  %k = phi i64 [ 0, %rounds ], [ %next_k, %search ]
  %at_p = getelementptr ptr, ptr %t, i64 %k
  %p = load ptr, ptr %at_p
  %first = load double, ptr %p
  %next_k = add i64 %k, 1
  %no = fcmp oeq double %first, 0.0
  br i1 %no, label %search, label %loop
loop:
  %i = phi i64 [ 0, %search ], [ %next, %loop ]
  %all = phi double [ 0.0, %search ], [ %sum, %loop ]
  %at_index = getelementptr i32, ptr %index, i64 %i
  %number = load i32, ptr %at_index
  %wide = sext i32 %number to i64
  %at = getelementptr double, ptr %p, i64 %wide
  %x = load double, ptr %at
  %sum = fadd double %all, %x
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %rounds_end
rounds_end:
  call void @other()
  %next_r = add i64 %r, 1
  %again = icmp ult i64 %next_r, 10
  br i1 %again, label %rounds, label %end
end:
  ret double %sum
}

; Waits for somebody else: the same place, again and again.
; hooks: range load
; ahead: none
define void @waits(ptr %a) {
entry:
  br label %loop
loop:
  %x = load i64, ptr %a
  %more = icmp eq i64 %x, 0
  br i1 %more, label %loop, label %end
end:
  ret void
}

; Something is called that may do anything.
; hooks: load 8
; ahead: none
define i64 @calls(ptr %a, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr i64, ptr %a, i64 %i
  %x = load i64, ptr %at
  call void @other()
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret i64 %x
}

; Volatile, and atomic: meant to meet others. Behind an acquire begins another moment, so nothing is known in front of the loop.
; hooks: load 8, load 8
; ahead: none
define i64 @meets(ptr %a, ptr %b, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr i64, ptr %a, i64 %i
  %x = load volatile i64, ptr %at
  %at_b = getelementptr i64, ptr %b, i64 %i
  %y = load atomic i64, ptr %at_b acquire, align 8
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret i64 %x
}

; Two versions of the inner loop, of which each row takes one: together they are all of it.
; hooks: range load, range load
; ahead: 1 spaced, 0 around
define i64 @versions(ptr %a, i64 %n) {
entry:
  br label %rows
rows:
  %row = phi i64 [ 0, %entry ], [ %next_row, %row_end ]
  %at = getelementptr [16 x i64], ptr %a, i64 %row
  %odd = and i64 %row, 1
  %is_odd = icmp eq i64 %odd, 1
  br i1 %is_odd, label %upwards, label %in_pairs
upwards:
  %i = phi i64 [ 0, %rows ], [ %next_i, %upwards ]
  %at_i = getelementptr i64, ptr %at, i64 %i
  %x = load i64, ptr %at_i
  %next_i = add i64 %i, 1
  %more_i = icmp ult i64 %next_i, 16
  br i1 %more_i, label %upwards, label %row_end
in_pairs:
  %j = phi i64 [ 0, %rows ], [ %next_j, %in_pairs ]
  %at_j = getelementptr i64, ptr %at, i64 %j
  %y = load <2 x i64>, ptr %at_j
  %next_j = add i64 %j, 2
  %more_j = icmp ult i64 %next_j, 16
  br i1 %more_j, label %in_pairs, label %row_end
row_end:
  %next_row = add i64 %row, 1
  %more = icmp ult i64 %next_row, %n
  br i1 %more, label %rows, label %end
end:
  ret i64 %n
}
