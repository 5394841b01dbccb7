import { expect } from 'chai'
import { systemClock } from '../../../../src/lib/clock.ts'
import { silentLogger } from '../../../../src/lib/log.ts'
import type { Backend } from '../../../../src/storage/backend.ts'
import { createCacher } from '../../../../src/storage/cacher/cacher.ts'
import type { Cacher, SavedStates } from '../../../../src/storage/cacher/cacher-types.ts'
import { memoryTables } from '../../../../src/storage/embedded/memory-tables.ts'
import { openInMemory } from '../../../../src/storage/embedded/open-embedded.ts'
import { key } from '../../../../src/storage/revision.ts'
import type { ListQuery } from '../../../../src/storage/storage.ts'
import { testLimits, testResource } from '../../../support/test-cacher.ts'
import { everything, indexedCodec, put, testKey, testObject, testPrefix } from '../../../support/test-codec.ts'

const { signal } = new AbortController()
const NODE = 'data.node'
const OBJECTS = 3000
const OTHERS = { ...testResource, name: 'others', prefix: key('/registry/others/') }

describe('states that a cacher provides for the cacher of a copy of its store', () => {
  const tables = memoryTables()
  let backend: Backend
  let cacher: Cacher
  const opened: { cacher: Cacher; backend: Backend }[] = []
  /** Ranges that a copy has read. */
  let ranges: string[]

  const cacherOver = async (of: Backend, beginWith?: SavedStates): Promise<Cacher> => {
    const resources = [{ ...testResource, codec: indexedCodec, index: NODE }, OTHERS]
    const made = createCacher(of, resources, { ...testLimits, beginWith })
    opened.push({ cacher: made, backend: of })
    await made.synced(signal)
    return made
  }
  const copy = async (): Promise<Cacher> => {
    const kept = cacher.kept()
    const of = openInMemory(systemClock, silentLogger, { tables: tables.fork() })
    ranges = []
    const range = of.range.bind(of)
    of.range = (query, ...more) => {
      ranges.push(query.start)
      return range(query, ...more)
    }
    return cacherOver(of, kept)
  }
  const write = (on: Cacher, name: string, node: string) =>
    on.storageFor('configmaps').write(testKey(name), put(testObject(name, { node, more: 'x'.repeat(200) })), signal)
  const texts = async (of: Cacher, query: Partial<ListQuery> = {}): Promise<string[]> => {
    const { items, revision } = await of
      .storageFor('configmaps')
      .list(testPrefix, { at: 'latest', predicate: everything, limit: 0, ...query }, signal)
    return [`at ${revision}`, ...items.map(item => `${item.key} ${item.revision} ${item.json().bytes}`)]
  }
  /** A query that only the index can filter: a scan would return every object. */
  const onNode = (node: string): Partial<ListQuery> => ({
    predicate: { matches: () => true, everything: false, requires: field => (field === NODE ? node : undefined) },
  })

  before(async () => {
    backend = openInMemory(systemClock, silentLogger, { tables })
    cacher = await cacherOver(backend)
    for (let i = 0; i < OBJECTS; i++) await write(cacher, `c${i}`, `n${i % 100}`)
  })
  afterEach(async () => {
    for (const { cacher: one, backend: its } of opened.splice(1)) {
      await one.close()
      await its.close()
    }
  })
  after(async () => {
    await cacher.close()
    await backend.close()
  })

  it('are copied instead of read from the store, with the same bytes and counts', async () => {
    const before = await texts(cacher)
    const other = await copy()
    expect(ranges).to.deep.equal([])
    expect(await texts(other)).to.deep.equal(before)
    const figures = (of: Cacher) => [of.count('configmaps'), of.averageBytes('configmaps'), of.stats().revision, of.count('others')]
    expect(figures(other)).to.deep.equal(figures(cacher))
  })

  it('change independently from then on', async () => {
    const other = await copy()
    const [before, copied] = [await texts(cacher), await texts(other)]
    await write(other, 'c7', 'elsewhere')
    await write(other, 'new', 'n1')
    expect(await texts(cacher)).to.deep.equal(before)
    const third = await copy()
    await write(cacher, 'c8', 'n8')
    const now = await texts(other)
    expect(now).to.have.length(copied.length + 1)
    expect(now.filter(text => !copied.includes(text)).map(text => text.split(' ')[0])).to.deep.equal(['at', testKey('c7'), testKey('new')])
    expect(await texts(third)).to.deep.equal(before)
  })

  it('have an index by field', async () => {
    const other = await copy()
    expect((await texts(other, onNode('n3'))).slice(1)).to.deep.equal((await texts(cacher, onNode('n3'))).slice(1))
    await write(other, 'c3', 'n4')
    expect(await texts(other, onNode('n3'))).to.have.length(OBJECTS / 100)
    expect(await texts(other, onNode('n4'))).to.have.length(OBJECTS / 100 + 2)
    expect(await texts(cacher, onNode('n3'))).to.have.length(OBJECTS / 100 + 1)
  })

  it('may be older than the copy: later changes follow', async () => {
    const kept = cacher.kept()
    await write(cacher, 'later', 'n1')
    const of = openInMemory(systemClock, silentLogger, { tables: tables.fork() })
    const other = await cacherOver(of, kept)
    expect(await texts(other)).to.deep.equal(await texts(cacher))
  })

  it('omit resources with unreadable objects, which are read from the store', async () => {
    await backend.write({ key: testKey('broken'), value: Buffer.from('{'), expected: 0 }, signal)
    await cacher.storageFor('configmaps').currentRevision(signal)
    while (cacher.stats().revision < (await backend.currentRevision(signal))) await new Promise(setImmediate)
    const other = await copy()
    expect(ranges.map(start => start.startsWith(testPrefix))).to.deep.equal([true, true])
    expect(other.count('configmaps')).to.equal(cacher.count('configmaps'))
  })
})
