import { join } from 'node:path';
import { ZwarmError } from '../../core/errors.ts';
import { shellWord } from '../../core/shell-word.ts';
import { systemdUnits, UNIT, withCronLine } from '../../core/wake-timer.ts';
import { ask } from '../../process/run.ts';
import { discard } from '../../store/files.ts';
import type { ManagerContext } from '../context.ts';
import { readHostFile, writeHostFile } from './mcp-install.ts';

/** How long systemd or cron may take to answer, in milliseconds. */
const ANSWER_MS = 10_000;

/** What is to be written to have the queue looked at, and how that is done. */
export interface TimerPlan {
  /** Files with what they hold and will hold; empty where there is none. */
  readonly files: readonly { readonly path: string; readonly before: string; readonly after: string }[];
  apply(): Promise<void>;
}

type Env = ManagerContext['env'];

/** What a program of the system says; null where it cannot be run or refuses. */
async function answerOf(env: Env, program: string, args: readonly string[]): Promise<string | null> {
  const answer = await ask(program, args, { cwd: '/', env, timeoutMs: ANSWER_MS }).catch(() => null);
  return answer?.code === 0 ? answer.stdout : null;
}

async function run(env: Env, program: string, args: readonly string[]): Promise<void> {
  if ((await answerOf(env, program, args)) !== null) return;
  const line = [program, ...args].map(shellWord).join(' ');
  throw new ZwarmError('io', `${program} refused it`, `see why: ${line}`);
}

/** Variables by which zwarm finds its things, where they are not the usual ones: neither systemd nor cron knows them. */
function placesIn(env: Env): Record<string, string> {
  const names = ['ZWARM_DIR', 'XDG_STATE_HOME', 'XDG_CONFIG_HOME'];
  return Object.fromEntries(names.flatMap((name) => (env[name] ? [[name, env[name]]] : [])));
}

/** What installs a timer that wakes what waits, or removes it. @throws ZwarmError `io` where the system has none */
export async function planTimer(context: ManagerContext, remove: boolean): Promise<TimerPlan> {
  const { env, paths } = context;
  const program = remove ? null : { command: paths.node, args: [paths.cli, 'wake'] };
  const places = placesIn(env);
  const systemctl = (...args: string[]) => run(env, 'systemctl', ['--user', ...args]);
  if ((await answerOf(env, 'systemctl', ['--user', 'show-environment'])) !== null) {
    const home = env['XDG_CONFIG_HOME'] || join(env['HOME'] ?? '/', '.config');
    const hint = `look at the files ${UNIT}.* there`;
    const files = systemdUnits(program, places).map(({ name, text }) => {
      const file = readHostFile(context, join(home, 'systemd/user', name), 'followed', hint);
      return { path: file.path, before: file.text ?? '', after: text, file };
    });
    return {
      files,
      async apply() {
        if (remove) await systemctl('disable', '--now', `${UNIT}.timer`);
        for (const { file, after } of files) {
          if (remove) discard(file.path);
          else if (file.text !== after) writeHostFile(context, file, after, hint);
        }
        await systemctl('daemon-reload');
        if (!remove) await systemctl('enable', '--now', `${UNIT}.timer`);
      },
    };
  }
  // It fails where the user has no crontab, too.
  const isThere = (await answerOf(env, '/bin/sh', ['-c', 'command -v crontab'])) !== null;
  if (!isThere) {
    const hint = 'after a restart of the machine: zwarm queue run';
    throw new ZwarmError('io', 'neither systemd nor cron works for you here', hint);
  }
  const before = (await answerOf(env, 'crontab', ['-l'])) ?? '';
  const after = withCronLine(before, program, places);
  const apply = () => run(env, '/bin/sh', ['-c', 'printf %s "$1" | crontab -', 'sh', after]);
  return { files: [{ path: 'crontab', before, after }], apply };
}
