import { createFolder, type Folder, type TurnFold } from '../../core/conversation/fold.ts';
import type { TurnReader } from '../../core/conversation/session-reader.ts';
import { toolContent } from '../../core/conversation/steps.ts';
import type { Message, TurnView } from '../../core/session.ts';
import type { TurnReading } from '../turn/turn-state.ts';
import { readMessages, readSteps, type TurnStream } from '../turn/turn-stream.ts';
import { walkOrDamaged } from './damage.ts';
import { hasLostThread } from './session-state.ts';

/** The warnings about a turn, in order. */
function warningsOf(
  { launch, outcome, exit }: TurnReading,
  { warnings, malformed }: TurnFold,
  cancelReason: string | null,
): readonly string[] {
  const lost =
    launch !== null && hasLostThread(launch, outcome)
      ? [
          `the agent did not continue its thread ${launch.thread_id} but began ${outcome.threadId}: it does not know the earlier turns`,
        ]
      : [];
  const unread =
    malformed === 0
      ? []
      : malformed === 1
        ? ['1 line of its output could not be read; it is kept in the log file']
        : [`${malformed} lines of its output could not be read; they are kept in the log file`];
  const cut = exit?.record.why === null && exit.record.detail !== null ? [exit.record.detail] : [];
  const asked = cancelReason === null ? [] : [`it was ended on request: ${cancelReason}`];
  return [...lost, ...warnings, ...unread, ...cut, ...asked];
}

/** Reads the conversation of a turn. `cancelReason` is why somebody killed it, in their words, or null. */
export function createTurnReader(
  reading: TurnReading,
  view: TurnReader['view'],
  cancelReason: string | null,
): TurnReader {
  const { turn, request, stream } = reading;
  let fold: TurnFold | null = null;

  function* walk<T>(read: (stream: TurnStream, folder: Folder) => Iterable<T>): Generator<T> {
    const folder = createFolder();
    yield* walkOrDamaged(reading, read(stream, folder));
    fold = folder.result();
  }

  function* messages(full: boolean): Generator<Message> {
    if (!view.in_conversation) return;
    const message = (role: Message['role'], content: string): Message => ({
      ...{ role, content, turn },
      timestamp: role === 'user' ? request.at : null,
    });
    if (view.prompt !== null && view.kind === 'prompt') yield message('user', view.prompt);
    if (!full) {
      for (const text of walk(readMessages)) yield message('assistant', text);
      return;
    }
    for (const { step } of walk(readSteps)) {
      const content = step.type === 'message' ? step.content : toolContent(step);
      if (content !== null) yield message(step.type === 'message' ? 'assistant' : 'tool', content);
    }
  }

  function readAll(): TurnFold {
    const folder = createFolder();
    for (const _ of walkOrDamaged(reading, readMessages(stream, folder)));
    return folder.result();
  }

  function whole(): TurnView {
    fold ??= readAll();
    return { ...view, answer: fold.answer, warnings: warningsOf(reading, fold, cancelReason) };
  }

  return { view, messages, steps: () => walk(readSteps), whole };
}
