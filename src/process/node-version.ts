/** The version of the Node that runs us, such as `20.12.0`. */
export function nodeVersion(): string {
  return process.version.replace(/^v/, '');
}
