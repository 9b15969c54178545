/** How to look for the program of an agent: said by its adapter, done by `process/find-program`. */
export interface ProgramQuery {
  readonly binary: string;
  /** The environment variable that names another program. */
  readonly variable: string;
  /** The npm package whose `package.json` beside the program tells the version. */
  readonly packageName: string;
  /** Paths, relative to that package, of a native program that its script would only start for us. */
  native(platform: string, arch: string): readonly string[];
  /** What makes a program outside of that package tell its version. */
  readonly versionArgs: readonly string[];
  /** What a user types to get it. */
  readonly install: string;
}

/** What somebody types, or writes into a configuration, to start a program. */
export interface CommandLine {
  readonly command: string;
  readonly args: readonly string[];
}
