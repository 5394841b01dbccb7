import { silentLogger } from '../../src/lib/log.ts'
import type { Backend } from '../../src/storage/backend.ts'
import { createCacher } from '../../src/storage/cacher/cacher.ts'
import type { Cacher } from '../../src/storage/cacher/cacher-types.ts'
import { openEtcd } from '../../src/storage/etcd/open-etcd.ts'
import { type Key, key } from '../../src/storage/revision.ts'
import type { ListQuery } from '../../src/storage/storage.ts'
import { never } from './backend.ts'
import { batchesOf } from './batches.ts'
import { foreignKeys, valuesOf } from './foreign-keys.ts'
import { type RecordingProxy, startRecordingProxy } from './recording-etcd-proxy.ts'
import { everything, put, testCodec, testObject } from './test-codec.ts'
import { eventually } from './waiting.ts'

const RESOURCE = 'configmaps'

/** The store and the watch cache of a server on one prefix of a shared etcd, without the rest of the server. */
export interface PrefixServer {
  readonly prefix: string
  readonly backend: Backend
  readonly cacher: Cacher
  close(): Promise<void>
}

/** The prefix of one of many servers: `/t0007`. */
export const prefixOf = (n: number): string => `/t${String(n).padStart(4, '0')}`

/** `recheckMs`: time after which the cache is compared with the store. */
export async function startPrefixServer(url: string, prefix: string, recheckMs?: number): Promise<PrefixServer> {
  const backend = await openEtcd({ servers: [url], prefix }, silentLogger)
  const resource = { name: RESOURCE, prefix: key(`${prefix}/${RESOURCE}/`), codec: testCodec, namespaced: true }
  const cacher = createCacher(backend, [resource], {
    prefix: key(`${prefix}/`),
    revisionWaitMs: 60_000,
    ...(recheckMs !== undefined && { recheckMs }),
  })
  await cacher.synced(never)
  return {
    prefix,
    backend,
    cacher,
    async close() {
      await cacher.close()
      await backend.close()
    },
  }
}

/**
 * Writes, reads and watches in every way, and waits until the cache is compared with the store. Values name the prefix.
 */
export async function usePrefix({ prefix, backend, cacher }: PrefixServer): Promise<void> {
  const root = key(`${prefix}/${RESOURCE}/`)
  const storage = cacher.storageFor(RESOURCE)
  const keyOf = (name: string): Key => key(`${root}default/${name}`)
  const object = (name: string, n: number) => testObject(name, { secret: prefix, n: String(n) })
  const write = (name: string, n: number) => storage.write(keyOf(name), put(object(name, n)), never)
  const list = (query: Partial<ListQuery> = {}) => storage.list(root, { at: 'latest', predicate: everything, limit: 0, ...query }, never)
  for (const name of ['a', 'b', 'c']) await write(name, 0)
  const { revision: after } = await list()
  const watcher = await storage.watch(root, { start: { after }, predicate: everything, bookmarks: false }, never)
  for (const name of ['a', 'b']) await write(name, 1)
  let events = 0
  for await (const batch of batchesOf(watcher)) {
    events += batch.length
    if (events >= 2) break
  }
  for (const query of [{}, { limit: 1 }, { at: { exactly: after } }, { at: 'any' as const }, { at: { notOlderThan: after } }])
    await list(query)
  await storage.get(keyOf('a'), 'latest', never)
  await backend.get(keyOf('a'), never, after)
  await backend.check(never)
  await eventually('the cache is compared with the store', () => checksOf(cacher).success > 0, 50)
}

/** Outcomes of the comparisons of a cache with the store. */
export const checksOf = (cacher: Cacher): { success: number; failure: number; error: number } => {
  const counts = { success: 0, failure: 0, error: 0 }
  for (const { counts: each } of cacher.stats().resources)
    for (const name of ['success', 'failure', 'error'] as const) counts[name] += each.checks[name]
  return counts
}

/** Messages between servers on prefixes of one store and the store, and what in them belongs to other servers. */
export interface Trespasses {
  readonly requests: number
  readonly responses: number
  /** Keys and ranges of requests and responses outside the prefix of their server, and values of others. */
  readonly found: readonly string[]
}

/** Servers that are in use at a time. */
const LANES = 20

/**
 * Uses `count` servers, each on a prefix of its own through a proxy of its own, and all at the same time in the end.
 */
export async function trespasses(url: string, count: number): Promise<Trespasses> {
  const left = Array.from({ length: count }, (_, n) => prefixOf(n))
  const running: { server: PrefixServer; proxy: RecordingProxy }[] = []
  const lane = async (): Promise<void> => {
    for (let prefix = left.pop(); prefix !== undefined; prefix = left.pop()) {
      const proxy = await startRecordingProxy(url)
      const server = await startPrefixServer(proxy.url, prefix, 500)
      running.push({ server, proxy })
      await usePrefix(server)
    }
  }
  try {
    await Promise.all(Array.from({ length: LANES }, lane))
    // The events of each come while all watch.
    for (const { server } of running)
      await server.cacher
        .storageFor(RESOURCE)
        .write(key(`${server.prefix}/${RESOURCE}/default/a`), put(testObject('a', { secret: server.prefix, n: 'end' })), never)
    for (const { server } of running) await server.backend.compact(await server.backend.currentRevision(never), never)
    const found = running.flatMap(({ server: { prefix }, proxy: { requests, responses } }) => [
      ...[...requests, ...responses].flatMap(message => foreignKeys(message, prefix)),
      ...responses.flatMap(valuesOf).filter(value => value.includes('"secret"') && !value.includes(`"secret":"${prefix}"`)),
    ])
    const sum = (of: 'requests' | 'responses') => running.reduce((total, { proxy }) => total + proxy[of].length, 0)
    return { requests: sum('requests'), responses: sum('responses'), found }
  } finally {
    for (const { server, proxy } of running) {
      await server.close()
      proxy.close()
    }
  }
}
