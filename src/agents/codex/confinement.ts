import type { OwnSandbox } from '../agent.ts';
import { codexItems } from './arguments.ts';
import { codexHome } from './command.ts';

const ROOTS = 'writable_roots';

/** Every path in a list called `writable_roots`, wherever it stands: for the sandbox, in a profile, or elsewhere. */
function rootsIn(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === ROOTS && Array.isArray(inner) ? inner.filter((path) => typeof path === 'string') : rootsIn(inner),
  );
}

const valuesOf = (args: readonly string[], option: string): readonly string[] =>
  codexItems(args).flatMap(({ name, values }) => (name === option ? values : []));

/** For `codex exec` 0.169: what `--add-dir` and `writable_roots` name, the latter in `-c` or in the configuration. */
export const codexConfinement: OwnSandbox = {
  by: 'agent',
  configurationFiles(env, directory, args) {
    const home = codexHome(env);
    const profiles = valuesOf(args, '--profile').map((profile) => `${profile}.config.toml`);
    const own = home === null ? [] : ['config.toml', ...profiles].map((file) => `${home}/${file}`);
    return [...own, `${directory}/.codex/config.toml`];
  },
  async writable(args, configurations) {
    const added = valuesOf(args, '--add-dir');
    const texts = [...valuesOf(args, '--config'), ...configurations].filter((text) => text.includes(ROOTS));
    if (texts.length === 0) return added;
    const { parse } = await import('smol-toml');
    return [
      ...added,
      ...texts.flatMap((text) => {
        try {
          return rootsIn(parse(text));
        } catch {
          // Codex cannot read it either, and refuses to run.
          return [];
        }
      }),
    ];
  },
  gap: (configurations) =>
    configurations.some((text) => /^\s*(?:\S+\.)?network_access\s*=\s*true\b/m.test(text))
      ? 'with its access to the network it can open Unix sockets (docker, ssh-agent)'
      : null,
};
