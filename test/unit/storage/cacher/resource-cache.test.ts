import { expect } from 'chai'
import type { VisitedItem } from '../../../../src/storage/backend.ts'
import { FanOut } from '../../../../src/storage/cacher/fan-out.ts'
import { ResourceCache } from '../../../../src/storage/cacher/resource-cache.ts'
import { plainReports } from '../../../../src/storage/corrupt.ts'
import { revision } from '../../../../src/storage/revision.ts'
import { Slabs } from '../../../../src/storage/slab.ts'
import { encryptionConfig, encryptionOf, providerOf } from '../../../support/encryption-config.ts'
import { testResource } from '../../../support/test-cacher.ts'
import { codecThrough, testCodec, testKey, testObject, testPrefix } from '../../../support/test-codec.ts'

const CONFIG_MAPS = { group: '', resource: 'configmaps' }
const BOUNDS = { windowMs: 60_000, bytes: 1 << 20 }

describe('storage/cacher/resource-cache', () => {
  const lost = codecThrough(encryptionOf(providerOf('aesgcm', 'one')).transformerFor(CONFIG_MAPS))
  const held = (name: string) => lost.toStorage(lost.encode(testObject(name)), testKey(name))

  function open(names: readonly string[]) {
    const encryption = encryptionOf(providerOf('aesgcm', 'two'))
    const codec = codecThrough(encryption.transformerFor(CONFIG_MAPS))
    const cache = new ResourceCache({ ...testResource, codec }, BOUNDS, new Slabs(), new FanOut(), plainReports)
    const loading = ResourceCache.loading()
    for (const [i, name] of names.entries()) {
      const at = revision(i + 1)
      cache.load(loading, { key: testKey(name), value: held(name), createRevision: at, modRevision: at })
    }
    cache.replace(loading, revision(names.length), 0)
    return { cache, findKey: () => encryption.configure(encryptionConfig(providerOf('aesgcm', 'two', 'one'))) }
  }

  it('rereads unreadable objects at their revision once the key is available', () => {
    const { cache, findKey } = open(['a', 'b'])
    cache.history.remember(revision(2), cache.tree, 0)
    cache.reread()
    expect([cache.tree.size, cache.hasCorrupt(testPrefix), cache.hasCorrupt(testKey('a'))]).to.deep.equal([0, true, true])
    findKey()
    cache.reread()
    expect([cache.tree.get(testKey('b'))?.revision, cache.tree.size, cache.hasCorrupt(testPrefix)]).to.deep.equal([2, 2, false])
    expect(cache.history.treeAt(revision(2), cache.tree, 0)?.size).to.equal(2)
  })

  it('ends a pass after a hundred failures, and tries other objects in the next', () => {
    const names = Array.from({ length: 150 }, (_, i) => `n${i}`)
    const { cache, findKey } = open(names)
    cache.reread()
    expect([...cache.corrupt.keys()][0]).to.equal(testKey('n100'))
    findKey()
    cache.reread()
    expect(cache.tree.size).to.equal(150)
  })

  /** Values of a page of a store, one behind the other with 60 bytes between them. */
  function heldItems(values: readonly Buffer[]) {
    const memory = Buffer.concat(values.flatMap(value => [Buffer.alloc(60, '"'), value]))
    let kept = 0
    let end = 0
    const items = values.map((value, i): VisitedItem => {
      const start = end + 60
      end = start + value.length
      const held = { memory, start, end, room: 60, keep: () => kept++ }
      return {
        key: testKey(`n${i}`),
        value: memory.subarray(start, end),
        createRevision: revision(i + 1),
        modRevision: revision(i + 1),
        held,
      }
    })
    return { memory, items, kept: () => kept }
  }

  it('keeps objects in the memory of a page, short and long ones', () => {
    const slabs = new Slabs()
    const cache = new ResourceCache(testResource, BOUNDS, slabs, new FanOut(), plainReports)
    const objects = [3, 3000, 5].map((size, i) => testObject(`n${i}`, { a: 'x'.repeat(size) }, { n: `${i}` }))
    const { memory, items, kept } = heldItems(objects.map(object => testCodec.encode(object)))
    const loading = ResourceCache.loading()
    for (const item of items) cache.load(loading, item)
    cache.replace(loading, revision(3), 0)
    const states = [...cache.tree.values()]
    expect(states.map(({ slab }) => slab === memory.buffer)).to.deep.equal([true, true, true])
    expect([kept(), slabs.allocated, cache.bytes]).to.deep.equal([
      3,
      memory.buffer.byteLength,
      states.reduce((sum, { size }) => sum + size, 0),
    ])
    expect(states.map(state => state.object())).to.deep.equal(
      objects.map((object, i) => ({ ...object, metadata: { ...object.metadata, resourceVersion: `${i + 1}` } })),
    )
    expect(states.map(({ labels, name, uid }) => [labels, name, uid])).to.deep.equal(
      [0, 1, 2].map(i => [{ n: `${i}` }, `n${i}`, `uid-n${i}`]),
    )
    const copies = new Slabs()
    for (const state of states) state.keepIn(copies)
    expect(states.map(({ slab, name }) => [slab === copies.current.buffer, name])).to.deep.equal([0, 1, 2].map(i => [true, `n${i}`]))
  })

  it('copies objects that are stored in another form out of the memory of a page', () => {
    const codec = codecThrough(encryptionOf(providerOf('aesgcm', 'one')).transformerFor(CONFIG_MAPS))
    const cache = new ResourceCache({ ...testResource, codec }, BOUNDS, new Slabs(), new FanOut(), plainReports)
    const { memory, items, kept } = heldItems([held('n0'), Buffer.from('damaged')])
    const before = Buffer.from(memory)
    const loading = ResourceCache.loading()
    for (const item of items) cache.load(loading, item)
    cache.replace(loading, revision(2), 0)
    expect([kept(), memory.equals(before), cache.tree.get(testKey('n0'))?.name, cache.hasCorrupt(testKey('n1'))]).to.deep.equal([
      0,
      true,
      'n0',
      true,
    ])
    memory.fill(0)
    expect(cache.tree.get(testKey('n0'))?.object().metadata.uid).to.equal('uid-n0')
  })

  it('releases values derived from an object that is replaced or deleted', () => {
    const cache = new ResourceCache(testResource, BOUNDS, new Slabs(), new FanOut(), plainReports)
    cache.replace(ResourceCache.loading(), revision(1), 0)
    const key = testKey('a')
    const note = {}
    for (const at of [2, 3, 4]) {
      const before = cache.tree.get(key)
      before?.note(note, note, 1)
      const event = { key, modRevision: revision(at), createRevision: revision(2) }
      cache.apply(at === 4 ? { type: 'delete', ...event } : { type: 'put', ...event, value: testCodec.encode(testObject('a')) }, 0)
      expect(before?.noted(note)).to.equal(undefined)
    }
    expect(cache.tree.size).to.equal(0)
  })

  it('applies all changes of a revision, even if its history has no room for them', () => {
    const cache = new ResourceCache(testResource, { windowMs: 60_000, bytes: 500 }, new Slabs(), new FanOut(), plainReports)
    cache.replace(ResourceCache.loading(), revision(1), 0)
    const names = ['a', 'b', 'c', 'd']
    for (const name of names)
      cache.apply(
        {
          type: 'put',
          key: testKey(name),
          modRevision: revision(2),
          createRevision: revision(2),
          value: testCodec.encode(testObject(name)),
        },
        0,
      )
    expect(cache.history.forcedOut).to.be.above(0)
    expect([...cache.tree.keys()]).to.deep.equal(names.map(name => testKey(name)))
  })
})
