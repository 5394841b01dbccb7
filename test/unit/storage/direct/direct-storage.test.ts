import { expect } from 'chai'
import { DirectStorage } from '../../../../src/storage/direct/direct-storage.ts'
import { revision } from '../../../../src/storage/revision.ts'
import type { ReadAt } from '../../../../src/storage/storage.ts'
import { encryptionConformance } from '../../../conformance/encryption.ts'
import { storageConformance } from '../../../conformance/storage.ts'
import { encryptionOf, identityProvider, providerOf } from '../../../support/encryption-config.ts'
import { MemoryBackend } from '../../../support/memory-backend.ts'
import { directHarness, encryptedHarness } from '../../../support/test-cacher.ts'
import { codecThrough, everything, plus, take, testCodec, testKey, testObject, testPrefix } from '../../../support/test-codec.ts'
import { patience, turns } from '../../../support/waiting.ts'

storageConformance('direct, in memory', async () => directHarness(new MemoryBackend()))
storageConformance('direct, in memory, encrypted', async () => {
  const encryption = encryptionOf(providerOf('aesgcm', 'one'), identityProvider)
  return directHarness(new MemoryBackend(), undefined, codecThrough(encryption.transformerFor({ group: '', resource: 'configmaps' })))
})
encryptionConformance('direct, in memory', async () => encryptedHarness('direct', new MemoryBackend()))

describe('storage/direct', () => {
  it('refuses a future revision immediately, in one call, if it does not wait', async () => {
    const backend = new MemoryBackend()
    const storage = new DirectStorage(backend, testCodec, { revisionWaitMs: 0 })
    const signal = patience()
    const { revision } = await backend.write({ key: testKey('a'), expected: 0, value: testCodec.encode(testObject('a')) }, signal)
    const calls: string[] = []
    backend.before = async call => void calls.push(call)
    const codeOf = (read: Promise<unknown>) =>
      read.then(
        () => 'none',
        (error: { code: string; revision: number }) => `${error.code} ${error.revision}`,
      )
    const list = (at: ReadAt) => storage.list(testPrefix, { at, predicate: everything, limit: 0 }, signal)
    const later = { notOlderThan: plus(revision, 1) }
    expect(await codeOf(storage.get(testKey('a'), later, signal))).to.equal(`too large revision ${revision}`)
    expect(await codeOf(storage.get(testKey('none'), later, signal))).to.equal(`too large revision ${revision}`)
    expect(await codeOf(list(later))).to.equal(`too large revision ${revision}`)
    expect((await list({ notOlderThan: revision })).items).to.have.length(1)
    expect(calls).to.deep.equal(['get', 'get', 'range', 'range'])
  })

  it('does not remove an object that another program makes readable meanwhile', async () => {
    const backend = new MemoryBackend()
    const storage = new DirectStorage(backend, testCodec)
    const signal = patience()
    const { revision } = await backend.write({ key: testKey('a'), expected: 0, value: Buffer.from('{') }, signal)
    let raced = false
    backend.before = async call => {
      if (call !== 'write' || raced) return
      raced = true
      await backend.write({ key: testKey('a'), expected: revision, value: testCodec.encode(testObject('a')) }, signal)
    }
    expect(await storage.removeCorrupt(testKey('a'), signal)).to.equal('readable')
    expect((await storage.get(testKey('a'), 'latest', signal))?.attributes().name).to.equal('a')
  })

  it('delivers the whole history to a watch from far back, however slowly it is read', async () => {
    const backend = new MemoryBackend()
    const storage = new DirectStorage(backend, testCodec, { queueLimit: 4 })
    const signal = patience()
    for (let i = 0; i < 30; i++) backend.apply([{ key: testKey(`n${i}`), value: testCodec.encode(testObject(`n${i}`)) }])
    // The history is delivered in several batches, as by a real store.
    const { watch } = backend
    backend.watch = async function* (query, until) {
      for await (const { events } of watch.call(backend, query, until))
        for (let i = 0; i < events.length; i += 3)
          yield { events: events.slice(i, i + 3), revision: events.at(Math.min(i + 2, events.length - 1))!.modRevision }
    }
    const watcher = await storage.watch(testPrefix, { start: { after: revision(1) }, predicate: everything, bookmarks: false }, signal)
    await turns()
    const revisions = (await take(watcher, 30)).map(event => event.revision)
    expect(revisions).to.deep.equal(Array.from({ length: 30 }, (_, i) => i + 2))
    watcher.close()
  })
})
