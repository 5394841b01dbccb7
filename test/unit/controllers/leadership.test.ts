import { expect } from 'chai'
import type { ResourceAccess } from '../../../src/catalog/resource-access.ts'
import { whileLeading } from '../../../src/controllers/leadership.ts'
import { silentLogger } from '../../../src/lib/log.ts'
import type { StatusError } from '../../../src/meta/status.ts'
import type { AnyObject } from '../../support/any-object.ts'
import { builtinRegistry, CONFIG_MAPS, LEASES } from '../../support/builtin-registry.ts'
import { clockOf } from '../../support/clock-of.ts'
import type { TestRegistry } from '../../support/test-registry.ts'
import { eventually } from '../../support/waiting.ts'

const LEASE_MS = 6000
const STOP_MS = 4000

/** Clocks that only the test moves. */
class Clocks {
  wall: number
  monotonic = 1_000_000

  constructor(wall: number) {
    this.wall = wall
  }

  pass(ms: number): void {
    this.wall += ms
    this.monotonic += ms
  }
}

interface CandidateOptions {
  readonly clocks?: Clocks
  /** Wraps an access. */
  readonly through?: (access: ResourceAccess, signal: AbortSignal) => ResourceAccess
  readonly stopMs?: number
  readonly monotonic?: () => number
}

/**
 * A server that competes for the Lease. It tries every few milliseconds of real time; the clocks of the test decide
 * what has expired.
 */
function candidate(t: TestRegistry, identity: string, options: CandidateOptions = {}) {
  const { clocks = new Clocks(t.now), through = access => access } = options
  const end = new AbortController()
  const log: string[] = []
  let access: ResourceAccess | undefined
  const env = {
    access: (signal: AbortSignal) => through(t.registry.access(signal), signal),
    clock: clockOf(() => clocks.wall),
    monotonic: options.monotonic ?? (() => clocks.monotonic),
    logger: silentLogger,
  }
  const lease = { name: 'loops', identity, leaseMs: LEASE_MS, stopMs: options.stopMs ?? STOP_MS, renewMs: 5 }
  const done = whileLeading(env, lease, end.signal, async (own, signal) => {
    log.push('begin')
    access = own.access
    await new Promise<void>(resolve => signal.addEventListener('abort', () => resolve(), { once: true }))
    log.push('end')
  })
  return {
    log,
    clocks,
    leads: () => log.at(-1) === 'begin',
    /** Last environment that its work received. */
    access: () => access as ResourceAccess,
    async stop() {
      end.abort()
      await done
    },
  }
}
const lease = (t: TestRegistry): Promise<AnyObject> => t.access().get(LEASES, 'kube-system', 'loops')
const tries = (t: TestRegistry, count: number) => {
  const from = t.backend.calls.get ?? 0
  return eventually(`${count} tries`, () => (t.backend.calls.get ?? 0) > from + count)
}

describe('leadership', () => {
  it('is held by one of two servers, recorded in the Lease, and released at the end', async () => {
    const t = builtinRegistry()
    const a = candidate(t, 'a')
    await eventually('a leads', a.leads)
    const first = await lease(t)
    expect(first.spec).to.deep.equal({
      holderIdentity: 'a',
      leaseDurationSeconds: 6,
      acquireTime: '2026-01-02T03:04:05.000000Z',
      renewTime: '2026-01-02T03:04:05.000000Z',
      leaseTransitions: 0,
    })
    const b = candidate(t, 'b')
    await tries(t, 10)
    expect([a.log, b.log]).to.deep.equal([['begin'], []])
    await a.stop()
    expect(a.log).to.deep.equal(['begin', 'end'])
    await eventually('b leads', b.leads)
    expect((await lease(t)).spec).to.include({ holderIdentity: 'b', leaseTransitions: 1 })
    await b.stop()
    expect((await lease(t)).spec)
      .to.deep.include({ leaseDurationSeconds: 1, leaseTransitions: 1 })
      .and.not.include({ holderIdentity: 'b' })
  })

  it('renews the Lease and keeps its acquireTime', async () => {
    const t = builtinRegistry()
    const a = candidate(t, 'a')
    await eventually('a leads', a.leads)
    a.clocks.pass(3999)
    await eventually('it is renewed', async () => (await lease(t)).spec.renewTime === '2026-01-02T03:04:08.999000Z')
    expect((await lease(t)).spec).to.include({ acquireTime: '2026-01-02T03:04:05.000000Z', leaseTransitions: 0 })
    await a.stop()
  })

  const expiries: [afterMs: number, taken: boolean][] = [
    [LEASE_MS, false],
    [LEASE_MS + 1, true],
  ]
  for (const [afterMs, taken] of expiries)
    it(`${taken ? 'takes over' : 'does not take over'} a Lease that is unchanged for ${afterMs} ms`, async () => {
      const t = builtinRegistry()
      // Times of the other server's clock may be long ago.
      const spec = { holderIdentity: 'gone', leaseDurationSeconds: 6, renewTime: '2025-01-02T03:04:05.000000Z', leaseTransitions: 3 }
      await t.access().create(LEASES, 'kube-system', {
        kind: 'Lease',
        apiVersion: 'coordination.k8s.io/v1',
        metadata: { name: 'loops' },
        spec,
      })
      const b = candidate(t, 'b')
      await tries(t, 5)
      expect(b.leads(), 'at first sight').to.equal(false)
      b.clocks.pass(afterMs)
      await tries(t, 5)
      if (taken) await eventually('b leads', b.leads)
      expect((await lease(t)).spec).to.include(taken ? { holderIdentity: 'b', leaseTransitions: 4 } : spec)
      expect(b.leads()).to.equal(taken)
      await b.stop()
    })

  it('never takes a Lease that is renewed, however much the clocks differ', async () => {
    const t = builtinRegistry()
    const a = candidate(t, 'a')
    await eventually('a leads', a.leads)
    const b = candidate(t, 'b', { clocks: new Clocks(t.now + 3_600_000) })
    const renewed = async (): Promise<unknown> => (await lease(t)).spec.renewTime
    for (let i = 0; i < 8; i++) {
      await tries(t, 6)
      const before = await renewed()
      a.clocks.pass(2000)
      b.clocks.pass(2000)
      await eventually('a renews the Lease', async () => (await renewed()) !== before)
    }
    expect([a.log, b.log]).to.deep.equal([['begin'], []])
    await Promise.all([a.stop(), b.stop()])
  })

  it('ends when another server holds the Lease', async () => {
    const t = builtinRegistry()
    const a = candidate(t, 'a')
    await eventually('a leads', a.leads)
    await t.access().update(LEASES, 'kube-system', 'loops', now => ({ ...now, spec: { ...now.spec, holderIdentity: 'thief' } }))
    await eventually('a ends', () => !a.leads())
    expect(a.log).to.deep.equal(['begin', 'end'])
    await a.stop()
    expect((await lease(t)).spec.holderIdentity).to.equal('thief')
  })

  it('continues while the store is unavailable until renewal is overdue, and then rejects calls', async () => {
    const t = builtinRegistry()
    const a = candidate(t, 'a')
    await eventually('a leads', a.leads)
    t.backend.down = true
    await tries(t, 5)
    a.clocks.pass(STOP_MS - 1)
    await tries(t, 5)
    expect(a.leads()).to.equal(true)
    a.clocks.pass(1)
    await eventually('a ends', () => !a.leads())
    t.backend.down = false
    expect(await codeOf(a.access().create(CONFIG_MAPS, 'default', configMap('late')))).to.equal('ServerTimeout')
    await eventually('a leads again', a.leads)
    await a.access().create(CONFIG_MAPS, 'default', configMap('timely'))
    await a.stop()
    expect(a.log).to.deep.equal(['begin', 'end', 'begin', 'end'])
  })

  it('ends while a renewal hangs', async () => {
    const t = builtinRegistry()
    let hangs = false
    const never = new Promise<never>(() => {})
    const through = (access: ResourceAccess): ResourceAccess => ({ ...access, get: (...rest) => (hangs ? never : access.get(...rest)) })
    const a = candidate(t, 'a', { through, stopMs: 80, monotonic: () => performance.now() })
    await eventually('a leads', a.leads)
    hangs = true
    await eventually('a ends', () => !a.leads())
  })

  const pauses: [what: string, move: (clocks: Clocks) => void][] = [
    ['stood still', clocks => clocks.pass(STOP_MS)],
    [
      'slept with the machine, whose steady clock slept, too',
      clocks => {
        clocks.wall += STOP_MS
      },
    ],
    [
      'stood still while the clock was set back',
      clocks => {
        clocks.wall -= 3_600_000
        clocks.monotonic += STOP_MS
      },
    ],
  ]
  for (const [what, move] of pauses)
    it(`rejects the calls of a server that ${what}, before anything else runs`, async () => {
      const t = builtinRegistry()
      const a = candidate(t, 'a')
      await eventually('a leads', a.leads)
      await a.access().create(CONFIG_MAPS, 'default', configMap('timely'))
      move(a.clocks)
      const late = a.access().create(CONFIG_MAPS, 'default', configMap('late'))
      expect(a.log.length, 'nothing has run yet').to.equal(1)
      expect(await codeOf(late)).to.equal('ServerTimeout')
      expect(await codeOf(t.access().get(CONFIG_MAPS, 'default', 'late'))).to.equal('NotFound')
      expect(a.log.slice(0, 2)).to.deep.equal(['begin', 'end'])
      // No other server took it, so it is acquired again.
      await eventually('a leads again', a.leads)
      await a.stop()
    })

  it('continues if the clock is set back', async () => {
    const t = builtinRegistry()
    const a = candidate(t, 'a')
    await eventually('a leads', a.leads)
    a.clocks.wall -= 3_600_000
    await tries(t, 6)
    expect(a.log).to.deep.equal(['begin'])
    await a.stop()
  })
})

const configMap = (name: string): AnyObject => ({ kind: 'ConfigMap', apiVersion: 'v1', metadata: { name } })

/** Error of a rejected call. Undefined if it succeeded. */
const codeOf = (call: Promise<unknown>): Promise<string | undefined> =>
  call.then(
    () => undefined,
    (error: Partial<StatusError>) => error.status?.reason ?? String(error),
  )
