import { createFolder, type Folder, type TurnFold } from '../../core/conversation/fold.ts';
import { toolContent } from '../../core/conversation/messages.ts';
import type { TurnReader } from '../../core/conversation/session-reader.ts';
import type { SessionId } from '../../core/ids.ts';
import type { Message, TurnView } from '../../core/session.ts';
import type { Store } from '../context.ts';
import type { TurnReading } from '../turn/turn-state.ts';
import { readMessages, readSteps, type TurnStream } from '../turn/turn-stream.ts';
import { walkOrDamaged } from './current-turn.ts';
import { hasLostThread } from './session-state.ts';

/** What is to be said about a turn, in order. */
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
  const cut = exit?.fact.why === null && exit.fact.detail !== null ? [exit.fact.detail] : [];
  const asked = cancelReason === null ? [] : [`it was ended on request: ${cancelReason}`];
  return [...lost, ...warnings, ...unread, ...cut, ...asked];
}

/** A turn of which the outcome was read, to be read on. `cancelReason` is why it was killed, in somebody's words. */
export function createTurnReader(
  { store, id }: { readonly store: Store; readonly id: SessionId },
  reading: TurnReading,
  view: TurnReader['view'],
  cancelReason: string | null,
): TurnReader {
  const { turn, request, stream } = reading;
  let fold: TurnFold | null = null;

  function* walk<T>(read: (stream: TurnStream, folder: Folder) => Iterable<T>): Generator<T> {
    const folder = createFolder();
    yield* walkOrDamaged(store, id, read(stream, folder));
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
    for (const _ of walkOrDamaged(store, id, readMessages(stream, folder)));
    return folder.result();
  }

  function whole(): TurnView {
    fold ??= readAll();
    return { ...view, answer: fold.answer, warnings: warningsOf(reading, fold, cancelReason) };
  }

  return { view, messages, steps: () => walk(readSteps), whole };
}
