# Completes the assembler text of an object that GCC compiled with -fsanitize=thread.
#
#   awk -f repeated.awk -f assemble.awk phase=1 HOOKS phase=2 TEXT phase=3 TEXT
#
# Calls of library functions that access memory become calls of hooks (calls.h), unless the object defines a function of that name itself.
# The hooks that it uses, and the notes of runtime_abi.h, are appended.

# The hook that stands for a library function, or for one of its variants.
function row_of(name,    row) {
  if (name in hooks) return name
  row = name
  if (row ~ /^_gfortran_/) {
    if (row ~ /_char4?$/) return ""  # other parameters
    sub(/_[^_]*$/, "", row)
  } else if (row ~ /^__isoc(99|23)_/) row = substr(row, 10)
  else if (row ~ /^__.*_chk$/) row = substr(row, 3, length(row) - 6)
  return row in hooks ? row : ""
}

# Local labels and names of real functions are those of the object that gets the text.
function append(text, row, name) {
  ++pieces
  gsub(/\.L/, ".Lphotofinish_" pieces "_", text)
  gsub(/,\*__photofinish/, ",__photofinish", text)
  if (row != "") {
    gsub("__photofinish_hook_" row, "__photofinish_hook_" name, text)
    gsub("__photofinish_real_" row, name, text)
  }
  printf "%s", text
}

function note(type, about, numbers) {
  printf "\t.section\t%s,\"a\",%%note\n\t.balign\t4\n", words[5]
  printf "\t.long\t%d, .Lphotofinish_note_%s_end - .Lphotofinish_note_%s, %s\n", length(words[6]) + 1, type, type, type
  printf "\t.asciz\t\"%s\"\n", words[6]
  printf ".Lphotofinish_note_%s:\n\t.long\t%s - .\n", type, about
  if (numbers != "") printf "\t.long\t%s\n\t.asciz\t%s\n\t.balign\t4\n", numbers, source
  printf ".Lphotofinish_note_%s_end:\n", type
}

phase == 1 {
  if ($1 == "#" && $2 == "notes") {
    sub(/^[ \t]*# /, "")
    split($0, words)
    next
  }
  if ($1 ~ /^\.(file|ident)$/ || /^\t\.section\t\.note\.GNU-stack/) next
  if ($1 == ".section" || $1 == ".text" || $1 == ".data" || $1 == ".bss") {
    block = ""
    if (match($0, /\.text\.__tsan_[a-z0-9_]+/)) block = substr($0, RSTART + 6, RLENGTH - 6)
    if (match($0, /\.text\.__photofinish_hook_[A-Za-z0-9_]+/)) block = substr($0, RSTART + 25, RLENGTH - 25)
  }
  # Variables of all hooks are declared in front of their sections.
  if (block == "" || ($1 ~ /^\.(hidden|weak|globl)$/ && $2 !~ /^__(tsan|photofinish_hook)_/)) base = base $0 "\n"
  else if (block != "unused") hooks[block] = hooks[block] $0 "\n"
  if (/# variadic/) {
    delete hooks[block]
    block = "unused"
  }
  next
}
phase == 2 {
  if (source == "" && $1 == ".file" && $2 ~ /^"/) {
    source = $0
    sub(/^[^"]*/, "", source)
  }
  look_for_loads()
  if (/^[^ \t#]+:/) defined[substr($0, 1, index($0, ":") - 1)]
  if ($1 == ".set") defined[substr($2, 1, index($2, ",") - 1)]
  next
}
FNR in repeated { next }
/__tsan_/ && match($0, /__tsan_[a-z0-9_]+/) {
  name = substr($0, RSTART, RLENGTH)
  if (name ~ /^__tsan_func_/ && $1 ~ /^(call|bl)$/) next  # of no use here
  if (name in hooks) used[name] = name
  if (name ~ /_(read|write|vptr|atomic)/ && $1 ~ /^(call|bl)$/) ++accesses
}
$1 ~ /^(call|jmp|bl|b)$/ {
  name = $2
  sub(/^\*/, "", name)
  sub(/[@(].*/, "", name)
  if (name !~ /^__tsan_/ && !(name in defined) && (row = row_of(name)) != "") {
    used[name] = row
    sub(/[A-Za-z_]/, "__photofinish_hook_&", $2)
    print "\t" $1 "\t" $2
    next
  }
}
{ print }
END {
  if (source == "") source = "\"\""
  append(base)
  for (name in used) append(hooks[used[name]], used[name] ~ /^__tsan_/ ? "" : used[name], name)
  note(words[2], words[7], accesses + 0 ", " accesses + 0)
  note(words[3], words[7])
  note(words[4], words[8])
}
