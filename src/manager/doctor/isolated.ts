import { type Check, type Finding, finding } from '../../core/check.ts';
import { toZwarmError } from '../../core/errors.ts';

/** Runs one check; whatever breaks in it is its own failure, and no other's. Never throws. */
export async function isolated(name: string, check: () => Finding | Promise<Finding>): Promise<Check> {
  try {
    return { name, ...(await check()) };
  } catch (error) {
    const { message, hint } = toZwarmError(error);
    return { name, ...finding('failed', message, hint) };
  }
}
