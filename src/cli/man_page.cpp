#include <fmt/format.h>

#include <algorithm>

#include "cli/commands.h"

namespace photofinish {

int print_man_page() {
  fmt::print(R"(.TH PHOTOFINISH 1 "" "photofinish {}" "User Commands"
.SH NAME
photofinish \- find the races in programs that run on distributed memory
.SH SYNOPSIS
.B photofinish check \-n
.I N PROGRAM ARGS
.br
.B photofinish check \-\-
.I LAUNCHER ... PROGRAM ARGS
.br
.I LAUNCHER ...
.B photofinish exec
.I PROGRAM ARGS
.br
.B photofinish dump
.I RUN
[\fB\-r\fR \fIRANKS\fR] [\fB\-c\fR \fIPATTERN\fR] [\fB\-s\fR] [\fB\-d\fR]
.br
.B photofinish analyze
[\fB\-n\fR \fIN\fR] [\fB\-\-memory\fR \fIMB\fR] [\fB\-\-strict\-accumulate\-ops\fR]
.I RUN
.br
.B photofinish confirm
.I RUN
[\fB\-\-finding\fR \fIF\fR] [\fB\-\-order\fR \fIN\fR] [\fB\-\-compare\fR \fIFILE\fR] [\fB\-n\fR \fIN\fR] [\fB\-\-\fR \fILAUNCHER ... PROGRAM ARGS\fR]
.br
.B photofinish report
.I RUN
[\fB\-\-format\fR \fItext|json|sarif|html|perfetto\fR] [\fB\-o\fR \fIFILE\fR] [\fB\-\-max\-findings\fR \fIN\fR] [\fB\-\-group\-by\fR \fIWHAT\fR] [\fB\-\-suppressions\fR \fIFILE\fR] [\fB\-\-baseline\fR \fIRUN\fR]
.br
.B photofinish diff
.I RUN RUN
.SH DESCRIPTION
.B check
runs an MPI program, records what its ranks do in a run directory, looks for races while it runs, and tells how the ranks ended and what
was found. With
.B \-n
it finds the launcher of the MPI that the program is linked with; behind
.B \-\-
it takes any launcher's line.
.B exec
is the wrapper for a single rank, for launcher lines of your own.
.B dump
prints the recorded events.
.B analyze
looks for races in a run that was only recorded, and prints them. With
.B \-n
it does so with several processes, for large runs; a launcher may start them, too.
.B confirm
runs the program of a run again, under a schedule that makes each finding happen in each order, and tells whether the outcomes differ; with
.B \-\-finding
and
.B \-\-order
it shows one of them again. Its exit status is 66 if a finding happened.
.B report
prints the findings of a run that was analysed, each with both sides, their stacks, and what to try; its exit status is 66 if there
are any that are neither suppressed nor in the baseline. As html it writes one file, report.html in the run directory, with sources and a picture of each finding.
.B diff
tells which findings of the second run are new, which of the first are gone, and which are the same; its exit status is 66 if some are new.
.SH OPTIONS
Each is a flag of the commands that it concerns (photofinish COMMAND \-\-help lists them), and a word in PHOTOFINISH_OPTIONS; the flag wins.
)", PHOTOFINISH_VERSION);
  for (const OptionInfo& info : option_table()) {
    std::string flag(info.name);
    std::replace(flag.begin(), flag.end(), '_', '-');
    fmt::print(".TP\n.B \\-\\-{}\n{}{}\n", flag, info.help, info.default_value.empty() ? "" : fmt::format(" Default: {}.", info.default_value));
  }
  fmt::print(R"(.SH ENVIRONMENT
.TP
.B PHOTOFINISH_OPTIONS
Options as name=value, separated by colons; a value with a colon in it goes in quotes. help=1 lists them.
.SH EXIT STATUS
The program's own when it fails. Otherwise 0, or 64 for wrong usage, 66 for findings, 70 when the tool could not do
its work, 71 when the run was interrupted.
)");
  return kExitOk;
}

}  // namespace photofinish
