import { expect } from 'chai'
import type { AnyObject } from '../../../support/any-object.ts'
import { type Answer, type Call, inRelease } from '../../../support/in-release.ts'
import { MemoryBackend } from '../../../support/memory-backend.ts'

const POLICIES = '/apis/networking.k8s.io/v1/namespaces/ns/networkpolicies'
const conditions = [{ type: 'Accepted', status: 'True', lastTransitionTime: '2026-01-02T03:04:05Z', reason: 'R', message: 'm' }]
const objectOf = ({ json }: Answer): AnyObject => json as AnyObject

/** Creates a policy in 1.27 and runs the given function. */
const withPolicy = <T>(
  ask: (call: Call, write: (subresource: string, change: object) => Promise<Answer>) => Promise<T>,
  gate: boolean,
  backend = new MemoryBackend(),
) =>
  inRelease(
    backend,
    '1.27',
    async call => {
      await call('/api/v1/namespaces', { method: 'POST', body: JSON.stringify({ metadata: { name: 'ns' } }) })
      await call(POLICIES, { method: 'POST', body: JSON.stringify({ metadata: { name: 'x' }, spec: {} }) })
      return ask(call, async (subresource, change) => {
        const now = objectOf(await call(`${POLICIES}/x`))
        return call(`${POLICIES}/x${subresource}`, { method: 'PUT', body: JSON.stringify({ ...now, ...change }) })
      })
    },
    gate ? { NetworkPolicyStatus: true } : {},
  )

describe('the status of network policies', () => {
  it('is written through its subresource while the gate is on', () =>
    withPolicy(async (_, write) => {
      expect(objectOf(await write('', { status: { conditions } })).status).to.deep.equal({})
      expect(objectOf(await write('/status', { status: { conditions }, spec: { policyTypes: ['Egress'] } }))).to.deep.include({
        status: { conditions },
        spec: { podSelector: {}, policyTypes: ['Ingress'] },
      })
      expect(objectOf(await write('', { status: {} })).status).to.deep.equal({ conditions })
      expect((await write('/status', { status: { conditions: [{ ...conditions[0], reason: '' }] } })).status).to.equal(422)
    }, true))

  it('can be cleared but not set while the gate is off', async () => {
    const backend = new MemoryBackend()
    await withPolicy((_, write) => write('/status', { status: { conditions } }), true, backend)
    await inRelease(backend, '1.26', async call => {
      const now = objectOf(await call(`${POLICIES}/x`))
      expect(now.status).to.deep.equal({ conditions })
      const put = (status: object): Promise<Answer> =>
        call(`${POLICIES}/x/status`, { method: 'PUT', body: JSON.stringify({ ...now, metadata: { name: 'x' }, status }) })
      expect(objectOf(await put({ conditions: [{ ...conditions[0], reason: 'Other' }] })).status).to.deep.equal({ conditions })
      expect(objectOf(await put({})).status).to.deep.equal({})
      expect(objectOf(await put({ conditions })).status).to.deep.equal({})
    })
  })

  it('is an unknown field in 1.28', () =>
    inRelease(new MemoryBackend(), '1.28', async call => {
      await call('/api/v1/namespaces', { method: 'POST', body: JSON.stringify({ metadata: { name: 'ns' } }) })
      const made = await call(POLICIES, {
        method: 'POST',
        body: JSON.stringify({ metadata: { name: 'x' }, spec: {}, status: { conditions } }),
      })
      expect([made.warnings, objectOf(made).status]).to.deep.equal([['unknown field "status"'], undefined])
      expect((await call(`${POLICIES}/x/status`)).status).to.equal(404)
    }))
})
