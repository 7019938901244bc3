# What the bad hooks beside it share: the real hook with something put before it or behind it. For sourcing only:
#   . "${0%/*}/wrap.sh"        then $hook is the real hook's program (the first argument)
# The kit starts a hook some nine hundred times, so builtins of the shell do what they can.
set -eu
hook=$1
tmp=${TMPDIR-/tmp}
logs=${STOP_AUDITOR_LOG_DIR-$HOME/.claude/stop-auditor-logs}

# The prompt goes through this command on its way to the auditor. Lines 1 to 34 are the instruction.
prompt_through() {
    [ -z "${STOP_AUDITOR_CMD-}" ] || export STOP_AUDITOR_CMD="$1 | {
$STOP_AUDITOR_CMD
}"
}
# Lines of the prompt that are this long and match are shortened to their first and last 100 characters, the number of
# characters between told truly. For text of ASCII only.
shorten() {
    prompt_through "awk '
length(\$0) > $1 && $2 {
    hidden = 0
    for (rest = \$0; match(rest, /省略 [0-9]+ 字/); rest = substr(rest, RSTART + RLENGTH)) {
        split(substr(rest, RSTART, RLENGTH), word, \" \"); hidden += word[2]
    }
    visible = \$0; gsub(/……（省略 [0-9]+ 字）……/, \"\", visible)
    label = match(\$0, /^\\| [a-z_]+: /) ? RLENGTH : 2
    n = length(visible) - label - 200 + hidden
    print substr(\$0, 1, label + 100) \"……（省略 \" n \" 字）……\" substr(\$0, length(\$0) - 99)
    next
}
{ print }'"
}
# The answer goes through this command on its way back; the auditor's exit code stays.
answer_through() {
    [ -z "${STOP_AUDITOR_CMD-}" ] || export STOP_AUDITOR_CMD="(
$STOP_AUDITOR_CMD
) >answer && $1 <answer"
}
# Prints a text as one word for a shell.
quoted() { printf '%s\n' "$1" | sed "s/'/'\\\\''/g; 1s/^/'/; \$s/\$/'/"; }
# Reads what the client sent, for what follows. From then on SIGTERM is the hook's affair: a shell that it ends would
# leave the hook behind, which is still ending its auditor. An event of a megabyte, which a shell would be long about, is
# left to the hook.
read_event() {
    ! IFS= read -r event || event=$(printf '%s\n' "$event" && cat)
    [ ${#event} -lt 100000 ] || run_last
    trap : TERM
}
# Prints what the hook printed; like the hook it says nothing of a device that is full.
say() { [ -z "$1" ] || printf '%s\n' "$1" 2>/dev/null || :; }
# Whether the event is of this name.
is() { case $event in *'"hook_event_name":"'"$1"'"'*) ;; *) return 1 ;; esac; }
# Sets $value to the event's text of this name.
field() {
    value=
    # Cutting at what is not there would take time with the square of the length.
    case $event in *"\"$1\":\""*) value=${event#*\"$1\":\"} value=${value%%\"*} ;; esac
}
# The event goes through this command on its way to the hook.
event_through() {
    event=$("$@" <<EVENT
$event
EVENT
    )
}
# Sets $count to the file of this session's count, $pending to that of its waiting notes.
files() {
    field session_id
    for count in "$tmp"/stop-auditor-*/"$value.json"; do :; done
    pending=$logs/pending/$value.json
}
# The real hook, with the event as it is now.
run() {
    "$hook" <<EVENT || :
$event
EVENT
}
# The same for those that change the log behind the hook: what follows is only done while no other hook of this sandbox
# runs.
run_alone() {
    [ -d "$tmp" ] && [ ! -d "$tmp/alone" ] || run_last
    exec 9>"$tmp/alone"
    flock -s 9
    run 9>&-
    flock -n -x 9 || exit 0
}
# The real hook as the last thing that is done.
run_last() {
    exec "$hook" <<EVENT
$event
EVENT
}
# The same with a transcript that went through this command, where there is one.
run_with_transcript() {
    field transcript_path
    is Stop && [ -f "$value" ] && [ -d "$tmp" ] || run_last
    copy=$tmp/transcript.$$
    "$@" <"$value" >"$copy"
    event="${event%%\"transcript_path\":*}\"transcript_path\":\"$copy\"${event#*\"transcript_path\":\"*\"}"
    run
    rm -f "$copy"
}
# Sets $log to the newest log file; to nothing where there is none.
newest_log() {
    log=
    for log in "$logs"/*.jsonl; do :; done
    [ -f "$log" ] || log=
}
