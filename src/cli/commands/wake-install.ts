import { safeLine } from '../../render/text/safe-text.ts';
import { confirm } from '../ask-first.ts';
import { YES } from '../common-options.ts';
import { defineVerb, flag } from '../define-verb.ts';

/** `zwarm wake install` */
export const wakeInstall = defineVerb({
  name: 'install',
  summary: 'have the system run zwarm wake every five minutes',
  options: {
    remove: flag('--remove', 'take that back'),
    print: flag('--print', 'only show what would be written'),
    yes: YES,
  },
  notes: `
A timer of systemd for you, or a line of your crontab where there is no systemd; it is shown before it is written. With it,
waiting messages continue after a restart of the machine. systemd runs timers only while you are logged in, unless you run
loginctl enable-linger.`,
  examples: ['zwarm wake install', 'zwarm wake install --remove'],
  async run(verb, _args, { remove, print, yes }) {
    verb.manager.requireUser();
    const plan = await verb.manager.planTimer(remove);
    const due = plan.files.filter(({ before, after }) => before !== after);
    if (due.length === 0) return verb.print(remove ? 'nothing to remove' : 'already there');
    const { renderChange } = await import('../../render/change.ts');
    const style = await verb.style('stdout');
    for (const { path, before, after } of due)
      verb.context.stdout.write(`${style.paint.bold(safeLine(path))}\n${renderChange(before, after, style)}`);
    if (print || !(await confirm(verb, 'Write this?', yes))) return;
    await plan.apply();
    verb.hint(remove ? 'removed' : 'installed; to take it back: zwarm wake install --remove');
  },
});
