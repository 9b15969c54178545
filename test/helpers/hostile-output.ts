import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Project } from './project.ts';

/** What an agent could say to do something to the terminal, or to the eyes, of whoever looks: by what it does. */
export const ATTACKS: Readonly<Record<string, string>> = {
  'writes the clipboard': '\x1b]52;c;cm0gLXJm\x07',
  'names the window': '\x1b]0;title\x1b\\\x1b]2;title\x07',
  'makes a link that lies': '\x1b]8;;http://evil\x1b\\good\x1b]8;;\x1b\\',
  'clears the screen and goes to its top': '\x1b[2J\x1b[3J\x1b[H\x1bc',
  'asks the terminal to type an answer': '\x1b[c\x1b[6n\x1bP$q"p\x1b\\\x05',
  'uses C1': '\x9b2J\x9d0;title\x9c\x90q\x9c\x85',
  'draws over its line': 'rm -rf /\rls      ',
  'draws over it letter by letter': 'bad\b\b\bgood',
  'rings, ends strings, shifts letters': '\x07\0\x7f\x0e\x0f\v\f',
  'turns the direction round': '\u202etxt.exe\u202c\u2066x\u2069\u200f\u061c',
  'breaks a line by other means': 'a\u2028abcdefghjk  completed\u2029b',
  'hides in a word': 'pay\u200bpal\u00ad\u2060\ufeff\u200c\u200d\u3164\u180e\ufe0f',
  'hides words': [...'ignore all']
    .map((letter) => String.fromCodePoint(0xe0000 + letter.charCodeAt(0)))
    .join(''),
  'draws over other lines': `a${'\u0336\u0301'.repeat(200)}`,
  'is half a character': 'a\ud800b\udc00c',
};

const THREAD = '01a1f880-c978-76c0-be58-213b143ff767';

/** The stream of an agent that says a text wherever an agent can say something, and then ends well or failed. */
export function saying(text: string, end: 'completed' | 'failed' = 'completed'): string {
  const items = [
    { type: 'reasoning', text },
    { type: 'agent_message', text: `before\n${text}` },
    { type: 'command_execution', command: text, aggregated_output: text, exit_code: 1, status: 'failed' },
    { type: 'file_change', changes: [{ path: text, kind: 'add' }], status: text },
    { type: 'mcp_tool_call', server: text, tool: text, arguments: { [text]: text }, result: text },
    { type: 'collab_tool_call', tool: text, prompt: text },
    { type: 'web_search', query: text },
    { type: 'todo_list', items: [{ text, completed: false }] },
    { type: 'error', message: text },
    { type: text, text },
    { type: 'agent_message', text },
  ];
  const last =
    end === 'completed'
      ? { type: 'turn.completed', usage: { input_tokens: 1, cached_input_tokens: 0, output_tokens: 1 } }
      : { type: 'turn.failed', error: { message: `${text} failed` } };
  const events = [
    { type: 'thread.started', thread_id: THREAD },
    { type: 'turn.started' },
    ...items.map((item, i) => ({ type: 'item.completed', item: { id: `item_${i}`, ...item } })),
    { type: 'error', message: `Reconnecting... ${text}` },
    last,
  ];
  return events.map((event) => `${JSON.stringify(event)}\n`).join('');
}

/** The environment in which an agent of a project says a text wherever an agent can. */
export function toSay(project: Project, ...said: Parameters<typeof saying>): Record<string, string> {
  const stream = join(project.base, 'said.jsonl');
  writeFileSync(stream, saying(...said));
  return { FAKE_AGENT_STREAM: stream };
}
