import { testErrors } from './errors.ts';

testErrors('EMFILE');
