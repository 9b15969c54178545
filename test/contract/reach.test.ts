import { appendFileSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { codex } from '../../src/agents/codex/index.ts';
import { isWithin } from '../../src/core/path.ts';
import { installation } from '../../src/installation.ts';
import { writableBy } from '../../src/manager/access/reach.ts';
import { createCodexProject, requireSandbox } from '../helpers/codex.ts';
import { place } from '../helpers/config.ts';

beforeAll(requireSandbox);

/** How many configurations are made. 240 were tried. */
const CASES = 10;

/** Numbers from 0 to 1 that look random, and are the same for a seed. */
function randomFrom(seed: number): () => number {
  let state = seed * 2654435761 + 1;
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 2246822519) + 0x9e3779b9) | 0;
    return ((state ^ (state >>> 13)) >>> 0) / 2 ** 32;
  };
}

const PLACES = 8;

/** What came of each configuration. */
const seen: { seed: number; why: string; written: readonly string[]; unclear: readonly string[] }[] = [];

// Most configurations open some place, and Codex itself refuses few.
afterAll(() => {
  const opened = seen.filter(({ written, unclear }) => written.length > 0 && unclear.length === 0);
  expect(opened.length, JSON.stringify(seen, null, 1)).toBeGreaterThanOrEqual(seen.length / 2);
});

test.concurrent.for(Array.from({ length: CASES }, (_, i) => i + 1))(
  'whatever the real Codex lets a command write, zwarm has named: configuration %d',
  async (seed, t) => {
    const random = randomFrom(seed);
    const oneOf = <T>(all: readonly [T, ...T[]]): T => all[Math.floor(random() * all.length)] ?? all[0];
    const maybe = (chance: number): boolean => random() < chance;

    const tries =
      'for p in "$PLACES"/* "$CODEX_HOME"/memories; do echo x > "$p/probe"; done 2>/dev/null; echo tried';
    const script = { steps: [{ shell: tries }, { message: 'done' }] };
    const project = await createCodexProject(t.onTestFinished, { script });
    const { base, directory, codexHome } = project;
    const places = Array.from({ length: PLACES }, (_, i) => join(base, 'places', `p${i}`));
    mkdirSync(join(base, 'links'));
    for (const [i, path] of places.entries()) {
      mkdirSync(path, { recursive: true });
      symlinkSync(path, join(base, 'links', `l${i}`));
    }

    /** One of the places, as a text may name it whose relative paths begin at `from`. */
    const spelled = (from: string): string => {
      const at = Math.floor(random() * PLACES);
      const path = oneOf([places[at] ?? '', join(base, 'links', `l${at}`)]);
      return oneOf([
        path,
        relative(from, path),
        `${dirname(path)}/../${relative(base, path)}`,
        `~/${relative(join(base, 'home'), path)}`,
      ]);
    };
    const roots = (from: string): string =>
      JSON.stringify(maybe(0.5) ? [spelled(from)] : [spelled(from), spelled(from)]);
    const table = (from: string): string =>
      oneOf([
        `[sandbox_workspace_write]\nwritable_roots = ${roots(from)}\n`,
        `sandbox_workspace_write.writable_roots = ${roots(from)}\n`,
        `sandbox_workspace_write = { writable_roots = ${roots(from)} }\n`,
        `[sandbox_workspace_write]\n"writable\\u005froots" = ${roots(from)}\n`,
        `sandbox_workspace_write = {\n  writable_roots = ${roots(from)},\n}\n`,
        `default_permissions = "own"\n[permissions.own]\nextends = ":workspace"\n[permissions.own.filesystem]\n"${spelled(from)}" = "write"\n`,
      ]);

    // Where the user has trusted it, all layers from the root down count.
    const user = readFileSync(join(codexHome, 'config.toml'), 'utf8');
    const own = `${user}${maybe(0.3) ? `writable_roots = ${roots(codexHome)}\n` : ''}`;
    const trust = maybe(0.8) ? `[projects.${JSON.stringify(directory)}]\ntrust_level = "trusted"\n` : '';
    const markers = maybe(0.15) ? 'project_root_markers = [".hg"]\n' : '';
    writeFileSync(join(codexHome, 'config.toml'), `${markers}${own}${trust}`);
    if (maybe(0.3)) place(join(codexHome, 'wide.config.toml'), table(codexHome));
    const quote = oneOf(['', '"', "'"]);
    if (maybe(0.2)) place(join(codexHome, '.env'), `TMPDIR=${quote}${places[0]}${quote}\n`);
    for (const below of ['', 'a', 'a/b']) {
      mkdirSync(join(directory, below), { recursive: true });
      const at = join(directory, below, '.codex');
      if (!maybe(0.4)) continue;
      const text = table(at);
      if (maybe(0.7)) place(join(at, 'config.toml'), text);
      else {
        place(join(base, `elsewhere-${below.length}.toml`), text);
        mkdirSync(at);
        symlinkSync(join(base, `elsewhere-${below.length}.toml`), join(at, 'config.toml'));
      }
    }
    const cwd = join(directory, oneOf(['', 'a', 'a/b']));
    const args = [
      ...(maybe(0.3) ? ['-p', 'wide'] : []),
      ...(maybe(0.3) ? ['--add-dir', spelled(cwd)] : []),
      ...(maybe(0.3) ? ['-c', `sandbox_workspace_write.writable_roots=${roots(cwd)}`] : []),
      ...(maybe(0.2) ? ['-c', `sandbox_workspace_write={writable_roots=${roots(cwd)}}`] : []),
      ...(maybe(0.3) ? ['-c', 'sandbox_workspace_write.exclude_tmpdir_env_var=false'] : []),
    ];
    if (maybe(0.3)) Object.assign(project.env, { TMPDIR: places[1] });
    Object.assign(project.env, { PLACES: join(base, 'places') });
    await project.ok(['config', 'set', 'reachable_state', 'true']);

    const context = { ...installation(), cwd, env: project.env, uid: 0, stateDir: project.state };
    const turn = { working_dir: cwd, sandbox: 'workspace-write', agent_args: args } as const;
    const { directories, unclear } = await writableBy(context, codex.confinement, turn, false);
    const passed = args.map((arg) => `--agent-arg=${arg}`);
    const ended = await project.zwarm(['start', '-C', cwd, '--wait', ...passed, 'try']);
    const written = [...places, join(codexHome, 'memories')].filter((path) =>
      existsSync(join(path, 'probe')),
    );
    const missed = written.filter((path) => !directories.some((one) => isWithin(path, one)));
    seen.push({ seed, why: ended.stderr, written, unclear });
    if (unclear.length === 0) expect(missed).toEqual([]);
  },
);

test.concurrent('what the rules of a project let out of the sandbox is refused, and runs within it without them', async (t) => {
  const project = await createCodexProject(t.onTestFinished, { script: { steps: [] } });
  const { base, directory, codexHome } = project;
  const probe = join(base, 'probe');
  await project.model.says({ steps: [{ shell: `touch ${probe}` }, { message: 'done' }] });
  appendFileSync(
    join(codexHome, 'config.toml'),
    `[projects.${JSON.stringify(directory)}]\ntrust_level = "trusted"\n`,
  );
  place(join(directory, '.codex/rules/own.rules'), 'prefix_rule(pattern = ["touch"], decision = "allow")\n');
  for (const mode of ['workspace-write', 'read-only'])
    expect(await project.zwarm(['start', '-s', mode, 'touch'])).toEqual({
      code: 5,
      stdout: '',
      stderr: `zwarm: the agent could write to zwarm's own records: commands that ${directory}/.codex/rules allows run outside of the sandbox
hint: leave it out by --agent-arg=--ignore-rules, or give that safety up: zwarm config set reachable_state true
`,
    });
  await project.ok(['start', '--wait', '--agent-arg=--ignore-rules', 'touch']);
  expect(existsSync(probe)).toBe(false);
  await project.ok(['config', 'set', 'reachable_state', 'true']);
  await project.ok(['start', '--wait', '-s', 'read-only', 'touch']);
  expect(existsSync(probe)).toBe(true);
});

test.concurrent('a server of tools that a directory below the root names runs outside of the sandbox, and is refused', async (t) => {
  const project = await createCodexProject(t.onTestFinished, { script: { steps: [{ message: 'done' }] } });
  const { base, directory, codexHome } = project;
  const probe = join(base, 'probe');
  appendFileSync(
    join(codexHome, 'config.toml'),
    `[projects.${JSON.stringify(directory)}]\ntrust_level = "trusted"\n`,
  );
  const file = join(directory, 'sub/.codex/config.toml');
  place(file, `[mcp_servers.evil]\ncommand = "touch"\nargs = ["${probe}"]\n`);
  const refused = (where: string) => ({
    code: 5,
    stdout: '',
    stderr: `zwarm: the agent could write to zwarm's own records: the servers of tools that ${file} names run outside of the sandbox
hint: name them in ${where}your own configuration instead, or give that safety up: zwarm config set reachable_state true
`,
  });
  const start = (mode: string) => project.zwarm(['start', '-s', mode, '-C', 'sub', 'hello']);
  for (const mode of ['workspace-write', 'read-only'])
    expect(await start(mode)).toEqual(refused(`${directory}/.codex/config.toml or in `));
  // To Codex the root is still the one above, which is trusted.
  mkdirSync(join(directory, 'sub/.git'));
  expect(await start('read-only')).toEqual(refused(''));
  expect(existsSync(probe)).toBe(false);
  await project.ok(['config', 'set', 'reachable_state', 'true']);
  await project.ok(['start', '--wait', '-s', 'read-only', '-C', 'sub', 'hello']);
  expect(existsSync(probe)).toBe(true);
});
