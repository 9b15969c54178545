import { testErrors } from './errors.ts';

testErrors('ENOSPC');
