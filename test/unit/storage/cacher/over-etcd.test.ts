import { setMaxListeners } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { silentLogger } from '../../../../src/lib/log.ts'
import type { Backend } from '../../../../src/storage/backend.ts'
import type { CacherOptions } from '../../../../src/storage/cacher/cacher-types.ts'
import { openEtcd } from '../../../../src/storage/etcd/open-etcd.ts'
import { prefixEnd } from '../../../../src/storage/key-range.ts'
import { key } from '../../../../src/storage/revision.ts'
import { StorageError } from '../../../../src/storage/storage.ts'
import { type EncryptionHarness, encryptionConformance } from '../../../conformance/encryption.ts'
import { type StorageHarness, storageConformance } from '../../../conformance/storage.ts'
import { never } from '../../../support/backend.ts'
import { batchesOf } from '../../../support/batches.ts'
import { describeOn, type RunningStore, type StoreSetup, usualStoreSetups } from '../../../support/etcd-setups.ts'
import { foreignClient } from '../../../support/foreign-client.ts'
import { cacherHarness, directHarness, encryptedHarness, openCacher, readsOfTheStore } from '../../../support/test-cacher.ts'
import { everything, put, testKey, testObject, testPrefix } from '../../../support/test-codec.ts'
import { eventually, patience } from '../../../support/waiting.ts'

/** Pause after a call that failed while the store is away, in milliseconds. */
const RETRY_MS = 25

// To one cache the store of single resources is an etcd of its own.
const stores = usualStoreSetups().filter(({ use }) => use !== 'overrides')
// A writer beside the suite would take revisions that it counts: followed-stores.test.ts has that store.
const setups = stores.filter(({ use }) => use !== 'shared')

interface SharedStore {
  readonly store: RunningStore
  /** Deletes all keys below the prefix. */
  clear(): Promise<void>
  stop(): Promise<void>
}

const running = new Map<StoreSetup, Promise<SharedStore>>()
const everyKey = key('/registry/')

after(async () => {
  for (const shared of running.values()) await (await shared).stop()
})

async function share(setup: StoreSetup): Promise<SharedStore> {
  const store = await setup.start()
  if (setup.use === 'kine') return { store, clear: () => deleteEach(store), stop: () => store.stop() }
  const client = foreignClient(store.options)
  const range = { key: Buffer.from(everyKey), range_end: Buffer.from(prefixEnd(everyKey)) }
  return {
    store,
    async clear() {
      await client.kv.deleteRange(range)
    },
    async stop() {
      client.close()
      await store.stop()
    },
  }
}

/** kine has no deletion of a range. */
async function deleteEach({ options }: RunningStore): Promise<void> {
  const backend = await openEtcd(options, silentLogger)
  const { items } = await backend.range({ start: everyKey, end: prefixEnd(everyKey), keysOnly: true }, never)
  await Promise.all(items.map(({ key, modRevision }) => backend.write({ key, expected: modRevision }, never)))
  await backend.close()
}

/**
 * All cases of a setup share one store, emptied below the prefix before each. `administrator` does what the suite has
 * others do.
 */
async function open(setup: StoreSetup): Promise<{ backend: Backend; administrator: Backend; close(): Promise<void> }> {
  const started = running.get(setup) ?? share(setup)
  running.set(setup, started)
  const { store, clear } = await started
  await clear()
  const backend = await openEtcd(store.options, silentLogger)
  const administrator = store.administrator ? await openEtcd(store.administrator, silentLogger) : backend
  return {
    backend,
    administrator,
    async close() {
      await backend.close()
      await administrator.close()
    },
  }
}

async function cached(setup: StoreSetup, options: CacherOptions = {}): Promise<StorageHarness> {
  const { backend, administrator, close } = await open(setup)
  const harness = cacherHarness(backend, close, undefined, options)
  return { ...harness, backend: administrator, ...(setup.use === 'kine' && { lacks: ['compaction', 'compact_rev_key'] }) }
}

async function encrypted(setup: StoreSetup, kind: 'direct' | 'cached'): Promise<EncryptionHarness> {
  const { backend, close } = await open(setup)
  return encryptedHarness(kind, backend, close)
}

for (const setup of setups) {
  storageConformance(`watch cache, ${setup.name}`, () => cached(setup))
  if (setup.use !== 'own') continue
  encryptionConformance(`direct, ${setup.name}`, () => encrypted(setup, 'direct'))
  encryptionConformance(`watch cache, ${setup.name}`, () => encrypted(setup, 'cached'))
  storageConformance(`watch cache, ${setup.name}, latest and exact reads of the store`, () => cached(setup, readsOfTheStore))
  storageConformance(`direct, ${setup.name}`, async () => {
    const { backend, close } = await open(setup)
    return directHarness(backend, close)
  })
}

describeOn(stores, 'watch cache that loses its store,', setup => {
  it('loses no acknowledged write, and a resumed watch misses and repeats no event', async () => {
    const store = await setup.start()
    const backend = await openEtcd(store.options, silentLogger)
    const cacher = openCacher(backend, { queueLimit: 10_000 })
    const storage = cacher.storageFor('configmaps')
    const { signal } = new AbortController()
    setMaxListeners(0, signal)
    await cacher.synced(signal)
    let after = (await storage.list(testPrefix, { at: 'latest', predicate: everything, limit: 0 }, signal)).revision
    let over = false
    let relists = 0
    const seen: string[] = []
    const watching = (async () => {
      while (!over) {
        try {
          const watcher = await storage.watch(testPrefix, { start: { after }, predicate: everything, bookmarks: false }, signal)
          for await (const batch of batchesOf(watcher)) {
            for (const event of batch) {
              if (event.type === 'bookmark') continue
              seen.push(event.object.attributes().name)
              after = event.revision
            }
          }
        } catch (error) {
          if (!(error instanceof StorageError)) throw error
          if (error.code === 'expired') relists++
        }
        await sleep(RETRY_MS)
      }
    })()
    const acknowledged: string[] = []
    let failed = 0
    const writers = Array.from({ length: 8 }, async (_, w) => {
      for (let i = 0; !over; i++) {
        const name = `w${w}-${i}`
        try {
          await storage.write(testKey(name), put(testObject(name)), patience(), 'absent')
          acknowledged.push(name)
        } catch (error) {
          if (!(error instanceof StorageError)) throw error
          failed++
          await sleep(RETRY_MS)
        }
      }
    })
    const moreAcknowledged = (): Promise<void> => {
      const before = acknowledged.length
      return eventually('writes go on', () => acknowledged.length >= before + 100)
    }
    for (const isNoticed of [false, true]) {
      await moreAcknowledged()
      const before = failed
      await store.kill()
      if (isNoticed) await eventually('writes fail', () => failed > before)
      await store.start()
    }
    await moreAcknowledged()
    over = true
    await Promise.all(writers)
    const last = await storage.list(testPrefix, { at: 'latest', predicate: everything, limit: 0 }, signal)
    const present = new Set(last.items.map(item => item.attributes().name))
    expect(acknowledged.filter(name => !present.has(name))).to.deep.equal([])
    await eventually('all are told of', () => seen.length >= present.size)
    await cacher.close()
    await watching
    expect(seen.length).to.equal(new Set(seen).size)
    expect([...present].filter(name => !seen.includes(name))).to.deep.equal([])
    expect(relists).to.equal(0)
    await backend.close()
    await store.stop()
  })
})
