import type { CommandLine } from './program.ts';
import { shellWord } from './shell-word.ts';

/*
 * What has `zwarm wake` run every five minutes when nobody is there: a timer of systemd for the user, or a line of the
 * user's crontab.
 */

const MINUTES = 5;

/** Where zwarm keeps its things, where that is not the default: neither systemd nor cron knows it. */
type Places = Readonly<Record<string, string>>;

export const UNIT = 'zwarm-wake';

/** A text as one word in a unit of systemd. */
const unitWord = (text: string): string => `"${text.replaceAll(/["\\]/g, '\\$&').replaceAll('%', '%%')}"`;

/** The files of the timer; empty where there is no program to run. */
export function systemdUnits(
  program: CommandLine | null,
  places: Places,
): readonly { readonly name: string; readonly text: string }[] {
  // Only a command line takes a dollar sign for a variable.
  const environment = Object.entries(places).map(
    ([name, value]) => `Environment=${unitWord(`${name}=${value}`)}`,
  );
  const words = program === null ? [] : [program.command, ...program.args];
  const service = [
    '[Unit]',
    'Description=Start what waits in the queues of zwarm',
    '',
    '[Service]',
    'Type=oneshot',
    // The agents that it starts go on when it has ended.
    'KillMode=process',
    ...environment,
    `ExecStart=${words.map((word) => unitWord(word).replaceAll('$', '$$$$')).join(' ')}`,
  ];
  const timer = [
    '[Unit]',
    'Description=Start what waits in the queues of zwarm',
    '',
    '[Timer]',
    'OnStartupSec=1min',
    `OnUnitInactiveSec=${MINUTES}min`,
    '',
    '[Install]',
    'WantedBy=timers.target',
  ];
  const of = (name: string, lines: readonly string[]) => ({
    name: `${UNIT}.${name}`,
    text: program === null ? '' : `${lines.join('\n')}\n`,
  });
  return [of('service', service), of('timer', timer)];
}

const CRON_MARK = '# zwarm wake';

/** A crontab with our line, or without it where there is no program; the rest stays as it is. */
export function withCronLine(crontab: string, program: CommandLine | null, places: Places): string {
  const others = crontab.split('\n').filter((line) => !line.endsWith(CRON_MARK));
  const rest = others.join('\n').replace(/\n*$/, '\n').replace(/^\n$/, '');
  if (program === null) return rest;
  const words = [
    ...Object.entries(places).map(([name, value]) => `${name}=${shellWord(value)}`),
    ...[program.command, ...program.args].map(shellWord),
  ];
  // A percent sign ends a command of cron.
  const command = words.join(' ').replaceAll('%', '\\%');
  return `${rest}*/${MINUTES} * * * * ${command} >/dev/null 2>&1 ${CRON_MARK}\n`;
}
