import { testErrors } from './loop.ts';

testErrors('EIO');
