import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { argument, defineVerb } from '../define-verb.ts';
import { oneOf } from '../parsers.ts';

/** What a user types once, by the shell. */
const INSTALL = {
  bash: `echo 'source <(zwarm completion bash)' >> ~/.bashrc`,
  zsh: `zwarm completion zsh > "\${fpath[1]}/_zwarm"`,
  fish: 'zwarm completion fish > ~/.config/fish/completions/zwarm.fish',
} as const;

const SHELLS = Object.keys(INSTALL) as readonly (keyof typeof INSTALL)[];

/** `zwarm completion` */
export const completion = defineVerb({
  name: 'completion',
  summary: 'let your shell complete command lines',
  args: { shell: argument('<shell>', SHELLS.join(', '), oneOf('shell', SHELLS)) },
  notes: `
Prints a script for the shell, which completes commands, options and their values, and the ids and names of your sessions.
Once installed, it takes effect in new shells.`,
  examples: [
    [INSTALL.bash, 'for bash'],
    [INSTALL.zsh, 'for zsh'],
    [INSTALL.fish, 'for fish'],
  ],
  async run(verb, { shell }) {
    const { stdout, paths } = verb.context;
    stdout.write(readFileSync(join(paths.completion, shell), 'utf8'));
    if (stdout.isTTY) verb.hint(`to install it: ${INSTALL[shell]}`);
  },
});
