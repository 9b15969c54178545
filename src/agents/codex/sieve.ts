import type { Sieve } from '../../core/events.ts';

/*
 * Nearly all that Codex prints are steps, above all the output of commands, and whoever asks what it said needs none of
 * them: to know them by their two ends is many times faster than to decode and parse them. Known is only what Codex
 * itself writes, byte for byte, and with an end to match, so that a line which was cut is no step. Other orders of keys,
 * spaces, and kinds that are not here (web searches and calls of other agents are few and short) are parsed. What is
 * between the two ends is not looked at.
 */

/** A name in which nothing is escaped; a longer one is not known. */
const NAME = String.raw`[ !#-[\]-~]{0,64}`;
const ITEM = String.raw`\{"type":"item\.(?:completed|started|updated)","item":\{"id":"${NAME}","type":"`;
const STATUS = String.raw`,"status":"(?:completed|in_progress|failed|declined)"\}\}$`;

/** How the lines of one kind of step begin, and what the rest of them ends with. */
interface Kind {
  readonly begin: RegExp;
  readonly end: RegExp;
}

function kind(begin: string, end: string): Kind {
  return { begin: new RegExp(ITEM + begin, 'y'), end: new RegExp(end) };
}

const KINDS: readonly Kind[] = [
  kind('command_execution","command":"', String.raw`","exit_code":(?:null|-?\d{1,16})${STATUS}`),
  kind(
    String.raw`file_change","changes":\[\{"path":"`,
    String.raw`","kind":"(?:add|update|delete)"\}\]${STATUS}`,
  ),
  kind(`mcp_tool_call","server":"${NAME}","tool":"${NAME}","arguments":`, `,"error":null${STATUS}`),
  kind(String.raw`todo_list","items":\[\{"text":"`, String.raw`","completed":(?:false|true)\}\]\}\}$`),
  // The quote is the end of the text, not part of it: it is not escaped.
  kind('reasoning","text":"', String.raw`[^\\](?:\\\\)*"\}\}$`),
];

/** More than the longest end; regular expressions look for it from left to right. */
const END_LENGTH = 100;

/** Passes over commands, changes of files, calls of tools, plans and thoughts. */
export const codexSieve: Sieve = (text, from, to) => {
  for (const { begin, end } of KINDS) {
    begin.lastIndex = from;
    if (begin.test(text)) return end.test(text.slice(Math.max(begin.lastIndex, to - END_LENGTH), to));
  }
  return false;
};
