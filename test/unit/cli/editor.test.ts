import { existsSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { onScreen } from '../../helpers/context.ts';
import { createProject } from '../../helpers/project.ts';

test.each([0o000, 0o777])(
  'nobody else can read what is written in the editor, with a umask of %i',
  async (mask) => {
    const project = createProject();
    const before = process.umask(mask);
    onTestFinished(() => void process.umask(before));
    const modes: number[] = [];
    let directory = '';
    const editor = async (_: string, [file = '']: readonly string[]) => {
      directory = dirname(file);
      for (const path of [directory, file]) modes.push(statSync(path).mode & 0o777);
      writeFileSync(file, '');
      return 0;
    };
    await onScreen(project, ['start'], { tty: true, env: { EDITOR: 'e' }, editor });
    expect(modes).toEqual([0o700, 0o600]);
    // Nothing was written in it.
    expect(existsSync(directory)).toBe(false);
  },
);
