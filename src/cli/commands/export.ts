import { extname, resolve } from 'node:path';
import type { SessionReader } from '../../core/conversation/session-reader.ts';
import { usageError } from '../../core/errors.ts';
import { renderJsonAsRead } from '../../render/json.ts';
import { safeLine, safeText } from '../../render/text/safe-text.ts';
import { ID } from '../common-options.ts';
import { defineVerb, flag, value } from '../define-verb.ts';
import { oneOf, text } from '../parsers.ts';
import { printAsRead } from '../terminal/pager.ts';

const FORMATS = ['md', 'html', 'json'] as const;
type Format = (typeof FORMATS)[number];

/** The format that the name of a file asks for. @throws ZwarmError `usage` where it asks for none */
function formatOf(output: string | undefined): Format {
  const ending = extname(output ?? '.md').slice(1);
  const found = FORMATS.find((format) => format === ending || `${ending}l` === format);
  if (found !== undefined || output === undefined) return found ?? 'md';
  throw usageError(`the name ${output} does not tell the format`, 'add --format md, html or json');
}

async function piecesOf(session: SessionReader, format: Format): Promise<Iterable<string>> {
  if (format === 'html') return (await import('../../render/export/html.ts')).exportHtml(session);
  if (format === 'md') return (await import('../../render/export/markdown.ts')).exportMarkdown(session);
  const { messagesOf, withoutMessages } = await import('../../core/conversation/session-reader.ts');
  return renderJsonAsRead('messages', messagesOf(session, true), () => withoutMessages(session));
}

async function* encoded(pieces: Iterable<string>): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  for (const piece of pieces) yield encoder.encode(piece);
}

function* neutralised(pieces: Iterable<string>): Generator<string> {
  for (const piece of pieces) yield safeText(piece);
}

/** `zwarm export` */
export const exportVerb = defineVerb({
  name: 'export',
  summary: 'write a session for people who have no zwarm',
  args: { ref: ID },
  options: {
    format: value(
      '--format <format>',
      'md, html or json (default: as the file is named, else md)',
      oneOf('format', FORMATS),
    ),
    output: value('-o, --output <file>', 'the file (default: stdout)', text('file')),
    force: flag('--force', 'replace a file that is there'),
  },
  notes: `
html is one page that loads nothing and runs nothing, for a phone, a desk and paper, with commands and diffs folded. md has
the same as Markdown. json is what "zwarm show --full --json" prints.

It holds all that was said and printed: whoever gets it can read that.`,
  examples: ['zwarm export fix-login -o fix-login.html', ['zwarm export @last > last.md', 'as Markdown']],
  async run(verb, { ref }, { format, output, force }) {
    const { manager, context } = verb;
    const wanted = format ?? formatOf(output);
    const pieces = await piecesOf(await manager.read(ref, { countsLeft: true }), wanted);
    const { stdout } = context;
    // Raw for programs; on a terminal it must not control that.
    if (output === undefined) return printAsRead(stdout, stdout.isTTY ? neutralised(pieces) : pieces);
    const path = resolve(context.cwd, output);
    const send = (write: (all: AsyncIterable<Uint8Array>) => Promise<void>) => write(encoded(pieces));
    await manager.saveFile({ send }, path, { force, signal: context.onInterrupt() });
    verb.print(safeLine(path));
  },
});
