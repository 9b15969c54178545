import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { manPages } from '../../src/cli/help/man-page.ts';

const PAGES = manPages({
  version: '1.2.3',
  exitCodes: [['0', "done: \\x stays, and so do a-b, --flag, 'quotes' and …"]],
  environment: [['ZWARM_DIR', 'the state directory, like --state-dir']],
});

const pageOf = (file: string): string => PAGES.get(file) ?? `there is no ${file}`;

/** What a reader sees of a page on a terminal of 80 columns, and what the formatter complains about. */
function formatted(page: string) {
  const { stdout, stderr } = spawnSync('groff', ['-man', '-Tutf8', '-ww', '-P-cbou', '-rLL=78n'], {
    input: page,
  });
  return { text: stdout.toString(), complaints: stderr.toString() };
}

const canFormat = spawnSync('groff', ['--version']).status === 0;
const withGroff = test.runIf(canFormat);
const orNot = canFormat ? '' : ' (groff is not installed: not tried)';

test('a page says what the help says, in the language of man', () => {
  expect(pageOf('zwarm-name.1')).toMatchInlineSnapshot(`
    ".TH ZWARM-NAME 1 "" "zwarm 1.2.3" "zwarm manual"
    .nr HY 0
    .nh
    .ad l
    .SH NAME
    zwarm\\-name \\- give a session a name, or take it away
    .SH SYNOPSIS
    \\fBzwarm name\\fR [\\fIoptions\\fR] \\fIid\\fR \\fIname\\fR
    .SH DESCRIPTION
    Give a session a name, or take it away.
    .PP
    A name belongs to one session of a project. Where another session has it, the name moves.
    .SH ARGUMENTS
    .TP
    \\fIid\\fR
    id or its first characters, name, @last, @last\\(ti1, @here, @running or @failed
    .TP
    \\fIname\\fR
    its name from now on; - takes the present one away
    .SH OPTIONS
    .TP
    \\fB\\-q, \\-\\-quiet\\fR
    print only the id
    .TP
    \\fB\\-\\-json\\fR
    print the session as JSON
    .PP
    All commands take \\-\\-project, \\-\\-state\\-dir, \\-\\-color and \\-\\-help: see \\fBzwarm\\fR(1).
    .SH EXAMPLES
    .EX
      $ zwarm name @last fix\\-login
      $ zwarm name fix\\-login \\-  the session has no name
    .EE
    .SH EXIT STATUS
    .TP
    \\fB0\\fR
    done: \\ex stays, and so do a-b, \\-\\-flag, \\(aqquotes\\(aq and \\[u2026]
    .SH SEE ALSO
    \\fBzwarm\\fR(1),
    \\fBzwarm\\-trajectory\\fR(1),
    \\fBzwarm\\-search\\fR(1),
    \\fBzwarm\\-fork\\fR(1),
    \\fBzwarm\\-rewind\\fR(1),
    \\fBzwarm\\-compact\\fR(1),
    \\fBzwarm\\-usage\\fR(1)
    "
  `);
});

withGroff(`it looks like other manual pages${orNot}`, () => {
  expect(formatted(pageOf('zwarm-name.1')).text).toMatchInlineSnapshot(`
    "ZWARM-NAME(1)                    zwarm manual                    ZWARM-NAME(1)



    NAME
           zwarm-name - give a session a name, or take it away

    SYNOPSIS
           zwarm name [options] id name

    DESCRIPTION
           Give a session a name, or take it away.

           A name belongs to one session of a project. Where another session has
           it, the name moves.

    ARGUMENTS
           id     id or its first characters, name, @last, @last~1, @here,
                  @running or @failed

           name   its name from now on; - takes the present one away

    OPTIONS
           -q, --quiet
                  print only the id

           --json print the session as JSON

           All commands take --project, --state-dir, --color and --help: see
           zwarm(1).

    EXAMPLES
             $ zwarm name @last fix-login
             $ zwarm name fix-login -  the session has no name

    EXIT STATUS
           0      done: \\x stays, and so do a-b, --flag, 'quotes' and …

    SEE ALSO
           zwarm(1), zwarm-trajectory(1), zwarm-search(1), zwarm-fork(1),
           zwarm-rewind(1), zwarm-compact(1), zwarm-usage(1)



    zwarm 1.2.3                                                      ZWARM-NAME(1)
    "
  `);
});

withGroff(`no page has anything that a formatter warns about${orNot}`, () => {
  const complaints = [...PAGES].map(([file, page]) => [file, formatted(page).complaints]);
  expect(complaints.filter(([, said]) => said !== '')).toEqual([]);
});

test('there is a page for each command, which zwarm(1) leads to', () => {
  expect([...PAGES.keys()]).toEqual(
    expect.arrayContaining(['zwarm.1', 'zwarm-start.1', 'zwarm-mcp-install.1']),
  );
  expect([...PAGES.keys()].filter((file) => /settle|zwarm-complete\.1/.test(file))).toEqual([]);
  for (const file of PAGES.keys()) {
    const verb = /^zwarm-[a-z]+(?=\.1$)/.exec(file)?.[0];
    if (verb !== undefined) expect(pageOf('zwarm.1')).toContain(`\\fB${verb.replace('-', '\\-')}\\fR(1)`);
  }
});
