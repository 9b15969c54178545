import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { installedPackage } from './installed.ts';

const programIn = (directory: string): string | undefined => {
  const path = join(directory, 'node_modules', '.bin', 'opencode');
  return existsSync(path) ? path : undefined;
};

/** The real opencode. */
export const OPENCODE = installedPackage('opencode-ai', '1.18.33', programIn);
