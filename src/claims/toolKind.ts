/** What kind of tool a transcript's call was of, by the names that agents give theirs. Another name says nothing. */
import type { ToolClass, ToolEffect } from "../schema/tool";

type Kind = { readonly class: ToolClass; readonly effect: ToolEffect };

const KINDS: readonly (readonly [names: RegExp, kind: Kind])[] = [
  [
    /^(?:bash|shell|exec|execute|python|ipython|(?:run|execute)_?(?:shell_?)?(?:command|terminal|in_terminal|bash|python)|local_shell|exec_command|terminal|editor|use_browser)$/,
    { class: "execute", effect: "execute" },
  ],
  [
    /^(?:write|edit|multi_?edit|notebook_?edit|create|insert|replace|str_replace(?:_editor|_based_edit_tool)?|apply_(?:diff|patch)|(?:write|edit|create|replace_in|write_to|insert_edit_into|replace_string_in|search_replace)_?(?:file|content|string)?)$/,
    { class: "other", effect: "write" },
  ],
  [/^(?:read|read_?(?:many_)?files?|view|open|cat|open_file|view_file)$/, { class: "read", effect: "read" }],
  [
    /^(?:grep|glob|ls|find|list|list_?(?:dir|directory|files)|grep_search|file_search|search_?(?:files|text|file_content)?|codebase_search)$/,
    { class: "list", effect: "read" },
  ],
];

const OTHER: Kind = { class: "other", effect: "read" };

export const toolKindOf = (tool: string): Kind =>
  KINDS.find(([names]) => names.test(tool.replace(/([a-z])([A-Z])/g, "$1_$2").toLowerCase()))?.[1] ?? OTHER;
