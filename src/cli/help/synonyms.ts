/** What other tools call it, and what to type here: lines of words, and behind the arrow the verb with its options. */
const TABLE = `
  add create delegate launch new run spawn submit task → start
  jobs sessions → ls
  adapters providers → agents
  dashboard monitor top tui watch → ls --watch
  all → ls --all
  cat describe get info inspect print status view → show
  attach follow stream tail → logs -f
  log → logs
  last output result → answer
  ask chat continue followup message msg prompt reply respond resume say send tell → inject
  await join poll → wait
  abort cancel close end halt interrupt quit terminate → kill
  actions steps trace → trajectory
  find grep rg → search
  branch clone copy cp duplicate → fork
  back reset → rewind
  revert rollback → undo
  compress summarise summarize summary → compact
  alias label rename → name
  del delete destroy discard drop erase remove → rm
  cleanup gc prune purge → clean
  move mv → relocate
  manage plan swarm team → orchestrate
  serve server tools → mcp
  install → mcp install
  example try tutorial → demo
  check diagnose health login → doctor
  configure init setup setting settings → config
  set → config set
  trust → config trust
  version → --version`;

/** What to type behind `zwarm`, by the word that another tool has for it. */
export const SYNONYMS: ReadonlyMap<string, string> = new Map(
  TABLE.trim()
    .split('\n')
    .map((line) => line.split('→').map((side) => side.trim()))
    .flatMap(([words = '', typed = '']) => words.split(' ').map((word) => [word, typed] as const)),
);
