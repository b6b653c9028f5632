; Vectors of which lanes 0 and 2 are touched, and no other: calls_test.py says which bytes that are.
@selected = external global i32

define i64 @work(ptr %shared) {
  %zero = load i32, ptr @selected
  %one = insertelement <4 x i32> poison, i32 %zero, i64 0
  %all = shufflevector <4 x i32> %one, <4 x i32> poison, <4 x i32> zeroinitializer
  %mask = icmp slt <4 x i32> %all, <i32 1, i32 0, i32 5, i32 -3>

  %a = call <4 x i32> @llvm.masked.load.v4i32.p0(ptr %shared, i32 4, <4 x i1> %mask, <4 x i32> %all)
  %at100 = getelementptr i8, ptr %shared, i64 100
  %b = call <4 x i32> @llvm.masked.load.v4i32.p0(ptr %at100, i32 4, <4 x i1> %mask, <4 x i32> %all)
  %sum = add <4 x i32> %a, %b
  %at200 = getelementptr i8, ptr %shared, i64 200
  call void @llvm.masked.store.v4i32.p0(<4 x i32> %sum, ptr %at200, i32 4, <4 x i1> %mask)

  %from = getelementptr i8, ptr %shared, <4 x i64> <i64 300, i64 312, i64 324, i64 336>
  %c = call <4 x i32> @llvm.masked.gather.v4i32.v4p0(<4 x ptr> %from, i32 4, <4 x i1> %mask, <4 x i32> %all)
  %to = getelementptr i8, ptr %shared, <4 x i64> <i64 400, i64 412, i64 424, i64 436>
  call void @llvm.masked.scatter.v4i32.v4p0(<4 x i32> %c, <4 x ptr> %to, i32 4, <4 x i1> %mask)

  %at500 = getelementptr i8, ptr %shared, i64 500
  %d = call <4 x i32> @llvm.masked.expandload.v4i32(ptr %at500, <4 x i1> %mask, <4 x i32> %all)
  %at600 = getelementptr i8, ptr %shared, i64 600
  call void @llvm.masked.compressstore.v4i32(<4 x i32> %d, ptr %at600, <4 x i1> %mask)

  %lanes = add i32 %zero, 2
  %at700 = getelementptr i8, ptr %shared, i64 700
  %e = call <4 x i32> @llvm.vp.load.v4i32.p0(ptr align 4 %at700, <4 x i1> %mask, i32 %lanes)
  %at800 = getelementptr i8, ptr %shared, i64 800
  call void @llvm.vp.store.v4i32.p0(<4 x i32> %e, ptr align 4 %at800, <4 x i1> %mask, i32 %lanes)
  ret i64 0
}

declare <4 x i32> @llvm.masked.load.v4i32.p0(ptr, i32, <4 x i1>, <4 x i32>)
declare void @llvm.masked.store.v4i32.p0(<4 x i32>, ptr, i32, <4 x i1>)
declare <4 x i32> @llvm.masked.gather.v4i32.v4p0(<4 x ptr>, i32, <4 x i1>, <4 x i32>)
declare void @llvm.masked.scatter.v4i32.v4p0(<4 x i32>, <4 x ptr>, i32, <4 x i1>)
declare <4 x i32> @llvm.masked.expandload.v4i32(ptr, <4 x i1>, <4 x i32>)
declare void @llvm.masked.compressstore.v4i32(<4 x i32>, ptr, <4 x i1>)
declare <4 x i32> @llvm.vp.load.v4i32.p0(ptr, <4 x i1>, i32)
declare void @llvm.vp.store.v4i32.p0(<4 x i32>, ptr, <4 x i1>, i32)
