import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createCodexParser } from '../../../../src/agents/codex/translate.ts';
import { findAgent } from '../../../../src/agents/registry.ts';
import { foldEvents } from '../../../../src/core/conversation/fold.ts';
import { deriveStatus } from '../../../../src/core/status.ts';
import { explainVerdict } from '../../../../src/manager/turn/explain-failure.ts';
import { repositoryFile } from '../../../helpers/project.ts';
import { ID } from '../../../helpers/store.ts';

const SIGNALS: Readonly<Record<string, number>> = { SIGINT: 2, SIGKILL: 9, SIGTERM: 15 };

function textOf(path: string): string {
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}

/** The names of the recorded runs in a directory of streams. */
export function recordedRuns(directory: string): string[] {
  return readdirSync(repositoryFile(`fixtures/streams/${directory}`))
    .filter((name) => name.endsWith('.jsonl') && !name.endsWith('.rollout.jsonl'))
    .map((name) => name.slice(0, -'.jsonl'.length));
}

/** What a user sees of a recorded run of Codex that nobody stopped: its status, its answer, and why it failed. */
export function seenOf(directory: string, name: string, version: string): string {
  const base = repositoryFile(`fixtures/streams/${directory}/${name}`);
  const parse = createCodexParser(version);
  const lines = textOf(`${base}.jsonl`).split('\n');
  const fold = foldEvents(lines.flatMap((text, seq) => (text === '' ? [] : [...parse({ seq, text })])));
  const meta = JSON.parse(textOf(`${base}.meta.json`));
  const code = meta.signal ? 128 + (SIGNALS[meta.signal] ?? 0) : (meta.exitCode ?? null);
  const verdict = deriveStatus({
    queued: false,
    claimer: 'no',
    ageMs: 10_000,
    launched: true,
    living: 'no',
    cancel: null,
    exit: { code, why: null, detail: null, cancelled: false },
    terminal: fold.terminal,
  });
  const error = explainVerdict(verdict, {
    id: ID,
    adapter: findAgent('codex'),
    workingDir: '/workspace',
    terminal: fold.terminal,
    launched: true,
    where: 'here',
    stderr: () => textOf(`${base}.stderr.txt`),
  });
  const short = (text: string): string =>
    (text.length > 60 ? `${text.slice(0, 59)}…` : text).replaceAll('\n', '⏎');
  return [
    verdict.status,
    ...(verdict.signal === null ? [] : [verdict.signal]),
    ...(fold.answer === null ? ['no answer'] : [`“${short(fold.answer)}”`]),
    ...(error === null ? [] : [`${error.code}: ${short(error.message)}`]),
    ...fold.warnings.map((warning) => `! ${short(warning)}`),
  ].join(' | ');
}
