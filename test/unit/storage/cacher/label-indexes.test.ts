import { expect } from 'chai'
import { seededRandom } from '../../../../src/lib/seeded-random.ts'
import { labelValue } from '../../../../src/meta/label-matcher.ts'
import { parseLabelSelector } from '../../../../src/meta/label-selector.ts'
import { predicateOf } from '../../../../src/registry/read.ts'
import { createCacher } from '../../../../src/storage/cacher/cacher.ts'
import type { Cacher } from '../../../../src/storage/cacher/cacher-types.ts'
import { LabelIndexes } from '../../../../src/storage/cacher/label-indexes.ts'
import { emptyTree } from '../../../../src/storage/cacher/object-tree.ts'
import type { Key, Revision } from '../../../../src/storage/revision.ts'
import { key, revision } from '../../../../src/storage/revision.ts'
import type { Storage, StoredObject } from '../../../../src/storage/storage.ts'
import { Stored } from '../../../../src/storage/stored-object.ts'
import { MemoryBackend } from '../../../support/memory-backend.ts'
import { testLimits, testResource } from '../../../support/test-cacher.ts'
import { testCodec, testKey, testObject, testPrefix } from '../../../support/test-codec.ts'
import { eventually } from '../../../support/waiting.ts'

const { signal } = new AbortController()
const OBJECTS = 1500
const APPS = 60

describe('storage/cacher/label-indexes', () => {
  let backend: MemoryBackend
  let cacher: Cacher
  let storage: Storage
  let last: Revision
  let random: () => number
  const present = new Set<Key>()

  const write = (number = Math.floor(random() * OBJECTS)) => {
    const namespace = number % 3 === 0 ? 'a' : 'b'
    const at = testKey(`o${number}`, namespace)
    const gone = present.has(at) && random() < 0.2
    const labels = {
      ...(random() < 0.9 && { app: random() < 0.05 ? '' : `app-${Math.floor(random() * APPS)}` }),
      tier: random() < 0.5 ? 'front' : 'back',
      [`own-${number % 7}`]: 'yes',
    }
    last = backend.apply([
      gone ? { key: at } : { key: at, value: testCodec.encode(testObject(`o${number}`, { at: String(random()) }, labels, namespace)) },
    ])
    if (gone) present.delete(at)
    else present.add(at)
  }

  beforeEach(async () => {
    present.clear()
    random = seededRandom(5)
    backend = new MemoryBackend()
    for (let i = 0; i < OBJECTS; i++) write(i)
    cacher = createCacher(backend, [{ ...testResource, codec: testCodec }], { ...testLimits, queueLimit: 4096 })
    storage = cacher.storageFor('configmaps')
    await cacher.synced(signal)
  })
  afterEach(async () => {
    await cacher.close()
    await backend.close()
  })

  const counts = () => cacher.stats().resources[0]!.counts
  const keysOf = (items: readonly StoredObject[]) => items.map(item => `${item.key}@${item.revision}`)
  const list = (selector: string, limit = 0, prefix = testPrefix) =>
    storage.list(prefix, { at: { notOlderThan: last }, limit, predicate: predicateOf(parseLabelSelector(selector), []) }, signal)
  /** Without the hint everything is looked at. */
  const scan = (selector: string, limit = 0, prefix = testPrefix) => {
    const { labels: _, ...predicate } = predicateOf(parseLabelSelector(selector), [])
    return storage.list(prefix, { at: { notOlderThan: last }, limit, predicate }, signal)
  }
  /** Asks until the label is indexed. */
  const index = (selector: string) =>
    eventually('an index', async () => {
      const before = counts().byLabel.lists
      await list(selector)
      return counts().byLabel.lists > before
    })

  it('examines only candidates once a label has been selected a few times', async () => {
    for (let i = 0; i < 3; i++) await list('app=app-7')
    expect(counts().byLabel.lists).to.equal(0)
    await index('app=app-7')
    const before = counts().byLabel.fetched
    const { items } = await list('app=app-8')
    expect(items.length).to.be.greaterThan(5)
    expect(counts().byLabel.fetched - before).to.equal(items.length)
  })

  it('returns the same lists as a scan, in every state, whole and in pages', async () => {
    await index('app=app-7')
    for (let round = 0; round < 30; round++) {
      for (let i = 0; i < 20; i++) write()
      for (const selector of [
        'app=app-7',
        'app in (app-1,app-2,app-1)',
        'app=',
        'app==app-3,tier=front',
        'app=none',
        'app in (app-4),!own-1',
        'app=app-5,app!=app-5',
      ]) {
        for (const prefix of [testPrefix, key(`${testPrefix}a/`)]) {
          for (const limit of [0, 3]) {
            const [page, plain] = [await list(selector, limit, prefix), await scan(selector, limit, prefix)]
            expect(keysOf(page.items), selector).to.deep.equal(keysOf(plain.items))
            expect([page.revision, page.nextKey, page.remaining]).to.deep.equal([plain.revision, plain.nextKey, plain.remaining])
          }
        }
      }
    }
    expect(counts().byLabel.lists).to.be.greaterThan(500)
  })

  it('scans if too many objects match', async () => {
    for (let i = 0; i < 6; i++) await list('tier=front')
    await index('app=app-7')
    const before = counts().byLabel.lists
    await list('tier=front')
    await list('app')
    await list('app!=app-7')
    expect(counts().byLabel.lists).to.equal(before)
  })

  it('keeps the most recently used indexes', async () => {
    for (const label of ['app', 'own-1', 'own-2', 'own-3', 'own-4']) {
      await index(`${label}=${label === 'app' ? 'app-7' : 'none'}`)
      await list('app=app-7')
    }
    const isIndexed = async (selector: string) => {
      const before = counts().byLabel.lists
      await list(selector)
      return counts().byLabel.lists > before
    }
    expect([await isIndexed('app=app-7'), await isIndexed('own-4=none'), await isIndexed('own-1=none')]).to.deep.equal([true, true, false])
  })

  it('builds an index in steps, while writes continue', async () => {
    const tree = emptyTree()
    // Every turn is over at once.
    const indexes = new LabelIndexes({ spent: () => true, next: () => new Promise(resolve => setImmediate(resolve)) })
    const put = (number: number, app: string) => {
      const at = testKey(`o${number}`)
      const object = Stored.read(at, revision(++written), testCodec, testCodec.encode(testObject(`o${number}`, {}, { app })))
      const previous = tree.get(at)
      tree.set(at, object)
      indexes.put(object, previous)
    }
    let written = 0
    for (let i = 0; i < 2000; i++) put(i, `app-${i % 100}`)
    const required = [{ label: 'app', values: ['app-7', 'app-8'] }]
    const found = () => indexes.find(required, tree.size, testPrefix)
    for (let i = 0; i < 3; i++) indexes.scanned(required, 2000, 40, tree)
    let turns = 0
    for (; found() === undefined; turns++) {
      for (let i = 0; i < 50; i++) {
        const number = Math.floor(random() * 2100)
        const present = tree.get(testKey(`o${number}`))
        if (present !== undefined && random() < 0.3) {
          tree.delete(present.key)
          indexes.remove(present)
        } else put(number, `app-${Math.floor(random() * 100)}`)
      }
      await new Promise(resolve => setImmediate(resolve))
    }
    expect(turns).to.be.greaterThan(4)
    expect(keysOf(found()!)).to.deep.equal(
      keysOf([...tree.values()].filter(({ labels }) => ['app-7', 'app-8'].includes(labelValue(labels, 'app') ?? ''))),
    )
  })
})
