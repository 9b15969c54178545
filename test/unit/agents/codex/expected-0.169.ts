/** What a recorded stream must read as; each was written from its raw lines and the README beside them. */
export interface Expected {
  readonly thread: string | null;
  readonly end: 'completed' | 'failed' | null;
  /** input, cached input, output, reasoning */
  readonly usage: readonly (number | null)[] | null;
  readonly retries?: number;
  readonly unknown?: number;
  readonly steps: readonly string[];
}

/** Codex printed nothing at all. */
const SILENT: Expected = { thread: null, end: null, usage: null, steps: [] };

export const CODEX_0_169: Readonly<Record<string, Expected>> = {
  'auto-compaction': {
    thread: '01a1f881-9976-7131-bdc4-9cee2c548233',
    end: 'completed',
    usage: [268164, 0, 135, 0],
    steps: [
      "run /bin/bash -lc 'echo hi'\ncompleted 0\nhi\n",
      'say The answer, after an automatic compaction.',
    ],
  },
  background: {
    thread: '01a1f880-d68a-7121-968a-a52169b540b1',
    end: 'completed',
    usage: [14378, 0, 50, 0],
    steps: [
      'say Starting a server.',
      "run /bin/bash -lc 'echo server up; sleep 304'\ninterrupted",
      'say The server is running in the background.',
    ],
  },
  'bad-config': SILENT,
  'bad-dir': SILENT,
  'bad-flag': SILENT,
  'big-message': {
    thread: '01a1f880-f686-72a1-be73-d7569bc865ed',
    end: 'completed',
    usage: [6924, 0, 25, 0],
    steps: ['say A long answer follows.\n0123456789 abcdefghij ABCDEFGHIJ lore…300000'],
  },
  'code-mode': {
    thread: '01a1f880-dc62-7421-bfdf-d9f8c399fa68',
    end: 'completed',
    usage: [39215, 0, 75, 0],
    steps: [
      "run /bin/bash -lc 'ls -1'\ncompleted 0\nREADME.md\napp.py\n",
      'edit completed: add /workspace/notes.md',
      'say Done from code mode.',
    ],
  },
  collab: {
    thread: '01a1f880-eaf5-7381-b05f-e051120ebf4e',
    end: 'completed',
    usage: [10466, 0, 50, 0],
    steps: [
      'warn Model metadata for `fake-model` not found. Defaulting to fallback metadata; this can degrade performance and cause issues.',
      'tool spawn_agent completed',
      'say Spawned a helper.',
    ],
  },
  'connection-refused': {
    thread: '01a1f881-aaf8-77b3-97e8-b98026bc5df7',
    end: null,
    usage: null,
    retries: 1,
    steps: ['warn Reconnecting... waiting for network (Connection failed: error sending request)'],
  },
  'context-full': {
    thread: '01a1f881-767a-7800-b852-cb4dab6ba833',
    end: 'failed',
    usage: null,
    steps: [
      "error Codex ran out of room in the model's context window. Start a new thread or clear earlier history before retrying.",
    ],
  },
  'default-sandbox': {
    thread: '01a1f880-f13b-7460-ab76-ee785b864706',
    end: 'completed',
    usage: [13982, 0, 50, 0],
    steps: ['say Writing is not allowed here.'],
  },
  'empty-answer': {
    thread: '01a1f880-f533-7dc1-b394-249cf6d035cc',
    end: 'completed',
    usage: [500, 0, 0, 0],
    steps: [],
  },
  'fail-late': {
    thread: '01a1f881-a90e-79a3-bb33-247044c97bf2',
    end: 'failed',
    usage: null,
    steps: [
      'say Working.',
      "run /bin/bash -lc 'echo 1'\ncompleted 0\n1\n",
      "run /bin/bash -lc 'echo 2'\ncompleted 0\n2\n",
      'error Something is wrong with the request.',
    ],
  },
  'file-change-move': {
    thread: '01a1f880-e0aa-7582-95e3-4714ca09b098',
    end: 'completed',
    usage: [14374, 0, 50, 0],
    steps: ['edit completed: update /workspace/app.py', 'say Moved app.py to main.py.'],
  },
  'file-change-rejected': {
    thread: '01a1f880-e26c-7d70-8358-ae74ef30819f',
    end: 'completed',
    usage: [14393, 0, 50, 0],
    steps: ['say The patch did not apply.'],
  },
  'file-change': {
    thread: '01a1f880-de9f-7330-998f-db4a815f4342',
    end: 'completed',
    usage: [14365, 0, 50, 0],
    steps: [
      'edit completed: delete /workspace/README.md, update /workspace/app.py, add /workspace/hello.txt',
      'say Patched three files.',
    ],
  },
  'http-400': {
    thread: '01a1f880-f817-7762-94da-1729093e585d',
    end: 'failed',
    usage: null,
    steps: ["error The requested model 'nope' does not exist."],
  },
  'http-401': {
    thread: '01a1f880-f96e-7a13-81e8-089787baf53c',
    end: 'failed',
    usage: null,
    retries: 5,
    steps: [
      'error unexpected status 401 Unauthorized: Incorrect API key provided., url: http://127.0.0.1:8080/v1/responses',
    ],
  },
  'http-429': {
    thread: '01a1f881-13d7-7c10-8aa1-f3baade5f98a',
    end: 'failed',
    usage: null,
    steps: ['error exceeded retry limit, last status: 429 Too Many Requests'],
  },
  'http-500': {
    thread: '01a1f881-1512-78b3-8faa-e8e6ea915acd',
    end: 'failed',
    usage: null,
    retries: 5,
    steps: ['error We’re currently experiencing high demand, which may cause temporary errors.'],
  },
  'idle-timeout': {
    thread: '01a1f881-9b62-7cc1-9cd9-a3810a9c600f',
    end: 'failed',
    usage: null,
    retries: 1,
    steps: ['error stream disconnected before completion: idle timeout waiting for SSE'],
  },
  incomplete: {
    thread: '01a1f881-77e9-7363-bb16-b7b7ecf5300a',
    end: 'failed',
    usage: null,
    steps: ['say half an answ', 'error Incomplete response returned, reason: max_output_tokens'],
  },
  'mcp-server-broken': {
    thread: '01a1f880-e991-79b1-8265-0bec269b866d',
    end: 'completed',
    usage: [1200, 1000, 30, 0],
    steps: ['say The project prints two lines.'],
  },
  mcp: {
    thread: '01a1f880-e7a0-7bc3-abb0-c5b872a300f0',
    end: 'completed',
    usage: [28286, 0, 100, 0],
    steps: ['tool fake.echo completed', 'tool fake.fail failed', 'say Called the MCP server.'],
  },
  message: {
    thread: '01a1f880-c978-76c0-be58-213b143ff767',
    end: 'completed',
    usage: [1200, 1000, 30, 0],
    steps: ['say The project prints two lines.'],
  },
  'missing-env-key': {
    thread: '01a1f881-e831-7100-8394-b4be1183d0c8',
    end: 'failed',
    usage: null,
    steps: ['error Missing environment variable: `FAKE_API_KEY_NOT_SET`.'],
  },
  'multi-message': {
    thread: '01a1f880-f32a-7b10-9107-b8f4b5075c17',
    end: 'completed',
    usage: [21248, 0, 75, 0],
    steps: [
      'say First I look.',
      "run /bin/bash -lc 'echo a'\ncompleted 0\na\n",
      'say Then I look again.',
      "run /bin/bash -lc 'echo b'\ncompleted 0\nb\n",
      'say Final answer: done.',
    ],
  },
  'no-prompt': SILENT,
  'not-a-git-repo': SILENT,
  'odd-bytes': {
    thread: '01a1f880-d0cd-7e50-919d-4c0b845637f3',
    end: 'completed',
    usage: [14018, 0, 50, 0],
    steps: [
      "run /bin/bash -lc \"printf 'no newline at end'; printf '\\\\033[31mred\\\\033[0m\\\\r\\\\nx\\\\377\\\\376y\\\\000z\\\\n\\\\xe2\\\\x9c\\\\x93 unicode \\\\xf0\\\\x9f\\\\x98\\\\x80 \\\\xe2\\\\x80\\\\xa8ls\\\\n'\"\ncompleted 0\nno newline at end\u001b[31mred\u001b[0m\r\nx��y\u0000z\n✓ unicode 😀 \u2028ls\n",
      'say Line one\nline two\t✓ 😀 \u2028 \u0007 "quoted" back\\slash',
    ],
  },
  parallel: {
    thread: '01a1f883-3118-7f01-a862-f346d0257c6c',
    end: 'completed',
    usage: [14058, 0, 50, 0],
    steps: [
      "run /bin/bash -lc 'sleep 1.4; echo first'\ncompleted 0\nfirst\n",
      "run /bin/bash -lc 'sleep 0.7; echo second'\ncompleted 0\nsecond\n",
      'say Both done.',
    ],
  },
  'prompt-too-long': {
    thread: '01a1f881-e6f3-7cd2-bc5a-ced107b781c3',
    end: null,
    usage: null,
    steps: [],
  },
  reasoning: {
    thread: '01a1f880-cb53-7582-b0d3-e9aedd295434',
    end: 'completed',
    usage: [1500, 0, 80, 40],
    steps: [
      'think **Looking at the code**\n\nI should read app.py first.\n**Answering**\n\nNow I can answer.',
      'say It is a two-line script.',
    ],
  },
  'repeated-message': {
    thread: '01a1f881-9740-7703-a21a-4d42a0d4fec5',
    end: 'completed',
    usage: [700, 0, 9, 0],
    retries: 1,
    steps: ['say I am repeated.', 'say I am repeated.'],
  },
  'resume-bad-flag': SILENT,
  'resume-missing': SILENT,
  'resume-not-a-uuid': {
    thread: '01a1f881-ea6e-7560-b78c-374e55f58327',
    end: 'completed',
    usage: [1200, 1000, 30, 0],
    steps: ['say The project prints two lines.'],
  },
  'shell-failed': {
    thread: '01a1f880-cea6-70e2-88ad-3ea4105bd4a1',
    end: 'completed',
    usage: [3300, 1900, 50, 0],
    steps: [
      "run /bin/bash -lc 'cat does-not-exist.txt'\nfailed 1\ncat: does-not-exist.txt: No such file or directory\n",
      "run /bin/bash -lc 'echo to-stderr >&2; exit 3'\nfailed 3\nto-stderr\n",
      'say Both commands failed.',
    ],
  },
  shell: {
    thread: '01a1f880-cca3-79a3-8778-5ecb9fbaa773',
    end: 'completed',
    usage: [2300, 1500, 70, 10],
    steps: [
      'think **Listing files**',
      'say I will look around first.',
      "run /bin/bash -lc 'ls -1 && cat app.py'\ncompleted 0\nREADME.md\napp.py\nprint('one')\nprint('two')\n",
      'say There are two files: README.md and app.py.',
    ],
  },
  'sigint-during-command': {
    thread: '01a1f881-dc15-7701-9d90-357afc8ad7f8',
    end: null,
    usage: null,
    steps: [
      'say Running a long command.',
      "run /bin/bash -lc 'echo started; sleep 301; echo finished'\ninterrupted",
    ],
  },
  sigint: {
    thread: '01a1f881-d343-7c83-b3c0-41c6c828b4f3',
    end: null,
    usage: null,
    steps: ['say Before the stall.', "run /bin/bash -lc 'echo hi'\ncompleted 0\nhi\n"],
  },
  sigkill: {
    thread: '01a1f881-d781-78c2-a506-0ffbc20e6a03',
    end: null,
    usage: null,
    steps: [
      'say Running a long command.',
      "run /bin/bash -lc 'echo started; sleep 301; echo finished'\ninterrupted",
    ],
  },
  sigterm: {
    thread: '01a1f881-cf32-7ad2-b7d1-d640efdf94d1',
    end: null,
    usage: null,
    steps: ['say Before the stall.', "run /bin/bash -lc 'echo hi'\ncompleted 0\nhi\n"],
  },
  'stream-cut-forever': {
    thread: '01a1f881-7d7b-7d23-bfb4-25f799f83186',
    end: 'failed',
    usage: null,
    retries: 5,
    steps: [
      'error stream disconnected before completion: Transport error: network error: error decoding response body',
    ],
  },
  'stream-cut-recovers': {
    thread: '01a1f881-7946-7181-850f-143855d1b40a',
    end: 'completed',
    usage: [700, 0, 9, 0],
    retries: 2,
    steps: ['say This answer is whole.'],
  },
  'thread-fork': {
    thread: '01a1f881-f094-70d1-9039-7cf8382db50d',
    end: 'completed',
    usage: [25487, 5400, 162, 10],
    steps: ['say The project prints two lines.'],
  },
  'thread-resume-busy': SILENT,
  'thread-resume-model-switch': {
    thread: '01a1f881-ec1e-7f12-b7c6-f75110187463',
    end: 'completed',
    usage: [13166, 4400, 107, 10],
    steps: [
      'warn This session was recorded with model `gpt-5.5` but is resuming with `gpt-6-sol`. Consider switching back to `gpt-5.5` as it may affect Codex performance.',
      'say The project prints two lines.',
    ],
  },
  'thread-turn1': {
    thread: '01a1f881-ec1e-7f12-b7c6-f75110187463',
    end: 'completed',
    usage: [1000, 100, 10, 5],
    steps: ['say My name is Fake. What next?'],
  },
  'thread-turn2-resume': {
    thread: '01a1f881-ec1e-7f12-b7c6-f75110187463',
    end: 'completed',
    usage: [3300, 2200, 36, 7],
    steps: ["run /bin/bash -lc 'echo turn two'\ncompleted 0\nturn two\n", 'say Second turn done.'],
  },
  'thread-turn3-resume': {
    thread: '01a1f881-ec1e-7f12-b7c6-f75110187463',
    end: 'completed',
    usage: [4600, 3400, 52, 10],
    steps: ['say Third turn done.'],
  },
  'todo-list': {
    thread: '01a1f880-e57c-7d13-9f5b-aa0464d16306',
    end: 'completed',
    usage: [35878, 0, 125, 0],
    steps: [
      'plan [x] Read the code [x] Write tests',
      'run /bin/bash -lc true\ncompleted 0\n',
      'say All steps done.',
    ],
  },
  'unknown-model-warning': {
    thread: '01a1f880-eca0-7572-9c4d-5f329e44bec8',
    end: 'completed',
    usage: [1200, 1000, 30, 0],
    steps: [
      'warn Model metadata for `some-new-model` not found. Defaulting to fallback metadata; this can degrade performance and cause issues.',
      'say The project prints two lines.',
    ],
  },
  'unknown-tool': {
    thread: '01a1f880-edf7-7e73-ba63-1ab8dc6f98d9',
    end: 'completed',
    usage: [13938, 0, 50, 0],
    steps: ['say That tool does not exist.'],
  },
  'usage-limit': {
    thread: '01a1f881-751f-7783-9d12-3d310f513610',
    end: 'failed',
    usage: null,
    steps: [
      'error You’ve hit your usage limit. Upgrade to Pro (https://chatgpt.com/explore/pro), visit https://chatgpt.com/settings/usage to purchase more credits or try again at Mar 17th, 2030 5:46 PM.',
    ],
  },
  'web-search': {
    thread: '01a1f880-e3ee-7353-994e-6f483ce8f53a',
    end: 'completed',
    usage: [6924, 0, 25, 0],
    steps: ['tool web_search completed codex cli json events', 'say I searched the web.'],
  },
  'wrapper-sigterm': {
    thread: '01a1f881-e107-7b42-990e-22e2c36b0dd2',
    end: null,
    usage: null,
    steps: [
      'say Running a long command.',
      "run /bin/bash -lc 'echo started; sleep 301; echo finished'\ninterrupted",
    ],
  },
  'write-denied': {
    thread: '01a1f880-ef5b-7320-b963-bc1dc376c3b2',
    end: 'completed',
    usage: [13978, 0, 50, 0],
    steps: ['say Writing is not allowed here.'],
  },
};
