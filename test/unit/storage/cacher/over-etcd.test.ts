import { setMaxListeners } from 'node:events'
import { expect } from 'chai'
import { silentLogger } from '../../../../src/lib/log.ts'
import type { Backend } from '../../../../src/storage/backend.ts'
import { openEtcd } from '../../../../src/storage/etcd/open-etcd.ts'
import { keyspaceEnd, keyspaceStart } from '../../../../src/storage/key-range.ts'
import { StorageError } from '../../../../src/storage/storage.ts'
import { encryptionConformance } from '../../../conformance/encryption.ts'
import { storageConformance } from '../../../conformance/storage.ts'
import { batchesOf } from '../../../support/batches.ts'
import type { EtcdServer } from '../../../support/etcd.ts'
import { findEtcd, startEtcd } from '../../../support/etcd.ts'
import { cacherHarness, directHarness, encryptedHarness, openCacher, readsOfTheStore } from '../../../support/test-cacher.ts'
import { everything, put, testKey, testObject, testPrefix } from '../../../support/test-codec.ts'
import { eventually, turns } from '../../../support/waiting.ts'

const skip = findEtcd() === undefined ? 'there is no etcd binary; hack/etcd installs one' : undefined

let server: Promise<EtcdServer> | undefined
after(async () => (await server)?.stop())

/** All cases share one etcd, emptied before each. */
async function open(): Promise<[Backend, () => Promise<void>]> {
  server ??= startEtcd()
  const backend = await openEtcd({ servers: [(await server).url] }, silentLogger)
  const { signal } = new AbortController()
  const { items } = await backend.range({ start: keyspaceStart, end: keyspaceEnd }, signal)
  for (const { key, modRevision } of items) await backend.write({ key, expected: modRevision }, signal)
  return [backend, () => backend.close()]
}

encryptionConformance('direct, etcd', async () => encryptedHarness('direct', ...(await open())), skip)
encryptionConformance('watch cache, etcd', async () => encryptedHarness('cached', ...(await open())), skip)
storageConformance('direct, etcd', async () => directHarness(...(await open())), skip)
storageConformance('watch cache, etcd, latest and exact reads of the store', async () => cacherHarness(...(await open()), undefined, readsOfTheStore), skip)
storageConformance('watch cache, etcd', async () => cacherHarness(...(await open())), skip)

describe('watch cache over an etcd that dies', function () {
  this.timeout(60_000)

  it('loses no acknowledged write, and a watch that resumes misses and doubles nothing', async function () {
    if (skip) this.skip()
    const [backend, close] = await open()
    const etcd = await server!
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
        await turns()
      }
    })()
    const acknowledged: string[] = []
    let failed = 0
    const writers = Array.from({ length: 8 }, async (_, w) => {
      for (let i = 0; !over; i++) {
        const name = `w${w}-${i}`
        try {
          await storage.write(testKey(name), put(testObject(name)), AbortSignal.timeout(5000), 'absent')
          acknowledged.push(name)
        } catch (error) {
          if (!(error instanceof StorageError)) throw error
          failed++
          await turns()
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
      await etcd.kill()
      if (isNoticed) await eventually('writes fail', () => failed > before)
      await etcd.start()
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
    await close()
  })
})
