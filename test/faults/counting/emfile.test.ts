import { testErrors } from './loop.ts';

testErrors('EMFILE');
