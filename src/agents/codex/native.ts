const TRIPLES: Readonly<Record<string, string>> = {
  'linux-x64': 'x86_64-unknown-linux-musl',
  'linux-arm64': 'aarch64-unknown-linux-musl',
  'darwin-x64': 'x86_64-apple-darwin',
  'darwin-arm64': 'aarch64-apple-darwin',
};

/**
 * Where the native program lies beside the npm package's script, newest layout first. Used directly it starts in a
 * tenth of the time and leaves no second process that a signal could miss.
 */
export function nativeCodexPaths(platform: string, arch: string): readonly string[] {
  const machine = `${platform}-${arch}`;
  const triple = TRIPLES[machine];
  if (triple === undefined) return [];
  return [
    `node_modules/@openai/codex-${machine}/vendor/${triple}/bin/codex`,
    `../codex-${machine}/vendor/${triple}/bin/codex`,
    `vendor/${triple}/bin/codex`,
    `vendor/${triple}/codex/codex`,
    `bin/codex-${triple}`,
  ];
}
