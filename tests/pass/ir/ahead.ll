; Copies with values: loops whose accesses are looked at in front of them, or by blocks.
declare void @other()
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

; Volatile, and atomic: meant to meet others.
; hooks: range load, range load
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
