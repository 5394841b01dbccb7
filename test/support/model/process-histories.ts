import { setTimeout as sleep } from 'node:timers/promises'
import type { RunningStore } from '../etcd-setups.ts'
import type { ServerProcess } from '../server-process.ts'
import { type Chance, chance } from './chance.ts'
import { contradictions } from './check.ts'
import { runClients } from './clients.ts'
import { readEmbeddedJournal } from './embedded-journal.ts'
import { httpServer } from './http-server.ts'
import type { Outcome } from './memory-history.ts'
import { collectionPath, type ModelKind, type Places, pathWith } from './objects.ts'
import { type ModelWorld, Recorder } from './recorder.ts'
import type { SeenList } from './seen.ts'
import { EVERYTHING } from './selection.ts'
import { keepSharedJournal } from './shared-journal.ts'
import { StoreHistory } from './store-history.ts'
import type { Follower } from './watcher.ts'

const CONFIG_MAPS: ModelKind = { kind: 'ConfigMap', apiVersion: 'v1', root: '/api/v1', plural: 'configmaps', hasColor: false }
const NAMES = ['a', 'a-b', 'ab', 'b']
const EMBEDDED_PREFIX = '/registry/configmaps/'
/** For servers to become ready, and for all followers together. */
const PATIENCE_MS = 120_000

export interface ProcessWorldOptions {
  readonly seed: number
  /** Side by side, each in namespaces of its own. */
  readonly histories: number
  readonly steps: number
  readonly servers: readonly ServerProcess[]
  /** Optional. Default: one server on its embedded store. */
  readonly store?: RunningStore
  /** Whether clients may compact the store. */
  readonly compacts?: boolean
}

interface Run {
  readonly places: Places
  readonly recorder: Recorder
  readonly done: Promise<void>
  readonly followers: readonly Follower[]
}

/**
 * Histories of clients of servers in processes of their own, which are killed, and whose store is, while they go on.
 * The servers are started, and stopped in the end.
 */
export async function processHistories(options: ProcessWorldOptions): Promise<Outcome> {
  const { seed, servers, store } = options
  const luck = chance(seed)
  const history = new StoreHistory()
  const journal = store && keepSharedJournal(store.administrator ?? store.options, CONFIG_MAPS.plural, history)
  const clients = servers.map(({ url }) => httpServer(url))
  const world: ModelWorld = {
    servers: clients,
    told: 1,
    storeRevision: () => undefined,
    ...(journal && { askRevision: () => journal.revision() }),
  }
  await Promise.all(servers.map(server => server.start()))
  const runs: Run[] = []
  for (let n = 0; n < options.histories; n++) runs.push(await startHistory(options, world, n))
  let over = false
  let compacted = 0
  const faults = (async () => {
    while (!over) {
      await sleep(luck.number(100, 700))
      if (over) break
      if (journal && options.compacts && luck.is(0.3)) {
        const at = Math.max(1, world.told - luck.number(0, 200))
        compacted = Math.max(compacted, at)
        await journal.compact(at)
      } else await disturb(luck, servers, store)
    }
  })()
  await Promise.all(runs.map(({ done }) => done))
  over = true
  await faults
  await Promise.all(servers.map(server => untilReady(server)))
  const final = new Recorder(world)
  const listAll = { kind: 'list' as const, extent: { namespace: '', selection: EVERYTHING }, limit: 0, form: 'object' as const }
  for (const [server] of servers.entries())
    await final.ask<SeenList>(server, { method: 'GET', path: collectionPath(CONFIG_MAPS, '') }, { ...listAll, wanted: 'latest' })
  const last = world.told
  for (const [server] of servers.entries()) {
    const path = pathWith(collectionPath(CONFIG_MAPS, ''), [
      ['resourceVersion', String(last)],
      ['resourceVersionMatch', 'NotOlderThan'],
    ])
    await final.ask<SeenList>(server, { method: 'GET', path }, { ...listAll, wanted: { notOlderThan: last } })
  }
  await journal?.caughtUp()
  const until = Date.now() + PATIENCE_MS
  if (journal)
    for (const { followers } of runs)
      for (const follower of followers) {
        const same = (reached: number) => {
          const state = history.state(follower.extent, history.revision)
          return (
            history.eventsAfter(follower.extent, reached).length === 0 &&
            state.length === follower.copy.size &&
            state.every(({ key, revision }) => follower.copy.get(key) === revision)
          )
        }
        await follower.finish(same, until - Date.now())
      }
  // The store can't be read beside its server: what is due is known only afterwards.
  else {
    await sleep(1000)
    for (const { followers } of runs) for (const follower of followers) await follower.finish(() => true, until - Date.now())
  }
  await Promise.all(servers.map(server => server.kill()))
  for (const client of clients) client.close()
  journal?.close()
  if (!store) await readEmbeddedJournal((servers[0] as ServerProcess).storeDir, EMBEDDED_PREFIX, history)
  const wrong = runs.flatMap(({ places, recorder }) => {
    const keys = new Set(places.namespaces.flatMap(namespace => places.names.map(name => `${namespace}/${name}`)))
    return contradictions(history, recorder.seen, key => keys.has(key), { trouble: true, compacted })
  })
  wrong.push(...contradictions(history, final.seen, () => false, { trouble: false, compacted }).map(line => `in the end: ${line}`))
  if (history.fault !== undefined) wrong.push(history.fault)
  const compared = runs.reduce((sum, { recorder }) => sum + recorder.seen.length, final.seen.length)
  return { wrong, compared, changes: history.changes.length }
}

async function startHistory({ seed, steps }: ProcessWorldOptions, world: ModelWorld, n: number): Promise<Run> {
  const own = seed * 100 + n
  const places: Places = { kind: CONFIG_MAPS, namespaces: [`h${own}`, `h${own}-a`], names: NAMES }
  for (const name of places.namespaces) {
    const answer = await world.servers[0]?.ask({
      method: 'POST',
      path: '/api/v1/namespaces',
      body: { kind: 'Namespace', apiVersion: 'v1', metadata: { name } },
    })
    if (answer?.status !== 201) throw new Error(`the namespace ${name}: ${JSON.stringify(answer)}`)
  }
  const recorder = new Recorder(world)
  const pause = (luck: Chance) => sleep(luck.number(0, 25))
  const ways = { watchList: true, endless: true }
  return { places, recorder, ...runClients({ seed: own, world, recorder, places, ways, clients: 3, followers: 2, steps, pause }) }
}

/** A server is killed, or told to stop, and comes again; the store is killed, or frozen, and comes again. */
async function disturb(luck: Chance, servers: readonly ServerProcess[], store: RunningStore | undefined): Promise<void> {
  const dice = luck.random()
  if (store && dice < 0.25) {
    await store.kill()
    await sleep(luck.number(0, 400))
    await store.start()
  } else if (store && dice < 0.4) {
    await store.freeze()
    await sleep(luck.number(50, 800))
    store.thaw()
  } else {
    const server = luck.pick(servers)
    if (luck.is(0.7)) await server.kill()
    else await server.terminate()
    await server.start('serving')
  }
}

async function untilReady({ url }: ServerProcess): Promise<void> {
  for (const until = Date.now() + PATIENCE_MS; Date.now() < until; await sleep(50)) {
    const status = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(5000) }).then(
      async answer => (await answer.arrayBuffer()) && answer.status,
      () => 0,
    )
    if (status === 200) return
  }
  throw new Error(`${url} does not become ready`)
}
