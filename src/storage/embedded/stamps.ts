import type { Clock } from '../../lib/clock.ts'
import { NO_REVISION, type Revision, revision } from '../revision.ts'
import type { Tables } from './environment.ts'
import { decodeRecord, numberBytes, type Stamp } from './layout.ts'
import { metaRevision, stampsSince } from './tables.ts'

/** What a change takes beside its record: rows of the log and of the keys. */
const ROW_BYTES = 48

/** The end of what has stamps. */
export interface LastStamp {
  readonly time: number
  readonly bytes: number
}

/** A change that is to get a stamp. */
export interface Stamping {
  /** The key's change before; 0 where there was none. */
  readonly before: Revision
  readonly isDeletion: boolean
  /** Bytes of key and value. */
  readonly size: number
  /** The record of an earlier change, also of one that is about to be written. */
  recordOf(revision: Revision): Buffer | undefined
}

/** The last stamp of the tables, whose changes all get one; undefined where they get none. */
export function lastStamp(tables: Tables): LastStamp | undefined {
  const since = stampsSince(tables)
  if (since === undefined) return undefined
  const newest = metaRevision(tables, 'revision')
  const record = newest < since.first ? undefined : tables.log.getBinaryFast(numberBytes(newest))
  return (record && decodeRecord(record).stamp) ?? { time: since.time, bytes: 0 }
}

/** Time stands still for the store while the clock has been set back: revisions stay in the order of their times. */
export const timeOf = (last: LastStamp, clock: Clock): number => Math.max(last.time, Math.floor(clock.now()))

export function nextStamp(last: LastStamp, time: number, { before, isDeletion, size, recordOf }: Stamping): Stamp {
  const replaced = before === NO_REVISION ? undefined : recordOf(before)
  const freed = (replaced === undefined ? 0 : replaced.length + ROW_BYTES) + (isDeletion ? size + ROW_BYTES : 0)
  return { time, bytes: last.bytes + freed, ...jumpFrom(before, replaced, recordOf) }
}

/** As in a skew-binary list (Myers, "An applicative random-access stack", 1983): two jumps of one span that follow each other make a longer one. Any jump to an earlier change of the key is right; these are short to follow. */
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
