import { type Finding, finding } from '../../core/check.ts';

/** The oldest Node that zwarm works with, as `engines` in `package.json` says. */
const OLDEST = [20, 12] as const;

/** Whether a version of Node, such as `20.12.0`, is new enough. */
export function checkNode(version: string, path: string): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const enough = major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1]);
  if (enough) return finding('ok', `${version}, ${path}`);
  const oldest = OLDEST.join('.');
  return finding('failed', `Node ${version} (${path}) is too old`, `install Node ${oldest} or newer`);
}
