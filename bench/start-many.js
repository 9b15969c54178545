// start-many.js LIBRARY COUNT: starts so many sessions from one process.

const [library = '', count] = process.argv.slice(2);
/** @type {typeof import('../src/index.ts')} */
const { openSessions } = await import(library);
const sessions = openSessions();
const tasks = Array.from({ length: Number(count) }, (_, i) => `task ${i}`);
await Promise.all(tasks.map((task) => sessions.start({ task })));
