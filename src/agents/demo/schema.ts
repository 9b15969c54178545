import * as z from 'zod/mini';
import { count, orNull } from '../../core/decode.ts';
import { isDemoThreadId } from './command.ts';

const string = z.string();

/** One line that `bin/demo-agent.mjs` prints. */
export const demoEvent = z.discriminatedUnion('demo', [
  z.object({
    demo: z.literal('thread'),
    id: string.check(z.refine(isDemoThreadId)),
    model: z.nullable(string),
  }),
  z.object({ demo: z.literal('think'), text: string }),
  z.object({
    demo: z.literal('command'),
    id: string,
    command: string,
    output: z.nullable(string),
    exit_code: orNull(z.number()),
  }),
  z.object({ demo: z.literal('wrote'), id: string, path: string }),
  z.object({ demo: z.literal('say'), text: string }),
  z.object({ demo: z.literal('done'), input_tokens: count, output_tokens: count }),
  z.object({ demo: z.literal('failed'), message: string }),
]);

export type DemoEvent = z.infer<typeof demoEvent>;
