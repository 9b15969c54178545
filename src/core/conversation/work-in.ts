/** A message for an agent that runs in one directory and is to work in another one below it; `directory` is relative. */
export function workInPrompt(directory: string, asked: string): string {
  return `Work in the directory ${JSON.stringify(directory)} below your current one: run commands there, and take paths in this task as relative to it.\n\n${asked}`;
}
