import type { Checked } from '../../core/compared.ts';
import { IDS_OR_TAGS, TAGS } from '../common-options.ts';
import { defineVerb, flag, value } from '../define-verb.ts';
import * as each from '../each.ts';
import { text } from '../parsers.ts';
import { passes } from '../run-check.ts';

/** `zwarm compare` */
export const compare = defineVerb({
  name: 'compare',
  summary: 'show what several sessions answered and changed side by side',
  args: { refs: IDS_OR_TAGS },
  options: {
    tags: TAGS,
    check: value('--check <command>', 'run this on the files of each of them', text()),
    json: flag('--json', 'print an array of sessions, each with its check, as JSON'),
  },
  notes: `
For each of them: status, files and lines that it changed, tokens, time, and the first line of its answer. --check runs in a
checkout of the files of its own tree (zwarm start -W) as they are now, one session after the other; what that prints goes to
stderr, and the checkout is removed again. The exit code is 0 also where a check failed.

When piped: id, name, status, files, lines added and removed, check (passed, failed or "not run"), tokens, milliseconds and
the first line of the answer, separated by tabs.`,
  examples: [
    'zwarm compare --tag fast',
    ['zwarm compare --tag fast --check "npm ci && npm test"', 'which of them pass?'],
    [`zwarm compare --tag fast --check true --json | jq '.[].check'`, 'for scripts'],
  ],
  async run(verb, { refs: given }, { tags, check, json }) {
    const { manager, context } = verb;
    const chosen = await each.chosen(verb, given, tags, 'zwarm compare');
    // As they were started, unless the user names an order.
    const refs = tags === undefined ? chosen : chosen.toReversed();
    const named = await each.sessionsOf(refs, (ref) => manager.resolve(ref));
    const checks = new Map<string, Checked>();
    if (check !== undefined)
      for (const id of each.valuesOf(named)) {
        verb.warn(`checking ${id}`);
        const checked = await manager.checkTree(id, (directory) => passes(context, check, directory));
        if (checked.why !== null) verb.warn(`${id} was not checked: ${checked.why}`);
        checks.set(id, checked);
      }
    const outcomes = await each.thenForEach(named, async (id) => ({
      ...(await manager.summary(id)),
      check: checks.get(id) ?? null,
    }));
    const rows = each.valuesOf(outcomes);
    if (!json && rows.length > 0) {
      const { compareLine, renderCompared } = await import('../../render/compare.ts');
      const { stdout } = context;
      if (stdout.isTTY) stdout.write(renderCompared(rows, await verb.style('stdout')));
      else for (const row of rows) verb.print(compareLine(row));
    }
    each.reportOutcomes(verb, outcomes, json);
  },
});
