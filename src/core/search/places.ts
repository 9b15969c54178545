/** Where something can be found: in messages of the user and of the agent, and in what it ran, was told, and changed. */
export const PLACES = ['prompt', 'answer', 'command', 'output', 'file'] as const;

export type Place = (typeof PLACES)[number];
