import { testErrors } from './errors.ts';

testErrors('EACCES', 'odd');
