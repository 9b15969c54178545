import { placeForTests } from './helpers/place.ts';

/** What leads zwarm, git or an agent to what belongs to whoever runs the tests. */
const OF_CALLER = /^(ZWARM|XDG|GIT|CODEX)_/;

/** Keeps the tests, which inherit the environment of this process, from the caller's sessions, settings and projects. */
export function leaveCaller(): void {
  for (const name of Object.keys(process.env)) if (OF_CALLER.test(name)) delete process.env[name];
  process.env['TMPDIR'] = placeForTests();
}
