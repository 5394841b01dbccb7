import { expect } from 'chai'
import { seededRandom } from '../../../src/lib/seeded-random.ts'
import { BackendError, type KeyValue, type RangePage, type RangeQuery } from '../../../src/storage/backend.ts'
import { rangePages } from '../../../src/storage/range-pages.ts'
import { key, revision } from '../../../src/storage/revision.ts'
import { codeOf } from '../../support/backend.ts'

const { signal } = new AbortController()
const prefix = key('/registry/pods/')
const end = key('/registry/pods0')

/** A store with so many keys of equal length, which counts as etcd does or not. `before` is called with each query. */
function store(size: number, valueBytes: number, counts: boolean, before?: (query: RangeQuery) => void) {
  const names = Array.from({ length: size }, (_, i) => String(i).padStart(6, '0'))
  return storeOf(names, { valueBytes, counts, ...(before && { before }) })
}

interface StoreOptions {
  readonly valueBytes: number
  readonly counts: boolean
  readonly before?: (query: RangeQuery) => void
}

function storeOf(names: readonly string[], { valueBytes, counts, before = () => {} }: StoreOptions) {
  const value = Buffer.alloc(valueBytes)
  const at = revision(9)
  const all: KeyValue[] = names.map(name => ({
    key: key(`${prefix}${name}`),
    value,
    createRevision: at,
    modRevision: at,
  }))
  const limits: number[] = []
  const range = async (query: RangeQuery): Promise<RangePage> => {
    limits.push(query.limit ?? 0)
    before(query)
    const left = all.filter(item => item.key >= query.start && item.key < query.end)
    const items = left.slice(0, query.limit)
    return { items, revision: at, more: items.length < left.length, ...(counts && { count: left.length }) }
  }
  return { range, limits, all }
}

/** Number of items before a key, in the order of bytes. */
function lowerBound(items: readonly KeyValue[], bound: string): number {
  const bytes = Buffer.from(bound)
  let [from, to] = [0, items.length]
  while (from < to) {
    const middle = (from + to) >> 1
    if (Buffer.compare(Buffer.from(items[middle]?.key ?? ''), bytes) < 0) from = middle + 1
    else to = middle
  }
  return from
}

async function keysOf(backend: ReturnType<typeof store>): Promise<number> {
  const keys: string[] = []
  for await (const { items } of rangePages(backend, { start: prefix, end }, signal)) for (const item of items) keys.push(item.key)
  expect(keys).to.deep.equal(backend.all.map(item => item.key))
  return keys.length
}

describe('storage/range-pages', () => {
  it('returns each key once, in pages of about the same size in bytes', async () => {
    const backend = store(4000, 6 << 10, false)
    expect(await keysOf(backend)).to.equal(4000)
    expect(backend.limits.slice(1).every(limit => limit > 900 && limit < 1100)).to.equal(true)
  })

  it('reads a store that counts every page in fewer pages', async () => {
    const [plain, counting] = [store(30_000, 1 << 10, false), store(30_000, 1 << 10, true)]
    await keysOf(plain)
    await keysOf(counting)
    expect([plain.limits.length, counting.limits.length]).to.deep.equal([6, 3])
  })

  it('reads no page ahead of a visitor, and repeats no visited item', async () => {
    const backend = store(9000, 100, false)
    let failsAt = 0
    const visiting = {
      async range({ visit, ...query }: RangeQuery): Promise<RangePage> {
        const { items, ...page } = await backend.range(query)
        for (const item of items) {
          if (item.key === backend.all[failsAt]?.key && failsAt > 0) throw new BackendError('timeout', 'it took too long')
          visit?.(item)
        }
        return { ...page, items: [] }
      },
    }
    const visited: string[] = []
    const seen: number[] = []
    const read = async (): Promise<void> => {
      for await (const _ of rangePages(visiting, { start: prefix, end, visit: item => visited.push(item.key) }, signal))
        seen.push(visited.length)
    }
    await read()
    expect(visited).to.deep.equal(backend.all.map(item => item.key))
    expect(seen).to.deep.equal([500, 4500, 8500, 9000])
    failsAt = 6000
    expect(await codeOf(read())).to.equal('timeout')
  })

  /**
   * A store with a reader of pages, and a list of its calls. `before` is called with each query, `visiting` with each
   * item.
   */
  function readerOf(size: number, before: (query: RangeQuery) => void = () => {}, visiting: (item: KeyValue) => void = () => {}) {
    return readerFrom(store(size, 100, true, before), visiting)
  }

  /** The same of another store. `endsAnywhere`: whether it is read up to any key. */
  function readerFrom(backend: ReturnType<typeof store>, visiting: (item: KeyValue) => void = () => {}, endsAnywhere = false) {
    const calls: string[] = []
    const pageReader = () => async (query: RangeQuery) => {
      calls.push(`read ${query.limit}`)
      const { items, ...page } = await backend.range(query)
      return {
        ...page,
        length: items.length,
        bytes: items.length * (items[0]?.value.length ?? 0),
        last: items.at(-1)?.key,
        endsAnywhere,
        async visit(take: (item: KeyValue) => void): Promise<void> {
          calls.push(`visit ${items.length}`)
          for (const item of items) {
            visiting(item)
            take(item)
          }
        },
      }
    }
    return { ...backend, pageReader, calls }
  }

  /** Visits all items. Resolves to their keys, however the reading ends, and to the code of its error. */
  async function visitedKeys(backend: ReturnType<typeof readerOf>): Promise<{ keys: string[]; code: string }> {
    const keys: string[] = []
    const read = async (): Promise<void> => {
      for await (const { items } of rangePages(backend, { start: prefix, end, visit: item => keys.push(item.key) }, signal))
        expect(items).to.deep.equal([])
    }
    return { keys, code: await codeOf(read()) }
  }
  const allOf = (backend: ReturnType<typeof readerOf>) => ({ keys: backend.all.map(item => item.key), code: 'no error' })

  it('requests the next page before it visits the items of one, each of which it visits once', async () => {
    const backend = readerOf(30_000)
    expect(await visitedKeys(backend)).to.deep.equal(allOf(backend))
    expect(backend.calls).to.deep.equal(['read 500', 'read 20000', 'visit 500', 'read 20000', 'visit 20000', 'visit 9500'])
  })

  const random = seededRandom(7)
  /** Names, and the most keys that are counted, as a share of those without estimated ends. */
  const NAMINGS: Readonly<Record<string, readonly [nameFor: (i: number) => string, share: number]>> = {
    'numbers with zeros before them': [i => `default/object-${String(i).padStart(7, '0')}`, 0.4],
    'numbers without zeros before them': [i => `default/object-${i}`, 0.4],
    'random numbers': [() => `default/${random().toString(16).slice(2)}`, 0.55],
    'random characters in many namespaces': [i => `ns-${i % 300}/web-${random().toString(36).slice(2, 7)}-${i}`, 0.6],
    'few namespaces of very different sizes': [i => (i % 50 === 0 ? `${'abmz'[i % 4]}/n${i}` : `default/${i % 7}/${i}`), 0.8],
    'other characters': [i => `Ünïcode:${i % 2 ? 'A' : 'é'}/${String.fromCodePoint(0x1f600 + (i % 60))}${i}`, 1.1],
  }
  for (const [naming, [nameFor, share]] of Object.entries(NAMINGS))
    it(`reads pages with estimated ends, which contain each key once: ${naming}`, async () => {
      const names = [...new Set(Array.from({ length: 20_000 }, (_, i) => nameFor(i)))]
      // In the order of bytes, as a store has them.
      names.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
      const backend = storeOf(names, { valueBytes: 16 << 10, counts: true })
      let counted = 0
      const range = async ({ start, end, limit = 0 }: RangeQuery): Promise<RangePage> => {
        const [first, last] = [lowerBound(backend.all, start), lowerBound(backend.all, end)]
        const count = Math.max(0, last - first)
        counted += count
        const items = backend.all.slice(first, Math.min(last, first + limit))
        return { items, revision: revision(9), more: items.length < count, count }
      }
      const requests = async (endsAnywhere: boolean): Promise<{ counted: number; made: number }> => {
        counted = 0
        const reading = readerFrom({ ...backend, range }, () => {}, endsAnywhere)
        expect(await visitedKeys(reading)).to.deep.equal(allOf(reading))
        return { counted, made: reading.calls.filter(call => call.startsWith('read')).length }
      }
      const [plain, estimated] = [await requests(false), await requests(true)]
      expect(estimated.counted / plain.counted, 'keys counted').to.be.below(share)
      expect(estimated.made / plain.made, 'requests').to.be.below(2)
    })

  it('requests two pages at once if it estimates their ends, and the rest of one before later ones', async () => {
    // The second half is denser than the first.
    const names = Array.from({ length: 100_000 }, (_, i) => String(i < 50_000 ? 4 * i : 150_000 + i).padStart(7, '0'))
    const backend = readerFrom(storeOf(names, { valueBytes: 800, counts: true }), () => {}, true)
    expect(await visitedKeys(backend)).to.deep.equal(allOf(backend))
    const calls = backend.calls.map(call => call.replace('visit ', '-').replace('read ', '')).join(' ')
    expect(calls).to.equal('500 20000 -500 20000 20000 -20000 20000 -18000 20000 -20000 20000 -17497 20000 -20000 -4003 -0')
  })

  it('repeats the request of a page that times out when earlier ones have been visited, and visits no item again', async () => {
    const backend = readerOf(30_000, ({ limit = 0, at }) => {
      if (at !== undefined && limit > 6000) throw new BackendError('timeout', 'it took too long')
    })
    expect(await visitedKeys(backend)).to.deep.equal(allOf(backend))
    expect(backend.limits.slice(0, 4)).to.deep.equal([500, 20_000, 5000, 5000])
  })

  it('fails if the store is compacted between two pages, or an item cannot be visited', async () => {
    const compacted = readerOf(30_000, ({ start }) => {
      if (start > `${prefix}020000`) throw new BackendError('compacted', 'the revision is compacted')
    })
    const { keys, code } = await visitedKeys(compacted)
    expect([keys.length, code]).to.deep.equal([20_500, 'compacted'])
    const malformed = readerOf(
      30_000,
      () => {},
      ({ key }) => {
        if (key === `${prefix}000700`) throw new BackendError('corrupt', 'it is malformed')
      },
    )
    expect(await visitedKeys(malformed)).to.deep.equal({ keys: malformed.all.slice(0, 700).map(item => item.key), code: 'corrupt' })
  })

  it('shortens pages that time out', async () => {
    const backend = store(30_000, 100, true, ({ limit = 0 }) => {
      if (limit > 6000) throw new BackendError('timeout', 'it took too long')
    })
    await keysOf(backend)
    expect(backend.limits.slice(0, 4)).to.deep.equal([500, 20_000, 5000, 5000])
  })

  it('shortens pages that are too large, down to one key', async () => {
    for (const most of [100, 1]) {
      const backend = store(300, 100, false, ({ limit = 0 }) => {
        if (limit > most) throw new BackendError('too large', 'received message larger than max')
      })
      expect(await keysOf(backend)).to.equal(300)
    }
    const never = store(2, 100, false, () => {
      throw new BackendError('too large', 'received message larger than max')
    })
    expect(await codeOf(keysOf(never))).to.equal('too large')
  })

  it('retries a page that times out, however often earlier ones did', async () => {
    const late = new Map<string, number>()
    const backend = store(20_000, 100, true, ({ start, at }) => {
      const times = late.get(start) ?? 0
      late.set(start, times + 1)
      if (at !== undefined && times < 4) throw new BackendError('timeout', 'it took too long')
    })
    await keysOf(backend)
    expect(Math.min(...backend.limits.slice(1))).to.equal(2000)
  })

  it('fails when a shortest page has timed out five times', async () => {
    const backend = store(10_000, 100, true, ({ at }) => {
      if (at !== undefined) throw new BackendError('timeout', 'it took too long')
    })
    expect(await codeOf(keysOf(backend))).to.equal('timeout')
    expect(backend.limits).to.deep.equal([500, 20_000, 5000, 2000, 2000, 2000, 2000, 2000])
  })

  /** A store that streams pages of 1000 keys, and fails after so many. */
  function streaming(size: number, failsAfter = Number.POSITIVE_INFINITY, code: 'unavailable' | 'corrupt' = 'unavailable') {
    const backend = store(size, 100, false)
    const streams: string[] = []
    async function* rangeStream({ start, at }: { readonly start: string; readonly at: RangePage['revision'] }): AsyncGenerator<RangePage> {
      streams.push(`${start} ${at}`)
      const left = backend.all.filter(item => item.key >= start)
      for (let i = 0; i < left.length; i += 1000) {
        if (i >= failsAfter) throw new BackendError(code, 'the stream broke off')
        yield { items: left.slice(i, i + 1000), revision: at, more: i + 1000 < left.length }
      }
    }
    return { ...backend, rangeStream, streams }
  }

  it('reads what follows the first page as a stream, if the store can', async () => {
    const backend = streaming(4000)
    expect(await keysOf(backend)).to.equal(4000)
    expect([backend.limits, backend.streams]).to.deep.equal([[500], [`${prefix}000499\0 9`]])
    const small = streaming(400)
    await keysOf(small)
    expect(small.streams).to.deep.equal([])
  })

  it('continues with pages where a stream breaks off, or is not supported', async () => {
    const backend = streaming(4000, 2000)
    expect(await keysOf(backend)).to.equal(4000)
    expect([backend.limits.length, backend.streams.length]).to.deep.equal([2, 1])
    const unsupported = { ...store(4000, 100, false), rangeStream: () => undefined }
    expect(await keysOf(unsupported)).to.equal(4000)
    expect(await codeOf(keysOf(streaming(4000, 1000, 'corrupt')))).to.equal('corrupt')
  })

  it('fails if the first page does not arrive in time', async () => {
    const backend = store(10, 100, true, () => {
      throw new BackendError('timeout', 'it took too long')
    })
    expect(await codeOf(keysOf(backend))).to.equal('timeout')
    expect(backend.limits).to.deep.equal([500])
  })
})
