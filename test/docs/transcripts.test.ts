import { readdirSync } from 'node:fs';
import { expect, test, vi } from 'vitest';
import { readPage } from '../helpers/document.ts';
import { repositoryFile } from '../helpers/project.ts';
import { pictureOf } from './picture.ts';
import { record } from './transcript.ts';

const DIRECTORY = 'test/docs/transcripts';

// Unlike other tests of pages, these start agents.
vi.setConfig({ testTimeout: 300_000 });

const recorded = new Map<string, Promise<string>>();

/** What the screen shows for the lines of a transcript now. */
function screenOf(name: string): Promise<string> {
  const known = recorded.get(name) ?? record(readPage(`${DIRECTORY}/${name}`));
  recorded.set(name, known);
  return known;
}

test.each(readdirSync(repositoryFile(DIRECTORY)))('%s is what the screen shows', async (name) => {
  await expect(await screenOf(name)).toMatchFileSnapshot(repositoryFile(`${DIRECTORY}/${name}`));
});

test('the picture in the README is a screen', async () => {
  const typed = readPage(`${DIRECTORY}/picture.txt`);
  const text = await record(typed, { mark: '', env: { NO_COLOR: '', FORCE_COLOR: '1' } });
  await expect(pictureOf(text, 80)).toMatchFileSnapshot(repositoryFile('docs/terminal.svg'));
});

test('the day in the README is the transcript of it', async () => {
  const day = (await screenOf('day.txt')).replace(/^2> /gm, '');
  const page = readPage('README.md').replace(/(?<=^```console\n).*?(?=^```)/ms, () => day);
  await expect(page).toMatchFileSnapshot(repositoryFile('README.md'));
});
