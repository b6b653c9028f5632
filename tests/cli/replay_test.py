"""photofinish record, replay and explain, on the real tool.

  replay_test.py --photofinish BIN --mpi openmpi|mpich [--yield-preload LIB] [unittest arguments]
"""
import json
import os
import re
import shutil
import socket
import subprocess
import unittest

import cli_test
from cli_test import Case, Run, environment


class Explain(Case):
    """photofinish explain: who wrote what recorded ranks were given; and the ranks that a finding needs."""

    TALK = """
#include <mpi.h>
#include <stdio.h>
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, got = 0, sum = 0, *memory;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Win win;
  MPI_Win_allocate(64 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  for (int i = 0; i < 64; ++i) memory[i] = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < 5; ++i) {
    MPI_Request request;
    MPI_Irecv(&got, 1, MPI_INT, (rank + 3) % 4, 1, MPI_COMM_WORLD, &request);  /* receives */
    MPI_Send(&rank, 1, MPI_INT, (rank + 1) % 4, 1, MPI_COMM_WORLD);            /* sends */
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  MPI_Win_fence(0, win);
  int mine = 40 + rank;
  if (rank == 1) MPI_Put(&mine, 1, MPI_INT, 2, 8, 1, MPI_INT, win);  /* puts inside */
  if (rank == 3) MPI_Put(&mine, 1, MPI_INT, 1, 8, 1, MPI_INT, win);
  if (rank == 2) memory[4] = 77;  /* stores */
  MPI_Win_fence(0, win);
  sum += memory[8];  /* loads */
  MPI_Win_fence(0, win);
  for (int i = 0; i < 3 && (rank == 1 || rank == 2); ++i) {
    const int one = 1;
    int ticket;
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
    MPI_Fetch_and_op(&one, &ticket, MPI_INT, 0, 2, MPI_SUM, win);  /* counts */
    MPI_Win_unlock(0, win);
  }
  MPI_Win_fence(0, win);
  if (rank == 1) MPI_Get(&got, 1, MPI_INT, 2, 4, 1, MPI_INT, win);  /* gets */
  MPI_Win_fence(0, win);
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);  /* reduces */
  printf("%d %d\\n", got, sum);
  MPI_Win_free(&win);
  MPI_Finalize();
  return 0;
}
"""

    # Loops that are looked at as a whole: each load and store of theirs is told all the same.
    LOOPS = """
#include <mpi.h>
#include <stdio.h>
static long sum(const int* a, int n) {
  long all = 0;
  for (int i = 0; i < n; ++i) all += a[i];  /* sums */
  return all;
}
static long gather(const int* a, const int* index, int n) {
  long all = 0;
  for (int i = 0; i < n; ++i) all = 3 * all + a[index[i]];  /* gathers */
  return all;
}
static void fill(int* a, const int* index, int n) {
  for (int i = 0; i < n; ++i) a[i] = 1000 + i;  /* fills */
  for (int i = 0; i < n; ++i) a[n + index[i]] = 2000 + i;  /* scatters */
}
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, mine[400], index[100], *memory;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Win win;
  MPI_Win_allocate(600 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  for (int i = 0; i < 400; ++i) mine[i] = 10 * i + rank;
  for (int i = 0; i < 100; ++i) index[i] = i * 7 % 100;
  MPI_Win_fence(0, win);
  if (rank == 1) MPI_Put(mine, 200, MPI_INT, 0, 0, 200, MPI_INT, win);  /* puts */
  if (rank == 0) fill(memory + 300, index, 100);
  MPI_Win_fence(0, win);
  long found = rank == 0 ? sum(memory, 100) + gather(memory + 100, index, 50) : 0;
  if (rank == 1) MPI_Get(mine, 200, MPI_INT, 0, 300, 200, MPI_INT, win);  /* gets */
  MPI_Win_fence(0, win);
  printf("%ld %d\\n", found, mine[3]);
  MPI_Win_free(&win);
  MPI_Finalize();
  return 0;
}
"""

    # Two ranks race on one variable of rank 0's (paper 5, Table 3). What is written tells who wrote it.
    RACE = """
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, *memory;
  long seen = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Win win;
  MPI_Win_allocate(64 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  MPI_Win_lock_all(0, win);
  for (int n = 0; n < atoi(argv[1]) && rank < 2; ++n) {
    int value = -1, mine = 2 * n + rank + 16;
    if (rank == 1) MPI_Get(&value, 1, MPI_INT, 0, 8, 1, MPI_INT, win);
    MPI_Win_flush(0, win);
    seen = seen * 3 + value;
    MPI_Put(&mine, 1, MPI_INT, 0, 8, 1, MPI_INT, win);
    MPI_Win_flush(0, win);
  }
  MPI_Win_unlock_all(win);
  printf("%ld\\n", seen);
  MPI_Win_free(&win);
  MPI_Finalize();
  return 0;
}
"""

    def build(self, name, source, *flags):
        self.write(name + ".c", source)
        wrapper = os.path.join(os.path.dirname(cli_test.arguments.photofinish), "pfmpicc")
        built = self.run_(wrapper, f"--mpi={cli_test.arguments.mpi}", "-g", "-O1", *flags, name + ".c", "-o", name)
        self.assertEqual(built.code, 0, built)
        return "./" + name

    def explained(self, *words):
        result = self.photofinish("explain", "photofinish.run", *words)
        self.assertEqual((result.code, result.err), (0, ""), result)
        return result.out

    def test_who_talked_to_whom(self):
        app = self.build("talk", self.TALK)
        self.assertEqual(self.photofinish("record", "--ranks", "1,2", "-n", "4", app).code, 0)
        lines = {match.group(1): f"talk.c:{number}" for number, line in enumerate(self.TALK.splitlines(), 1) if (match := re.search(r"/\* (.*) \*/", line))}
        out = self.explained()
        self.assertIn("Ranks 1-2 of 4\n", out)
        inside, outside = out.split("Written by external ranks")
        self.assertRegex(inside, rf"rank 2 MPI_Irecv {lines['receives']} <- rank 1 MPI_Send {lines['sends']}: 5 messages, first: event \d+ <- event \d+\n")
        self.assertRegex(inside, rf"rank 2 load {lines['loads']} <- rank 1 MPI_Put {lines['puts inside']}: 1 value, 4 bytes, event")
        self.assertRegex(inside, rf"rank 1 MPI_Get {lines['gets']} <- rank 2 store {lines['stores']}: 1 value, 4 bytes, event")
        # A counter that only these two move: each finds what another call had left, but for the first.
        counted = re.findall(rf"MPI_Fetch_and_op {lines['counts']} <- rank [12] MPI_Fetch_and_op {lines['counts']}: (\d) value", inside)
        self.assertEqual(sum(map(int, counted)), 5, out)
        self.assertNotIn("added to", out)
        self.assertEqual(inside.count(" <- rank") - len(counted), 3, out)
        self.assertRegex(outside, rf"rank 1 MPI_Irecv {lines['receives']}: 5 messages")
        self.assertRegex(outside, rf"rank 1 load {lines['loads']}: 1 value, 4 bytes")
        self.assertRegex(outside, rf"rank 1 MPI_Allreduce {lines['reduces']}: 1 time, of ranks 1-2 and 0,3 external to the group\n")
        self.assertNotIn("No order", out)
        each = self.explained("--each")
        self.assertEqual(each.count(f"<- rank 1 MPI_Send {lines['sends']}: 1 message, event"), 5, each)
        self.assertRegex(each, rf"MPI_Get {lines['gets']} <- rank 2 store {lines['stores']}: 1 value, 4 bytes, 0x4d, event")

    def test_what_loops_load_and_store(self):
        app = self.build("loops", self.LOOPS, "-O2")
        self.assertEqual(self.photofinish("record", "--ranks", "0,1", "-n", "3", app).code, 0)
        lines = {match.group(1): f"loops.c:{number}" for number, line in enumerate(self.LOOPS.splitlines(), 1) if (match := re.search(r"/\* (.*) \*/", line))}
        inside, _, outside = self.explained().partition("Written by external ranks")
        self.assertRegex(inside, rf"rank 0 load {lines['sums']} <- rank 1 MPI_Put {lines['puts']}: \d+ values, 400 bytes, ")
        self.assertRegex(inside, rf"rank 0 load {lines['gathers']} <- rank 1 MPI_Put {lines['puts']}: 50 values, 200 bytes, ")
        self.assertRegex(inside, rf"rank 1 MPI_Get {lines['gets']} <- rank 0 store {lines['fills']}: \d+ values, 400 bytes, ")
        self.assertRegex(inside, rf"rank 1 MPI_Get {lines['gets']} <- rank 0 store {lines['scatters']}: \d+ values, 400 bytes, ")
        self.assertEqual((inside.count(" <- rank"), outside), (4, ""))

    def test_a_race_by_its_values(self):
        app = self.build("race", self.RACE)
        self.assertEqual(self.photofinish("record", "--ranks", "0,1", "-n", "3", app, "5000").code, 0)
        out = self.explained("--each")
        reads = re.findall(r"rank 1 MPI_Get .*<- rank (\d) MPI_Put .* 0x([0-9a-f]+), event", out)
        self.assertGreater(len(reads), 4000, out[-2000:])  # the first ones found what was there before
        self.assertEqual([who for who, value in reads if int(value, 16) % 2 != int(who)], [], "writers that are not those of the value")
        self.assertEqual(len(reads) + len(re.findall(r"rank 1 MPI_Get [^<]*, 0x0, event", out)), 5000, out[-2000:])
        self.assertNotIn("No order", out)

    def test_of_messages_alone(self):
        self.write("alone.c", Replay.PROGRAM)
        self.assertEqual(self.run_(f"mpicc.{cli_test.arguments.mpi}", "-g", "-DTAG=4", "alone.c", "-o", "alone").code, 0)
        self.assertEqual(self.photofinish("record", "--ranks", "0,3", "-n", "4", "./alone").code, 0)
        result = self.photofinish("explain", "photofinish.run")
        self.assertEqual(result.code, 0, result)
        self.assertRegex(result.out, r"rank 0 MPI_Recv alone\.c:11 <- rank 3 MPI_Send alone\.c:17: 1 message", result)

    def test_the_ranks_of_a_finding(self):
        app = self.build("race", self.RACE)
        self.assertEqual(self.photofinish("check", "-n", "4", app, "20").code, 66)
        told = self.photofinish("explain", "photofinish.run", "--finding", "F1")
        self.assertEqual((told.code, told.out), (0, "F1 needs ranks 0-1\n  photofinish record --for-finding F1 --of photofinish.run\n"), told)
        self.assertSays(self.photofinish("explain", "photofinish.run", "--finding", "F9"), r"photofinish.run has no finding F9: it has F1", 64)
        recorded = self.photofinish("record", "--for-finding", "F1")
        self.assertEqual(recorded.code, 0, recorded)
        self.assertIn("F1 needs ranks 0-1; the record goes to ", recorded.err)
        replayed = self.photofinish("replay", "photofinish-F1.run")
        self.assertEqual(replayed.code, 0, replayed)
        self.assertEqual(len(replayed.out.splitlines()), 2, replayed)
        self.assertSays(self.photofinish("record", "--for-finding", "F1", "--of", "nothing.run"), r"nothing.run: No such file or directory", 64)
        self.assertSays(self.photofinish("explain", "photofinish.run"), r"records nothing to replay; use photofinish record", 64)


class Replay(Case):
    """photofinish record and replay: bad input, programs that went another way, and gdb. That replays are right, tests/run_replay.py shows."""

    PROGRAM = """
#include <mpi.h>
#include <stdio.h>
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks, values[1000] = {0}, sum = 0; /* so many that what ranks of a group give each other is not kept */
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Status status;
  for (int i = 1; i < ranks && rank == 0; ++i) {
    MPI_Recv(values, 1000, MPI_INT, MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &status);
    sum = sum * 10 + values[999];
    printf("%d from %d\\n", sum, status.MPI_SOURCE); /* here */
  }
  if (argc > 1 && fopen(argv[1], "r") == NULL) MPI_Barrier(MPI_COMM_WORLD);
  values[999] = rank;
  if (rank > 0) MPI_Send(values, 1000, MPI_INT, 0, TAG, MPI_COMM_WORLD);
#ifdef OTHER
  MPI_Barrier(MPI_COMM_WORLD);
#endif
  MPI_Finalize();
  return 0;
}
"""

    def build(self, *flags):
        self.write("app.c", self.PROGRAM)
        self.assertEqual(self.run_(f"mpicc.{cli_test.arguments.mpi}", "-g", "-O0", *flags, "app.c", "-o", "app").code, 0)
        return "./app"

    def recorded(self, *words, **variables):
        app = self.build("-DTAG=4")
        result = self.photofinish("record", "--overwrite", *words, "-n", "4", app, env=environment(**variables))
        self.assertEqual(result.code, 0, result)
        self.assertIn(" Next: photofinish replay photofinish.run\n", result.err, result)
        return result

    def test_of_another_end(self):
        self.write("end.c", "#include <mpi.h>\n#include <stdio.h>\nint main(int c, char** v) {\n  int code = 0;\n  MPI_Init(&c, &v);\n  MPI_Finalize();\n"
                         "  FILE* file = fopen(\"code\", \"r\");\n  fscanf(file, \"%d\", &code);\n  return code;\n}\n")
        self.assertEqual(self.run_(f"mpicc.{cli_test.arguments.mpi}", "-w", "end.c", "-o", "end").code, 0)
        self.write("code", "0")
        self.assertEqual(self.photofinish("record", "--ranks", "0", "-n", "1", "./end").code, 0)
        self.assertEqual(self.photofinish("replay", "photofinish.run").code, 0)
        self.write("code", "3")
        self.assertSays(self.photofinish("replay", "photofinish.run"), r"rank 0 received the recorded values but ended differently: exit 3; recorded: exit 0", 72)

    def test_the_same_again(self):
        printed = self.recorded("--ranks", "0,3").out
        self.assertEqual(len(printed.splitlines()), 3)
        for _ in range(3):
            again = self.photofinish("replay", "photofinish.run")
            self.assertEqual((again.code, again.out, again.err), (0, printed, "photofinish: ranks 0,3 replayed to their end: exit code 0\n"), again)
        apart = self.photofinish("replay", "--output-dir", "in/files", "photofinish.run")
        self.assertEqual((apart.code, apart.out), (0, ""), apart)
        self.assertEqual(sorted(os.listdir(self.path("in/files"))), ["rank-0.err", "rank-0.out", "rank-3.err", "rank-3.out"])
        with open(self.path("in/files/rank-0.out")) as file:
            self.assertEqual(file.read(), printed)
        self.assertSays(self.photofinish("replay", "--output-dir", "app.c/files", "photofinish.run"), "cannot make the folder app.c/files: Not a directory", 64)

    def test_a_giver_that_reads_something_else(self):
        self.write("reads.c", "#include <mpi.h>\n#include <stdio.h>\nint main(int c, char** v) {\n  char text[200] = {0};\n  int rank;\n  MPI_Init(&c, &v);\n  MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n"
                   "  if (rank == 0) {\n    FILE* file = fopen(\"text\", \"r\");\n    fread(text, 1, 199, file);\n    MPI_Send(text, 200, MPI_CHAR, 1, 0, MPI_COMM_WORLD);\n  } else {\n"
                   "    MPI_Recv(text, 200, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);\n    printf(\"%s\\n\", text);\n  }\n  MPI_Finalize();\n  return 0;\n}\n")
        self.assertEqual(self.run_(f"mpicc.{cli_test.arguments.mpi}", "-w", "reads.c", "-o", "reads").code, 0)
        self.write("text", "as it was")
        self.assertEqual(self.photofinish("record", "--ranks", "0,1", "-n", "2", "./reads").code, 0)
        same = self.photofinish("replay", "--ranks", "1", "photofinish.run")
        self.assertEqual((same.out, same.err), ("as it was\n", "photofinish: rank 1 replayed to its end: exit code 0\n"), same)
        self.write("text", "as it is")
        self.assertIn("rank 0 sent rank 1 other data than recorded: it read another input, or the bytes are uninitialized", self.photofinish("replay", "--ranks", "1", "photofinish.run").err)

    def test_what_others_of_the_group_gave(self):
        app = self.build("-DTAG=4")
        self.write("there", "")
        recorded = self.photofinish("record", "--ranks", "0,3", "-n", "4", app, "there")
        self.assertEqual(recorded.code, 0, recorded)
        printed = recorded.out
        alone = self.photofinish("replay", "--verbose", "--ranks", "0", "photofinish.run")
        self.assertEqual((alone.code, alone.out), (0, printed), alone)
        self.assertRegex(alone.err, r"rank 3: .* \(its output is discarded: it only sends to the others\)\n")
        self.assertNotIn("in silence", self.photofinish("replay", "--verbose", "--ranks", "3", "photofinish.run").err)
        # One of them goes another way: whoever waits for it is told, and so is who reads this.
        os.unlink(self.path("there"))
        lost = self.photofinish("replay", "--ranks", "0", "photofinish.run")
        self.assertEqual(lost.code, 72, lost)
        self.assertRegex(lost.err, r"rank 0 waited for data from rank 3 at MPI_Recv at app\.c:\d+ \(.*\), which never arrived: rank 3 ended before it sent the data, or the disk is full\n")
        self.assertRegex(lost.err, r"rank 3 diverged from the record at call \d+: recorded MPI_Send at app\S+.*, replayed MPI_Barrier at app")
        self.write("there", "")
        self.assertEqual(self.photofinish("replay", "photofinish.run").out, printed)
        os.rename(self.path("photofinish.run/rank-000003.trace"), self.path("kept"))
        self.assertSays(self.photofinish("replay", "--ranks", "0", "photofinish.run"), r"rank 3 is needed because it sends to the others: \S+rank-000003\.trace: No such file", 70)

    THREADS = """
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
static void* talk(void* tag) {
  int rank, got = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < 10; ++i)
    MPI_Sendrecv(&i, 1, MPI_INT, 1 - rank, *(int*)tag, &got, 1, MPI_INT, 1 - rank, *(int*)tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return 0;
}
int main(int argc, char** argv) {
  int level, tags[2] = {1, 2};
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  pthread_t thread;
  if (argc > 1) pthread_create(&thread, 0, talk, &tags[1]);
  talk(&tags[0]);
  if (argc > 1) pthread_join(thread, 0);
  MPI_Finalize();
  puts("done");
  return 0;
}
"""

    def test_threads_whose_atomics_are_not_seen(self):
        self.write("threads.c", self.THREADS)
        self.assertEqual(self.run_(f"mpicc.{cli_test.arguments.mpi}", "-g", "-pthread", "threads.c", "-o", "threads").code, 0)
        for words, times in ([], 0), (["two"], 1):
            result = self.photofinish("record", "--overwrite", "--ranks", "1", "-n", "2", "./threads", *words)
            for result in result, self.photofinish("replay", "photofinish.run"):
                self.assertEqual((result.code, result.err.count("has threads and was not instrumented")), (0, times), result)

    # With a file `other`, the second thread does something else than recorded.
    OTHER_THREADS = """
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void* work(void* unused) {
  if (access("other", F_OK) == 0) {
#ifdef NOTHING
    return 0;
#else
    MPI_Barrier(MPI_COMM_SELF);
#endif
  }
  pthread_mutex_lock(&lock);
  pthread_mutex_unlock(&lock);
  return 0;
}
int main(int argc, char** argv) {
  int level;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  pthread_t thread;
  pthread_create(&thread, 0, work, 0);
  usleep(100000);
  pthread_mutex_lock(&lock);
  pthread_mutex_unlock(&lock);
  pthread_join(thread, 0);
  MPI_Finalize();
  return 0;
}
"""

    def test_a_thread_that_does_something_else(self):
        self.write("other.c", self.OTHER_THREADS)
        for flags, message in (
                [], r"rank 0 diverged from the record at call \d+: recorded a lock, replayed MPI_Barrier"), (
                ["-DNOTHING"], r"rank 0 diverged from the record: the next recorded step is a lock of another thread, which does not come, while a thread waits at a lock\."):
            self.assertEqual(self.run_(f"mpicc.{cli_test.arguments.mpi}", "-g", "-pthread", *flags, "other.c", "-o", "app").code, 0)
            self.assertEqual(self.photofinish("record", "--overwrite", "--ranks", "0", "-n", "1", "./app").code, 0)
            self.assertEqual(self.photofinish("replay", "photofinish.run").code, 0)
            self.write("other", "")
            result = self.photofinish("replay", "photofinish.run")
            os.unlink(self.path("other"))
            self.assertEqual(result.code, 72, result)
            self.assertRegex(result.err, message)

    def test_ranks_that_are_not_there(self):
        app = self.build("-DTAG=4")
        self.assertSays(self.photofinish("record", "--ranks", "1,7", "-n", "4", app), "there is no rank 7: 4 ranks are numbered from 0", 64)
        self.assertSays(self.photofinish("record", "--ranks", "one", "-n", "4", app), "'one' is not a rank or a range of ranks; write for example 0,2-5", 64)
        self.recorded("--ranks", "0,3")
        self.assertSays(self.photofinish("replay", "--ranks", "0-1", "photofinish.run"), "cannot replay rank 1: it was not recorded \(photofinish.run has ranks 0,3\). Record it with: photofinish record --ranks 1", 64)
        self.assertSays(self.photofinish("replay", "--gdb", "2", "photofinish.run"), "cannot replay rank 2: it was not recorded \(photofinish.run has ranks 0,3\)", 64)
        self.assertSays(self.photofinish("replay", "no-such.run"), "no-such.run: No such file or directory", 64)

    def test_a_run_that_was_only_checked(self):
        app = self.build("-DTAG=4")
        self.photofinish("check", "-n", "4", app)
        self.assertSays(self.photofinish("replay", "--ranks", "0", "photofinish.run"), "written by check, which records nothing to replay; use photofinish record", 64)

    def test_another_program(self):
        self.recorded("--ranks", "0,3")
        self.build("-DTAG=5")
        result = self.photofinish("replay", "--ranks", "3", "photofinish.run")
        self.assertEqual(result.code, 72, result)
        self.assertRegex(result.err, r"app has changed since it was recorded; the replay stops where it diverges\n")
        self.assertRegex(result.err, r"rank 3 diverged from the record at call \d+: recorded MPI_Send at app\S+ \(.*tag 4.*\), replayed MPI_Send at app\.c:17 \(.*tag 5.*\)\n")
        self.build("-DTAG=4", "-DOTHER")
        result = self.photofinish("replay", "--ranks", "0", "photofinish.run")
        self.assertRegex(result.err, r"rank 0 replayed up to MPI_Barrier|diverged from the record", result)
        os.unlink(self.path("app"))
        self.assertSays(self.photofinish("replay", "photofinish.run"), r"cannot find the recorded program \S+app: No such file", 70)

    def test_a_damaged_record(self):
        printed = self.recorded("--ranks", "0,3").out
        trace = self.path("photofinish.run/rank-000000.trace")
        with open(trace, "rb") as file:
            whole = file.read()
        for size in (0, 30, len(whole) // 2, len(whole) - 30):
            with open(trace, "wb") as file:
                file.write(whole[:size])
            result = self.photofinish("replay", "--ranks", "0", "photofinish.run")
            self.assertIn("rank-000000.trace: at byte", result.err, result)
            if size < len(whole) // 2 + 1:
                self.assertNotEqual(result.code, 0, result)
        # Not all of it is needed for a replay. What is, is missed.
        missed = 0
        for at in range(50, len(whole), max(1, len(whole) // 12)):
            damaged = bytearray(whole)
            damaged[at] ^= 0x55
            with open(trace, "wb") as file:
                file.write(damaged)
            result = self.photofinish("replay", "--ranks", "0", "photofinish.run")
            if result.code == 0:
                self.assertEqual(result.out, printed, result)
            else:
                self.assertIn("photofinish: ", result.err, result)
                missed += 1
        self.assertGreater(missed, 3)

    def test_gdb_sees_the_same_twice(self):
        printed = self.recorded("--ranks", "0,3").out
        line = next(i for i, text in enumerate(self.PROGRAM.splitlines(), 1) if "here" in text)
        words = ["replay", "--gdb", "0", "--ex", f"break app.c:{line}", "--ex", "run", "--ex", "print sum", "--ex", "continue", "--ex", "print sum",
                 "--ex", "print status.MPI_SOURCE", "--ex", "delete", "--ex", "continue", "--ex", "quit", "photofinish.run"]
        first, second = self.photofinish(*words), self.photofinish(*words)
        values = re.findall(r"^\$\d = (\d+)$", first.out, re.M)
        self.assertEqual(len(values), 3, first)
        self.assertEqual(values, re.findall(r"^\$\d = (\d+)$", second.out, re.M), second)
        self.assertEqual(values[:2], [text.split()[0] for text in printed.splitlines()[:2]], first)
        self.assertEqual(values[2], printed.splitlines()[1].split()[2], first)
        # And when it is started again from there.
        again = self.photofinish("replay", "--gdb", "0", "--ex", f"break app.c:{line}", "--ex", "run", "--ex", "print sum", "--ex", "run", "--ex", "print sum",
                                 "--ex", "kill", "--ex", "quit", "photofinish.run")
        self.assertEqual(re.findall(r"^\$\d = (\d+)$", again.out, re.M), [values[0]] * 2, again)

    def test_gdb_calls_functions_with_strings(self):
        """gdb allocates the string in the program, outside of the heap that is the same in each replay."""
        self.write("probe.c", "int main(void) { return 0; }\n")
        subprocess.run(["cc", "-g", "probe.c", "-o", "probe"], cwd=self.dir, check=True)
        probe = subprocess.run(["gdb", "-q", "-batch", "-ex", "break main", "-ex", "run", "-ex", 'print (int)atoi("42")', "./probe"],
                               cwd=self.dir, capture_output=True, text=True, timeout=60)
        if "$1 = 42" not in probe.stdout:
            self.skipTest(f"gdb cannot call functions of a program on this machine: {probe.stderr.strip()}")
        self.recorded("--ranks", "0,3")
        line = next(i for i, text in enumerate(self.PROGRAM.splitlines(), 1) if "here" in text)
        result = self.photofinish("replay", "--gdb", "0", "--ex", f"break app.c:{line}", "--ex", "run", "--ex", 'print (int)atoi("42")',
                                  "--ex", 'print (int)((char*)getenv("PATH") != 0)', "--ex", 'print (long)malloc(8) < 0x200000000000 || (long)malloc(8) >= 0x400000000000',
                                  "--ex", "delete", "--ex", "continue", "--ex", "quit", "photofinish.run")
        self.assertEqual(re.findall(r"^\$\d = (-?\d+)$", result.out, re.M), ["42", "1", "1"], result)
        self.assertIn("exited normally", result.out, result)

    @unittest.skipUnless(shutil.which("gdbserver"), "needs gdbserver")
    def test_gdbserver(self):
        note = "two words; it's $HOME \"quoted\" `ls` \\ and\na line"
        printed = self.recorded("--ranks", "0,3", NOTE=note).out
        line = next(i for i, text in enumerate(self.PROGRAM.splitlines(), 1) if "here" in text)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        server = subprocess.Popen([cli_test.arguments.photofinish, "replay", "--gdb", "0", "--gdbserver", f"127.0.0.1:{port}", "photofinish.run"], cwd=self.dir, env=environment(),
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(server.kill)
        for said in server.stderr:  # it is ready
            if "Listening" in said:
                break
        debugger = self.run_("gdb", "-q", "-batch", "-ex", f"target remote 127.0.0.1:{port}", "-ex", f"break app.c:{line}", "-ex", "continue", "-ex", "print sum",
                             "-ex", "python open('environ', 'wb').write(open(f'/proc/{gdb.selected_inferior().pid}/environ', 'rb').read())", "-ex", "delete", "-ex", "continue", "app")
        with open(self.path("environ")) as variables:
            self.assertIn(f"NOTE={note}", variables.read().split("\0"), debugger)
        self.assertEqual(re.findall(r"^\$\d = (\d+)$", debugger.out, re.M), [printed.split()[0]], debugger)
        self.assertEqual(server.communicate(timeout=60)[0], printed, debugger)

    def test_gdb_shows_the_program_as_it_was_written(self):
        """Functions that the pass has copied: one stop for each call, with static variables; and no step into the tool."""
        self.write("sweep.c", """
#include <mpi.h>
static double grid[64];
double sweep(double* g, int n) {
  static int calls = 0;
  double sum = 0;
  calls += 1;
  for (int i = 0; i < n; ++i) {
    static int factor = 3;
    sum += g[i] * factor; /* here */
  }
  return sum;
}
int main(int argc, char** argv) {
  MPI_Win win;
  MPI_Init(&argc, &argv);
  MPI_Win_create(grid, sizeof grid, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &win); /* makes it */
  sweep(grid, 64);
  MPI_Barrier(MPI_COMM_WORLD); /* waits */
  sweep(grid, 32);
  MPI_Win_free(&win);
  MPI_Finalize();
  return 0;
}
""")
        wrapper = os.path.join(os.path.dirname(cli_test.arguments.photofinish), "pfmpicc")
        built = self.run_(wrapper, f"--mpi={cli_test.arguments.mpi}", "-g", "-O0", "sweep.c", "-o", "sweep")
        self.assertEqual(built.code, 0, built)
        self.assertEqual(self.photofinish("record", "-n", "2", "./sweep").code, 0)
        stops = self.photofinish("replay", "--gdb", "1", "--ex", "break sweep", "--ex", "run", "--ex", "print n", "--ex", "print calls", "--ex", "continue", "--ex", "print n",
                                 "--ex", "print calls", "--ex", "break 10", "--ex", "continue", "--ex", "print factor", "--ex", "delete", "--ex", "continue", "--ex", "quit")
        self.assertEqual(re.findall(r"^\$\d = (\d+)$", stops.out, re.M), ["64", "0", "32", "1", "3"], stops)
        self.assertIn("exited normally", stops.out, stops)
        steps = self.photofinish("replay", "--gdb", "1", "--ex", "break main", "--ex", "run", *["--ex", "step"] * 3, "--ex", "break 20", "--ex", "continue", "--ex", "kill", "--ex", "quit")
        shown = re.findall(r"^\d+\t(.*)$", steps.out, re.M)
        with open(self.path("sweep.c")) as source:
            written = source.read().splitlines()
        self.assertEqual([line for line in shown if line not in written], [], steps)
        self.assertRegex(steps.out, r"\n\d+\t  sweep\(grid, 64\);", steps)

    def test_a_run_that_an_editor_knows_can_be_replaced(self):
        self.recorded("--ranks", "0,3")
        self.assertEqual(self.photofinish("replay", "photofinish.run", "--vscode").code, 0)
        self.assertTrue(os.path.isdir(self.path("photofinish.run/debugging")))
        again = self.photofinish("record", "--overwrite", "-o", "photofinish.run", "-n", "4", "./app")
        self.assertEqual(again.code, 0, again)
        self.assertFalse(os.path.exists(self.path("photofinish.run/debugging")))
        # Only what we wrote there.
        self.assertEqual(self.photofinish("replay", "photofinish.run", "--vscode").code, 0)
        self.write("photofinish.run/debugging/notes.txt", "mine")
        self.assertSays(self.photofinish("record", "--overwrite", "-n", "4", "./app"), r"files that are not part of a run", 64)
        self.assertTrue(os.path.exists(self.path("photofinish.run/debugging/notes.txt")))

    def test_an_editor(self):
        printed = self.recorded("--ranks", "0,3").out
        self.write("launch.json", '{ // mine\n  "version": "0.2.0", "configurations": [{"name": "mine"}] }\n')
        for words in [], ["--ranks", "3"]:
            self.assertEqual(self.photofinish("replay", "photofinish.run", "--vscode=launch.json", *words).code, 0)
        with open(self.path("launch.json")) as file:
            entries = json.load(file)["configurations"]
        self.assertEqual([entry["name"] for entry in entries], ["mine", "photofinish: rank 0 of photofinish.run", "photofinish: rank 3 of photofinish.run"])
        # As the editor's debugger starts it, twice.
        entry = entries[1]
        line = next(i for i, text in enumerate(self.PROGRAM.splitlines(), 1) if "here" in text)
        words = [word for command in entry["setupCommands"] for word in ("-ex", command["text"]) if not command["text"].startswith("-enable")]
        words += ["-ex", f"break app.c:{line}", "-ex", "run", "-ex", "print sum", "-ex", "delete", "-ex", "run"]
        self.assertEqual(entry["environment"], [])
        result = Run("gdb", "-q", "-batch", *words, "--args", entry["program"], *entry["args"], cwd=entry["cwd"], env=environment())
        self.assertEqual(re.findall(r"^\$\d = (\d+)$", result.out, re.M), [printed.split()[0]], result)
        self.assertIn(printed, result.out)
        self.write("launch.json", "nonsense")
        self.assertSays(self.photofinish("replay", "photofinish.run", "--vscode=launch.json"), "launch.json is not valid JSON", 64)
        self.assertEqual(self.photofinish("replay", "photofinish.run", "--vscode").code, 0)
        self.assertTrue(os.path.exists(self.path(".vscode/launch.json")))


if __name__ == "__main__":
    cli_test.main()
