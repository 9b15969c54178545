/**
 * Projects by the last component of their paths, with as many before it as tell them from others; `~` stands for the
 * home directory.
 */
export function projectNames(paths: readonly string[], home: string | null): ReadonlyMap<string, string> {
  const parts = new Map(
    paths.map((path) => {
      const isHome = home !== null && `${path}/`.startsWith(`${home}/`);
      return [path, (isHome ? `~${path.slice(home.length)}` : path).split('/')];
    }),
  );
  const names = new Map<string, string>();
  const nameAll = (alike: readonly string[], components: number): void => {
    const groups = new Map<string, string[]>();
    for (const path of alike) {
      const name = (parts.get(path) ?? []).slice(-components).join('/') || path;
      groups.set(name, [...(groups.get(name) ?? []), path]);
    }
    for (const [name, group] of groups) {
      const longer = group.some((path) => (parts.get(path)?.length ?? 0) > components);
      if (group.length > 1 && longer) nameAll(group, components + 1);
      else for (const path of group) names.set(path, name);
    }
  };
  nameAll([...parts.keys()], 1);
  return names;
}
