import { testErrors } from './loop.ts';

testErrors('ENOSPC');
