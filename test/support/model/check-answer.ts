import type { Circumstances, Moment, SeenAnswer, Wanted } from './seen.ts'

/** Statuses of a store or server that is away: the client tries again. 0: the connection broke. */
const AWAY = new Set([0, 429, 503, 504])

export const isAway = ({ status }: SeenAnswer): boolean => AWAY.has(status)

export const isTooLarge = ({ status, body }: SeenAnswer): boolean =>
  status === 504 && body.message?.startsWith('Too large resource version') === true

/** Returns the revision that a read requests, or undefined. */
export function wantedRevision(wanted: Wanted): number | undefined {
  if (typeof wanted === 'string') return undefined
  return 'exactly' in wanted ? wanted.exactly : wanted.notOlderThan
}

/** Returns the revisions from which a response may come. An impossible response has an empty range. */
export function possible(wanted: Wanted, { floor, ceiling }: Moment): { lo: number; hi: number } {
  if (wanted === 'latest') return { lo: floor, hi: ceiling }
  if (wanted === 'any') return { lo: 0, hi: ceiling }
  return 'exactly' in wanted ? { lo: wanted.exactly, hi: Math.min(wanted.exactly, ceiling) } : { lo: wanted.notOlderThan, hi: ceiling }
}

/**
 * Returns the reason why a read must not fail in this way, or undefined. `exactly` is the revision whose state it
 * requests.
 */
export function refusalFault(
  answer: SeenAnswer,
  wanted: Wanted,
  exactly: number | undefined,
  { floor }: Moment,
  around: Circumstances,
): string | undefined {
  const told = `${answer.status} ${answer.body.reason ?? ''}: ${answer.body.message ?? ''}`
  const asked = wantedRevision(wanted) ?? exactly ?? 0
  if (isTooLarge(answer)) return asked > floor || around.trouble ? undefined : `${told}, though the store was at ${floor} before`
  // A list of the newest state is read in parts, all at the revision of the first.
  if (answer.status === 410)
    return (exactly ?? floor) < around.compacted ? undefined : `${told}, though nothing from ${exactly ?? floor} on is compacted`
  if (answer.status === 500 && answer.body.message === 'etcdserver: mvcc: required revision is a future revision')
    return asked > floor ? undefined : `${told}, though the store was at ${floor} before`
  if (isAway(answer)) return around.trouble ? undefined : `${told}, and nothing was wrong`
  return told
}
