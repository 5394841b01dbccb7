import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { systemClock } from '../../../../src/lib/clock.ts'
import { silentLogger } from '../../../../src/lib/log.ts'
import { seededRandom } from '../../../../src/lib/seeded-random.ts'
import type { Backend, BackendEvent, BackendFork, KeyValue } from '../../../../src/storage/backend.ts'
import { memoryTables } from '../../../../src/storage/embedded/memory-tables.ts'
import { openEmbedded, openInMemory } from '../../../../src/storage/embedded/open-embedded.ts'
import { keyspaceEnd, keyspaceStart } from '../../../../src/storage/key-range.ts'
import { momentBackend } from '../../../../src/storage/moment-backend.ts'
import { type Key, type Revision, revision } from '../../../../src/storage/revision.ts'
import { codeOf, never, Store } from '../../../support/backend.ts'
import { eventually, turns } from '../../../support/waiting.ts'

const inMemory = (): Backend => openInMemory(systemClock, silentLogger)

async function forkOf(base: Backend, options: { maxBytes?: number; onLost?: () => void; at?: Revision } = {}): Promise<BackendFork> {
  const fork = await base.fork?.({ maxBytes: 1 << 28, onLost: () => {}, ...options }, never)
  if (fork === undefined) throw new Error('the store cannot be forked')
  return fork
}

const everything = async (backend: Backend, at?: Revision): Promise<readonly KeyValue[]> =>
  (await backend.range({ start: keyspaceStart, end: keyspaceEnd, ...(at && { at }) }, never)).items

/** All events from a revision to the newest. */
async function eventsOf(backend: Backend, from: Revision): Promise<BackendEvent[]> {
  const last = await backend.currentRevision(never)
  const events: BackendEvent[] = []
  if (from > last) return events
  for await (const batch of backend.watch({ start: keyspaceStart, end: keyspaceEnd, from, previous: true }, never)) {
    events.push(...batch.events)
    if (batch.revision >= last) break
  }
  return events
}

/** Writes at random to all of the stores, which hold the same. */
async function write(random: () => number, stores: readonly Backend[], count: number): Promise<void> {
  for (let i = 0; i < count; i++) {
    const key = `/registry/${'abcd'[Math.floor(random() * 4)]}/${Math.floor(random() * 40)}` as Key
    const isDeletion = random() < 0.3
    const value = Buffer.from(`${random()}`)
    for (const store of stores) {
      const { item } = await store.get(key, never)
      if (isDeletion && item === undefined) continue
      await store.write({ key, expected: item?.modRevision ?? 0, ...(!isDeletion && { value }) }, never)
    }
  }
}

describe('a fork of the embedded store', () => {
  const dir = mkdtempSync(join(tmpdir(), 'fork-'))
  after(() => rmSync(dir, { recursive: true, force: true }))

  for (const kind of ['in memory', 'on disk', 'on disk, with history'] as const) {
    it(`equals a full copy, byte for byte, after any writes and compactions: ${kind}`, async () => {
      for (let seed = 1; seed <= (kind === 'in memory' ? 30 : 3); seed++) {
        const random = seededRandom(seed)
        const base =
          kind === 'in memory'
            ? inMemory()
            : await openEmbedded({ dir: join(dir, `${kind} ${seed}`), keepsHistory: kind.endsWith('history') }, systemClock, silentLogger)
        // The same writes give the same revisions.
        const tables = memoryTables()
        const mirror = openInMemory(systemClock, silentLogger, { tables })
        await write(random, [base, mirror], 120)
        const isOfThePast = random() < 0.5
        const begun = isOfThePast
          ? revision(Math.floor((await base.currentRevision(never)) * (0.3 + 0.7 * random())))
          : await base.currentRevision(never)
        const recorded = await everything(mirror, begun)
        const copy = isOfThePast ? undefined : openInMemory(systemClock, silentLogger, { tables: tables.fork() })
        const fork = await forkOf(base, isOfThePast ? { at: begun } : {})
        expect(fork.forkedAt).to.equal(begun)
        const moment = momentBackend(base, begun)
        expect(await everything(moment)).to.deep.equal(recorded)
        expect(await everything(fork)).to.deep.equal(recorded)
        for (let round = 0; round < 6; round++) {
          await write(random, [base], 40)
          if (copy) await write(random, [fork, copy], Math.floor(random() * 30))
          if (random() < 0.4) await base.compact(revision(Math.floor((await base.currentRevision(never)) * random())), never)
          expect(await everything(fork), `seed ${seed}`).to.deep.equal(copy ? await everything(copy) : recorded)
          expect(await everything(fork, begun), `seed ${seed}`).to.deep.equal(recorded)
          if (copy)
            expect(await eventsOf(fork, revision(begun + 1)), `seed ${seed}`).to.deep.equal(await eventsOf(copy, revision(begun + 1)))
          for (const { key, modRevision } of recorded.slice(0, 5))
            expect((await fork.get(key, never, begun)).item?.modRevision).to.equal(modRevision)
        }
        if (copy) {
          const now = await everything(fork)
          const before = new Map(recorded.map(item => [item.key, item.modRevision]))
          const changed = fork.changed('' as Key).keys
          for (const { key, modRevision } of now) expect(changed.includes(key)).to.equal(before.get(key) !== modRevision)
        }
        await fork.close()
        await base.close()
        await mirror.close()
      }
    })
  }

  it('neither changes its base nor sees changes of it', async () => {
    const base = inMemory()
    const [theirs, before] = [new Store(base, '/r/'), await new Store(base, '/r/').put('a', 0, 'old')]
    const fork = await forkOf(base)
    const ours = new Store(fork, '/r/')
    await ours.put('a', before, 'ours')
    await ours.put('b', 0, 'ours')
    expect((await theirs.list()).items).to.deep.equal(['a=old'])
    expect(await base.currentRevision(never)).to.equal(before)
    await theirs.put('a', before, 'theirs')
    await theirs.put('c', 0, 'theirs')
    expect((await ours.list()).items).to.deep.equal(['a=ours', 'b=ours'])
    await base.close()
    expect((await ours.list()).items).to.deep.equal(['a=ours', 'b=ours'])
    await fork.close()
  })

  it('can be created during writes, and misses none', async () => {
    const base = await openEmbedded({ dir: join(dir, 'busy') }, systemClock, silentLogger)
    const store = new Store(base, '/r/')
    for (let i = 0; i < 50; i++) await store.put(`k${i}`, 0, 'x'.repeat(100))
    let over = false
    const writers = Array.from({ length: 8 }, async (_, id) => {
      for (let i = id; !over; i = (i + 8) % 50) {
        const { item } = await base.get(store.key(`k${i}`), never)
        await store.write(`k${i}`, item?.modRevision ?? 0, `${id}`)
      }
    })
    for (let i = 0; i < 50; i++) {
      const fork = await forkOf(base)
      const items = await everything(fork)
      expect(items).to.have.length(50)
      for (const { modRevision } of items) expect(modRevision).to.be.at.most(fork.forkedAt)
      await sleep(1)
      expect(await everything(fork)).to.deep.equal(items)
      await fork.close()
    }
    over = true
    await Promise.all(writers)
    await base.close()
  })

  it('expires keys by itself', async () => {
    const base = inMemory()
    await new Store(base, '/r/').put('event', 0, 'soon gone', 1)
    const fork = await forkOf(base)
    const revisionOf = await fork.currentRevision(never)
    expect((await new Store(fork, '/r/').list()).items).to.deep.equal(['event=soon gone'])
    await eventually('it has expired', async () => (await new Store(fork, '/r/').list()).items.length === 0)
    expect(await fork.currentRevision(never)).to.equal(revisionOf + 1)
    await fork.close()
    await base.close()
  })

  it('starts at a readable revision, and has no history before it', async () => {
    const base = inMemory()
    const store = new Store(base, '/r/')
    const first = await store.put('a', 0, '1')
    const second = await store.put('a', first, '2')
    expect(await codeOf(forkOf(base, { at: revision(second + 1) }))).to.equal('future')
    const fork = await forkOf(base)
    expect(await codeOf(new Store(fork, '/r/').list({ at: first }))).to.equal('compacted')
    await base.compact(second, never)
    expect(await codeOf(forkOf(base, { at: first }))).to.equal('compacted')
    expect(await new Store(fork, '/r/').changes(1, second)).to.deep.equal(['put a=2'])
    await base.close()
  })

  it('is bounded in its own data, and in data preserved for it', async () => {
    const base = inMemory()
    const store = new Store(base, '/r/')
    let last: Revision[] = []
    for (let i = 0; i < 10; i++) last.push(await store.put(`k${i}`, 0, 'x'.repeat(1000)))
    let lost = 0
    const fork = await forkOf(base, { maxBytes: 2500, onLost: () => lost++ })
    const ours = new Store(fork, '/r/')
    await ours.put('own', 0, 'y'.repeat(1000))
    expect(await codeOf(ours.put('more', 0, 'y'.repeat(1500)))).to.equal('too large')
    last = await Promise.all(last.map((at, i) => store.put(`k${i}`, at, 'z')))
    expect(lost).to.equal(1)
    await ours.remove('own', await fork.currentRevision(never))
    await Promise.all(last.map((at, i) => store.put(`k${i}`, at, 'z')))
    expect(lost).to.equal(1)
    expect(fork.bytes()).to.be.below(2 * 2500 + 1200)
    await fork.close()
    await base.close()
  })
})

describe('a read-only view of a store at a revision', () => {
  it('rejects writes, and its watches stay open', async () => {
    const base = inMemory()
    const store = new Store(base, '/r/')
    const first = await store.put('a', 0, '1')
    const second = await store.put('a', first, '2')
    await store.put('b', 0, '3')
    const moment = momentBackend(base, second)
    const past = new Store(moment, '/r/')
    expect((await past.list()).items).to.deep.equal(['a=2'])
    expect((await past.list({ at: first })).items).to.deep.equal(['a=1'])
    expect(await codeOf(past.list({ at: revision(second + 1) }))).to.equal('future')
    expect(await codeOf(past.put('c', 0, 'new'))).to.equal('unavailable')
    expect(await moment.currentRevision(never)).to.equal(second)
    const ended = new AbortController()
    const seen: string[] = []
    const watched = (async () => {
      for await (const { events } of past.watch(first, {}, ended.signal)) seen.push(...events.map(({ value }) => String(value)))
    })()
    await eventually('the changes up to its revision', () => seen.length === 2)
    await store.put('d', 0, '4')
    await turns()
    expect(seen).to.deep.equal(['1', '2'])
    ended.abort()
    await watched
    await base.compact(revision(second + 1), never)
    expect(await codeOf(past.list())).to.equal('compacted')
    await base.close()
  })
})
