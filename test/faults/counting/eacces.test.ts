import { testErrors } from './loop.ts';

testErrors('EACCES');
