import { testErrors } from './errors.ts';

testErrors('EACCES');
