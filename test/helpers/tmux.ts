import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { shellWord } from '../../src/core/shell-word.ts';
import { eventually, type OnFinished, type Project, ZWARM } from './project.ts';

/** Whether a real terminal can be had. */
export const HAS_TMUX = spawnSync('tmux', ['-V']).status === 0;

/** Runs zwarm on a terminal of its own. */
export function openTerminal(
  { base, directory, env }: Project,
  args: readonly string[],
  finished: OnFinished,
) {
  const socket = join(base, 'tmux');
  const tmux = (...words: readonly string[]): string =>
    spawnSync('tmux', ['-S', socket, '-f', '/dev/null', ...words], { encoding: 'utf8' }).stdout;
  const script = join(base, 'terminal.sh');
  const set = Object.entries(env).flatMap(([name, value]) =>
    value === undefined ? [] : [`export ${name}=${shellWord(value)}`],
  );
  const line = [process.execPath, ZWARM, ...args].map(shellWord).join(' ');
  writeFileSync(script, [...set, line, 'echo "[ended with $?]"', 'exec sleep 600'].join('\n'));
  tmux('new-session', '-d', '-x', '100', '-y', '40', '-c', directory, `sh ${shellWord(script)}`);
  const close = (): void => void tmux('kill-server');
  finished(close);
  return {
    close,
    resize: (columns: number, rows: number): string =>
      tmux('resize-window', '-x', String(columns), '-y', String(rows)),
    /** Whether the screen is the usual one, with a cursor, and wraps. */
    isPlain: (): boolean =>
      tmux('display-message', '-p', '#{alternate_on}#{cursor_flag}#{wrap_flag}').trim() === '011',
    type: (...keys: readonly string[]): string => tmux('send-keys', ...keys),
    /** Waits until the screen shows something. */
    async shows(what: RegExp | string): Promise<void> {
      const screen = (): string => tmux('capture-pane', '-p');
      await eventually(
        `the screen shows ${what}`,
        () => (typeof what === 'string' ? screen().includes(what) : what.test(screen())),
        90,
      ).catch((error) => {
        throw new Error(`${error.message}\n${screen()}`);
      });
    },
  };
}
