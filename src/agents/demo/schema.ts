import {
  discriminatedUnion,
  int,
  literal,
  nonnegative,
  nullable,
  number,
  object,
  refine,
  string,
} from 'zod/mini';
import { isDemoThreadId } from './command.ts';

const tokens = int().check(nonnegative());

/** The whole protocol of `bin/demo-agent.mjs`, one object per line. */
export const DEMO_EVENT = discriminatedUnion('demo', [
  object({ demo: literal('thread'), id: string().check(refine(isDemoThreadId)), model: nullable(string()) }),
  object({ demo: literal('think'), text: string() }),
  object({
    demo: literal('command'),
    id: string(),
    command: string(),
    output: nullable(string()),
    exit_code: nullable(number()),
  }),
  object({ demo: literal('wrote'), id: string(), path: string() }),
  object({ demo: literal('say'), text: string() }),
  object({ demo: literal('done'), input_tokens: tokens, output_tokens: tokens }),
  object({ demo: literal('failed'), message: string() }),
]);
