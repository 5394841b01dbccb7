import { expect } from 'chai'
import { openStores } from '../../../src/control-plane/stores.ts'
import { key } from '../../../src/storage/revision.ts'
import { MemoryBackend } from '../../support/memory-backend.ts'
import { everything, put, testCodec, testKey, testObject, testPrefix } from '../../support/test-codec.ts'
import { eventually, patience } from '../../support/waiting.ts'

const resources = [
  { name: 'configmaps', prefix: testPrefix, codec: testCodec, namespaced: true },
  { name: 'others.example.io', prefix: key('/registry/others/'), codec: testCodec, namespaced: true },
]
const { signal } = new AbortController()

describe('stores', () => {
  it('read some resources through the watch cache and others from the store, and count both', async () => {
    const backend = new MemoryBackend()
    const stores = openStores(backend, resources, { isCached: name => name !== 'configmaps' })
    const direct = stores.storageFor('configmaps')
    expect([direct.cached, stores.storageFor('others.example.io').cached]).to.deep.equal([false, true])
    await stores.synced(signal)
    await eventually('the first count', async () => stores.counts().length === 2)
    expect(new Map(stores.counts())).to.deep.equal(
      new Map([
        ['others.example.io', 0],
        ['configmaps', 0],
      ]),
    )
    await direct.write(testKey('a'), put(testObject('a')), signal)
    expect((await direct.get(testKey('a'), 'any', signal))?.attributes().name).to.equal('a')
    for (const { name, prefix } of resources)
      await stores.storageFor(name).list(prefix, { at: 'any', predicate: everything, limit: 0 }, signal)
    expect(stores.listCounts().map(([name, { lists, returned }]) => [name, lists, returned])).to.deep.equal([
      ['others.example.io', 0, 0],
      ['configmaps', 1, 1],
    ])
    await stores.close()
    await backend.close()
  })

  it('add and remove resources, with and without a cache', async () => {
    const [first, more] = resources
    for (const cached of [true, false]) {
      const backend = new MemoryBackend()
      const stores = openStores(backend, [first as (typeof resources)[0]], { isCached: name => cached || name === 'configmaps' })
      await stores.synced(patience())
      const { name, prefix } = more as (typeof resources)[0]
      stores.add(more as (typeof resources)[0])
      expect(stores.storageFor(name).cached).to.equal(cached)
      const page = await stores.storageFor(name).list(prefix, { at: 'latest', predicate: everything, limit: 0 }, patience())
      expect(page.items).to.deep.equal([])
      const query = { start: { after: page.revision }, predicate: everything, bookmarks: false }
      const watcher = await stores.storageFor(name).watch(prefix, query, patience())
      const ended = watcher.deliver(() => true)
      stores.remove(name)
      await ended
      expect(() => stores.storageFor(name)).to.throw()
      stores.add(more as (typeof resources)[0])
      await stores.storageFor(name).list(prefix, { at: 'latest', predicate: everything, limit: 0 }, patience())
      const lingering = await stores.storageFor(name).watch(prefix, query, patience())
      const begun = performance.now()
      stores.remove(name, 100)
      await lingering.deliver(() => true)
      expect(performance.now() - begun).to.be.at.least(90)
      await stores.close()
      await backend.close()
    }
  })

  it('do not watch the store if nothing is cached', async () => {
    const backend = new MemoryBackend()
    const stores = openStores(backend, resources, { isCached: () => false })
    expect(stores.ready()).to.equal(true)
    await stores.synced(signal)
    expect(backend.watches).to.deep.equal([])
    await stores.close()
  })
})
