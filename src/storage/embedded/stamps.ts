import type { Clock } from '../../lib/clock.ts'
import { NO_REVISION, type Revision, revision } from '../revision.ts'
import type { Tables } from './environment.ts'
import { decodeRecord, numberBytes, type Stamp } from './layout.ts'
import { metaRevision, stampsSince } from './tables.ts'

/** Overhead of a change besides its record: rows of the log and of the keys, in bytes. */
const ROW_BYTES = 48

/** The newest stamp of a store. */
export interface LastStamp {
  readonly time: number
  readonly bytes: number
}

/** A change that gets a stamp. */
export interface Stamping {
  /** The previous change of the key; 0 if there is none. */
  readonly before: Revision
  readonly isDeletion: boolean
  /** Size of key and value in bytes. */
  readonly size: number
  /** Returns the record of an earlier change, including one of the same group that is not written yet. */
  recordOf(revision: Revision): Buffer | undefined
}

/** Returns the newest stamp of the tables; undefined if their changes have none. */
export function lastStamp(tables: Tables): LastStamp | undefined {
  const since = stampsSince(tables)
  if (since === undefined) return undefined
  const newest = metaRevision(tables, 'revision')
  const record = newest < since.first ? undefined : tables.log.getBinaryFast(numberBytes(newest))
  return (record && decodeRecord(record).stamp) ?? { time: since.time, bytes: 0 }
}

/**
 * Returns the time of the next change. It stands still if the clock was set back, so that times never decrease with
 * revisions.
 */
export const nextStampTime = (last: LastStamp, clock: Clock): number => Math.max(last.time, Math.floor(clock.now()))

/** Returns the stamp of a change that follows `last`. */
export function nextStamp(last: LastStamp, time: number, { before, isDeletion, size, recordOf }: Stamping): Stamp {
  const replaced = before === NO_REVISION ? undefined : recordOf(before)
  const freed = (replaced === undefined ? 0 : replaced.length + ROW_BYTES) + (isDeletion ? size + ROW_BYTES : 0)
  return { time, bytes: last.bytes + freed, ...jumpFrom(before, replaced, recordOf) }
}

/**
 * Chooses the jump of a change, as in a skew-binary list (Myers, "An applicative random-access stack", 1983): two
 * consecutive jumps of equal span combine into a longer one. A jump to any earlier change of the key would be correct;
 * these make the path short.
 */
function jumpFrom(before: Revision, replaced: Buffer | undefined, recordOf: Stamping['recordOf']): Pick<Stamp, 'jump' | 'span'> {
  if (replaced === undefined) return { jump: revision(before), span: before === NO_REVISION ? 0 : 1 }
  const { stamp } = decodeRecord(replaced)
  if (stamp === undefined || stamp.jump === NO_REVISION) return { jump: before, span: 1 }
  const { jump, span } = stamp
  const target = recordOf(jump)
  const beyond = target && decodeRecord(target).stamp
  return beyond !== undefined && beyond.span === span && beyond.jump !== NO_REVISION
    ? { jump: beyond.jump, span: span + beyond.span + 1 }
    : { jump: before, span: 1 }
}
