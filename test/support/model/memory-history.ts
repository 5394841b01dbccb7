import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises'
import type { CacherOptions } from '../../../src/storage/cacher/cacher-types.ts'
import { type Key, key, revision } from '../../../src/storage/revision.ts'
import type { AnyObject } from '../any-object.ts'
import { never } from '../backend.ts'
import { MemoryBackend } from '../memory-backend.ts'
import { widgetResource } from '../test-registry.ts'
import { type Chance, chance } from './chance.ts'
import { contradictions } from './check.ts'
import { TOKEN } from './check-write.ts'
import { runClients } from './clients.ts'
import { HandlerServer } from './handler-server.ts'
import { keepJournal } from './journal.ts'
import { collectionPath, type ModelKind, type Places, pathWith } from './objects.ts'
import { Recorder } from './recorder.ts'
import type { SeenList } from './seen.ts'
import { EVERYTHING } from './selection.ts'
import { StoreHistory } from './store-history.ts'
import { TroubledBackend } from './troubled-backend.ts'

export const WIDGETS: ModelKind = {
  kind: 'Widget',
  apiVersion: 'example.io/v1',
  root: '/apis/example.io/v1',
  plural: 'widgets',
  hasColor: true,
}

/** Of names and namespaces some begin with others, and their order is not that of their words. */
const PLACES: Places = { kind: WIDGETS, namespaces: ['n', 'n-a'], names: ['a', 'a-b', 'ab', 'b'] }
const PREFIX = '/registry/widgets/'
const PATIENCE_MS = 120_000
/** Histories of many objects take long. */
const LARGE_SHARE = 0.015
const FILLER = 'filler-'

/** Result of a history. */
export interface Outcome {
  /** A line for each contradiction. */
  readonly wrong: readonly string[]
  /** Number of responses and streams that were compared. */
  readonly compared: number
  readonly changes: number
}

interface Member {
  server: HandlerServer
  backend: TroubledBackend
}

/** Progress of a history, for one that does not end. */
export interface Progress {
  report(): string
}

/** One history of several servers, in this process, on one store in memory; all of its choices follow from the seed. */
export async function memoryHistory(seed: number, progress: Partial<Progress> = {}): Promise<Outcome> {
  const luck = chance(seed)
  const store = new MemoryBackend()
  const history = new StoreHistory({ 'spec.color': object => object.spec?.color ?? '' })
  const journal = keepJournal(store, 1, PREFIX, history)
  const trouble = luck.is(0.65)
  const slowness = luck.pick([0, 0.3, 1])
  const clock = { ahead: 0, now: () => Date.now() + clock.ahead }
  const cache: CacherOptions = {
    revisionWaitMs: trouble ? luck.number(50, 300) : 30_000,
    startWaitMs: trouble ? luck.number(5, 200) : 30_000,
    resilientStart: luck.is(0.7),
    queueLimit: luck.pick([4, 64, 4096]),
    queueBytes: luck.pick([5000, 16 << 20]),
    consistencyCheckMs: luck.pick([0, 5, 30]),
    bookmarkMs: luck.pick([5, 20, 60_000]),
    historyBytes: luck.pick([2000, 6000, 1 << 20]),
    consistentReads: luck.is(0.75),
    exactReads: luck.is(0.75),
  }
  const timed = luck.is(0.3)
  const ways = { watchList: luck.is(0.75), endless: !timed && (cache.queueLimit ?? 0) > 64 && (cache.queueBytes ?? 0) > 5000 }
  let uids = 0
  const open = (): Member => {
    const backend = new TroubledBackend(store, luck.random, slowness)
    const server = new HandlerServer({
      definition: widgetResource(),
      backend,
      cache,
      isCached: !luck.is(0.15),
      clock,
      watchList: ways.watchList,
      watchSeconds: timed ? 0.15 : 1800,
      newUid: () => `u${++uids}`,
    })
    return { server, backend }
  }
  const members = Array.from({ length: luck.number(1, 3) }, open)
  const world = {
    get servers() {
      return members.map(({ server }) => server)
    },
    storeRevision: () => store.revision,
    told: 1,
  }
  const recorder = new Recorder(world)
  const isLarge = luck.is(LARGE_SHARE)
  if (isLarge) fill(store, luck.number(900, 1300))
  const { done, followers } = runClients({
    seed,
    world,
    recorder,
    places: PLACES,
    ways,
    clients: luck.number(2, 4),
    followers: luck.number(1, 3),
    steps: isLarge ? 6 : luck.number(10, 30),
    pause: shortPause,
  })
  let over = false
  let compacted = 0
  let stage = 'the clients'
  progress.report = () => {
    const caches = members.map(({ server: { cacher } }) => `${cacher.stats().revision}${cacher.ready() ? '' : ' (not ready)'}`)
    return `it is at ${stage}; the store is at ${store.revision}, the caches are at ${caches.join(', ')}; awaited: ${recorder.awaited.join('; ') || 'nothing'}`
  }
  const events = (async () => {
    const happen = happenings({
      luck,
      members,
      open,
      store,
      clock,
      history,
      recorder,
      isLarge,
      compact: at => (compacted = Math.max(compacted, at)),
    })
    while (!over) {
      await sleep(luck.number(0, 6))
      if (!over) await luck.pick(trouble ? happen.all : happen.calm)()
    }
  })()
  await done
  over = true
  stage = 'what happens around them'
  await events
  for (const { backend } of members) Object.assign(backend, { down: false, lose: 0, unanswered: 0, unsent: 0 })
  // A watcher that lost the last change notices at the next one.
  store.apply([{ key: key('/elsewhere/end'), value: Buffer.from('x') }])
  const settled = () => members.every(({ server }) => server.cacher.stats().revision >= store.revision)
  const final: Recorder = new Recorder(world)
  const listAll = { kind: 'list' as const, extent: { namespace: '', selection: EVERYTHING }, limit: 0, form: 'object' as const }
  stage = 'the first states of the caches'
  for (const { server } of members) await server.cacher.synced(AbortSignal.timeout(PATIENCE_MS))
  stage = 'the last lists'
  for (const [server] of members.entries())
    await final.ask<SeenList>(server, { method: 'GET', path: collectionPath(WIDGETS, '') }, { ...listAll, wanted: 'latest' })
  stage = 'the last change'
  for (const until = Date.now() + PATIENCE_MS; !settled() && Date.now() < until; ) await sleep(5)
  for (const [n, follower] of followers.entries()) {
    stage = `follower ${n}`
    const same = (last: number) => {
      const state = history.state(follower.extent, history.revision)
      return (
        history.eventsAfter(follower.extent, last).length === 0 &&
        state.length === follower.copy.size &&
        state.every(version => follower.copy.get(version.key) === version.revision)
      )
    }
    await follower.finish(same, PATIENCE_MS)
  }
  for (const [server] of members.entries()) {
    const path = pathWith(collectionPath(WIDGETS, ''), [
      ['resourceVersion', String(store.revision)],
      ['resourceVersionMatch', 'NotOlderThan'],
    ])
    await final.ask<SeenList>(server, { method: 'GET', path }, { ...listAll, wanted: { notOlderThan: store.revision } })
  }
  await turn()
  for (const { server } of members) server.kill()
  journal.close()
  const wrong = [
    ...contradictions(history, recorder.seen, isOurs, { trouble, compacted }),
    ...contradictions(history, final.seen, () => false, { trouble: false, compacted }).map(line => `in the end: ${line}`),
    ...(settled() ? [] : ['a cache never came to the end']),
  ]
  return { wrong, compared: recorder.seen.length + final.seen.length, changes: history.changes.length }
}

/** Fillers are written by whom no client knows. */
const isOurs = (key: string): boolean => !key.includes(FILLER)

const storedFiller = (n: number, text: string): { key: Key; value: Buffer } => {
  const name = `${FILLER}${String(n).padStart(4, '0')}`
  const metadata = { name, namespace: 'n', uid: name, creationTimestamp: '2026-01-02T03:04:05Z', labels: { tier: 'c' } }
  return {
    key: key(`${PREFIX}n/${name}`),
    value: Buffer.from(
      JSON.stringify({ kind: 'Widget', apiVersion: 'example.io/v1', metadata, spec: { size: 1, color: text }, status: {} }),
    ),
  }
}

/** So many objects that no list, load or beginning of a watch is one piece of work. */
function fill(store: MemoryBackend, count: number): void {
  store.apply(Array.from({ length: count }, (_, n) => storedFiller(n, 'red')))
}

async function shortPause({ random }: Chance): Promise<void> {
  const dice = random()
  if (dice < 0.5) await turn()
  else await sleep(dice < 0.9 ? 1 : 4)
}

/** Another program changes some objects in one transaction, which is one revision. */
function foreignWrite({ luck, store, history, recorder }: Surroundings): void {
  const there = history.state({ namespace: '', selection: EVERYTHING }, store.revision).filter(({ key: each }) => isOurs(each))
  // The journal may be behind: then it is not known what is there.
  if (history.revision < store.revision || there.length === 0) return
  const some = there.filter(() => luck.is(0.5))
  const floor = store.revision
  const writes = some.map(({ key: at, object }) => {
    const token = `foreign-${floor}-${at}`
    const next = luck.is(0.3)
      ? undefined
      : { ...object, metadata: { ...object.metadata, annotations: { ...object.metadata.annotations, [TOKEN]: token } } }
    return { at, object, token, next }
  })
  if (writes.length === 0) return
  const revision = store.apply(
    writes.map(({ at, next }) => ({ key: key(PREFIX + at), ...(next && { value: Buffer.from(JSON.stringify(next)) }) })),
  )
  for (const { at, object, token, next } of writes) {
    const told = next
      ? { ...next, metadata: { ...next.metadata, resourceVersion: String(revision) } }
      : ({ kind: 'Status', details: { uid: object.metadata.uid }, metadata: {} } as unknown as AnyObject)
    recorder.seen.push({
      kind: 'write',
      verb: next ? 'update' : 'delete',
      key: at,
      token: next && token,
      guard: undefined,
      effect: before => (next ? before && { ...before, annotations: { ...before.annotations, [TOKEN]: token } } : 'absent'),
      server: -1,
      floor,
      ceiling: revision,
      answer: { status: 200, body: told },
    })
  }
}

interface Surroundings {
  readonly history: StoreHistory
  readonly recorder: Recorder
  readonly isLarge: boolean
  readonly luck: Chance
  readonly members: Member[]
  open(): Member
  readonly store: MemoryBackend
  readonly clock: { ahead: number }
  compact(at: number): void
}

type Happening = () => Promise<void> | void

/** Disturbances around the clients. Clients notice the `calm` ones only by 410s. */
function happenings(around: Surroundings): { calm: Happening[]; all: Happening[] } {
  const { luck, members, open, store, clock, isLarge, compact } = around
  const anyMember = (): Member => luck.pick(members)
  const away = async (some: readonly Member[]): Promise<void> => {
    for (const { backend } of some) backend.down = true
    await sleep(luck.number(1, 30))
    for (const { backend } of some) backend.down = false
  }
  const compactBut = (least: number) => async (): Promise<void> => {
    const at = revision(Math.max(1, store.revision - least - luck.number(0, 15)))
    compact(at)
    await store.compact(at, never)
  }
  const calm: Happening[] = [
    () => {},
    () => foreignWrite(around),
    // Many changes at once.
    () => {
      if (isLarge) for (let n = 0; n < 100; n++) store.apply([storedFiller(n, luck.pick(['red', 'blue']))])
    },
    compactBut(isLarge ? 2000 : 15),
    // Other programs write, too: several keys in one transaction.
    () =>
      void store.apply([
        { key: key('/elsewhere/a'), value: Buffer.from('x') },
        ...(luck.is(0.5) ? [{ key: key('/registry/widgets-too/n/a'), value: Buffer.from('{}') }] : []),
      ]),
    () => {
      clock.ahead += luck.pick([-60_000, 30_000, 100_000])
    },
  ]
  const kill = (how: 'kill' | 'stop'): void => {
    const at = luck.number(0, members.length - 1)
    const old = members[at] as Member
    members[at] = open()
    if (how === 'stop') old.server.beginShutdown()
    old.server.kill()
    void old.backend.close()
  }
  const bad: Happening[] = [
    compactBut(0),
    () => anyMember().backend.cut(),
    () => void anyMember().backend.lose++,
    () => void anyMember().backend.unanswered++,
    () => void anyMember().backend.unsent++,
    () => away([anyMember()]),
    () => away(members),
    () => kill('kill'),
    () => kill('stop'),
  ]
  return { calm, all: [...calm, ...bad] }
}
