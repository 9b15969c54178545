import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PROGRAM, VERBS } from '../../src/cli/command-tree.ts';
import { YES } from '../../src/cli/common-options.ts';
import type { VerbDefinition } from '../../src/cli/define-verb.ts';
import { SYNONYMS } from '../../src/cli/help/synonyms.ts';
import { onScreen } from '../helpers/context.ts';
import { createShellProject, repositoryFile } from '../helpers/project.ts';

const nowhere = { directory: '/nowhere', env: {} };

/** A verb and what is below it, as they are typed. */
function linesOf({ name, subcommands = [] }: VerbDefinition): string[][] {
  return [[name], ...subcommands.flatMap(linesOf).map((line) => [name, ...line])];
}

const LINES = [[], ...VERBS.filter(({ hidden }) => !hidden).flatMap(linesOf)];

async function helpOf(words: readonly string[], columns: number): Promise<string> {
  const { code, stdout, stderr } = await onScreen(nowhere, [...words, '--help'], { columns });
  expect({ words, code, stderr }).toEqual({ words, code: 0, stderr: '' });
  return stdout;
}

test('the help of a verb on a narrow terminal: a command that is too long can still be copied', async () => {
  expect(await helpOf(['trajectory'], 40)).toMatchInlineSnapshot(`
    "Usage: zwarm trajectory [options] <id>

    List what an agent did, a line for each
    step.

    Examples:
      $ zwarm trajectory @last
      $ zwarm trajectory @last --turn 2 \\
          --full
          with outputs
      $ zwarm trajectory @last --json | jq \\
          -r \\
          '.[] | [.type, .status] | @tsv'

    Arguments:
      <id>
          id or its first characters, name,
          @last, @last~1, @here, @running or
          @failed

    Options:
      --turn <number>
          only this turn
      --time
          with the time at which each turn
          began
      --full
          with all of each step, such as the
          whole output of a command
      --json
          print an array of steps as JSON
      --no-pager
          print a long page without stopping

    These are the steps that zwarm logs
    prints, in the same words, without their
    outputs and with numbers. The numbers
    run through all turns. A step that did
    not end well has its status or exit code
    at its end. One that changed while
    others went on, such as a plan, is
    listed each time. On a terminal, a page
    that is longer than the screen is shown
    with ZWARM_PAGER, PAGER or less.

    All commands take --project,
    --state-dir, --color and --help: see
    zwarm --help.
    "
  `);
});

test('the help of zwarm', async () => {
  expect(await helpOf([], 80)).toMatchInlineSnapshot(`
    "Usage: zwarm <command> [options]

    Run coding agents such as Codex and Claude Code in the background, and always
    know how each of them stands.

    Examples:
      $ zwarm demo                             see it at work, without an account
      $ zwarm start "fix the failing tests"    start an agent, print its id
      $ zwarm ls                               what runs, and what has ended
      $ zwarm logs -f @last                    what the agent does, as it happens
      $ zwarm show @last                       the conversation
      $ zwarm inject @last "now the docs too"  the next message
      $ zwarm kill @last                       end it

    Every day:
      start [task]            start an agent on a task, and print the session id
      ls                      list sessions: all that run, and the newest 20
      show <id>               show how a session stands, and what was said
      answer [id]             print what a session answered
      logs <id...>            print what agents do, step by step, as it happens
      inject <id> [message]   give a session its next message
      wait [id...]            wait until sessions have ended
      kill [id...]            stop running sessions

    Conversations:
      trajectory <id>         list what an agent did, a line for each step
      search [word...]        find lines in what was said, run, printed and changed
      fork <id> [message]     begin a session with a copy of a conversation
      rewind <id>             go back to an earlier turn of a conversation
      compact <id>            continue a long conversation from a summary of it
      name <id> <name>        give a session a name, or take it away
      usage                   what sessions used: tokens, and what they cost

    Files:
      diff <id> [more...]     show what a session changed in the files
      review <id> [path...]   comment on what a session changed, as its next message
      undo <id>               revert what a turn changed in the files
      compare [id...]         show what several sessions answered and changed side
                              by side
      land <id>               bring what a session changed in its own tree onto a
                              branch
      apply <id>              bring what a session changed in its own tree here,
                              uncommitted
      path <id>               print the directory in which a session works
      exec <id> <command...>  run a command in the directory of a session

    Import and export:
      import [what...]        import conversations that agents had without zwarm
      open <id>               go on with a session in the agent's own program
      history <id>            print a conversation for another program
      export <id>             write a session for people who have no zwarm
      pack <id>               write a session to one file, for another machine
      unpack <file>           take a session out of a file into this project

    Queue and reports:
      queue                   list what waits for its turn, and why
      digest                  show what happened, what is done, and what needs you
      events                  list what happened to sessions, in order
      wake                    start waiting messages that may begin, in all projects

    Cleaning up:
      rm [id...]              delete sessions that are not running
      clean                   delete sessions that ended long ago, and their trees
      restore <id>            bring back a session that was deleted, with its tree
      relocate                keep the sessions of a project that was moved

    For language models:
      orchestrate [goal]      start an agent that leads others to a goal
      mcp                     give a language model the tools to run sessions

    Setting up:
      demo                    see agents at work in 15 seconds, without an account
      agents                  list the agents, and what each can do here
      doctor                  check what zwarm needs, and say what to do
      config                  see and change the configuration
      completion <shell>      let your shell complete command lines

    A session is a conversation with one agent; each message begins a turn. It is
    named by its id or the first 3 characters of that, its name, or its place in
    zwarm ls: @last (the first), @last~1 (the next), @here (the first that works in
    this directory), @running (the first that runs), @failed (the first that
    failed).

    zwarm COMMAND --help has all options of a command, and examples.

    Global options:
      --project <dir>         work in the project of this directory
      --state-dir <dir>       keep everything in this directory (also: ZWARM_DIR)
      --color <when>          auto, always or never (default: auto)
      -h, --help              print help
      -V, --version           print the version
    "
  `);
});

test.each([40, 80, 200])('at %i columns every line fits, unless it is a single word', async (columns) => {
  for (const words of LINES) {
    const long = (await helpOf(words, columns)).split('\n').filter((line) => line.length > columns);
    const quoted = long.map((line) => line.replace(/"[^"]*"|'[^']*'/g, 'q').replace(/ \\$|\$ /g, ''));
    expect(columns === 80 ? long : quoted.filter((line) => /\S\s/.test(line))).toEqual([]);
  }
});

test('on a terminal of 80 columns every example is one line', async () => {
  for (const words of LINES) expect(await helpOf(words, 80)).not.toMatch(/\\$/m);
});

/** Everything that has options: each verb, and what is below it. */
const everyVerb = (verbs: readonly VerbDefinition[]): VerbDefinition[] =>
  verbs.flatMap((verb) => [verb, ...everyVerb(verb.subcommands ?? [])]);

test('an option has the same letter everywhere', () => {
  const letters = new Map<string, Set<string>>();
  for (const { options = {} } of [PROGRAM.definition, ...everyVerb(VERBS)])
    for (const { term } of Object.values({ ...options, ...PROGRAM.globals })) {
      const [, letter = 'none', name = ''] = /^(?:(-\w), )?(--[\w-]+)/.exec(term) ?? [];
      letters.set(name, (letters.get(name) ?? new Set()).add(letter));
    }
  expect([...letters].flatMap(([name, all]) => (all.size > 1 ? [name] : []))).toEqual([]);
});

test('options of one name that say something different', () => {
  const said = new Map<string, Set<string>>();
  for (const { options = {} } of everyVerb(VERBS))
    for (const { term, description } of Object.values(options)) {
      const [name = ''] = /--[\w-]+/.exec(term) ?? [];
      // Each verb has a document of its own.
      if (name === '--json') continue;
      said.set(name, (said.get(name) ?? new Set()).add(description));
    }
  const different = [...said].filter(([, descriptions]) => descriptions.size > 1);
  const lines = different.map(([name, all]) => [name, ...[...all].map((one) => `  ${one}`)].join('\n'));
  expect(lines.sort().join('\n')).toMatchInlineSnapshot(`
    "--agent
      the agent, such as codex or claude; repeat for a session of each
      the agent, such as codex or claude
    --all
      all sessions
      every running session
      all threads of all directories
    --branch
      with -W: its branch (default: zwarm/NAME or zwarm/ID)
      with -W: that branch (default: zwarm/ID)
    --check
      run this on the files of each of them
      land only if this succeeds on the merged files
    --directory
      where the agent works (default: here)
      where it works (default: where the session does)
    --dry-run
      only print where each would work, and its command
      only show what would be changed
      only show what would be landed
      only show what would be deleted
    --everywhere
      the sessions of all projects; every command takes their ids
      the sessions of all projects
    --file
      read the task from a file
      read the message from a file
      read the patch with the comments from a file
    --follow
      continue until the sessions have ended
      go on as it happens, until Ctrl-C
    --force
      also where the host or container is gone for good (status unknown)
      replace a file that is there
    --full
      whole commands, outputs and tool calls, and the reasoning of the agent
      with all of each step, such as the whole output of a command
      also what the agent did between its messages
    --here
      only sessions that work in this directory or below it
      all threads that work in this directory or below
    --limit
      only the newest COUNT
      stop after COUNT lines
    --md
      print it as Markdown (the default)
      as Markdown, for a mail or a page
    --output
      the file (default: stdout)
      the file (default: ID.zwarm.tgz); - for stdout
    --print
      only show what would be written
      only print what to paste, and change nothing
    --queue
      wait while max_running turns run
      let it wait for what runs and waits before it
    --quiet
      print only the id
      print only ids
      print only the commit
    --remove
      take that back
      take it out again
    --since
      only sessions that changed in the last 45s, 10m, 2h, 3d
      only what was done in the last 45s, 10m, 2h, 3d
      only turns that began in the last 45s, 10m, 2h, 3d
      only threads that went on in the last 45s, 10m, 2h, 3d
      only what ended in the last 45s, 10m, 2h, 3d, or since a time (default: 12h)
      only what happened in the last 45s, 10m, 2h, 3d, or since a time
    --tag
      a word to find the session by; repeat for more
      only sessions with this tag; repeat for any of several
    --time
      absolute times instead of ages
      with the time at which each turn began
    --timeout
      with --wait: stop waiting after 45s, 10m, 2h (exit code 124; the agent continues)
      stop waiting after 45s, 10m, 2h (exit code 124; the agent continues)
    --to
      the turn after which to continue; 0 for the beginning
      give the sessions that are kept for this place to DIR
    --tree
      show what an agent started below the session of that agent
      also everything that they have started, directly or not
    --turn
      only this turn
      what it answered in this turn
      as it was right after this turn
      only this turn; last for the newest
      only what this turn changed; last for the newest
      this turn (default: the newest)
      only this message
    --wait
      wait for the end and print the answer
      wait for the end and print the summary
    --worktree
      give it a tree of its own: a git worktree with a new branch
      copy its files, too, into a git worktree with a new branch"
  `);
});

test('what other tools call it is no command here, and leads to one that is there', () => {
  const verbs = new Map(
    VERBS.flatMap((verb) => [verb.name, ...(verb.aliases ?? [])].map((name) => [name, verb])),
  );
  expect([...SYNONYMS.keys()].filter((word) => verbs.has(word))).toEqual([]);
  const missing = [...SYNONYMS.values()].filter((typed) => {
    const [name = '', ...rest] = typed.split(' ');
    const verb = verbs.get(name);
    const known = [
      ...Object.values({ ...verb?.options, ...PROGRAM.globals }).flatMap(({ term }) => term.split(/[, ]/)),
      ...(verb?.subcommands ?? []).map((below) => below.name),
    ];
    return (verb === undefined && !known.includes(name)) || rest.some((word) => !known.includes(word));
  });
  expect(missing).toEqual([]);
});

test('one help is printed however it is asked for', async () => {
  const shown = (line: string) => onScreen(nowhere, line.split(' ').filter(Boolean));
  for (const line of ['help ls', 'ps -h', 'ls -n x -h'])
    expect(await shown(line)).toEqual(await shown('ls -h'));
  expect(await shown('')).toEqual(await shown('--help'));
});

test('verbs that people know by another name answer to it', async () => {
  const project = createShellProject();
  const id = await project.begin('hang');
  for (const list of ['ls', 'list', 'ps']) expect(await project.$(`${list} -q`)).toBe(`${id}\n`);
  expect(await project.$(`stop ${id}`)).toBe(`${id} killed\n`);
});

test('what may ask takes -y, also where it does not ask, and nothing else does', () => {
  const room = repositoryFile('src/cli/commands');
  const asks = readdirSync(room)
    .toSorted()
    .filter((file) => readFileSync(join(room, file), 'utf8').includes('/ask-first.ts'));
  const takes = (verb: VerbDefinition): boolean =>
    Object.values(verb.options ?? {}).includes(YES) || (verb.subcommands ?? []).some(takes);
  expect(VERBS.filter(takes).map(({ name }) => name)).toEqual([
    'kill',
    'wake',
    'rm',
    'clean',
    'relocate',
    'mcp',
    'config',
  ]);
  const files = ['clean', 'config', 'kill', 'mcp-install', 'relocate', 'rm', 'wake-install'];
  expect(asks).toEqual(files.map((name) => `${name}.ts`));
});
