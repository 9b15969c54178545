import { execFileSync } from 'node:child_process';
import { readdirSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkSeal, unseal } from '../../../src/store/seals.ts';
import { readSessionRecord } from '../../../src/store/sessions.ts';
import { createStoredSession, ID, type Places, RECORD } from '../../helpers/store.ts';

const broken = (message: RegExp): unknown =>
  expect.objectContaining({ code: 'seal_broken', exitCode: 5, message: expect.stringMatching(message) });

function check({ root, seals }: Places): void {
  checkSeal(seals, root, ID, readSessionRecord(root, ID).bytes);
}

function sealOf({ seals }: Places): string {
  const [directory = ''] = readdirSync(seals);
  return join(seals, directory, ID);
}

test('a record that nobody touched has its seal', () => {
  const places = createStoredSession();
  expect(() => check(places)).not.toThrow();
  expect(statSync(sealOf(places)).mode & 0o777).toBe(0o600);
});

test.each<[string, object]>([
  ['its sandbox was widened', { ...RECORD, sandbox: 'danger-full-access' }],
  ['its directory was changed', { ...RECORD, working_dir: '/' }],
  ['a field was added that nobody reads', { ...RECORD, note: '' }],
  ['its keys were reordered', Object.fromEntries(Object.entries(RECORD).reverse())],
])('a record is refused when %s', (_, record) => {
  const places = createStoredSession();
  writeFileSync(join(places.root, 'sessions', ID, 'session.json'), `${JSON.stringify(record)}\n`);
  expect(() => check(places)).toThrow(broken(/was changed/));
});

test.each<[string, (places: Places) => void]>([
  ['is missing', (places) => rmSync(sealOf(places))],
  ['is missing with all others', ({ seals }) => rmSync(seals, { recursive: true })],
  ['was removed with its session', ({ seals, root }) => unseal(seals, root, ID)],
])('a record is refused when its seal %s', (_, spoil) => {
  const places = createStoredSession();
  spoil(places);
  expect(() => check(places)).toThrow(broken(/has no seal/));
});

test('an empty or foreign seal is no seal', () => {
  for (const text of ['', '\n', 'x', `${'0'.repeat(64)}\n`]) {
    const places = createStoredSession();
    writeFileSync(sealOf(places), text);
    expect(() => check(places)).toThrow(broken(/was changed/));
  }
});

test('a state directory that was moved or copied brings no seals along', () => {
  const places = createStoredSession();
  const moved = { ...places, root: `${places.root}-moved` };
  execFileSync('cp', ['-a', places.root, moved.root]);
  expect(() => check(moved)).toThrow(broken(/has no seal/));
  rmSync(moved.root, { recursive: true });
  renameSync(places.root, moved.root);
  expect(() => check(moved)).toThrow(broken(/has no seal/));
});

test('a link in the place of a seal is not followed', () => {
  const places = createStoredSession();
  const seal = sealOf(places);
  renameSync(seal, `${seal}.elsewhere`);
  symlinkSync(`${seal}.elsewhere`, seal);
  expect(() => check(places)).toThrow();
});
