/** A text as one word of a shell command that a user may paste: quoted where it has to be. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

const LONGEST_COMMAND = 10_000;

/** `ls -1` for `/bin/bash -lc 'ls -1'`; any command that is not a shell with one quoted text as it is. */
export function withoutShell(command: string): string {
  if (command.length > LONGEST_COMMAND) return command;
  const word = /^(?:[\w/]*\/)?(?:ba|z|da|k)?sh -l?c (.*)$/s.exec(command)?.[1];
  if (word === undefined) return command;
  if (/^[\w@%+=:,./-]+$/.test(word)) return word;
  const single = /^'([^']*)'$/.exec(word)?.[1];
  if (single !== undefined) return single;
  const double = /^"([^"\\`$]*(?:\\.[^"\\`$]*)*)"$/s.exec(word)?.[1];
  return (
    double?.replace(/\\(\n|["\\`$])/g, (_, character) => (character === '\n' ? '' : character)) ?? command
  );
}
