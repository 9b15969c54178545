import { EXIT_CODES, isErrno, ZwarmError } from '../../core/errors.ts';
import { elsewhereThanGit } from '../../core/git-command.ts';
import { ID } from '../common-options.ts';
import { argument, defineVerb } from '../define-verb.ts';
import { text } from '../parsers.ts';

/** `zwarm exec` */
export const exec = defineVerb({
  name: 'exec',
  summary: 'run a command in the directory of a session',
  args: { ref: ID, command: argument('<command...>', 'a program and its arguments, behind --', text()) },
  notes: `
The command runs on this terminal with your environment; from a git hook, without the variables that git sets for it. For a
session with its own tree it also gets ZWARM_WORKTREE, ZWARM_MAIN_CHECKOUT, ZWARM_PORT_BASE and COMPOSE_PROJECT_NAME.
Nothing confines it. The exit code is its own.`,
  examples: [
    'zwarm exec fix-login -- npm test',
    ["zwarm exec @last -- sh -c 'git diff | less'", 'through a shell'],
  ],
  async run(verb, { ref, command }) {
    const { manager, context } = verb;
    const { directory, env } = await manager.placeOf(await manager.resolve(ref));
    const [program = '', ...args] = command.map((word) => word ?? '');
    const place = { cwd: directory, env: { ...elsewhereThanGit(context.env), ...env } };
    const code = await context.handOver(program, args, place).catch((error: unknown) => {
      // EACCES is also what the system says where a directory of the PATH is closed to us.
      const isClosed = isErrno(error, 'EACCES') && !program.includes('/');
      const isMissing = isErrno(error, 'ENOENT') || isClosed;
      const what = `${program} ${isMissing ? 'was not found' : 'cannot be run'}`;
      throw new ZwarmError(isMissing ? 'agent_not_found' : 'agent_not_executable', what, null, error);
    });
    verb.exit(code ?? EXIT_CODES.failed);
  },
});
