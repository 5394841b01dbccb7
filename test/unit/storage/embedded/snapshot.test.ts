import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { silentLogger } from '../../../../src/lib/log.ts'
import type { Backend } from '../../../../src/storage/backend.ts'
import { openEmbedded, openInMemory } from '../../../../src/storage/embedded/open-embedded.ts'
import { checkSnapshot, restoreSnapshot } from '../../../../src/storage/embedded/restore-snapshot.ts'
import { type Revision, revision } from '../../../../src/storage/revision.ts'
import { codeOf, never, Store } from '../../../support/backend.ts'
import { clockOf } from '../../../support/clock-of.ts'
import { eventually } from '../../../support/waiting.ts'

describe('snapshots of the embedded store', () => {
  let dir: string
  let now: number
  let open: Backend[]
  const clock = clockOf(() => now)

  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'snapshot-'))
    now = 1_000_000
    open = []
  })
  afterEach(async () => {
    for (const backend of open) await backend.close()
    rmSync(dir, { recursive: true, force: true })
  })

  const kept = (backend: Backend): Store => {
    open.push(backend)
    return new Store(backend, '/registry/')
  }
  const opened = async (name: string, keepsHistory: boolean): Promise<Store> =>
    kept(await openEmbedded({ dir: join(dir, name), keepsHistory }, clock, silentLogger))
  const file = () => join(dir, 'snapshot')

  /** `between` runs while the snapshot is under way, after each piece. */
  async function save({ backend }: Store, between: (piece: number) => Promise<void> = async () => {}): Promise<void> {
    const pieces: Buffer[] = []
    for await (const piece of backend.snapshot?.(never) ?? []) {
      pieces.push(piece)
      await between(pieces.length)
    }
    writeFileSync(file(), Buffer.concat(pieces))
  }

  async function statesOf(store: Store, from: number, to: number): Promise<string[][]> {
    const states: string[][] = []
    for (let at = from; at <= to; at++) states.push((await store.list({ at: revision(at) })).items)
    return states
  }

  for (const keepsHistory of [false, true])
    for (const place of ['disk', 'memory'])
      it(`has all revisions ${keepsHistory ? 'with' : 'without'} history, from ${place}`, async () => {
        const store = place === 'disk' ? await opened('a', keepsHistory) : kept(openInMemory(clock, silentLogger, { keepsHistory }))
        const heads = new Map<string, Revision>()
        for (let i = 0; i < 120; i++) {
          now += 10
          const name = `k${i % 7}`
          if (i % 11 === 10 && heads.has(name)) {
            await store.remove(name, heads.get(name) ?? 0)
            heads.delete(name)
          } else heads.set(name, await store.put(name, heads.get(name) ?? 0, `v${i}`))
          if (i === 40) await store.backend.compact(revision(30), never)
        }
        const last = await store.backend.currentRevision(never)
        await save(store)
        expect(await restoreSnapshot(file(), join(dir, 'b'))).to.deep.include({ revision: last })
        const copy = await opened('b', keepsHistory)
        expect(await copy.backend.currentRevision(never)).to.equal(last)
        expect(await statesOf(copy, 30, last)).to.deep.equal(await statesOf(store, 30, last))
        expect(await codeOf(copy.list({ at: revision(29) }))).to.equal('compacted')
        expect(copy.backend.history?.oldest()).to.deep.equal(store.backend.history?.oldest())
        expect(copy.backend.history?.size()).to.deep.equal(store.backend.history?.size())
        expect(await copy.events(last - 30, 31)).to.deep.equal(await store.events(last - 30, 31))
        for (const [name, head] of heads) await copy.put(name, head, 'new')
      })

  it('contains one revision, despite writes, compactions and expirations meanwhile', async () => {
    const store = await opened('a', true)
    const value = 'x'.repeat(2000)
    const heads = await Promise.all(Array.from({ length: 1000 }, (_, i) => store.put(`k${i}`, 0, value)))
    for (let i = 0; i < 300; i++) heads[i] = await store.put(`k${i}`, heads[i] ?? 0, `${value}!`)
    await store.put('passing', 0, value, 1)
    const last = await store.backend.currentRevision(never)
    const states = await store.list()
    let pieces = 0
    await save(store, async piece => {
      pieces = piece
      if (piece === 1) {
        now += 60_000
        // Longer than the interval at which the store checks for expired keys.
        await sleep(1200)
        expect(await store.text('passing')).to.equal(value)
      }
      if (piece === 2) await store.backend.compact(await store.backend.currentRevision(never), never)
      for (let i = 0; i < 5; i++) heads[i] = await store.put(`k${i}`, heads[i] ?? 0, `meanwhile ${piece}`)
      if (piece < 6) await store.remove(`k${900 + piece}`, heads[900 + piece] ?? 0)
    })
    expect(pieces).to.be.greaterThan(8)
    await restoreSnapshot(file(), join(dir, 'b'))
    now = 1_000_000
    const copy = await opened('b', true)
    expect(await copy.list({ at: last })).to.deep.equal(states)
    now += 5000
    await eventually('it expires', async () => (await copy.text('passing')) === undefined)
    await eventually('it expires', async () => (await store.text('passing')) === undefined)
  })

  it('is refused if it is damaged, and leaves nothing behind', async () => {
    const store = await opened('a', true)
    for (let i = 0; i < 20; i++) await store.put(`k${i}`, 0, 'x'.repeat(100))
    await save(store)
    const whole = readFileSync(file())
    const refused = async (bytes: Buffer, why: RegExp): Promise<void> => {
      writeFileSync(file(), bytes)
      expect(() => checkSnapshot(file())).to.throw(why)
      const error = await restoreSnapshot(file(), join(dir, 'b')).catch((caught: unknown) => caught)
      expect(error).to.have.property('code', 'corrupt')
    }
    for (const end of [0, 7, 12, 100, whole.length - 1]) await refused(whole.subarray(0, end), /cut short|not a snapshot of this program/)
    await refused(Buffer.concat([whole, Buffer.from('x')]), /it continues after its end/)
    await refused(Buffer.alloc(1000), /not a snapshot of this program/)
    for (let at = 8; at < whole.length; at += 97) {
      const bytes = Buffer.from(whole)
      bytes[at] = (bytes[at] ?? 0) ^ 0x55
      await refused(bytes, /the snapshot is damaged/)
    }
    writeFileSync(file(), whole)
    await restoreSnapshot(file(), join(dir, 'b'))
    expect(await restoreSnapshot(file(), join(dir, 'b')).catch((error: Error) => error.message)).to.match(
      /has a store already: a new directory is needed$/,
    )
    expect((await (await opened('b', true)).list()).items).to.have.lengthOf(20)
  })

  it('releases its holds when it ends early', async () => {
    const store = await opened('a', false)
    let head = await store.put('a', 0, '1')
    await store.put('passing', 0, '1', 1)
    for await (const _ of store.backend.snapshot?.(never) ?? []) break
    for (let i = 0; i < 20; i++) head = await store.put('a', head, String(i))
    now += 60_000
    await store.backend.compact(head, never)
    await eventually('it expires', async () => (await store.text('passing')) === undefined)
    const aborted = new AbortController()
    const pieces = store.backend.snapshot?.(aborted.signal)[Symbol.asyncIterator]()
    await pieces?.next()
    aborted.abort()
    expect(await codeOf(Promise.resolve(pieces?.next()))).to.equal('aborted')
  })
})
