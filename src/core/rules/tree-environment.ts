/** A worktree as far as its variables need it: absolute paths. */
interface Tree {
  readonly path: string;
  /** The main checkout; null where the repository has none. */
  readonly main: string | null;
  /** The repository as people call it. */
  readonly project: string;
  readonly portBase: number | null;
}

/** A name that docker compose takes for a project. */
function composeName(project: string, name: string): string {
  const words = `${project}-${name}`.toLowerCase().replace(/[^a-z0-9_-]+/g, '-');
  return words.replace(/^[^a-z0-9]+/, '') || 'worktree';
}

/** What an agent in a tree of its own, and its setup, find in their environment: what keeps parallel trees apart. */
export function treeEnvironment({
  path,
  main,
  project,
  portBase,
}: Tree): Readonly<Record<string, string | undefined>> {
  return {
    ZWARM_WORKTREE: path,
    ZWARM_MAIN_CHECKOUT: main ?? undefined,
    ZWARM_PORT_BASE: portBase === null ? undefined : String(portBase),
    COMPOSE_PROJECT_NAME: composeName(project, path.slice(path.lastIndexOf('/') + 1)),
  };
}
