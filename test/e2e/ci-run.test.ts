import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { emptyDirectory } from '../helpers/directory.ts';
import { eventually, processesNaming, repositoryFile } from '../helpers/project.ts';

/* `.ci/run` itself, with a small suite of its own. */

const PROJECTS = ['fast', 'e2e', 'contract', 'faults', 'clock'];

/** What the small suite's `package.json` runs; a test may have it run something else. */
const SCRIPTS: Readonly<Record<string, string>> = {
  build: 'echo built',
  typecheck: 'true',
  lint: 'true',
  agents: 'true',
  test: 'vitest run --project fast',
  ...Object.fromEntries(PROJECTS.slice(1).map((name) => [`test:${name}`, `vitest run --project ${name}`])),
};

const of = (name: string, body: string, limit = '300_000'): string =>
  `test('${name}', async () => { ${body} }, ${limit});\n`;
/** A test that is ended by its limit. */
const hanging = (name: string): string => of(name, 'await new Promise(() => {})', '900');
/** A test of that name that fails the first time it runs, and passes from then on. */
const atFirst = (make: (name: string) => string, name: string): string =>
  `{ const { existsSync, writeFileSync } = await import('node:fs');
  if (existsSync('${name}')) ${of(name, '')} else { writeFileSync('${name}', ''); ${make(name)} } }\n`;
const failing = (name: string): string => of(name, "expect({ a: 1, b: 'x' }).toEqual({ a: 2, b: 'x' })");

// Vitest may keep the last of what it has to tell until there is more, as there is where a test is tried again and again.
const TELLING = 'const AGAIN = { retry: 1e9, timeout: 0 };\n';
const NOT_YET = "await new Promise((done) => setTimeout(done, 200)); throw new Error('again');";

interface Suite {
  /** Other texts of files, in addition to a test in each project that passes. */
  readonly files?: Readonly<Record<string, string>>;
  readonly scripts?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
}

/** A checkout with `.ci/run` as it is, and a suite of one test in each project. */
function createCheckout({ files = {}, scripts = {}, env = {} }: Suite) {
  const base = emptyDirectory();
  const directory = join(base, 'a checkout für uns');
  const write = (path: string, text: string, mode = 0o644): void => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text, { mode });
  };
  cpSync(repositoryFile('.ci'), join(directory, '.ci'), { recursive: true });
  const manifest = { name: 'small', version: '1.0.0', type: 'module', scripts: { ...SCRIPTS, ...scripts } };
  const lock = { name: 'small', version: '1.0.0', lockfileVersion: 3, requires: true };
  const packages = { '': { name: 'small', version: '1.0.0' } };
  const projects = PROJECTS.map((name) => ({
    test: {
      name,
      globals: true,
      include: [`test/${name}/*.test.js`, ...(name === 'fast' ? ['test/property/*.test.js'] : [])],
      // In a fixed order.
      fileParallelism: false,
    },
  }));
  const all = {
    'package.json': JSON.stringify(manifest),
    'package-lock.json': JSON.stringify({ ...lock, packages }),
    'vitest.config.js': `export default ${JSON.stringify({ test: { projects } })};\n`,
    ...Object.fromEntries(PROJECTS.map((name) => [`test/${name}/well.test.js`, of('is well', '')])),
    ...files,
  };
  for (const [path, text] of Object.entries(all)) write(join(directory, path), text);
  const work = join(base, 'work');
  // Our vitest; its directory in ours; and root is nobody special here.
  const vitest = repositoryFile('node_modules/vitest/vitest.mjs');
  write(join(base, 'bin/vitest'), `#!/bin/sh\nexec '${process.execPath}' '${vitest}' "$@"\n`, 0o755);
  write(join(base, 'bin/id'), '#!/bin/sh\necho 1000\n', 0o755);
  write(join(base, 'bin/mktemp'), `#!/bin/sh\nmkdir '${work}' && echo '${work}'\n`, 0o755);
  const path = `${join(base, 'bin')}:${process.env['PATH']}`;
  const run = spawn('bash', ['.ci/run'], {
    cwd: directory,
    env: { PATH: path, HOME: base, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let log = '';
  for (const output of [run.stdout, run.stderr])
    output.setEncoding('utf8').on('data', (text) => {
      log += text;
    });
  const ended = once(run, 'close');
  onTestFinished(async () => {
    run.kill('SIGTERM');
    await ended;
  });
  return {
    run,
    /** What the reporter has noted so far of a step. */
    notes: (step: string): string => {
      const path = join(work, 'notes', step);
      return existsSync(path) ? readFileSync(path, 'utf8') : '';
    },
    /** What it has printed, when it has ended. */
    async log(): Promise<string> {
      await ended;
      return log;
    },
    /** The end of its log from a line on, and its exit code, when it has ended and left nothing behind. */
    async end(from: string): Promise<string> {
      const [code] = await ended;
      expect(existsSync(work)).toBe(false);
      expect(processesNaming(`${work}/bin:`)).toEqual([]);
      const lines = log.slice(log.lastIndexOf(from)).replaceAll(/\d+\.\d s/g, 'N s');
      return `${lines}[exit ${code}]`;
    },
  };
}

test('what is well is one line for each file, and one at the end', async () => {
  const checkout = createCheckout({ scripts: { agents: 'echo "not run: contract: no such package"' } });
  expect(await checkout.end('== not run')).toMatchInlineSnapshot(`
    "== not run:
    contract: no such package

    4 passed, 0 failed
    [exit 0]"
  `);
  expect((await checkout.log()).match(/^.*✓.*$/gm)).toHaveLength(PROJECTS.length - 1);
});

test('what is red is named with its error at the end, and what only a limit ended is looked at again', async () => {
  const files = {
    'test/fast/red.test.js': failing('is wrong') + hanging('hangs') + atFirst(hanging, 'is slow'),
    'test/property/red.test.js': atFirst(hanging, 'holds for all'),
    'test/e2e/red.test.js': `describe('a suite', () => { beforeAll(() => { throw new Error('no'); }); ${of('is left out', '')} });`,
    'test/contract/red.test.js': atFirst(failing, 'is wrong at first'),
    'test/faults/red.test.js': atFirst(hanging, 'races'),
    'test/clock/red.test.js': of(
      'throws later',
      "setTimeout(() => { throw new Error('later'); }); await new Promise((done) => setTimeout(done, 100))",
    ),
  };
  const scripts = {
    typecheck: 'echo "src/x.ts(1,1): error TS2322: no"; exit 2',
    lint: 'echo "lint/style: no"; exit 1',
  };
  expect(await createCheckout({ files, scripts }).end('== passed only')).toMatchInlineSnapshot(`
    "== passed only when run alone:
    ✗ fast · test/fast/red.test.js · is slow (N s of N s)
        Test timed out in 900ms.
        If this is a long-running test, pass a timeout value as the last argument or configure it globally with "testTimeout".
        at test/fast/red.test.js:5:39

    == what failed:
    ✗ typecheck ended with 2:
        > small@1.0.0 typecheck
        > echo "src/x.ts(1,1): error TS2322: no"; exit 2
        src/x.ts(1,1): error TS2322: no
    ✗ lint ended with 1:
        > small@1.0.0 lint
        > echo "lint/style: no"; exit 1
        lint/style: no
    ✗ fast · test/fast/red.test.js · is wrong (N s of N s)
        AssertionError: expected { a: 1, b: 'x' } to deeply equal { a: 2, b: 'x' }
        - Expected
        + Received
          {
        -   "a": 2,
        +   "a": 1,
            "b": "x",
          }
        at test/fast/red.test.js:1:57
    ✗ fast · test/fast/red.test.js · hangs (N s of N s)
        Test timed out in 900ms.
        If this is a long-running test, pass a timeout value as the last argument or configure it globally with "testTimeout".
        at test/fast/red.test.js:2:1
    ✗ fast · test/property/red.test.js · holds for all (N s of N s): fails by chance
        Test timed out in 900ms.
        If this is a long-running test, pass a timeout value as the last argument or configure it globally with "testTimeout".
        at test/property/red.test.js:3:45
    ✗ e2e · test/e2e/red.test.js · a suite
        no
        at test/e2e/red.test.js:1:53
    ✗ contract · test/contract/red.test.js · is wrong at first (N s of N s): fails by chance
        AssertionError: expected { a: 1, b: 'x' } to deeply equal { a: 2, b: 'x' }
        - Expected
        + Received
          {
        -   "a": 2,
        +   "a": 1,
            "b": "x",
          }
        at test/contract/red.test.js:3:114
    ✗ faults · test/faults/red.test.js · races (N s of N s): fails by chance
        Test timed out in 900ms.
        If this is a long-running test, pass a timeout value as the last argument or configure it globally with "testTimeout".
        at test/faults/red.test.js:3:37
    ✗ outside of any test
        later
        at test/clock/red.test.js:1:61

    7 passed, 9 failed
    [exit 1]"
  `);
});

test('of many tests that pass only when they run alone none is excused', async () => {
  const tests = ['one', 'two', 'three', 'four'].map((name) => atFirst(hanging, name));
  const checkout = createCheckout({ files: { 'test/fast/slow.test.js': tests.join('') } });
  expect((await checkout.end('== what failed')).match(/·.*|.* passed, .*/g)).toMatchInlineSnapshot(`
    [
      "· test/fast/slow.test.js · one (N s of N s): passed only when run alone",
      "· test/fast/slow.test.js · two (N s of N s): passed only when run alone",
      "· test/fast/slow.test.js · three (N s of N s): passed only when run alone",
      "· test/fast/slow.test.js · four (N s of N s): passed only when run alone",
      "5 passed, 4 failed",
    ]
  `);
});

test('where tests are killed in the midst, it is red even if all is well in the second look', async () => {
  const dying = (name: string): string => `
test('${name}', AGAIN, async () => {
  const { readFileSync } = await import('node:fs');
  if (readFileSync(process.env.TEST_NOTES, 'utf8').includes('"failed"')) process.kill(process.ppid, 'SIGKILL');
  ${NOT_YET}
});
`;
  const files = { 'test/fast/red.test.js': TELLING + atFirst(hanging, 'is slow') + atFirst(dying, 'kills') };
  const checkout = createCheckout({ files });
  // Each shell has its own words for it.
  const end = (await checkout.end('== passed only')).replace(/^.*\bKilled\b.*\n/m, '');
  expect(end).toMatchInlineSnapshot(`
    "== passed only when run alone:
    ✗ fast · test/fast/red.test.js · is slow (N s of N s)
        Test timed out in 900ms.
        If this is a long-running test, pass a timeout value as the last argument or configure it globally with "testTimeout".
        at test/fast/red.test.js:4:39

    == what failed:
    ✗ fast ended with 137:
        > small@1.0.0 test
        > vitest run --project fast --reporter=./.ci/reporter.mjs
        ✗ fast · test/fast/red.test.js · is slow (N s of N s)
            Test timed out in 900ms.
            If this is a long-running test, pass a timeout value as the last argument or configure it globally with "testTimeout".
            at test/fast/red.test.js:4:39

    5 passed, 1 failed
    [exit 1]"
  `);
});

test('where nothing is installed nothing else is run', async () => {
  const checkout = createCheckout({ files: { 'package.json': '{ "dependencies": { "a": "1" } }' } });
  const end = await checkout.end('== what failed');
  expect(end).toContain('package.json and package-lock.json or npm-shrinkwrap.json are in sync');
  expect(end).toMatch(
    /^== what failed:\n✗ npm ci ended with 1:\n(?: {4}.*\n)+\n0 passed, 1 failed\n\[exit 1\]$/,
  );
});

test('where nothing is built nothing else is run', async () => {
  const checkout = createCheckout({ scripts: { build: 'echo "src/x.ts: no"; exit 1' } });
  expect(await checkout.end('== what failed')).toMatchInlineSnapshot(`
    "== what failed:
    ✗ build ended with 1:
        > small@1.0.0 build
        > echo "src/x.ts: no"; exit 1
        src/x.ts: no

    0 passed, 1 failed
    [exit 1]"
  `);
});

test('who ends it is told what had failed, and what ran', async () => {
  const hangs = `
test.concurrent('hangs', () => new Promise(() => {}), 0);
test.concurrent('goes on', AGAIN, async () => { ${NOT_YET} });
`;
  const files = { 'test/fast/red.test.js': TELLING + failing('is wrong') + hangs };
  const checkout = createCheckout({ files });
  await eventually('it hangs', () => /hangs.*\n.*goes on/.test(checkout.notes('fast')));
  checkout.run.kill('SIGTERM');
  expect(await checkout.end('== what failed')).toMatchInlineSnapshot(`
    "== what failed:
    ✗ it was ended by SIGTERM
    ✗ fast was cut off; these ran:
        fast · test/fast/red.test.js · hangs
        fast · test/fast/red.test.js · goes on
    ✗ fast · test/fast/red.test.js · is wrong (N s of N s)
        AssertionError: expected { a: 1, b: 'x' } to deeply equal { a: 2, b: 'x' }
        - Expected
        + Received
          {
        -   "a": 2,
        +   "a": 1,
            "b": "x",
          }
        at test/fast/red.test.js:2:57

    0 passed, 3 failed
    [exit 1]"
  `);
});

test('it ends itself when its time is over', async () => {
  const files = { 'test/fast/red.test.js': hanging('hangs').replace('900', '0') };
  const checkout = createCheckout({ files, env: { CI_SECONDS: '8' } });
  expect(await checkout.end('== what failed')).toMatch(
    /✗ the time of this run, 8 seconds, is over\n(?:.*\n)+\d+ passed, \d failed\n\[exit 1\]$/,
  );
});
