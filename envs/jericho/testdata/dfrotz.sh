#!/usr/bin/env bash
# Plays the walkthroughs of the 20 games in Debian's dfrotz and in heldout, says
# whether both come to the same last text, and how long both take.
# Needs dfrotz (apt-get install frotz), jq, bc, and HELDOUT, the binary.
#   testdata/dfrotz.sh BINDINGS.json FOLDER_WITH_STORY_FILES
set -euo pipefail
export PATH="$PATH:/usr/games"
bindings=$(realpath "$1") suite=$(realpath "$2") heldout=$(realpath "${HELDOUT:-heldout}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

walkthrough() { jq -r ".games[\"$1\"].walkthrough" "$bindings" | tr / '\n'; }
letters() { tr -cd 'A-Za-z'; } # all that does not depend on how lines are laid out

for game in $(jq -r '.games | keys[]' "$bindings"); do
  story=$(ls "$suite/$game".z[58])
  # What Jericho types before the first command.
  case $game in
    jewel) intro='bypass\nyes\n' ;;
    library | snacktime | loose) intro='\n' ;;
    huntdark) intro='\n\n' ;;
    *) intro='' ;;
  esac
  { printf "$intro"; walkthrough "$game"; } >typed
  walkthrough "$game" | jq -Rc '{action: .}' >actions
  start=$(date +%s.%N)
  dfrotz -m -p -w 128 -h 232 -s "$(jq -r ".games[\"$game\"].seed" "$bindings")" "$story" <typed >theirs 2>/dev/null || true
  middle=$(date +%s.%N)
  "$heldout" play jericho --story "$story" --raw --format json <actions >ours
  end=$(date +%s.%N)
  # A piece of the last text. dfrotz leaves out what is bold: titles and endings.
  piece=$(tail -n 1 ours | jq -r .observation | sed 's/\*\*\*.*\*\*\*//' | letters | cut -c31-70)
  verdict=differ
  [ -n "$piece" ] && letters <theirs | grep -qF "$piece" && verdict=same
  printf '%-12s %-6s dfrotz %.3f s, heldout %.3f s, ratio %.2f\n' "$game" "$verdict" \
    "$(bc -l <<<"$middle - $start")" "$(bc -l <<<"$end - $middle")" "$(bc -l <<<"($middle - $start) / ($end - $middle)")"
done
