export { ZwarmError } from './core/errors.ts';
