# Finds loads whose hook is not needed, as in x += 1: a store to the same bytes follows, on the same source line. Every access that conflicts
# with the load conflicts with the store. `repeated` gets the numbers of their lines of text.
#
# Rule: load and store are in one block of straight code, without a call in between but of hooks. The hooks get the same operand, whose
# registers hooks preserve, and nothing in between writes these registers. An instruction whose last operand is a register writes it.
# Limit: x86_64 only. Without optimization, GCC computes the address twice.

function forget_loads(    key) {
  for (key in load) delete load[key]
  operand = ""
}

function forget_register(name,    key) {
  for (key in load) if (index(key, name)) delete load[key]
  if (index(operand, name)) operand = ""
}

# Registers that a call preserves, and parts of them.
function whole(name) {
  if (name ~ /^%([re]?bx|b[lh])$/) return "%rbx"
  if (name ~ /^%([re]?bp|bpl)$/) return "%rbp"
  if (name ~ /^%r1[2-5][dwb]?$/) return substr(name, 1, 4)
  return name
}

function is_preserved(text,    rest) {
  rest = text
  gsub(/%(rbx|rbp|rsp|rip|r1[2-5])/, "", rest)
  return index(rest, "%") == 0
}

function look_for_loads(    name, last, key) {
  if ($1 == ".loc") {
    place = $2 ":" $3
    return
  }
  if (/^(\.L[0-9]+|[A-Za-z_][^ \t]*):/ || /^#APP/ || $1 ~ /^(j|ret|push|pop|leave|x(chg|add)|lock|rep)/) {
    forget_loads()
    return
  }
  if ($1 == "call") {
    name = $2
    sub(/@.*/, "", name)
    key = operand " " name
    sub(/(read|write)/, "", key)
    if (name ~ /^__tsan_(unaligned_)?read[0-9]+$/ && operand != "") {
      load[key] = FNR
      place_of[key] = place
    } else if (name ~ /^__tsan_(unaligned_)?write[0-9]+$/) {
      if (operand != "" && (key in load) && place_of[key] == place) repeated[load[key]]
      forget_loads()
    } else if (name !~ /^__tsan_(unaligned_)?read[0-9]+$/) forget_loads()
    operand = ""
    return
  }
  if (!/^\t[a-z]/) return
  last = $0
  sub(/^.*[, \t]/, "", last)
  if (last == "%rdi" || last == "%edi") {
    operand = $0
    sub(/^\t[a-z]+[ \t]*/, "", operand)
    sub(/, *%[re]di$/, "", operand)
    # An address, or a register or constant that is one: memory may change.
    if (!($1 == "leaq" || ($1 ~ /^mov[lq]$/ && operand ~ /^[%$]/)) || !is_preserved(operand)) operand = ""
    else operand = $1 " " operand
  } else if (last ~ /^%/) forget_register(whole(last))
}
