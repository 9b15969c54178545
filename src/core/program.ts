/** How `process/find-program` looks for the program of an agent; its adapter gives this. */
export interface ProgramQuery {
  readonly binary: string;
  /** The environment variable that names another program. */
  readonly variable: string;
  /** The npm package of the program; its `package.json` has the version, a program elsewhere prints it for `--version`. */
  readonly packageName: string;
  /** Paths, relative to that package, of a native program that its script would only start for us. */
  native(platform: string, arch: string): readonly string[];
  /** The command that installs it. */
  readonly install: string;
}

/** A command and its arguments, as typed or written into a configuration. */
export interface CommandLine {
  readonly command: string;
  readonly args: readonly string[];
}

/** How a host starts our server, and the variables of its environment that say where the programs of agents are. */
export interface ServerLine extends CommandLine {
  readonly variables: readonly string[];
}
