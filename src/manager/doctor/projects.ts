import { type Finding, finding } from '../../core/check.ts';
import type { ManagerContext } from '../context.ts';
import { listGone } from '../project/gone-stores.ts';
import { damageNotices, projectNotices } from '../project/project-notices.ts';

/** Whether the sessions of this project are where it is, and whether some are kept of projects that are gone. */
export function checkProjects(context: ManagerContext): Finding {
  const damaged = damageNotices(context);
  if (damaged.length > 0) return finding('failed', damaged.join('; '), 'put copies of these files back');
  const notices = projectNotices(context, false);
  if (notices.length > 0) return finding('warning', notices.join('; '));
  const gone = listGone(context);
  if (gone.length === 0) return finding('ok', 'every project with sessions is where it was');
  const bytes = gone.reduce((sum, one) => sum + one.bytes, 0);
  const named = gone.slice(0, 3).map(({ project }) => project);
  return finding(
    'note',
    `${(bytes / 1_000_000).toFixed(1)} MB are kept of projects that are gone: ${named.join(', ')}${gone.length > 3 ? ', …' : ''}`,
    'see them: zwarm ls --everywhere; delete them: zwarm clean --gone',
  );
}
