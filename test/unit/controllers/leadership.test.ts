import { expect } from 'chai'
import { whileLeading } from '../../../src/controllers/leadership.ts'
import type { KubeObject } from '../../../src/meta/object.ts'
import { builtinRegistry, controllerEnvironment, eventually, LEASES } from '../../support/builtin-registry.ts'
import type { TestRegistry } from '../../support/test-registry.ts'

const LEASE_MS = 6000

/** A server that wants to lead. Real time makes it try every few milliseconds; the clock of the test decides what has run out. */
function candidate(t: TestRegistry, identity: string) {
  const end = new AbortController()
  const log: string[] = []
  const env = controllerEnvironment(t)
  const done = whileLeading(env, { name: 'loops', identity, leaseMs: LEASE_MS, renewMs: 5 }, end.signal, async signal => {
    log.push('begin')
    await new Promise<void>(resolve => signal.addEventListener('abort', () => resolve(), { once: true }))
    log.push('end')
  })
  return {
    log,
    leads: () => log.at(-1) === 'begin',
    async stop() {
      end.abort()
      await done
    },
  }
}
const lease = (t: TestRegistry): Promise<KubeObject> => t.registry.access().get(LEASES, 'kube-system', 'loops')
const tries = (t: TestRegistry, count: number) => {
  const from = t.backend.calls.get ?? 0
  return eventually(`${count} tries`, () => (t.backend.calls.get ?? 0) > from + count)
}

describe('leadership', () => {
  it('is had by one of two, told in the Lease, and given up at the end for the other', async () => {
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

  it('is renewed, with the time at which it began', async () => {
    const t = builtinRegistry()
    const a = candidate(t, 'a')
    await eventually('a leads', a.leads)
    t.now += 4000
    await eventually('it is renewed', async () => (await lease(t)).spec.renewTime === '2026-01-02T03:04:09.000000Z')
    expect((await lease(t)).spec).to.include({ acquireTime: '2026-01-02T03:04:05.000000Z', leaseTransitions: 0 })
    await a.stop()
  })

  const expiries: [afterMs: number, taken: boolean][] = [
    [LEASE_MS, false],
    [LEASE_MS + 1, true],
  ]
  for (const [afterMs, taken] of expiries)
    it(`of a server that has not renewed for ${afterMs} ms is ${taken ? '' : 'not '}taken over`, async () => {
      const t = builtinRegistry()
      const spec = { holderIdentity: 'gone', leaseDurationSeconds: 6, renewTime: '2026-01-02T03:04:05.000000Z', leaseTransitions: 3 }
      await t.registry.access().create(LEASES, 'kube-system', {
        kind: 'Lease',
        apiVersion: 'coordination.k8s.io/v1',
        metadata: { name: 'loops' },
        spec,
      })
      t.now += afterMs
      const b = candidate(t, 'b')
      await tries(t, 5)
      if (taken) await eventually('b leads', b.leads)
      expect((await lease(t)).spec).to.include(taken ? { holderIdentity: 'b', leaseTransitions: 4 } : spec)
      expect(b.leads()).to.equal(taken)
      await b.stop()
    })

  it('ends where another server has the Lease', async () => {
    const t = builtinRegistry()
    const a = candidate(t, 'a')
    await eventually('a leads', a.leads)
    await t.registry.access().update(LEASES, 'kube-system', 'loops', now => ({ ...now, spec: { ...now.spec, holderIdentity: 'thief' } }))
    await eventually('a ends', () => !a.leads())
    expect(a.log).to.deep.equal(['begin', 'end'])
    await a.stop()
    expect((await lease(t)).spec.holderIdentity).to.equal('thief')
  })

  it('goes on while the store is away, until the Lease could run out', async () => {
    const t = builtinRegistry()
    const a = candidate(t, 'a')
    await eventually('a leads', a.leads)
    t.backend.down = true
    await tries(t, 5)
    expect(a.leads()).to.equal(true)
    t.now += LEASE_MS
    await eventually('a ends', () => !a.leads())
    t.backend.down = false
    await eventually('a leads again', a.leads)
    await a.stop()
    expect(a.log).to.deep.equal(['begin', 'end', 'begin', 'end'])
  })
})
