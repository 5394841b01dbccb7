import { chmodSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { systemClock, type TimerClock } from '../../../../src/lib/clock.ts'
import { silentLogger } from '../../../../src/lib/log.ts'
import type { Backend } from '../../../../src/storage/backend.ts'
import { PAGE_BYTES, type Table, type Tables } from '../../../../src/storage/embedded/environment.ts'
import { openEmbedded } from '../../../../src/storage/embedded/open-embedded.ts'
import { openTables, setMeta } from '../../../../src/storage/embedded/tables.ts'
import type { Revision } from '../../../../src/storage/revision.ts'
import { codeOf, never, Store, within } from '../../../support/backend.ts'
import { clockOf } from '../../../support/clock-of.ts'
import { eventually, turns } from '../../../support/waiting.ts'

describe('embedded store', () => {
  let dir: string
  let open: Backend[]

  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'embedded-'))
    open = []
  })
  afterEach(async () => {
    for (const backend of open) await backend.close()
    rmSync(dir, { recursive: true, force: true })
  })

  async function start(options: { clock?: TimerClock; wrapTables?: (tables: Tables) => Tables } = {}): Promise<Store> {
    const { clock = systemClock, wrapTables } = options
    const backend = await openEmbedded({ dir, ...(wrapTables && { wrapTables }) }, clock, silentLogger)
    open.push(backend)
    return new Store(backend, '/registry/')
  }

  /**
   * A store whose commits are counted, and fail while `failing`: all that was put is undone, as when the disk is full.
   */
  async function startWatched() {
    const state = { commits: 0, failing: false, tables: undefined as Tables | undefined }
    const wrapTables = (tables: Tables): Tables => {
      state.tables = tables
      return {
        ...tables,
        commit: change => {
          state.commits++
          return tables.commit(() => {
            const result = change()
            if (state.failing) throw new Error('No space left on device')
            return result
          })
        },
      }
    }
    return { store: await start({ wrapTables }), state }
  }

  it('restricts its files to their owner, even in a directory that others may read', async () => {
    const umask = process.umask(0)
    try {
      chmodSync(dir, 0o755)
      await start()
      for (const file of readdirSync(dir)) expect(statSync(join(dir, file)).mode & 0o777, file).to.equal(0o600)
    } finally {
      process.umask(umask)
    }
  })

  it('keeps its contents when it is reopened', async () => {
    const store = await start()
    const a = await store.put('a', 0, '1')
    const b = await store.put('b', 0, '1')
    await store.put('a', a, '2')
    const last = await store.remove('b', b)
    await store.backend.close()
    const again = await start()
    expect(await again.list({ counted: true })).to.deep.equal({ items: ['a=2'], more: false, count: 1, revision: last })
    expect((await again.list({ at: b })).items).to.deep.equal(['a=1', 'b=1'])
    expect(await again.changes(4, a)).to.deep.equal(['put a=1', 'put b=1', 'put a=2', 'delete b'])
    expect(await again.put('c', 0, '1')).to.equal(last + 1)
  })

  it('commits concurrent writes together', async () => {
    const { store, state } = await startWatched()
    const before = state.commits
    await Promise.all(Array.from({ length: 64 }, (_, i) => store.put(`k${i}`, 0, 'x')))
    expect(state.commits - before).to.equal(1)
    await store.put('one', 0, 'x')
    expect(state.commits - before).to.equal(2)
  })

  it('fails a whole group whose commit fails: no revision, no value, no event', async () => {
    const { store, state } = await startWatched()
    const revision = await store.put('a', 0, '1')
    const seen: string[] = []
    const aborter = new AbortController()
    const watching = (async () => {
      for await (const batch of store.watch(revision + 1, {}, aborter.signal)) for (const event of batch.events) seen.push(event.key)
    })()
    state.failing = true
    const group = [store.put('a', revision, '2'), store.put('b', 0, '1'), store.write('a', 0, 'loser')]
    for (const write of await Promise.allSettled(group)) {
      expect(write.status).to.equal('rejected')
      const { reason } = write as PromiseRejectedResult
      expect([reason.code, reason.message]).to.deep.equal(['unavailable', 'the store cannot commit: No space left on device'])
    }
    expect(await store.list({ counted: true })).to.deep.equal({ items: ['a=1'], more: false, count: 1, revision })
    state.failing = false
    expect(await store.put('b', 0, '2')).to.equal(revision + 1)
    await eventually('it is told of', () => seen.length > 0)
    expect(seen).to.deep.equal(['/registry/b'])
    aborter.abort()
    await watching
  })

  it('notifies watchers and writers only after the commit', async () => {
    const order: string[] = []
    const store = await start({
      wrapTables: tables => ({
        ...tables,
        commit: async change => {
          const result = await tables.commit(change)
          await turns()
          order.push('committed')
          return result
        },
      }),
    })
    const watching = store
      .events(1, 0, { onOpen: () => void store.put('a', 0, 'x').then(() => order.push('acknowledged')) })
      .then(() => order.push('seen'))
    await watching
    await eventually('it is acknowledged', () => order.length === 3)
    expect(order[0]).to.equal('committed')
    expect(order).to.have.members(['committed', 'acknowledged', 'seen'])
  })

  const spoiled: [name: string, spoil: (path: string) => void | Promise<void>, message: RegExp][] = [
    ['a foreign file', path => writeFileSync(path, 'SQLite format 3\0'.repeat(1000)), /is not a store of this program/],
    ['a file cut short', path => truncateSync(path, 3 * PAGE_BYTES), /is cut short: 24576 bytes of \d+/],
    ['a page of zeros for a head', path => writeFileSync(path, Buffer.alloc(65536)), /is not a store of this program/],
    [
      'a newer format',
      async () => {
        const tables = await openTables(dir)
        await tables.commit(() => setMeta(tables, 'format', 7))
        await tables.close()
      },
      /has format 7, which is newer than format 3 of this program/,
    ],
  ]
  for (const [name, spoil, message] of spoiled) {
    it(`refuses ${name} by name`, async () => {
      const store = await start()
      await store.put('a', 0, 'x')
      await store.backend.close()
      await spoil(join(dir, 'data.mdb'))
      for (let attempt = 0; attempt < 2; attempt++) {
        const error = await openEmbedded({ dir }, systemClock, silentLogger).catch(e => e)
        expect(error.code).to.equal('corrupt')
        expect(error.message).to.match(message).and.include(dir)
      }
    })
  }

  it('expires by its clock, after a restart too', async () => {
    let now = 1_000_000
    const clock = clockOf(() => now)
    const store = await start({ clock })
    await store.put('minute', 0, 'x', 60)
    const hour = await store.put('hour', 0, 'x', 3600)
    await store.put('second', 0, 'x', 1)
    now += 59_000
    await eventually('the first expiry', async () => (await store.list()).items.length < 3)
    expect((await store.list()).items).to.deep.equal(['hour=x', 'minute=x'])
    await store.backend.close()
    now += 2000
    const again = await start({ clock })
    expect(await within(5000, 'the expiry', again.changes(3, hour + 1))).to.deep.equal(['put second=x', 'delete second', 'delete minute'])
    expect((await again.list()).items).to.deep.equal(['hour=x'])
  })

  const count = (table: Table | undefined): number => [...(table?.getKeys({}) ?? [])].length

  it('serves reads and writes while its file is unmapped', async () => {
    const { store, state } = await startWatched()
    const seen: string[] = []
    const aborter = new AbortController()
    const watching = (async () => {
      for await (const batch of store.watch(2, {}, aborter.signal)) for (const event of batch.events) seen.push(event.key)
    })()
    const large = Buffer.alloc(100_000, 'x')
    const write = async (name: string): Promise<void> => {
      let revision: Revision | 0 = 0
      for (let i = 0; i < 50; i++) {
        revision = await store.put(name, revision, i % 10 === 0 ? large : String(i))
        if (i % 10 === 0) expect((await store.backend.get(store.key(name), never)).item?.value.equals(large)).to.equal(true)
        else expect((await store.list({ at: revision })).items).to.include(`${name}=${i}`)
      }
    }
    const unmapping = (async () => {
      for (let i = 0; i < 50; i++) {
        await state.tables?.unmap()
        await turns()
      }
    })()
    await Promise.all(
      ['a', 'b', 'c'].map(write).concat(
        store.put('first', 0, 'x').then(() => {}),
        unmapping,
      ),
    )
    await eventually('all is seen', () => seen.length === 151)
    aborter.abort()
    await watching
    const closing = state.tables?.unmap()
    await store.backend.close()
    await closing
    expect((await (await start()).list({ counted: true })).count).to.equal(4)
  })

  it('creates no new file if its own is gone', async () => {
    const { store, state } = await startWatched()
    await store.put('a', 0, 'x')
    const file = join(dir, 'data.mdb')
    renameSync(file, `${file}.away`)
    await state.tables?.unmap()
    const reason = /cannot be opened again: ENOENT/
    expect(await store.backend.get(store.key('a'), never).catch(String)).to.match(reason)
    expect(await store.put('b', 0, 'x').catch(String)).to.match(reason)
    writeFileSync(file, '')
    expect(await store.put('b', 0, 'x').catch(String)).to.match(/cannot be opened again: another file is in its place/)
    renameSync(`${file}.away`, file)
    expect((await store.list()).items).to.deep.equal(['a=x'])
    await store.put('b', 0, 'x')
  })

  it('releases the mapped memory of its file', async function () {
    if (process.platform !== 'linux') this.skip()
    const mapped = (): number => {
      const maps = readFileSync('/proc/self/smaps', 'utf8').split(/^(?=[0-9a-f]+-[0-9a-f]+ )/m)
      return maps
        .filter(map => map.split('\n')[0]?.endsWith(`${dir}/data.mdb`))
        .reduce((sum, map) => sum + Number(/^Rss:\s+(\d+)/m.exec(map)?.[1]), 0)
    }
    const { store, state } = await startWatched()
    for (let i = 0; i < 200; i++) await store.put(`k${i}`, 0, Buffer.alloc(3000, 'x'))
    await store.list()
    const before = mapped()
    await state.tables?.unmap()
    expect(mapped()).to.be.below(before / 2)
  })

  it('removes compacted history from its tables, in the background and after a restart', async () => {
    const { store, state } = await startWatched()
    let revision: Revision | 0 = 0
    for (let i = 0; i < 700; i++) revision = await store.put('a', revision, String(i))
    await store.remove('b', await store.put('b', 0, 'x'))
    const at = await store.put('c', 0, 'x')
    const size = () => [count(state.tables?.log), count(state.tables?.latest)]
    expect(size()).to.deep.equal([703, 3])
    await store.backend.compact(at, never)
    await store.backend.close()

    const again = await startWatched()
    await eventually('the log is cut', () => count(again.state.tables?.log) <= 2)
    expect([count(again.state.tables?.log), count(again.state.tables?.latest)]).to.deep.equal([2, 2])
    expect((await again.store.list({ at })).items).to.deep.equal(['a=699', 'c=x'])
    expect(await codeOf(again.store.list({ at: (at - 1) as Revision }))).to.equal('compacted')
    expect((await again.store.list()).items).to.deep.equal(['a=699', 'c=x'])
  })

  it('shows the same past before and after compaction, whatever happened', async () => {
    const store = await start()
    const keys = ['a', 'b', 'c', 'd']
    const revisions = new Map<string, number>()
    const states = new Map<Revision, string[]>()
    let seed = 7
    for (let i = 0; i < 300; i++) {
      seed = (seed * 1103515245 + 12345) % 2 ** 31
      const name = keys[seed % 4]!
      const known = revisions.get(name) ?? 0
      const drop = known !== 0 && seed % 5 < 2
      const revision = drop ? await store.remove(name, known) : await store.put(name, known, String(i))
      revisions.set(name, drop ? 0 : revision)
      states.set(revision, (await store.list()).items)
    }
    for (const until of [0, 50, 51, 52, 150, 299]) {
      await store.backend.compact((until + 2) as Revision, never)
      await turns()
      for (const [at, items] of states)
        if (at >= until + 2) expect((await store.list({ at })).items, `${at} after ${until + 2}`).to.deep.equal(items)
    }
  })
})
