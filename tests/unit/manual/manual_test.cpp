#include <gtest/gtest.h>

#include "manual/completion.h"
#include "manual/man_page.h"
#include "manual/options_page.h"
#include "options/options.h"

namespace photofinish {
namespace {

CommandTree tree() {
  return {
      .name = "photofinish",
      .help = "Finds races.",
      .version = "1.2",
      .notes = "Exit codes: 0.\nmore",
      .options = {{.flags = {"--version"}, .value = "", .choices = {}, .help = "Which."}},
      .commands = {
          {.name = "check",
           .help = "Run a program.",
           .usage = {"photofinish check -n N PROGRAM"},
           .options = {{.flags = {"-n", "--np"}, .value = "N", .choices = {}, .help = "Ranks."},
                       {.flags = {"--mpi"},
                        .value = "TEXT",
                        .choices = {"auto", "mpich"},
                        .help = "Which | MPI: the program's [own]."},
                       {.flags = {"--overwrite"}, .value = "", .choices = {}, .help = "Replace."}},
           .positionals = {},
           .takes_program = true},
          {.name = "unheard_of",
           .help = "Do it.",
           .usage = {},
           .options = {},
           .positionals = {
               {.flags = {"run"}, .value = "TEXT", .choices = {}, .help = "Directory."}}}}};
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(ManPage, OfACommand) {
  const std::string page = man_page(tree(), tree().commands[0]);
  EXPECT_TRUE(page.starts_with(".TH PHOTOFINISH\\-CHECK 1")) << page;
  for (const char* part : {"photofinish\\-check \\- run a program\n",
                           ".SH SYNOPSIS\n.nf\nphotofinish check \\-n N PROGRAM\n.fi\n",
                           ".B \\-n, \\-\\-np N\nRanks.\n", ".SH EXAMPLES\n", ".SH ENVIRONMENT\n",
                           ".SH EXIT STATUS\nExit codes: 0.\n", ".BR photofinish (1)",
                           ".BR photofinish\\-unheard_of (1)"})
    EXPECT_TRUE(has(page, part)) << part << " is not in:\n" << page;
}

TEST(ManPage, OfACommandThatNobodyDescribed) {
  const std::string page = man_page(tree(), tree().commands[1]);
  EXPECT_TRUE(has(page, "photofinish unheard_of RUN\n")) << page;
  EXPECT_TRUE(has(page, ".SH DESCRIPTION\nDo it.\n")) << page;
  EXPECT_TRUE(has(page, ".SH ARGUMENTS\n.TP\n.B run TEXT\nDirectory.\n") || has(page, ".B run"))
      << page;
}

TEST(ManPage, TextIsNeverAnInstruction) {
  CommandTree hostile = tree();
  hostile.commands[0].options[0].help = ".so /etc/passwd";
  hostile.commands[0].options[1].help = "'em \\fB…";
  const std::string page = man_page(hostile, hostile.commands[0]);
  EXPECT_TRUE(has(page, "\n\\&.so /etc/passwd\n")) << page;
  EXPECT_TRUE(has(page, "\n\\&'em \\efB...\n")) << page;
}

TEST(ManPage, OfAll) {
  const std::string page = man_page(tree());
  for (const char* part : {".TH PHOTOFINISH 1", "photofinish \\- finds races\n",
                           ".BR photofinish\\-check (1)\nRun a program.\n",
                           "photofinish unheard_of RUN\n", ".B \\-\\-version\n"})
    EXPECT_TRUE(has(page, part)) << part << " is not in:\n" << page;
}

TEST(Completion, EveryFlagOfEveryCommand) {
  const std::string bash = bash_completion(tree()), zsh = zsh_completion(tree()),
                    fish = fish_completion(tree());
  for (const char* part :
       {"check unheard_of --version",
        "options='-n --np --mpi --overwrite' valued='-n --np --mpi' argument='program'",
        "'check --mpi')\n      COMPREPLY=($(compgen -W 'auto mpich'", "argument='run'"})
    EXPECT_TRUE(has(bash, part)) << part << " is not in:\n" << bash;
  for (const char* part :
       {"#compdef photofinish\n", "'check:Run a program.'", "'-n+[Ranks.]:N: '",
        "'--mpi=[Which | MPI\\: the program'\\''s \\[own\\].]:TEXT:(auto mpich)'",
        "'--overwrite[Replace.]'", "_normal", "':run:_files -/'"})
    EXPECT_TRUE(has(zsh, part)) << part << " is not in:\n" << zsh;
  for (const char* part : {"__fish_use_subcommand -a check -d 'Run a program.'",
                           "from check' -s n -l np -x -d 'Ranks.'",
                           "-l mpi -x -a 'auto mpich' -d 'Which | MPI: the program\\'s [own].'",
                           "-l overwrite -d 'Replace.'"})
    EXPECT_TRUE(has(fish, part)) << part << " is not in:\n" << fish;
}

TEST(OptionsPage, TheTableAndTheRest) {
  const std::string page = options_page(tree());
  for (const OptionInfo& info : option_table())
    EXPECT_TRUE(has(page, "| `" + std::string(info.name) + "` |")) << info.name;
  EXPECT_TRUE(has(page, "| `--mpi` | `mpi` | `auto` | check | ")) << page;
  EXPECT_TRUE(has(page, "| `-n, --np N` | Ranks. |")) << page;
  EXPECT_FALSE(has(page, "| `--overwrite` | Replace. |")) << "it is in the table above\n" << page;
  EXPECT_TRUE(has(page, "## photofinish unheard_of\n")) << page;
}

TEST(Usage, MadeUpWhereThereIsNone) {
  EXPECT_EQ(usage_of(tree(), tree().commands[1]),
            std::vector<std::string>{"photofinish unheard_of RUN"});
  EXPECT_EQ(find_command(tree(), "nothing"), nullptr);
}

}  // namespace
}  // namespace photofinish
