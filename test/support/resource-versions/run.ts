import { setTimeout as sleep } from 'node:timers/promises'
import type { Request, Seen } from './cell.ts'
import { type Versions, type World, writeHistory, writeMore } from './history.ts'
import type { OpenStream } from './http2-client.ts'
import { createObserver, type Form } from './observe.ts'

/** What waits for a version has given up by then. */
const QUIET_MS = 3500
/** For the last events to come. */
const SETTLE_MS = 500
const SIDE_BY_SIDE = 16

export interface Row {
  readonly request: Request
  readonly form: Form
  readonly seen: Seen
}

/**
 * Asks a server for everything: reads side by side, with all watches open; then writes, which the watches that are still open are to show. `formsOf`: the forms in which a request is
 * made.
 */
export async function runTable(
  world: World,
  requests: readonly Request[],
  formsOf: (request: Request, index: number) => readonly Form[],
): Promise<{ rows: Row[]; versions: Versions }> {
  const versions = await writeHistory(world)
  const client = world.client()
  const observer = createObserver(versions)
  const began = Date.now()
  const asked = requests.flatMap((request, index) => formsOf(request, index).map(form => ({ request, form })))
  const streams: { request: Request; form: Exclude<Form, 'cbor'>; stream: OpenStream }[] = []
  const open = ({ request, form }: (typeof asked)[number]): void => {
    if (form !== 'cbor') streams.push({ request, form, stream: observer.open(client, request, form) })
  }
  const isTimed = ({ do: line }: Request): boolean => line.includes('timeoutSeconds')
  const watches = asked.filter(({ request }) => request.do.startsWith('WATCH'))
  // Those that have little time come first, alone.
  for (const one of watches) if (isTimed(one.request)) open(one)
  await Promise.all(streams.map(({ stream }) => stream.begun))
  await sleep(SETTLE_MS)
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
  await sleep(Math.max(0, began + QUIET_MS - Date.now()))
  await Promise.all(streams.map(({ request, stream }) => (isTimed(request) ? stream.done : stream.begun)))
  const later = new Map(versions)
  await writeMore(client, later)
  await sleep(SETTLE_MS)
  const watching = createObserver(later)
  for (const { request, form, stream } of streams) rows.push({ request, form, seen: await watching.watched(stream, form) })
  for (const { stream } of streams) stream.close()
  return { rows, versions: later }
}
