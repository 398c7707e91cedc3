/** What `cloakroom --help` prints. `transcripts`: the formats of other agents that are read. */
export const usage = (
  transcripts: readonly string[],
): string => `cloakroom run --script FILE --workspace DIR [--question TEXT] [--limits off|observe|enforce]
              [--mcp FILE] [--policy FILE] [--intent INTENT] [--allow] [--session ID] [--store DIR] [--ephemeral]
cloakroom sessions --workspace DIR [--store DIR] [--json]
cloakroom show [SESSION] --workspace DIR [--store DIR]
cloakroom list SESSION HANDLE --workspace DIR [--store DIR] [--json]
cloakroom verify [SESSION] --workspace DIR [--store DIR] [--all]
cloakroom fork SESSION [--turn N] | export SESSION FILE | export --workspace-sessions FILE | import FILE --workspace DIR [--store DIR]
              export: [--format archive|json|otlp|html] [--contents]
cloakroom forget SESSION [HANDLE] | --workspace-sessions | --everything --workspace DIR [--store DIR] --yes
cloakroom pin SESSION CALL [--no] | shorten SESSION CALL --workspace DIR [--store DIR]
cloakroom sweep --workspace DIR [--store DIR] [--keep-days N]
cloakroom replay SESSION [--policy FILE] --workspace DIR [--store DIR]
cloakroom scorecard SESSION... | --workspace-sessions [--control SESSION --candidate SESSION] [--json] --workspace DIR [--store DIR]
cloakroom analyze FILE... | --find | (SESSION... | --workspace-sessions) --workspace DIR [--store DIR]
              [--profile anthropic-5m|openai-auto|uncached] [--json]

run     runs a session with the replies of a script and real tools, then prints it turn by turn. The question is "Go on."
        unless it is said
sessions  lists the sessions of that workspace, the newest first
show    prints a session of that workspace, the newest one without SESSION
list    prints all records of a stored list, one after another; exit 1 where the handle is unknown or its result is no list
verify  hashes everything stored again and checks every ticket; exit 1 where something is wrong
        --all: in all workspaces
fork    makes a new session out of the conversation of one, with copies of what it stored; --turn: up to the end of that turn
export  writes a session to one file; import adds it to that workspace. A file that is no archive is read as a transcript of
        another agent, whatever it is called; what could not be read is told. Imported sessions are only read.
        Transcripts: ${transcripts.join(", ")}
        --format: by the file's name (.json, .otlp.json, .html), else an archive, the one that can be imported again
        --contents: JSON has the stored results themselves, OTLP has messages, arguments and results
forget  deletes sessions and what they stored from disk; it cannot be undone, so it wants --yes. With a HANDLE it deletes one
        stored result; what was shown of it stays in the session
pin     keeps a result of the conversation as it is (--no: no longer); shorten makes one shorter now and stores its whole.
        CALL is its name, such as t3c0: turn 3, first call
sweep   deletes sessions of all workspaces that were not used for N days (30; 0: none), and leftovers of crashes
replay  decides every recorded call again with the policy that was pinned for it; exit 1 where one differs
        --policy: also what that policy would have decided
scorecard  what result limits did, per tool, contract, reason, mode and policy; savings only for a named pair of the same
        task with limits observed (--control) and enforced (--candidate)
analyze  what filled the window in session files of other agents, and what Cloakroom would have sent, hidden and read back
        with its defaults; costs by the model's name, or --profile. With --workspace: of sessions there. Exit 1 where one
        could not be read. --find: lists the session files of other agents on this machine, newest first, and reads none
run --policy: contracts of your own, before the built-in ones. --intent says that the task needs completeness: exhaustive, export,
        compliance, migration, exact_count, or a number such as "all 37"; then no result count is lowered
--redis URL keeps stored results of new sessions in that Redis, and reads those of sessions that are there; its password is
        taken from CLOAKROOM_REDIS_PASSWORD
--allow runs edits, commands and tools of MCP servers unasked; without it they are refused, because there is nobody to ask
--mcp   starts the MCP servers that a file names: { "servers": { "NAME": { "command", "args", "env", "cwd" } } }`;
