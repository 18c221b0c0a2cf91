#!/bin/sh
# Stands for `brv`: the commands that the plugin runs, and every way in which they go wrong. What it does is the first
# line of the file `brv-does` in the user's folder; what it was told is written to `brv-calls` there.
does=$(cat "$HOME/brv-does" 2>/dev/null || echo well)
command=$1
shift
[ "$command $1" = "curate view" ] && command="curate view"
told="$(echo "$command" | tr ' ' -) $(basename "$PWD")"
echo "begin $told" >> "$HOME/brv-calls"
trap 'echo "end $told" >> "$HOME/brv-calls"' EXIT

say() { printf '{"command":"%s","data":%s,"success":%s,"timestamp":"2026-01-01T00:00:00Z"}\n' "$command" "$1" "$2"; }

for word in "$@"; do
    [ "$before" = -f ] && file=$word
    [ "$before" = -- ] && text=$word
    [ "$word" = --detach ] && detached=yes
    before=$word
done

case $does in
    down) echo "Unexpected error: connect ECONNREFUSED" >&2; exit 1 ;;
    garbage) printf '\033[31m{{{ \377\376 not json\n'; exit 0 ;;
    lies) say '{"error":"Unexpected error: the daemon said no","status":"error"}' false; exit 0 ;;
    hangs) sleep 600 ;;
    calm) sleep 0.3 ;;
    much) head -c 50000000 /dev/zero | tr '\0' 'x'; exit 0 ;;
    cut) printf '{"command":"%s","data":{"event":"completed","status":"comp\320' "$command"; exit 0 ;;
    asks) printf 'Log in? [y/N] '; read -r answer; echo "no answer: $answer"; exit 1 ;;
    dies) say '{"event":"thinking"}' true; kill -KILL $$ ;;
    no-model)
        case $command in
            curate | query) say '{"error":"No provider connected. Run \"brv providers connect byterover\"","status":"error"}' false; exit 0 ;;
            providers) say '{"providerId":"","providerName":""}' true; exit 0 ;;
        esac ;;
esac

printf '\033[33m ›   Warning: update available {3.14.0 -> 3.15.0}\033[0m\n'
case $command in
    providers) say '{"activeModel":"small","providerId":"x","providerName":"Ollama"}' true ;;
    status) say '{"authStatus":"not_logged_in","cliVersion":"3.14.0"}' true ;;
    "curate view")
        # Of a task that was begun, the daemon has made this.
        if [ "$does" = late ]; then
            say "[{\"input\":{\"files\":[\"incoming/$(ls incoming)\"]},\"status\":\"completed\"}]" true
        else
            say '[]' true
        fi ;;
    curate)
        say '{"event":"thinking","taskId":"1"}' true
        [ "$does" = nothing ] && { say '{"event":"completed","status":"completed"}' true; exit 0; }
        if [ "$does" = slow ]; then
            mkdir -p .brv/context-tree/notes; cp "$file" .brv/context-tree/notes/slow.md
            say '{"event":"error","message":"Task timed out after 10s","status":"error"}' false; exit 0
        fi
        mkdir -p .brv/context-tree/notes
        { printf -- '---\ntitle: what was said\n---\n## Facts\n'; cat "$file"; } >> ".brv/context-tree/notes/$(basename "$file")"
        cp "$file" ".brv/context-tree/notes/$(basename "$file" .md).abstract.md"
        [ -n "$detached" ] && { say '{"logId":"1","status":"queued"}' true; exit 0; }
        say '{"event":"completed","message":"Context curated successfully","status":"completed"}' true ;;
    query)
        found=$(grep -rli -- "$text" .brv/context-tree 2>/dev/null | head -n 1)
        if [ -z "$found" ]; then
            say '{"event":"completed","matchedDocs":[],"result":"**Summary**: No matching knowledge found for it.","status":"completed","topScore":0}' true
        else
            say "{\"event\":\"completed\",\"matchedDocs\":[{\"path\":\"${found#.brv/context-tree/}\"}],\"result\":\"It is known.\\n\\n---\\nSource: ByteRover Knowledge Base\",\"status\":\"completed\",\"topScore\":0.8}" true
        fi ;;
esac
