import { expect } from 'chai'
import { seededRandom } from '../../../../src/lib/seeded-random.ts'
import { labelValue } from '../../../../src/meta/label-matcher.ts'
import { createCacher } from '../../../../src/storage/cacher/cacher.ts'
import type { Cacher } from '../../../../src/storage/cacher/cacher-types.ts'
import type { Key, Revision } from '../../../../src/storage/revision.ts'
import { key } from '../../../../src/storage/revision.ts'
import type { Predicate, Storage, StoredObject, Watcher } from '../../../../src/storage/storage.ts'
import { batchesOf } from '../../../support/batches.ts'
import { MemoryBackend } from '../../../support/memory-backend.ts'
import { testLimits, testResource } from '../../../support/test-cacher.ts'
import { indexedCodec, testKey, testObject, testPrefix, told } from '../../../support/test-codec.ts'
import { eventually, turns } from '../../../support/waiting.ts'

const { signal } = new AbortController()
const nodes = ['', 'n1', 'n2', 'n3']
const namespaces = ['a', 'b']

const onNode = (node: string, shard?: string): Predicate => ({
  matches: ({ labels, fields }) =>
    (fields as Record<string, string>)['data.node'] === node && (shard === undefined || labelValue(labels, 'shard') === shard),
  everything: false,
  requires: field => (field === 'data.node' ? node : undefined),
})
/** The same without the hint: everything is looked at. */
const scanned = ({ matches }: Predicate): Predicate => ({ matches, everything: false })

const codec = {
  ...indexedCodec,
  attributes: (object: Parameters<typeof indexedCodec.attributes>[0]) => ({
    ...indexedCodec.attributes(object),
    fields: { 'data.node': (object.data as Record<string, string> | undefined)?.node ?? '' },
  }),
}

/** Returns the events of a watcher up to the object named `end`. */
async function toldUntilEnd(watcher: Watcher): Promise<string[]> {
  const events: string[] = []
  for await (const batch of batchesOf(watcher))
    for (const event of told(batch)) {
      events.push(event)
      if (event.startsWith('added end@')) return events
    }
  return events
}

describe('storage/cacher/value-index', () => {
  let backend: MemoryBackend
  let cacher: Cacher
  let storage: Storage
  let last: Revision
  const objects = new Map<Key, number>()

  const write = (random: () => number) => {
    const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T
    const namespace = pick(namespaces)
    const name = `o${Math.floor(random() * 30)}`
    const at = testKey(name, namespace)
    const gone = objects.has(at) && random() < 0.2
    const object = testObject(name, { node: pick(nodes) }, { shard: pick(['x', 'y']) }, namespace)
    last = backend.apply([gone ? { key: at } : { key: at, value: codec.encode(object) }])
    if (gone) objects.delete(at)
    else objects.set(at, 1)
  }

  beforeEach(async () => {
    objects.clear()
    backend = new MemoryBackend()
    const random = seededRandom(3)
    for (let i = 0; i < 40; i++) write(random)
    cacher = createCacher(backend, [{ ...testResource, codec, index: 'data.node' }], { ...testLimits, queueLimit: 4096 })
    storage = cacher.storageFor('configmaps')
    await cacher.synced(signal)
  })
  afterEach(async () => {
    await cacher.close()
    await backend.close()
  })

  const keysOf = (items: readonly StoredObject[]) => items.map(item => `${item.key}@${item.revision}`)

  it('returns the same lists as a scan, whole and in pages', async () => {
    const random = seededRandom(11)
    for (let round = 0; round < 60; round++) {
      for (let i = 0; i < 5; i++) write(random)
      for (const predicate of [...nodes.map(node => onNode(node)), onNode('n1', 'x'), onNode('none')]) {
        for (const prefix of [testPrefix, key(`${testPrefix}a/`)]) {
          for (const limit of [0, 2]) {
            const query = { at: { notOlderThan: last }, limit } as const
            const page = await storage.list(prefix, { ...query, predicate }, signal)
            const plain = await storage.list(prefix, { ...query, predicate: scanned(predicate) }, signal)
            expect(keysOf(page.items)).to.deep.equal(keysOf(plain.items))
            expect([page.revision, page.nextKey, page.remaining]).to.deep.equal([plain.revision, plain.nextKey, plain.remaining])
            if (page.nextKey === undefined) continue
            const next = { at: { exactly: page.revision }, limit: 0, startKey: page.nextKey }
            const rest = await storage.list(prefix, { ...next, predicate }, signal)
            expect(keysOf(rest.items)).to.deep.equal(
              keysOf((await storage.list(prefix, { ...next, predicate: scanned(predicate) }, signal)).items),
            )
          }
        }
      }
    }
  })

  it('returns an older state unchanged', async () => {
    const random = seededRandom(12)
    const states: { at: Revision; items: string[] }[] = []
    for (let round = 0; round < 20; round++) {
      write(random)
      const page = await storage.list(testPrefix, { at: { notOlderThan: last }, limit: 0, predicate: onNode('n2') }, signal)
      states.push({ at: page.revision, items: keysOf(page.items) })
    }
    for (const { at, items } of states) {
      const page = await storage.list(testPrefix, { at: { exactly: at }, limit: 0, predicate: onNode('n2') }, signal)
      expect(keysOf(page.items)).to.deep.equal(items)
    }
  })

  it('sends watchers of a value the same events as a predicate on every change', async () => {
    const start = last
    const watch = (predicate: Predicate, prefix: Key, after: Revision | undefined): Promise<Watcher> =>
      storage.watch(
        prefix,
        { start: after === undefined ? { initial: 'any', bookmarkAtEnd: true } : { after }, predicate, bookmarks: false },
        signal,
      )
    const pairs: [Watcher, Watcher][] = []
    const open = async (after: Revision | undefined) => {
      for (const node of nodes)
        for (const prefix of [testPrefix, key(`${testPrefix}b/`)])
          pairs.push([await watch(onNode(node), prefix, after), await watch(scanned(onNode(node)), prefix, after)])
    }
    const random = seededRandom(13)
    await open(undefined)
    for (let i = 0; i < 60; i++) write(random)
    await storage.list(testPrefix, { at: { notOlderThan: last }, limit: 1, predicate: onNode('n1') }, signal)
    await open(start)
    for (let i = 0; i < 60; i++) write(random)
    for (const node of nodes)
      last = backend.apply([{ key: testKey('end', 'b'), value: codec.encode(testObject('end', { node }, undefined, 'b')) }])
    for (const [indexed, plain] of pairs) {
      const events = await toldUntilEnd(plain)
      expect(await toldUntilEnd(indexed)).to.deep.equal(events)
      expect(events.length).to.be.greaterThan(3)
    }
  })

  it('does not evaluate predicates of watchers of other values', async () => {
    let asked = 0
    const counted: Predicate = { ...onNode('n3'), matches: () => asked++ < 0 }
    await storage.watch(testPrefix, { start: { after: last }, predicate: counted, bookmarks: false }, signal)
    const put = (node: string) => {
      last = backend.apply([{ key: testKey('one'), value: codec.encode(testObject('one', { node })) }])
    }
    for (const node of ['n1', 'n2', '', 'n1']) put(node)
    await storage.list(testPrefix, { at: { notOlderThan: last }, limit: 0, predicate: onNode('n1') }, signal)
    await turns(50)
    expect(asked).to.equal(0)
    put('n3')
    put('n1')
    await storage.list(testPrefix, { at: { notOlderThan: last }, limit: 0, predicate: onNode('n1') }, signal)
    await eventually('it is asked', () => asked > 1)
  })
})
