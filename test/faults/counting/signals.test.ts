import { join } from 'node:path';
import { expect, test } from 'vitest';
import { statOf } from '../../../src/process/identity.ts';
import { stopTurn } from '../../../src/process/stop.ts';
import { emptyDirectory } from '../../helpers/directory.ts';
import { live, newMarks } from '../../helpers/marked.ts';
import { synchronously } from '../../helpers/project.ts';
import { arm, disarm } from './syscalls.ts';

test('what has ended since it was found gets no signal: its pid may be somebody else by now', async () => {
  const marks = newMarks();
  const fifo = join(emptyDirectory(), 'fifo');
  // It never records how its turn ended: it is ended last, when that has been done in its place.
  const runner = await live(
    `${marks}x.runner`,
    'trap : HUP INT TERM; mkfifo "$1"; echo ready; read -r forever < "$1"',
    [fifo],
  );
  let recorded = false;
  try {
    const left = await stopTurn({
      marks,
      recorded: null,
      signals: ['SIGINT', 'SIGTERM', 'SIGKILL'],
      graceMs: 0,
      ended: () => false,
      record() {
        // Between the look that has found it and the signal.
        process.kill(runner.pid, 'SIGKILL');
        synchronously('it is dead', () => statOf(runner.pid)?.dead !== false);
        arm(null);
        recorded = true;
      },
    });
    expect({ left, recorded }).toEqual({ left: [], recorded: true });
  } finally {
    expect(disarm()).toEqual([]);
  }
});
