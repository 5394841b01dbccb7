import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { silentLogger } from '../../src/lib/log.ts'
import { type Backend, BackendError } from '../../src/storage/backend.ts'
import { openEtcd } from '../../src/storage/etcd/open-etcd.ts'
import type { EtcdOptions } from '../../src/storage/etcd/options.ts'
import { key } from '../../src/storage/revision.ts'
import type { AnyObject } from './any-object.ts'
import { never } from './backend.ts'
import { createJsonClient } from './json-client.ts'
import { configMap } from './load.ts'
import { eventContradictions, watchResuming } from './resuming-watch.ts'
import { eventually } from './waiting.ts'
import { startTrial, type Trial } from './writes-under-trouble.ts'

const CAUGHT_UP_MS = 120_000
/** Writes of each way, and lists, that have to succeed before and after trouble. */
const SOME_WRITES = 50
const SOME_LISTS = 5
/** Pause of each of the sixteen writers of the load, so that the members of a store have the machine to themselves. */
const PAUSE_MS = 80
/** Pauses of the writer past the server, and between lists: the collection that is listed grows with its writes. */
const DIRECT_PAUSE_MS = 15
const LIST_PAUSE_MS = 60
/** Factor of the pauses of a client that is ahead. */
const SLOWER = 10

/**
 * A client that pauses longer when it is twice `some` ahead of what was last waited for. The load does not grow with
 * the time that a store takes to recover.
 */
interface Paced {
  /** Number of its writes or lists that have succeeded. */
  done(): number
  /** Number that has to succeed before and after trouble. */
  readonly some: number
  /** Number from which it pauses longer. */
  limit: number
}

const paced = (some: number, done: () => number): Paced => ({ done, some, limit: 2 * some })
const pauseOf = (client: Paced, pauseMs: number): number => (client.done() < client.limit ? pauseMs : pauseMs * SLOWER)

interface StoreWrite {
  readonly name: string
  readonly type: 'ADDED' | 'MODIFIED'
  readonly resourceVersion: string
  readonly data: Record<string, string>
}

/**
 * A load of writes through a server and, in another namespace, past it to its etcd, with a watch of each and consistent
 * lists.
 */
export interface ChangingStore {
  readonly trial: Trial
  /** Resolves when writes of both ways and lists succeed. */
  goesOn(): Promise<void>
  /** Ends the load and compares what was acknowledged with the events and the lists. */
  judge(options?: { readonly isCompacted: boolean }): Promise<void>
  close(): Promise<void>
}

export async function startChangingStore(url: string, etcd: EtcdOptions, seed: number): Promise<ChangingStore> {
  const load = paced(SOME_WRITES, () => trial.load.acknowledged())
  const direct = paced(SOME_WRITES, () => writer.acknowledged.length)
  const reader = { lists: 0, stale: [] as string[] }
  const lists = paced(SOME_LISTS, () => reader.lists)
  const trial: Trial = await startTrial(url, seed, { pauseMs: () => pauseOf(load, PAUSE_MS) })
  const client = createJsonClient(url)
  const namespace = `direct-${seed}`
  const collection = `/api/v1/namespaces/${namespace}/configmaps`
  await client.must('POST', '/api/v1/namespaces', { kind: 'Namespace', apiVersion: 'v1', metadata: { name: namespace } })
  await eventually('its certificate is there', async () => (await client.ask('GET', `${collection}/kube-root-ca.crt`)).status === 200)
  const begin = await client.must('GET', collection)
  const watch = watchResuming(url, collection, begin.metadata.resourceVersion ?? '')
  const writer = startWriter(await openEtcd(etcd, silentLogger), namespace, () => pauseOf(direct, DIRECT_PAUSE_MS))
  const list = async (): Promise<AnyObject[]> => (await client.must('GET', collection)).items as AnyObject[]
  const over = new AbortController()
  const reading = (async () => {
    while (!over.signal.aborted) {
      const written = writer.acknowledged.at(-1)?.resourceVersion ?? '0'
      const { status, body } = await client.ask('GET', collection)
      if (status === 200) {
        reader.lists++
        const { resourceVersion = '' } = body.metadata
        if (Number(resourceVersion) < Number(written)) reader.stale.push(`a list at ${resourceVersion} after a write at ${written}`)
      }
      await sleep(pauseOf(lists, LIST_PAUSE_MS))
    }
  })()
  const stop = async (): Promise<void> => {
    over.abort()
    await reading
    await writer.stop()
  }
  return {
    trial,
    async goesOn() {
      const goals = [load, direct, lists].map(client => ({ client, goal: client.done() + client.some }))
      for (const { client, goal } of goals) client.limit = goal + 2 * client.some
      await eventually('writes and lists go on', () => goals.every(({ client, goal }) => client.done() >= goal))
      for (const { client } of goals) client.limit = client.done() + 2 * client.some
    },
    async judge(options) {
      await stop()
      expect(reader.stale, 'consistent lists').to.deep.equal([])
      await trial.judge(options)
      await client.must('POST', collection, configMap('end', {}))
      await watch.until('end', CAUGHT_UP_MS)
      expect(watch.faults, 'ends of the watch').to.deep.equal([])
      const isJudged = (name: string | undefined): boolean => name !== 'kube-root-ca.crt'
      const events = watch.events.filter(({ name }) => isJudged(name))
      const items = (await list()).filter(({ metadata }) => isJudged(metadata.name))
      expect(eventContradictions(events, writer.acknowledged, items), 'events of what was written past the server').to.deep.equal([])
    },
    async close() {
      trial.close()
      watch.stop()
      await stop()
      client.close()
    },
  }
}

/** Creates, changes and deletes ConfigMaps in etcd, each by guarded writes. */
function startWriter(
  backend: Backend,
  namespace: string,
  pauseMs: () => number,
): { readonly acknowledged: readonly StoreWrite[]; stop(): Promise<void> } {
  const acknowledged: StoreWrite[] = []
  let isStopping = false
  const write = async (name: string, expected: number, data?: Record<string, string>): Promise<number> => {
    const value = data && Buffer.from(JSON.stringify({ ...configMap(name, data), metadata: { name, namespace } }))
    const result = await backend.write(
      { key: key(`/registry/configmaps/${namespace}/${name}`), expected: expected as 0, ...(value && { value }) },
      never,
    )
    if (result.ok && data)
      acknowledged.push({ name, type: expected === 0 ? 'ADDED' : 'MODIFIED', resourceVersion: String(result.revision), data })
    return result.revision
  }
  const run = async (): Promise<void> => {
    for (let i = 0; !isStopping; i++) {
      const name = `d${i}`
      try {
        const created = await write(name, 0, { step: '1' })
        const changed = await write(name, created, { step: '2' })
        // A few stay, so that the lists do not grow much.
        if (i % 8 !== 0) await write(name, changed)
      } catch (error) {
        // The outcome is unknown, so the name is not written again.
        if (!(error instanceof BackendError)) throw error
        await sleep(100)
      }
      await sleep(pauseMs())
    }
  }
  const running = run()
  return {
    acknowledged,
    async stop() {
      if (isStopping) return void (await running)
      isStopping = true
      await running
      await backend.close()
    },
  }
}
