import { TOO_OLD } from '../../../../src/agents/codex/legacy.ts';
import type { Expected } from './expected-0.169.ts';

export const CODEX_OLDER: Readonly<Record<string, Expected>> = {
  '0.104.0-failed': {
    thread: '01a1f882-5ca9-7b61-9159-edfba1bc7dbf',
    end: 'failed',
    usage: null,
    steps: ["error The requested model 'nope' does not exist."],
  },
  '0.104.0-resume-missing': {
    thread: '01a1f882-5df8-7b91-9643-136472c6845d',
    end: 'completed',
    usage: [1200, 1000, 30, null],
    steps: ['say The project prints two lines.'],
  },
  '0.104.0-thread-turn1': {
    thread: '01a1f882-5d21-7770-9c84-fb8c98849dbf',
    end: 'completed',
    usage: [1000, 100, 10, null],
    steps: ['say My name is Fake. What next?'],
  },
  '0.104.0-thread-turn2-resume': {
    thread: '01a1f882-5d21-7770-9c84-fb8c98849dbf',
    end: 'completed',
    usage: [2300, 1300, 26, null],
    steps: ['say Third turn done.'],
  },
  '0.104.0-tour': {
    thread: '01a1f882-5abd-70f3-8425-96cb31dd9777',
    end: 'completed',
    usage: [7150, 10, 130, null],
    steps: [
      'think **Look**',
      'say Looking.',
      "run /bin/bash -lc 'ls -1'\ncompleted 0\nREADME.md\napp.py\n",
      'plan [x] A [x] B',
      'edit completed: add /workspace/hello.txt',
      'tool web_search completed codex events',
      "run /bin/bash -lc 'exit 3'\nfailed 3\n",
      'say Tour done.',
    ],
  },
  '0.58.0-failed': {
    thread: '01a1f882-401b-7d00-b922-2842ccade81a',
    end: 'failed',
    usage: null,
    retries: 5,
    steps: ["error unexpected status 400 Bad Request: The requested model 'nope' does not exist."],
  },
  '0.58.0-resume-missing': {
    thread: '01a1f882-5a2f-70c3-9f16-b84540352bbd',
    end: 'completed',
    usage: [1200, 1000, 30, null],
    steps: ['say The project prints two lines.'],
  },
  '0.58.0-thread-turn1': {
    thread: '01a1f882-58d6-7702-af38-bc620bf7d643',
    end: 'completed',
    usage: [1000, 100, 10, null],
    steps: ['say My name is Fake. What next?'],
  },
  '0.58.0-thread-turn2-resume': {
    thread: '01a1f882-58d6-7702-af38-bc620bf7d643',
    end: 'completed',
    usage: [1300, 1200, 16, null],
    steps: ['say Third turn done.'],
  },
  '0.58.0-tour': {
    thread: '01a1f882-3e9e-7953-a96f-672de4d9145e',
    end: 'completed',
    usage: [2556, 10, 130, null],
    steps: [
      'think **Look**',
      'say Looking.',
      "run bash -lc 'ls -1'\ncompleted 0\nREADME.md\napp.py\n",
      'plan [x] A [x] B',
      'edit completed: add /workspace/hello.txt',
      'tool web_search completed codex events',
      "run bash -lc 'exit 3'\nfailed 3\n",
      'say Tour done.',
    ],
  },
  '0.36.0-failed': {
    thread: null,
    end: 'failed',
    usage: null,
    retries: 5,
    // The two header lines have no type.
    unknown: 2,
    steps: [
      `warn ${TOO_OLD}`,
      "error unexpected status 400 Bad Request: The requested model 'nope' does not exist.",
    ],
  },
  '0.36.0-tour': {
    thread: null,
    // That protocol has no successful end, and its token counts are not read.
    end: null,
    usage: null,
    unknown: 2,
    steps: [
      `warn ${TOO_OLD}`,
      'think **Look**',
      'say Looking.',
      'run bash -lc ls -1\ncompleted 0\nREADME.md\napp.py\n',
      'plan [x] A [x] B',
      'edit completed: add /workspace/hello.txt',
      'tool web_search completed codex events',
      'run bash -lc exit 3\nfailed -1\n',
      'say Tour done.',
    ],
  },
};
