import { marked } from 'marked';
import { expect, test } from 'vitest';
import { plain, unfit } from '../../helpers/display.ts';
import { fieldsOf, readPage } from '../../helpers/document.ts';
import { ATTACKS, toSay } from '../../helpers/hostile-output.ts';
import { createProject, createShellProject } from '../../helpers/project.ts';

const SPENT =
  'run printf \'{"type":"turn.failed","error":{"message":"You have hit your usage limit."}}\\n\'; exit 1';

/** One session of each kind. */
async function createNight() {
  const project = createShellProject();
  const start = async (id: string, words: string[], expected = 0) => {
    const { code } = await project.zwarm(['start', '-q', ...words], { newId: id });
    expect({ id, code }).toEqual({ id, code: expected });
  };
  await start('aaaaaaaaaa', ['--wait', '--name', 'docs', 'quick work']);
  await start('bbbbbbbbbb', ['--wait', 'break the build'], 1);
  await start('cccccccccc', ['hang around']);
  await project.ok(['kill', 'cccccccccc']);
  await start('dddddddddd', ['hang on']);
  await start('eeeeeeeeee', ['--after', 'dddddddddd', 'after that']);
  await start('ffffffffff', ['--after', 'cccccccccc', 'never']);
  return project;
}

/** What is told of a session without what differs from run to run. */
const stable = (text: string): string => plain(text).replace(/since \d{4}-[\d :-]*(UTC|…)?/g, 'since WHEN');

test('a look in the morning tells what needs you first, then what is done, failed, runs and waits', async () => {
  const project = await createNight();
  const wide = stable(await project.$('digest', { tty: true, columns: 80 }));
  expect(wide).toMatchInlineSnapshot(`
    "Needs you 1
    ID          TASK   WHY
    ffffffffff  never  cccccccccc, which it waits for, is killed

    Done 1
    ID          NAME  TASK        TOKENS  ANSWER
    aaaaaaaaaa  docs  quick work      15  done

    Failed 1
    ID          TASK             WHY
    bbbbbbbbbb  break the build  it broke

    Stopped 1
    ID          TASK         WHY
    cccccccccc  hang around  killed

    Still running 1
    ID          TASK     NOW
    dddddddddd  hang on  running

    Waiting 1
    ID          TASK        WHY
    eeeeeeeeee  after that  it waits for dddddddddd

    6 sessions · 15 tokens · since WHEN
    what to do: zwarm show ID
    "
  `);
  const narrow = stable(await project.$('digest', { tty: true, columns: 40 })).split('\n\n');
  expect(narrow.filter((section) => !wide.includes(section)).join('\n\n')).toMatchInlineSnapshot(`
    "Needs you 1
    ID          WHY
    ffffffffff  cccccccccc, which it waits…

    Done 1
    ID          NAME  TASK        ANSWER
    aaaaaaaaaa  docs  quick work  done

    Waiting 1
    ID          WHY
    eeeeeeeeee  it waits for dddddddddd"
  `);
  expect(stable(await project.$('digest --md'))).toMatchInlineSnapshot(`
    "## Needs you

    - \`ffffffffff\`: \`never\` – \`cccccccccc, which it waits for, is killed\`

    ## Done

    - \`aaaaaaaaaa\` \`docs\`: \`quick work\` – \`done\`

    ## Failed

    - \`bbbbbbbbbb\`: \`break the build\` – \`it broke\`

    ## Stopped

    - \`cccccccccc\`: \`hang around\` – \`killed\`

    ## Still running

    - \`dddddddddd\`: \`hang on\` – \`running\`

    ## Waiting

    - \`eeeeeeeeee\`: \`after that\` – \`it waits for dddddddddd\`

    6 sessions · 15 tokens · since WHEN
    "
  `);
});

test('an account that is spent tells what failed by it, and what waits for it', async () => {
  const project = createShellProject();
  await project.zwarm(['start', '--wait', SPENT], { newId: 'aaaaaaaaaa' });
  await project.settled('aaaaaaaaaa');
  await project.ok(['start', '-q', '--queue', 'later'], { newId: 'bbbbbbbbbb' });
  expect(stable(await project.$('digest', { tty: true, columns: 80 }))).toMatchInlineSnapshot(`
    "Needs you 1
    ID          TASK   WHY
    bbbbbbbbbb  later  codex: You have hit your usage limit.; when that is mended:…

    Failed 1
    ID          TASK                                              WHY
    aaaaaaaaaa  run printf '{"type":"turn.failed","error":{"mes…  usage limit

    Slept
    codex · end not known · 1 failed · 1 waiting · You have hit your usage limit.

    2 sessions · since WHEN
    what to do: zwarm show ID
    "
  `);
  const { slept, needs_you } = JSON.parse(await project.$('digest --json'));
  expect(Object.keys(slept[0]).sort()).toEqual(fieldsOf(readPage('docs/formats.md'), 'Sleeper').sort());
  expect(slept).toMatchObject([
    { agent: 'codex', failed: ['aaaaaaaaaa'], waiting: ['bbbbbbbbbb'], until: null },
  ]);
  // No time is known at which it would go on by itself.
  expect(needs_you).toMatchObject([{ id: 'bbbbbbbbbb', pending: { reason: 'hold' } }]);
  await project.ok(['queue', 'rm', 'bbbbbbbbbb']);
});

test('what ended before that time is left out; where nothing happened, a sentence says so', async () => {
  const project = createShellProject();
  await project.ended(['x']);
  const tomorrow = Date.now() + 24 * 3_600_000;
  const sections = async (since: string) => {
    const found = JSON.parse(await project.$(`digest --json --since ${since}`, { now: tomorrow }));
    return { done: found.done.length, turns: found.total.turns };
  };
  expect(await sections('12h')).toEqual({ done: 0, turns: 0 });
  expect(await sections('3d')).toEqual({ done: 1, turns: 1 });
  const nothing = 'Nothing has happened since WHEN, and nothing runs or waits.\n';
  expect(stable(await project.$('digest', { now: tomorrow, tty: true }))).toBe(nothing);
  expect(stable(await project.$('digest --md', { now: tomorrow }))).toBe(nothing);
  const everywhere = await project.$('digest --everywhere', { cwd: project.base });
  expect(stable(everywhere)).toMatch(/PROJECT .*\n\w{10} {2}project {2}x/);
});

test.each([40, 80, 200])(
  'what others say stays on its line at %i columns, and drives nothing',
  async (columns) => {
    const project = createProject();
    const text = Object.values(ATTACKS).join(' ');
    for (const end of ['failed', 'completed'] as const)
      await project.zwarm(['start', '--wait', text], { env: toSay(project, text, end) });
    const page = await project.$('digest --everywhere', { tty: true, columns, env: { NO_COLOR: '1' } });
    expect(unfit(page.split('\n'), columns)).toEqual([]);
    expect(page.trimEnd().split('\n')).toHaveLength(9);
  },
);

test('Markdown of an agent means nothing in that of a digest', async () => {
  const project = createProject();
  const text = '<img src=x> `` ` [a](http://b) ![c](d) **e** @you www.f.g `';
  await project.zwarm(['start', '--wait', text], { env: toSay(project, text, 'failed') });
  const page = await marked(await project.$('digest --md'));
  expect(page.match(/<\w+/g)?.filter((tag) => !['<h2', '<ul', '<li', '<code', '<p'].includes(tag))).toEqual(
    [],
  );
  expect(page).toContain('[a](http://b) ![c](d) **e** @you www.f.g ` failed</code>');
});
