import { parseMilliseconds } from '../../lib/duration.ts'
import { badRequestError, expiredError } from '../../meta/status.ts'
import { timeMillis } from '../../meta/time.ts'
import { BackendError } from '../../storage/backend.ts'
import { type Revision, revision } from '../../storage/revision.ts'
import type { Moment, StoreHistory } from '../../storage/store-history.ts'
import type { Exchange } from '../exchange.ts'

/** Maximum characters of a moment. */
const LONGEST = 64
/** Maximum time by which a client's clock may be ahead. */
const AHEAD_MS = 60_000

/** A state of the store. Its time is undefined if it is older than the recorded times. */
export type RequestedMoment = Omit<Moment, 'time'> & { readonly time: number | undefined }

/**
 * Parses a moment: `now`, `10m` or `10m ago`, an RFC 3339 time, or a revision (resourceVersion). Throws 400 if it is
 * invalid or in the future, and 410 if it is no longer retained.
 */
export function momentOf(history: StoreHistory, text: string, now: number): RequestedMoment {
  if (/^\d+$/.test(text)) return byRevision(history, text)
  const time = timeIn(text, now)
  if (time > now + AHEAD_MS) throw badRequestError(`${JSON.stringify(text)} is in the future: the time is ${iso(now)}`)
  const found = history.momentAt(time)
  if (found !== undefined) return found
  const oldest = history.oldest()
  throw expiredError(`${iso(time)} is no longer kept: history begins at ${iso(oldest.time)}, with revision ${oldest.revision}`)
}

function byRevision(history: StoreHistory, text: string): RequestedMoment {
  const asked = Number(text)
  if (!Number.isSafeInteger(asked) || asked < 1) throw badRequestError(`${text.slice(0, LONGEST)} is not a revision`)
  return { revision: revision(asked), time: told(history, () => history.timeOf(revision(asked))) }
}

/** Returns the result of `ask`. Throws 410 for a revision that is no longer retained, and 400 for one in the future. */
export function told<T>(history: StoreHistory, ask: () => T): T {
  try {
    return ask()
  } catch (error) {
    throw momentError(history, error)
  }
}

/** Converts a failure of the store to the error of a request for a moment. */
export function momentError(history: StoreHistory, error: unknown): unknown {
  if (!(error instanceof BackendError)) return error
  if (error.code === 'future') return badRequestError(error.message)
  if (error.code !== 'compacted') return error
  const oldest = history.oldest()
  return expiredError(
    `${error.message}: the oldest that is kept is ${error.compactRevision ?? oldest.revision}; history begins at ${iso(oldest.time)}`,
  )
}

/** Milliseconds since the epoch. Throws 400. */
function timeIn(text: string, now: number): number {
  const trimmed = text.trim()
  if (trimmed === '' || trimmed === 'now') return now
  if (trimmed.length <= LONGEST) {
    const time = timeMillis(trimmed) ?? ago(/^(.*\S)\s+ago$/s.exec(trimmed)?.[1] ?? trimmed, now)
    if (time !== undefined) return time
  }
  throw badRequestError(
    `${JSON.stringify(text.slice(0, LONGEST))} is not a moment: use a duration such as 10m, a time such as ${iso(now)}, or a revision`,
  )
}

function ago(duration: string, now: number): number | undefined {
  try {
    return now - parseMilliseconds(duration)
  } catch {
    return undefined
  }
}

/** Formats milliseconds since the epoch, with milliseconds. metav1.Time has whole seconds only. */
export const iso = (time: number): string => new Date(time).toISOString()

/** Returns the JSON of a moment. The revision is a string, like any resourceVersion. */
export const momentJson = ({
  revision,
  time,
}: {
  readonly revision: Revision
  readonly time: number | undefined
}): { revision: string; time?: string } => ({
  revision: String(revision),
  ...(time !== undefined && { time: iso(time) }),
})

/** `GET /binnacle/v1/moments?at=`: the latest revision at a moment, and the oldest retained one. */
export function serveMoment(exchange: Exchange, history: StoreHistory, now: number): Promise<void> {
  const moment = momentOf(history, exchange.query.get('at') ?? '', now)
  const body = { kind: 'Moment', ...momentJson(moment), oldest: momentJson(history.oldest()) }
  return exchange.sendBytes(200, 'application/json', Buffer.from(JSON.stringify(body)))
}
