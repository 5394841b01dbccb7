import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { silentLogger } from '../../../../src/lib/log.ts'
import type { Backend, Expected } from '../../../../src/storage/backend.ts'
import { BackendError } from '../../../../src/storage/backend.ts'
import { openEtcd } from '../../../../src/storage/etcd/open-etcd.ts'
import type { Key } from '../../../../src/storage/revision.ts'
import { codeOf, never, Store, within } from '../../../support/backend.ts'
import type { EtcdServer } from '../../../support/etcd.ts'
import { findEtcd, startEtcd } from '../../../support/etcd.ts'
import { eventually, turns } from '../../../support/waiting.ts'

/** Pause after a call that failed while the store is away, in milliseconds. */
const RETRY_MS = 5

const found = findEtcd() !== undefined
const suite = found ? describe : describe.skip

suite(`etcd in trouble${found ? '' : ' (skipped: there is no etcd binary; hack/etcd installs one)'}`, () => {
  let server: EtcdServer
  let backend: Backend
  let store: Store

  before(async () => {
    server = await startEtcd()
  })
  beforeEach(async () => {
    backend = await openEtcd({ servers: [server.url], requestTimeoutMs: 2000 }, silentLogger)
    store = new Store(backend, '/registry/faults/')
  })
  afterEach(() => backend.close())
  after(() => server?.stop())

  it('killed and restarted during writes: no acknowledged write is lost or applied twice, and a resumed watch receives every event once', async () => {
    const first = (await backend.currentRevision(never)) + 1
    const aborter = new AbortController()
    const events: string[] = []
    let resumed = 0
    const watcher = (async () => {
      for (let from = first; !aborter.signal.aborted; resumed++) {
        try {
          for await (const batch of store.watch(from, {}, aborter.signal)) {
            for (const event of batch.events) events.push(`${event.modRevision} ${event.type} ${event.key}=${event.value}`)
            from = batch.revision + 1
          }
        } catch (error) {
          // A machine that is busy accepts the watch too late.
          expect((error as BackendError).code).to.be.oneOf(['unavailable', 'timeout'])
          await sleep(RETRY_MS)
        }
      }
    })()

    // Each writer counts a key of its own up. If the outcome of a write is unknown, it reads the key again, as a client
    // has to.
    const acknowledged = new Map<string, { value: number; revision: number }[]>()
    let stop = false
    let doubts = 0
    const writers = Array.from({ length: 32 }, async (_, i) => {
      const name = `w${i}`
      const key = store.key(name)
      const mine: { value: number; revision: number }[] = []
      acknowledged.set(name, mine)
      let revision = 0
      for (let value = 1; !stop; ) {
        try {
          const result = await backend.write({ key, expected: revision as Expected, value: Buffer.from(String(value)) }, never)
          if (!result.ok)
            throw new Error(`${name}: the only writer of a key lost: expected ${revision}, found ${result.current?.modRevision}`)
          revision = result.revision
          mine.push({ value, revision })
          value++
        } catch (error) {
          if (!(error instanceof BackendError)) throw error
          doubts++
          const item = await readUntilBack(key)
          if (item && Number(item.value) === value) value++
          revision = item?.modRevision ?? 0
        }
      }
    })
    const total = (): number => [...acknowledged.values()].reduce((sum, mine) => sum + mine.length, 0)
    const moreAcknowledged = (): Promise<void> => {
      const before = total()
      return eventually('writes go on', () => total() >= before + 300)
    }
    for (let round = 0; round < 3; round++) {
      await moreAcknowledged()
      const doubted = doubts
      await server.kill()
      await eventually('writes fail', () => doubts > doubted)
      await server.start()
    }
    await moreAcknowledged()
    stop = true
    await Promise.all(writers)

    const last = await store.put('last', 0, 'x')
    await Promise.race([watcher, eventually('the last event', () => events.some(event => event.startsWith(`${last} `)))])
    aborter.abort()
    await watcher

    expect(resumed).to.be.at.least(3)
    // The history, read anew from the store, is what the interrupted watch saw.
    const history = (await store.events(events.length, first)).map(
      event => `${event.modRevision} ${event.type} ${event.key}=${event.value}`,
    )
    expect(events).to.deep.equal(history)
    expect(new Set(events).size).to.equal(events.length)
    for (const [name, mine] of acknowledged) {
      for (const { value, revision } of mine) expect(history).to.include(`${revision} put ${store.key(name)}=${value}`)
      const values = history.flatMap(event => (event.includes(`${store.key(name)}=`) ? [Number(event.split('=')[1])] : []))
      expect(values, `changes of ${name}`).to.deep.equal(values.map((_, i) => i + 1))
    }
    expect(doubts).to.be.lessThan(32 * 3 * 3)
  })

  async function readUntilBack(key: Key) {
    for (;;) {
      try {
        return (await backend.get(key, never)).item
      } catch (error) {
        if (!(error instanceof BackendError)) throw error
        await sleep(RETRY_MS)
      }
    }
  }

  it('unavailable: calls fail within their deadline, and succeed again once it is back', async () => {
    await store.put('away', 0, 'x')
    await server.kill()
    const begun = Date.now()
    // On a slow machine the deadline comes before the system has refused the connection.
    for (const code of await Promise.all([codeOf(store.text('away')), codeOf(store.put('other', 0, 'x')), codeOf(backend.check(never))]))
      expect(code).to.be.oneOf(['unavailable', 'timeout'])
    expect(Date.now() - begun).to.be.at.least(1500)
    expect(await codeOf(store.events(1, 1))).to.be.oneOf(['unavailable', 'timeout'])
    await server.start()
    expect(await within(10_000, 'the answer', store.text('away'))).to.equal('x')
    await store.put('other', 0, 'x')
  })

  it('unavailable at start: a call waits for it', async () => {
    await server.kill()
    const early = await openEtcd({ servers: [server.url], requestTimeoutMs: 10_000 }, silentLogger)
    const answer = early.currentRevision(never)
    await turns()
    await server.start()
    expect(await within(10_000, 'the answer', answer)).to.be.greaterThan(0)
    await early.close()
  })

  it('frozen: calls time out, and the outcome of a write stays unknown; nothing is applied twice', async () => {
    const revision = await store.put('frozen', 0, '0')
    await server.freeze()
    try {
      expect(await codeOf(store.put('frozen', revision, '1'))).to.be.oneOf(['timeout', 'unavailable'])
    } finally {
      server.thaw()
    }
    const overwrite = async (): Promise<void> => {
      const item = await readUntilBack(store.key('frozen'))
      expect(item?.value.toString()).to.be.oneOf(['0', '1'])
      await store.put('frozen', item!.modRevision, '2')
    }
    // The write that was frozen may be done behind the first read: once.
    await overwrite().catch(overwrite)
    // Whatever the server had not done yet of what was sent before, it has done by now.
    await store.put('behind', 0, 'x')
    expect(await store.text('frozen')).to.equal('2')
  })

  it('frozen slightly longer than the deadline: the outcome of a write whose response was late is determined from the store', async () => {
    const revision = await store.put('late', 0, '0')
    await server.freeze()
    const writing = store.write('late', revision, '1').catch(error => error as BackendError)
    // A read behind it has the same time, so that the write is late when the read is.
    await codeOf(store.text('late'))
    server.thaw()
    const outcome = await writing
    const { item } = await backend.get(store.key('late'), never)
    // It depends on whether the server read the request before its cancellation.
    if (outcome instanceof BackendError) expect(outcome.code).to.equal('timeout')
    else expect([outcome.ok, outcome.revision, item?.value.toString()]).to.deep.equal([true, item?.modRevision, '1'])
  })

  it('one of several servers unavailable: calls go to the others', async () => {
    const several = await openEtcd(
      { servers: ['http://127.0.0.1:1', server.url, 'http://127.0.0.1:2'], requestTimeoutMs: 2000 },
      silentLogger,
    )
    const others = new Store(several, '/registry/several/')
    for (let i = 0; i < 20; i++) await others.put(`k${i}`, 0, 'x')
    expect((await others.list({ counted: true })).count).to.equal(20)
    expect(await others.changes(20, 1)).to.have.length(20)
    await several.close()
  })

  it('lost lease: the write gets another one', async () => {
    await store.put('leased', 0, 'x', 3600)
    const gateway = async (path: string, body: object): Promise<{ leases?: object[] }> =>
      (await fetch(`${server.url}/v3/${path}`, { method: 'POST', body: JSON.stringify(body) })).json() as Promise<{ leases?: object[] }>
    for (const lease of (await gateway('lease/leases', {})).leases ?? []) await gateway('lease/revoke', lease)
    expect(await store.text('leased')).to.equal(undefined)
    await store.put('leased', 0, 'y', 3600)
    expect((await gateway('lease/leases', {})).leases).to.have.length(1)
  })
})
