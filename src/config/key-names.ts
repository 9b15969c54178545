/** Every key of the configuration, in the order in which people see them. */
export const KEY_NAMES = [
  'agent',
  'model',
  'sandbox',
  'allowed_dirs',
  'max_depth',
  'max_sessions',
  'max_running',
  'end_others',
  'unconfined',
  'allow_land',
  'wait_sec',
  'reachable_state',
  'reachable_installation',
  'worktree_dir',
  'notify',
  'notify_events',
  'quiet_hours',
] as const;

export type Key = (typeof KEY_NAMES)[number];
