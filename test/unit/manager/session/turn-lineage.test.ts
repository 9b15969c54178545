import { expect, test } from 'vitest';
import type { TurnKind } from '../../../../src/core/session.ts';
import type { TurnStatus } from '../../../../src/core/status.ts';
import { lineageTurnOf } from '../../../../src/manager/session/turn-lineage.ts';
import type { TurnReading } from '../../../../src/manager/turn/turn-state.ts';
import { createStoredSession, ID } from '../../../helpers/store.ts';

test.each<[kind: TurnKind, status: TurnStatus, answer: string | null, summarised: boolean]>([
  ['compact', 'completed', 'the summary', true],
  ['compact', 'completed', null, false],
  ['compact', 'failed', 'half of a summary', false],
  ['compact', 'killed', 'half of a summary', false],
  ['compact', 'running', 'half of a summary', false],
  ['prompt', 'completed', 'an answer', false],
])('a %s turn that is %s and says %j stands for what was before: %j', (kind, status, answer, summarised) => {
  const reading = {
    store: createStoredSession(),
    id: ID,
    turn: 1,
    request: { kind, to: null },
    launch: null,
    verdict: { status },
    outcome: { threadId: 'T', answer },
  } as TurnReading;
  expect(lineageTurnOf(reading, null)).toMatchObject({ turn: 1, kind, summarised });
});
