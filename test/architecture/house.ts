import { dirname, join } from 'node:path/posix';
import { parseAst } from 'vitest/node';

/** One import of a file: `lazy` when it is made by `import()` at run time. */
interface Import {
  readonly target: string;
  readonly names: readonly string[];
  readonly lazy: boolean;
}

// biome-ignore lint/suspicious/noExplicitAny: a node of the syntax tree, whatever it is
type Node = any;

/** A line for each room: its name, those that it may import, and after a bar the packages. */
function table(text: string): Readonly<Record<string, readonly string[]>> {
  const lines = text.split('\n').map((line) => line.trim().split(/[ |]+/));
  return Object.fromEntries(lines.map(([room, ...may]) => [room, may]));
}

/**
 * What a room may import, types too; `node:*` is all that Node itself brings. Files in the root of `src/` are rooms of
 * their own: `installation` is what main and index share (the path of node, the clock, fresh ids), `streams` this
 * process's own streams, `syscalls` what changes the machine, for SYSCALLERS alone.
 */
const ARROWS = table(`
  main         cli mcp manager config hosts render process core installation streams | node:*
  index        manager core installation | node:*
  installation manager config core | node:* nanoid
  streams      cli core | node:*
  cli          manager config hosts render core | node:* commander
  mcp          manager config render core | node:* @modelcontextprotocol/server @modelcontextprotocol/server/stdio zod
  manager      store process git agents core | node:*
  config       core | node:* zod/mini
  hosts        core | node:* jsonc-parser
  render       core | chalk cli-table3 get-east-asian-width marked
  store        core syscalls | node:* zod/mini tar/header
  process      core syscalls | node:* execa zod/mini
  git          process core | node:*
  syscalls     | node:*
  agents       core | zod/mini smol-toml
  core         | zod/mini smol-toml @noble/hashes/sha2.js @noble/hashes/utils.js`);

/** Which rooms of the manager may import which others; files in its root are rooms of their own. */
const MANAGER_ARROWS = table(`
  session-manager commands queue launch access session follow project context
  commands queue doctor adopt removal launch stop project access follow changes session turn context
  queue    launch stop access session turn context
  removal  launch changes turn context
  doctor   launch project access turn context
  adopt    launch stop project access session turn context
  launch   stop access changes session turn context
  project  session context
  access   session turn context
  stop     session turn context
  follow   session turn context
  changes  turn context
  session  turn context
  turn     context
  context  access`);

const TOP = ['main.ts', 'index.ts', 'installation.ts', 'streams.ts'];
/** What `process/` may ask of `process`; every other room asks nothing. */
const PROCESS_MEMBERS = `kill platform arch pid getuid getgid umask version cwd chdir`.split(' ');

/** The one file of all calls that change the machine, and the three that may make them. */
const SYSCALLS = 'syscalls.ts';
const SYSCALLERS = ['store/files.ts', 'process/launch.ts', 'process/stop.ts'];
/** Files that may change a disk: the store's calls, two that keep temporary files of their own, and the output. */
const WRITERS = [SYSCALLS, 'cli/task-input.ts', 'cli/demo/project.ts', 'streams.ts'];
const READING = new Set(
  `accessSync constants existsSync fstatSync lstatSync readdirSync readFileSync readlinkSync readSync realpathSync
   statSync statfsSync closeSync watch FSWatcher Stats BigIntStats Dirent`.split(/\s+/),
);
/** What makes a process of git; doctor asks for its version, and the demo types commands in a project of its own. */
const GIT_RUNNERS = ['git/git.ts', 'manager/doctor/installation.ts', 'cli/demo/play.ts'];
const RUNS_A_PROGRAM = ['lookUp', 'ask', 'askBytes', 'capture'];

/** Opens files, for reading alone. */
const OPENERS = ['store/read-file.ts', 'config/read-text.ts'];

/** Cycles of files that are meant: the demo plays command lines, and the command line has a demo. */
const MEANT_LAZY = ['cli/commands/demo.ts → cli/demo/play.ts'];

/** What costs a start so much that it is loaded only where it is needed, and the files that are loaded with it. */
const LOADED_LAZILY: Readonly<Record<string, readonly string[]>> = {
  'render/markdown/markdown.ts': ['render/markdown/html.ts'],
  'render/markdown/html.ts': ['render/export/html.ts'],
  'render/export/html.ts': [],
  marked: ['markdown', 'inline', 'table', 'html'].map((name) => `render/markdown/${name}.ts`),
};

const CLOCKS = ['Date.now', 'Math.random', 'performance.now'];
const UNCLEAN = ['setTimeout', 'setInterval', 'performance', 'crypto', 'fetch', 'Buffer'];

function roomOf(path: string): string {
  return path.includes('/') ? path.slice(0, path.indexOf('/')) : path.replace(/\.ts$/, '');
}

/** The room of the manager in which a file is, or null. */
function managerRoomOf(path: string): string | null {
  const [, room = null] = /^manager\/([^/]+?)(?:\.ts|\/.*)$/.exec(path) ?? [];
  return room;
}

function walk(node: Node, visit: (node: Node, parent: Node) => void, parent: Node = {}): void {
  if (typeof node !== 'object' || node === null) return;
  const isNode = typeof node.type === 'string';
  if (isNode) visit(node, parent);
  // What an array holds has the node above it for its parent.
  for (const child of Object.values(node)) walk(child, visit, isNode ? node : parent);
}

const named = (node: Node): string => String(node?.name ?? node?.value ?? '');

/** Whether an identifier is a mere key or member name, and no use of the thing of that name. */
function isName(node: Node, parent: Node): boolean {
  if (parent.type === 'MemberExpression') return parent.property === node && !parent.computed;
  return parent.key === node && !parent.shorthand;
}

/** What one file imports, and what it does that its room may not do. */
function readFile(path: string, source: string): { imports: Import[]; violations: string[] } {
  const room = roomOf(path);
  const pure = room === 'core' || room === 'agents';
  const imports: Import[] = [];
  const violations: string[] = [];
  const say = (what: string): void => void violations.push(`${path}: ${what}`);

  const globalUse = (name: string, parent: Node): void => {
    if (name === 'console' || name === 'globalThis' || name === 'require') say(`uses ${name}`);
    const member =
      parent.type === 'MemberExpression' && named(parent.object) === name ? named(parent.property) : '';
    const waits = name === 'performance' && (room === 'process' || room === 'manager');
    if (CLOCKS.includes(`${name}.${member}`) && !TOP.includes(path) && !waits) say(`reads ${name}.${member}`);
    if (pure && UNCLEAN.includes(name)) say(`uses ${name}`);
    if (name !== 'process' || TOP.includes(path)) return;
    const mine = path === SYSCALLS ? ['kill'] : room === 'process' ? PROCESS_MEMBERS : [];
    if (!mine.includes(member)) say(`uses process.${member}`);
  };

  walk(parseAst(source, { lang: 'ts' }), (node, parent) => {
    if (node.type === 'ExportDefaultDeclaration' || named(node.exported) === 'default')
      say('has a default export');
    if (node.type === 'NewExpression' && named(node.callee) === 'Date' && node.arguments.length === 0)
      say('reads new Date()');
    const runsGit = node.type === 'CallExpression' && RUNS_A_PROGRAM.includes(named(node.callee));
    if (runsGit && named(node.arguments[0]) === 'git' && !GIT_RUNNERS.includes(path))
      say('only git/git.ts runs git');
    if (node.type === 'Identifier' && !isName(node, parent)) globalUse(named(node), parent);
    if (!/^(Import|Export|TSImport)/.test(node.type) || !node.source) return;
    const lazy = node.type === 'ImportExpression';
    const specifiers: Node[] = node.specifiers ?? [];
    const names = specifiers.map((one) => named(one.imported ?? one.local) || '*');
    if (lazy || specifiers.some(({ type }) => /Namespace|Default/.test(type))) names.push('*');
    if (node.source.type !== 'Literal') say('imports something computed');
    imports.push({ target: named(node.source), names, lazy });
  });
  return { imports, violations };
}

function eagerViolations(path: string, { target, lazy }: Import): string[] {
  const there = target.startsWith('.') ? join(dirname(path), target) : target;
  const within = LOADED_LAZILY[there];
  return lazy || within === undefined || within.includes(path) ? [] : [`${path}: must load ${there} lazily`];
}

function importViolations(path: string, { target, names }: Import): string[] {
  const room = roomOf(path);
  if (target.startsWith('.')) {
    const there = roomOf(join(dirname(path), target));
    const [from, to] = [managerRoomOf(path), managerRoomOf(join(dirname(path), target))];
    if (from !== null && to !== null && from !== to && !MANAGER_ARROWS[from]?.includes(to))
      return [`${path}: in the manager ${from} may not import ${to} (${target})`];
    if (there !== room && !ARROWS[room]?.includes(there))
      return [`${path}: ${room} may not import ${there} (${target})`];
    if (there !== 'syscalls' || SYSCALLERS.includes(path)) return [];
    return [`${path}: only ${SYSCALLERS.join(', ')} may change the machine`];
  }
  if (!ARROWS[room]?.some((known) => known === target || (known === 'node:*' && /^node:/.test(target))))
    return [`${path}: ${room} may not import ${target}`];
  if (target === 'node:process') return [`${path}: imports node:process`];
  if (target === 'node:child_process' && room !== 'process' && path !== SYSCALLS)
    return [`${path}: only process/ starts processes`];
  if (!/^node:fs(\/promises)?$/.test(target) || WRITERS.includes(path)) return [];
  return names
    .filter((name) => !READING.has(name) && !(name === 'openSync' && OPENERS.includes(path)))
    .map((name) => `${path}: may change the disk with ${name} of ${target}`);
}

/** The files that lead from one to another and back, one cycle each. */
function cycles(graph: ReadonlyMap<string, readonly string[]>): string[] {
  const done = new Set<string>();
  const found: string[] = [];
  const follow = (path: string, way: readonly string[]): void => {
    const seen = way.indexOf(path);
    if (seen >= 0) found.push(`cycle: ${[...way.slice(seen), path].join(' → ')}`);
    if (seen >= 0 || done.has(path)) return;
    for (const next of graph.get(path) ?? []) follow(next, [...way, path]);
    done.add(path);
  };
  for (const path of graph.keys()) follow(path, []);
  return found;
}

/** What in these sources, by their paths in `src/`, breaks a rule of the house. */
export function violationsOf(sources: Readonly<Record<string, string>>): string[] {
  const violations: string[] = [];
  const graph = new Map<string, string[]>();
  for (const [path, source] of Object.entries(sources)) {
    if (/\.(test|spec)\.[a-z]+$/.test(path)) violations.push(`${path}: a test`);
    if (!Object.hasOwn(ARROWS, roomOf(path))) violations.push(`${path}: in no room that we know`);
    const file = readFile(path, source);
    violations.push(...file.violations);
    const edges: string[] = [];
    for (const one of file.imports) {
      violations.push(...importViolations(path, one), ...eagerViolations(path, one));
      const there = join(dirname(path), one.target);
      const meant = one.lazy && MEANT_LAZY.includes(`${path} → ${there}`);
      if (one.target.startsWith('.') && !meant) edges.push(there);
    }
    graph.set(path, edges);
  }
  return [...violations, ...cycles(graph)];
}
