# Read by the interactive shell of offers.zsh: completions are printed as they are added.
PROMPT=
fpath=($1 $fpath)
autoload -U compinit
compinit -u -D
compadd() {
  # Calls that only fill an array offer nothing.
  if [[ ${@[1,(i)(-|--)]} != *-(O|A|D)\ * ]]; then
    local -a words_added
    builtin compadd -A words_added "$@"
    (( $#words_added )) && print -r -l -- '<offer>'$^words_added
  fi
  builtin compadd "$@"
}
over() { print -r -- '<end>' }
comppostfuncs=(over)
bindkey '^I' complete-word
print -r -- '<''ready>'
