import { parseMilliseconds } from '../../lib/duration.ts'
import { badRequestError, expiredError } from '../../meta/status.ts'
import { timeMillis } from '../../meta/time.ts'
import { BackendError } from '../../storage/backend.ts'
import { type Revision, revision } from '../../storage/revision.ts'
import type { Moment, StoreHistory } from '../../storage/store-history.ts'
import type { Exchange } from '../exchange.ts'

/** Text beyond this is none of a moment. */
const LONGEST = 64
/** Clocks of clients may be ahead by so much. */
const AHEAD_MS = 60_000

/** A state of the store, of which the time may not be known: it is older than the history. */
export type AskedMoment = Omit<Moment, 'time'> & { readonly time: number | undefined }

/** A moment as people name one: `now`, `10m` or `10m ago`, an RFC 3339 time, or a revision (resourceVersion). Throws 400 for what is none or has not come, and 410 where it is no longer kept. */
export function momentOf(history: StoreHistory, text: string, now: number): AskedMoment {
  if (/^\d+$/.test(text)) return byRevision(history, text)
  const time = timeIn(text, now)
  if (time > now + AHEAD_MS) throw badRequestError(`${JSON.stringify(text)} has not come yet: it is ${iso(now)}`)
  const found = history.momentAt(time)
  if (found !== undefined) return found
  const oldest = history.oldest()
  throw expiredError(`${iso(time)} is no longer kept: history begins at ${iso(oldest.time)}, with revision ${oldest.revision}`)
}

function byRevision(history: StoreHistory, text: string): AskedMoment {
  const asked = Number(text)
  if (!Number.isSafeInteger(asked) || asked < 1) throw badRequestError(`${text.slice(0, LONGEST)} is no revision`)
  return { revision: revision(asked), time: told(history, () => history.timeOf(revision(asked))) }
}

/** What `ask` asks the history. Throws 410 for a revision that is no longer kept, and 400 for one that has not come. */
export function told<T>(history: StoreHistory, ask: () => T): T {
  try {
    return ask()
  } catch (error) {
    throw momentError(history, error)
  }
}

/** What a failure of the store means for who asks for a moment. */
export function momentError(history: StoreHistory, error: unknown): unknown {
  if (!(error instanceof BackendError)) return error
  if (error.code === 'future') return badRequestError(error.message)
  if (error.code !== 'compacted') return error
  const oldest = history.oldest()
  return expiredError(`${error.message}: the oldest that is kept is ${error.compactRevision ?? oldest.revision}; history begins at ${iso(oldest.time)}`)
}

/** Milliseconds since 1970. Throws 400. */
function timeIn(text: string, now: number): number {
  const trimmed = text.trim()
  if (trimmed === '' || trimmed === 'now') return now
  if (trimmed.length <= LONGEST) {
    const time = timeMillis(trimmed) ?? ago(/^(.*\S)\s+ago$/s.exec(trimmed)?.[1] ?? trimmed, now)
    if (time !== undefined) return time
  }
  throw badRequestError(`${JSON.stringify(text.slice(0, LONGEST))} names no moment: use a duration such as 10m, a time such as ${iso(now)}, or a revision`)
}

function ago(duration: string, now: number): number | undefined {
  try {
    return now - parseMilliseconds(duration)
  } catch {
    return undefined
  }
}

export const iso = (time: number): string => new Date(time).toISOString()

/** As JSON shows it: a revision is text, as every resourceVersion. */
export const momentJson = ({ revision, time }: { readonly revision: Revision; readonly time: number | undefined }): { revision: string; time?: string } => ({
  revision: String(revision),
  ...(time !== undefined && { time: iso(time) }),
})

/** `GET /binnacle/v1/moments?at=`: which revision was the newest at a moment, and from which on all are kept. */
export function serveMoment(exchange: Exchange, history: StoreHistory, now: number): Promise<void> {
  const moment = momentOf(history, exchange.query.get('at') ?? '', now)
  const body = { kind: 'Moment', ...momentJson(moment), oldest: momentJson(history.oldest()) }
  return exchange.sendBytes(200, 'application/json', Buffer.from(JSON.stringify(body)))
}
