/** Every key of the configuration, in the order in which people see them. */
export const KEY_NAMES = [
  'agent',
  'model',
  'sandbox',
  'allowed_dirs',
  'max_depth',
  'max_sessions',
  'end_others',
  'wait_sec',
  'reachable_state',
] as const;

export type Key = (typeof KEY_NAMES)[number];
