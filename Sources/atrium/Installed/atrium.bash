# Completion of atrium for bash: the host lists what can follow the words before the cursor.
_atrium() {
  local found
  found=$("${1/#\~/$HOME}" --complete "${COMP_WORDS[@]:1:COMP_CWORD-1}" 2>/dev/null | cut -d ' ' -f 1)
  mapfile -t COMPREPLY < <(compgen -W "$found" -- "${COMP_WORDS[COMP_CWORD]}")
}
complete -o default -F _atrium atrium
