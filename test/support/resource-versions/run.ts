import { setTimeout as sleep } from 'node:timers/promises'
import type { Failure, Request, Seen } from './cell.ts'
import { type Versions, type World, writeHistory, writeMore } from './history.ts'
import type { OpenStream } from './http2-client.ts'
import { createObserver, type Form } from './observe.ts'

/** Time after which a wait for a version has ended. */
const QUIET_MS = 3500
/** For the last events to come: at least, and at most where some are missing. */
const SETTLE_MS = 500
const PATIENCE_MS = 60_000
/**
 * Bookmarks come by the minute: how many a watch without a timeout gets is no matter once it has been open for so long.
 */
const BOOKMARK_MS = 60_000
const SIDE_BY_SIDE = 16

const isTimed = ({ do: line }: Request): boolean => line.includes('timeoutSeconds')
const isPlainBookmark = (event: string | Failure): boolean => typeof event === 'string' && /^BOOKMARK @\S*$/.test(event)

/** Removes bookmarks of a watch without a timeout, unless it requested them. */
function withoutLateBookmarks(request: Request, seen: Seen): Seen {
  if (seen.events === undefined || isTimed(request) || !request.do.includes('allowWatchBookmarks=true')) return seen
  return { ...seen, events: seen.events.filter(event => !isPlainBookmark(event)) }
}

export interface Row {
  readonly request: Request
  readonly form: Form
  readonly seen: Seen
}

/**
 * Asks a server for everything: reads side by side, with all watches open; then writes, which the watches that are
 * still open are to show. `formsOf`: the forms in which a request is made. `isComplete`: whether watches have shown all
 * that is waited for.
 */
export async function runTable(
  world: World,
  requests: readonly Request[],
  formsOf: (request: Request, index: number) => readonly Form[],
  isComplete: (watched: readonly Row[]) => boolean = () => true,
): Promise<{ rows: Row[]; versions: Versions }> {
  const versions = await writeHistory(world)
  const client = world.client()
  const observer = createObserver(versions)
  const asked = requests.flatMap((request, index) => formsOf(request, index).map(form => ({ request, form })))
  const streams: { request: Request; form: Exclude<Form, 'cbor'>; stream: OpenStream }[] = []
  const open = ({ request, form }: (typeof asked)[number]): void => {
    if (form !== 'cbor') streams.push({ request, form, stream: observer.open(client, request, form) })
  }
  const watches = asked.filter(({ request }) => request.do.startsWith('WATCH'))
  // Watches with a short timeout run first and alone: a bookmark that is due would be late in a busy process.
  for (const one of watches) if (isTimed(one.request)) open(one)
  await Promise.all(streams.map(({ stream }) => stream.done))
  const opened = Date.now()
  for (const one of watches) if (!isTimed(one.request)) open(one)
  const rows: Row[] = []
  const reads = asked.filter(({ request }) => request.do.startsWith('GET'))
  const read = async ({ request, form }: (typeof reads)[number]): Promise<void> => {
    rows.push({ request, form, seen: await observer.ask(client, request, form) })
  }
  const waits = (request: Request): boolean => `${request.do} ${request.token}`.includes('{future}')
  const left = reads.filter(({ request }) => !waits(request)).values()
  const worker = async (): Promise<void> => {
    for (const one of left) await read(one)
  }
  const waiting = reads.filter(({ request }) => waits(request)).map(read)
  await Promise.all([...waiting, ...Array.from({ length: SIDE_BY_SIDE }, worker)])
  await sleep(Math.max(0, opened + QUIET_MS - Date.now()))
  await Promise.all(streams.map(({ stream }) => stream.begun))
  const later = new Map(versions)
  await writeMore(client, later)
  const watching = createObserver(later)
  const look = (): Promise<Row[]> =>
    Promise.all(
      streams.map(async ({ request, form, stream }) => {
        const seen = await watching.watched(stream, form)
        return { request, form, seen: Date.now() - opened < BOOKMARK_MS ? seen : withoutLateBookmarks(request, seen) }
      }),
    )
  const until = Date.now() + PATIENCE_MS
  let watched: Row[]
  do {
    await sleep(SETTLE_MS)
    watched = await look()
  } while (!isComplete(watched) && Date.now() < until)
  for (const { stream } of streams) stream.close()
  return { rows: [...rows, ...watched], versions: later }
}
