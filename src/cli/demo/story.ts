/** The shop with a bug on which the agents of `zwarm demo` work: the text of each file. */
export const DEMO_FILES: Readonly<Record<string, string>> = {
  'package.json': '{ "type": "module" }\n',
  'cart.js': `/** What the items of a cart cost together, in cents. */
export function total(items) {
  let sum = 0;
  for (const { price, quantity } of items) {
    sum += price + quantity;
  }
  return sum;
}

// TODO: refuse a quantity below zero
// TODO: take off the discount
`,
  'cart.test.js': `import { total } from './cart.js';

function check(what, items, expected) {
  const sum = total(items);
  const ok = sum === expected;
  console.log(what + ' cost ' + sum + (ok ? ': ok' : ', not ' + expected + ': FAILED'));
  if (!ok) process.exitCode = 1;
}

// TODO: an empty cart
check('3 apples', [{ price: 20, quantity: 3 }], 60);
check('2 loaves', [{ price: 150, quantity: 2 }], 300);
`,
  'build.log': 'building the shop\n',
};

/** A part of the story: what is said, then the command lines that are typed. */
type Scene = readonly [say: string, ...type: string[]];

/** The story of `zwarm demo`. Its agents know what to do by the words in their tasks (bin/demo-work.mjs). */
export const DEMO_STORY: readonly Scene[] = [
  [
    'A small shop has a bug. Start three agents: each command returns at once.',
    'zwarm start -a demo --name mend "The test fails. Mend it."',
    'zwarm start -a demo --name todos -s read-only "List the TODOs"',
    'zwarm start -a demo --name build -s read-only "Watch build.log"',
  ],
  ['They work side by side, in the background.', 'zwarm ls'],
  ['Follow one of them, step by step, as it happens.', 'zwarm logs -f mend'],
  ['What did it change?', 'git diff'],
  ['What did the second one find?', 'zwarm show todos'],
  [
    'Go on with a conversation, and wait for the answer.',
    'zwarm inject mend --wait "Add a test: 7 pears at 30"',
  ],
  [
    'Ask something on the side: a fork knows the conversation so far.',
    'zwarm fork todos --wait "And in cart.test.js alone?"',
  ],
  ['The build never ends. End its agent.', 'zwarm kill build'],
  ['How do they stand now?', 'zwarm ls'],
];

/** What is said last, before what a reader can type next. */
export const FAREWELL = 'That was the demo; nothing of it is left. Now a real agent, in your project:';
