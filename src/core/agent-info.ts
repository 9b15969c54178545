/** What an agent is and can do on this machine: the JSON contract of `docs/formats.md`. */
export interface AgentInfo {
  readonly name: string;
  readonly aliases: readonly string[];
  readonly summary: string;
  /** Whether `start` takes it where none is named. */
  readonly default: boolean;
  readonly found: boolean;
  readonly program: string | null;
  readonly version: string | null;
  /** Null where that cannot be told. */
  readonly logged_in: boolean | null;
  /** How to get it, or why it cannot be used; null where it can. */
  readonly hint: string | null;
  readonly resume: boolean;
  readonly fork: boolean;
  /** Whether its answers can be JSON of a schema. */
  readonly schema: boolean;
  /** What keeps it within a sandbox: `agent` for itself; null for nothing. */
  readonly sandbox: 'agent' | 'bwrap' | 'sandbox-exec' | null;
  /** Whether it reports what its turns cost. */
  readonly cost: boolean;
}

/** An agent that can be chosen, with what it is in a few words, and whether its program is there. */
export interface AgentChoice {
  readonly name: string;
  readonly summary: string;
  readonly found: boolean;
}
