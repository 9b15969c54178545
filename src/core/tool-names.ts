/** The tools of `zwarm mcp`, in the order in which clients see them. */
export const TOOL_NAMES = [
  'delegate',
  'converse',
  'check_session',
  'peek_session',
  'get_trajectory',
  'get_changes',
  'list_sessions',
  'end_session',
  'wait_sessions',
] as const;
