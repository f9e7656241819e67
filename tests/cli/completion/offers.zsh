# offers.zsh DIRECTORY LINE: what an interactive zsh offers when TAB is pressed behind LINE, one word
# per line. DIRECTORY holds the script as _tilewright.
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "source ${(q)0:A:h}/inside.zsh ${(q)1}"
typeset line
while zpty -r shell line && [[ $line != *'<ready>'* ]]; do :; done
zpty -w -n shell "$2"$'\t'
while zpty -r shell line && [[ $line != *'<end>'* ]]; do
  line=${line%$'\n'}
  line=${line%$'\r'}
  [[ $line == *'<offer>'* ]] && print -r -- ${line##*'<offer>'}
done
zpty -d shell
