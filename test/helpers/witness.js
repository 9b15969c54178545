/** @type {Readonly<Record<string, number>>} */
const RANK = { pending: 0, running: 1, completed: 2, failed: 2, killed: 2, lost: 2 };

/** @param {string} status */
export const isOver = (status) => RANK[status] === 2;

/**
 * Remembers what a reader has seen of turns, and notes what no reader may ever see. `late`: a runner may come so late
 * that its turn already counts as lost. @param {boolean} late
 */
export function createWitness(late) {
  /** @type {Map<string, string>} */
  const statuses = new Map();
  /** @type {Set<string>} */
  const gone = new Set();
  /** @type {string[]} */
  const errors = [];
  let ends = 0;
  return {
    seen: () => ({ errors, ends }),
    /** Something else that cannot be. @param {string} error */
    fail(error) {
      errors.push(error);
    },
    /** A turn was shown. @param {string} id @param {number | null} turn @param {string} status */
    saw(id, turn, status) {
      const before = statuses.get(`${id} ${turn}`);
      const rank = RANK[status];
      // A runner that comes after its turn was called off lives for a moment, and then records that nothing ran.
      if (late && status === 'running' && (before === 'killed' || before === 'lost')) return;
      const over = late && before === 'lost' ? 1 : (RANK[before ?? ''] ?? -1);
      if (gone.has(id)) errors.push(`${id} came back, ${status}`);
      if (rank === undefined || turn === null) errors.push(`turn ${turn} of ${id} is ${status}`);
      else if (before !== status && rank <= over) {
        errors.push(`turn ${turn} of ${id} was ${before} and is ${status}`);
      } else if (before !== undefined && before !== status && rank === 2) ends += 1;
      statuses.set(`${id} ${turn}`, status);
    },
    /** A session was said to be gone. @param {string} id */
    missed(id) {
      gone.add(id);
    },
  };
}
