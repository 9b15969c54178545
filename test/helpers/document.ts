import { readFileSync } from 'node:fs';
import { repositoryFile } from './project.ts';

/** A page of the repository, as text. */
export function readPage(path: string): string {
  return readFileSync(repositoryFile(path), 'utf8');
}

/** The rows of the tables below a heading, up to the next heading; each row as its cells, without the head. */
export function tableOf(page: string, heading: string): string[][] {
  const lines = page.split('\n');
  const start = lines.findIndex((line) => line.replace(/^#+ /, '') === heading && line.startsWith('#'));
  if (start < 0) throw new Error(`no heading ${heading}`);
  const rest = lines.slice(start + 1);
  const end = rest.findIndex((line) => /^#+ /.test(line));
  const section = rest.slice(0, end < 0 ? undefined : end);
  return section.flatMap((line, i) => {
    const isHead = section[i + 1]?.startsWith('| ---') === true;
    if (!line.startsWith('| ') || line.startsWith('| ---') || isHead) return [];
    return [
      line
        .slice(1, line.lastIndexOf('|'))
        .split('|')
        .map((cell) => cell.trim()),
    ];
  });
}

/** The words in backticks of a text. */
export function codeWords(text: string): string[] {
  return [...text.matchAll(/`([^`]+)`/g)].flatMap(([, word]) => word ?? []);
}

/** The field names below a heading: what stands in backticks in the first column. */
export function fieldsOf(page: string, heading: string): string[] {
  return tableOf(page, heading).flatMap(([first = '']) => codeWords(first));
}
