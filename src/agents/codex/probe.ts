import { type Answer, type Finding, finding } from '../../core/check.ts';
import { shellWord } from '../../core/shell-word.ts';
import type { AgentProbe, ProbeSurroundings } from '../agent.ts';
import { codexHome } from './command.ts';
import { usefulLine } from './explain.ts';

function reasonOf({ code, stderr }: Answer): string {
  return usefulLine(stderr) ?? `it ended with exit code ${code}`;
}

/** With it ends a version that does not know the command. */
const UNKNOWN = 2;

// Wordings of codex-cli 0.58 to 0.169, all on stderr and with exit code 1. What it says of somebody who is logged in
// holds parts of the key: that is not passed on.
function judgeLogin(answer: Answer, surroundings: ProbeSurroundings): Record<string, Finding> {
  const said = reasonOf(answer);
  const broken = /^Error loading configuration: (.*)/.exec(said);
  if (broken) {
    const hint = 'correct the file that the message names: until then no turn can begin';
    return { configuration: finding('failed', `Codex cannot read its configuration: ${broken[1]}`, hint) };
  }
  const login = loginOf(answer, said, surroundings);
  return { configuration: finding('ok', 'Codex can read its configuration'), login };
}

function loginOf(answer: Answer, said: string, { env, configuration }: ProbeSurroundings): Finding {
  if (answer.code === 0) return finding('ok', 'logged in');
  if (answer.code === UNKNOWN) return finding('note', 'this Codex cannot tell whether anybody is logged in');
  if (!said.startsWith('Not logged in')) {
    return finding('failed', `Codex cannot tell who is logged in: ${said}`, 'log in again: codex login');
  }
  if (env['CODEX_API_KEY']) return finding('ok', 'not logged in, but CODEX_API_KEY is set: Codex uses that');
  if (/^\s*model_provider\s*=/m.test(configuration ?? '')) {
    const message = 'not logged in; the Codex configuration names a model provider, which may not need it';
    return finding('note', message, 'where a turn fails with status 401: codex login');
  }
  return finding('failed', 'nobody is logged in to Codex', 'log in: codex login (or set CODEX_API_KEY)');
}

function judgeSandbox(answer: Answer, { reserved }: ProbeSurroundings): Record<string, Finding> {
  if (answer.code === 0) return { sandbox: finding('ok', "Codex's sandbox can be built here") };
  const said = reasonOf(answer);
  if (answer.code === UNKNOWN) {
    return { sandbox: finding('note', 'this Codex cannot tell whether its sandbox can be built here') };
  }
  // What Codex itself gave up on, before it came to the sandbox.
  if (said.startsWith('Error: ')) {
    return { sandbox: finding('warning', `whether its sandbox can be built cannot be told: ${said}`) };
  }
  const harm = 'every command of a turn would fail, and the turn still say completed';
  if (reserved !== undefined && said.includes('must be a user-owned directory')) {
    const { path, owner } = reserved;
    const [what, who] =
      owner === null
        ? ['is not a directory that only you may enter', '']
        : [`belongs to another user (uid ${owner})`, 'its owner or root must '];
    const message = `Codex cannot build its sandbox here, as ${path} ${what}: ${harm}`;
    return { sandbox: finding('failed', message, `${who}remove it: rm -r ${shellWord(path)}`) };
  }
  const message = `Codex cannot build its sandbox here (${said}): ${harm}`;
  const hint =
    'allow unprivileged user namespaces; or, where this machine is a sandbox itself: zwarm start -s danger-full-access "…"';
  return { sandbox: finding('failed', message, hint) };
}

/** What `doctor` asks of Codex: nothing that goes to the network, and nothing that writes into a project. */
export const codexProbe: AgentProbe = {
  configurationFile(env) {
    const home = codexHome(env);
    return home === null ? null : `${home}/config.toml`;
  },
  // Whatever CODEX_HOME and TMPDIR say.
  reservedPath: (uid) => `/tmp/codex-daemon-${uid}`,
  questions: [
    { names: ['configuration', 'login'], args: ['login', 'status'], judge: judgeLogin },
    // Read-only, whatever is configured: another sandbox would put its guards into the directory for a moment.
    {
      names: ['sandbox'],
      args: ['sandbox', '-c', 'sandbox_mode="read-only"', '--', 'true'],
      judge: judgeSandbox,
    },
  ],
};
