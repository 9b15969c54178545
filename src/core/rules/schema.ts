import { usageError } from '../errors.ts';
import { parseJson } from '../json.ts';

/** It becomes one argument of a program, which holds 128 KiB at most; a character may take three bytes. */
const LONGEST = 40_000;

/** A JSON schema that answers are to have, without white space. @throws ZwarmError `usage` */
export function parseSchema(text: string): string {
  const value = parseJson(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw usageError('the schema is not a JSON object', 'write it as {"type": "object", "properties": …}');
  const schema = JSON.stringify(value);
  if (schema.length <= LONGEST) return schema;
  throw usageError(`the schema has ${schema.length} characters`, `give one of at most ${LONGEST}`);
}
