import { runProgram, ZWARM } from './project.ts';

async function help(args: readonly string[]): Promise<string> {
  const { stdout } = await runProgram(process.execPath, [ZWARM, ...args, '--help'], { env: process.env });
  return stdout;
}

/** The verbs that `zwarm --help` lists, or those below a verb, each by its first name. */
export async function verbsOfHelp(above: readonly string[] = []): Promise<string[]> {
  const commands = /^Commands:\n(.*?)(?:\n\n|$(?![\s\S]))/ms.exec(await help(above))?.[1] ?? '';
  return commands.split('\n').flatMap((line) => {
    const verb = /^ {2}([a-z]+)/.exec(line)?.[1];
    return verb === undefined || verb === 'help' ? [] : [verb];
  });
}

/** Every option that a verb knows, long and short, with what is below it, and those of zwarm itself for the empty verb. */
export async function optionsOfHelp(verb: string): Promise<string[]> {
  if (verb === '') return optionsOf([]);
  const below = await verbsOfHelp([verb]);
  return (await Promise.all([[verb], ...below.map((sub) => [verb, sub])].map(optionsOf))).flat();
}

async function optionsOf(words: readonly string[]): Promise<string[]> {
  const options = /^Options:\n(.*?)(\n\n|$(?![\s\S]))/ms.exec(await help(words))?.[1] ?? '';
  return options.split('\n').flatMap((line) => {
    const names = /^ {2}(-.*?)(?: {2}|$)/.exec(line)?.[1];
    return names === undefined ? [] : (names.match(/(?<![\w-])--?[a-z][a-z-]*/gi) ?? []);
  });
}
