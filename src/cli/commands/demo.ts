import { defineVerb } from '../define-verb.ts';

/** `zwarm demo` */
export const demo = defineVerb({
  name: 'demo',
  summary: 'see agents at work in 15 seconds, without an account',
  notes: `
It works in a temporary directory with a store of its own, and removes both at the end. It needs no network.`,
  async run(verb) {
    // Lazily, because it runs other verbs, and draws.
    const { playDemo } = await import('../demo/play.ts');
    await playDemo(verb);
  },
});
