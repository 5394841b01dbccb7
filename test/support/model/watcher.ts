import { anyForm, formQuery, isTable } from './form.ts'
import { anyExtent, collectionPath, extentQuery, pathWith } from './objects.ts'
import { anyRevision, listAs } from './reader.ts'
import type { RecordedStream } from './recorder.ts'
import type { SeenEvent, SeenWatch } from './seen.ts'
import { type Extent, keyOf } from './store-history.ts'
import type { ClientContext } from './writer.ts'

/** Options of the watches of a history. */
export interface WatchWays {
  /** The gate WatchList. */
  readonly watchList: boolean
  /** The servers end no watch that is read. */
  readonly endless: boolean
}

interface Start {
  readonly start: SeenWatch['start']
  readonly query: [string, string][]
}

const INITIAL: [string, string][] = [
  ['sendInitialEvents', 'true'],
  ['resourceVersionMatch', 'NotOlderThan'],
]

const afterRevision = (after: number): Start => ({ start: { after }, query: [['resourceVersion', String(after)]] })

/** Each way to begin. `bookmarks`: are asked for. */
function anyStart({ chance, recorder }: ClientContext, { watchList }: WatchWays, bookmarks: boolean): Start {
  const revision = anyRevision(chance, recorder.highest)
  const endsWithBookmark = bookmarks && watchList
  const zero: [string, string] = ['resourceVersion', '0']
  const bare: [string, string] = ['resourceVersion', String(revision)]
  return chance.pick<Start>([
    afterRevision(revision),
    afterRevision(revision),
    { start: { initial: watchList ? 'latest' : 'any', endsWithBookmark }, query: [] },
    { start: { initial: 'any', endsWithBookmark }, query: [zero] },
    ...(watchList
      ? ([
          { start: { initial: 'latest', endsWithBookmark }, query: INITIAL },
          { start: { initial: 'any', endsWithBookmark }, query: [...INITIAL, zero] },
          { start: { initial: { notOlderThan: revision }, endsWithBookmark }, query: [...INITIAL, bare] },
          { start: { after: revision }, query: [['sendInitialEvents', 'false'], ['resourceVersionMatch', 'NotOlderThan'], bare] },
        ] as Start[])
      : []),
  ])
}

function open(
  client: ClientContext,
  ways: WatchWays,
  extent: Extent,
  start: Start,
  bookmarks: boolean,
  onEvent?: (event: SeenEvent) => void,
): RecordedStream {
  const { chance, places, recorder } = client
  const slow = chance.is(0.1)
  const wished = anyForm(chance)
  // Tables are refused where a bookmark ends the initial events.
  const form = isTable(wished) && 'initial' in start.start && start.start.endsWithBookmark ? 'object' : wished
  const query: [string, string][] = [
    ['watch', 'true'],
    ...formQuery(form),
    ...extentQuery(extent),
    ...start.query,
    ...(bookmarks ? [['allowWatchBookmarks', 'true'] as [string, string]] : []),
  ]
  const path = pathWith(collectionPath(places.kind, extent.namespace), query)
  return recorder.watch(
    client.server(),
    path,
    { extent, start: start.start, bookmarks, form, mayEnd: slow || !ways.endless },
    slow,
    onEvent,
  )
}

/** A watch that begins anywhere and is left again. */
export async function watchForAWhile(client: ClientContext, ways: WatchWays): Promise<void> {
  const { chance, places } = client
  const bookmarks = chance.is(0.6)
  const { stream, over } = open(client, ways, anyExtent(chance, places), anyStart(client, ways, bookmarks), bookmarks)
  for (let pauses = chance.number(1, 8); pauses > 0; pauses--) await client.pause()
  stream.cut()
  await over
}

/**
 * A client that keeps a copy of the watched objects, as informers do: it resumes whenever a stream ends, and lists
 * again if necessary.
 */
export interface Follower {
  readonly extent: Extent
  /** Revisions by key. */
  readonly copy: ReadonlyMap<string, number>
  /** Ends it once its copy, which it knows to be that of a revision, is `settled`, or when `patience` is over. */
  finish(settled: (last: number) => boolean, patience: number): Promise<void>
}

export function follow(client: ClientContext, ways: WatchWays): Follower {
  const { chance, places } = client
  const extent = anyExtent(chance, places)
  const copy = new Map<string, number>()
  let last: number | undefined
  let current: RecordedStream | undefined
  let finishing = false
  let finished = false

  const take = ({ type, object }: SeenEvent): void => {
    if (type === 'ERROR') {
      if (object.code === 410) last = undefined
      return
    }
    const revision = Number(object.metadata.resourceVersion)
    if (type === 'BOOKMARK') last = Math.max(last ?? 0, revision)
    else {
      if (type === 'DELETED') copy.delete(keyOf(object))
      else copy.set(keyOf(object), revision)
      // Initial events come by name: none of them says how far the state goes.
      if (last !== undefined) last = Math.max(last, revision)
    }
  }
  const list = async (): Promise<void> => {
    const answer = await listAs(client, extent, { wanted: 'latest', query: [] })
    if (answer.status !== 200) return
    copy.clear()
    for (const item of answer.body.items ?? []) copy.set(keyOf(item), Number(item.metadata.resourceVersion))
    last = Number(answer.body.metadata.resourceVersion)
  }
  const run = async (): Promise<void> => {
    while (!finished) {
      const initial = last === undefined && ways.watchList && chance.is(0.5)
      if (last === undefined && !initial) await list()
      if (!finished && (last !== undefined || initial)) {
        if (initial) copy.clear()
        const start: Start =
          last === undefined ? { start: { initial: 'latest', endsWithBookmark: true }, query: INITIAL } : afterRevision(last)
        current = open(client, ways, extent, start, initial || chance.is(0.7), take)
        if (finishing || chance.is(0.6)) await current.over
        else {
          for (let pauses = chance.number(1, 20); pauses > 0; pauses--) await client.pause()
          if (!finishing) current.stream.cut()
          await current.over
        }
        // Left in the middle of the initial events: they are asked for again.
        current = undefined
      }
      if (!finished) await client.pause()
    }
  }
  const running = run()
  return {
    extent,
    copy,
    async finish(settled, patience) {
      finishing = true
      for (const until = Date.now() + patience; !(last !== undefined && settled(last)) && Date.now() < until; ) await client.pause()
      finished = true
      const open = current
      if (open !== undefined) {
        // An event that an open stream has not delivered by now is lost.
        const toTheEnd = open.seen.end === 'open'
        open.stream.cut()
        await running
        if (toTheEnd && open.seen.refusal === undefined) open.stay()
      } else await running
    },
  }
}
