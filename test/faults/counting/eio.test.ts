import { testErrors } from './errors.ts';

testErrors('EIO');
