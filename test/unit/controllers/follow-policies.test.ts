import { expect } from 'chai'
import { compileValidatingPolicy } from '../../../src/admission/policies/compiled-policy.ts'
import { PolicyIndex } from '../../../src/admission/policies/policy-index.ts'
import type { AccessEvent, ResourceAccess } from '../../../src/catalog/resource-access.ts'
import { followPolicies, POLICY_KINDS } from '../../../src/controllers/follow-policies.ts'
import { controllerEnvironment } from '../../support/builtin-registry.ts'
import { BINDINGS, POLICIES, PolicyWorld } from '../../support/policy-world.ts'
import { eventually } from '../../support/waiting.ts'

const namesOf = (index: PolicyWorld['index']): string =>
  index.active.map(({ name, bindings }) => `${name}:${bindings.map(binding => binding.name)}`).join(' ')

describe('PolicyIndex', () => {
  it('follows policies and bindings', async () => {
    const world = new PolicyWorld()
    const index = new PolicyIndex(compileValidatingPolicy)
    const stop = new AbortController()
    const following = followPolicies(controllerEnvironment(world.t), POLICY_KINDS.validating, index, stop.signal)
    expect(index.filling.isOpen).to.equal(true)
    expect(await index.filling.ended(10_000)).to.equal(true)
    expect(namesOf(index)).to.equal('')
    await world.policy('b', { validations: [{ expression: 'true' }] })
    await world.policy('a', { validations: [{ expression: 'true' }] })
    await eventually('two policies', () => namesOf(index) === 'a:a b:b')
    const api = world.t.access()
    await api.update(BINDINGS, '', 'b', binding => {
      binding.spec.policyName = 'a'
      return binding
    })
    await eventually('two bindings', () => namesOf(index) === 'a:a,b')
    await api.delete(POLICIES, '', 'a')
    await eventually('no policy', () => namesOf(index) === '')
    await api.delete(BINDINGS, '', 'a')
    stop.abort()
    await following
  })

  it('removes objects that were deleted while the watch was interrupted', async () => {
    const policy = (name: string): AccessEvent => ({
      type: 'added',
      object: {
        kind: 'ValidatingAdmissionPolicy',
        apiVersion: 'admissionregistration.k8s.io/v1',
        metadata: { name, uid: name, generation: 1 },
        spec: {},
      },
    })
    const streams = [
      [policy('a'), policy('b'), { type: 'synced' }],
      [policy('b'), { type: 'synced' }],
    ] as AccessEvent[][]
    const stop = new AbortController()
    let round = 0
    const access = {
      async watch(...[{ resource }, , , handle]: Parameters<ResourceAccess['watch']>) {
        const events: AccessEvent[] = resource === 'validatingadmissionpolicies' ? streams[Math.min(round++, 1)]! : [{ type: 'synced' }]
        for (const event of events) await handle(event)
      },
    } as unknown as ResourceAccess
    const index = new PolicyIndex(compileValidatingPolicy)
    const following = followPolicies({ ...controllerEnvironment(new PolicyWorld().t), access }, POLICY_KINDS.validating, index, stop.signal)
    await eventually('both policies', () => round > 1)
    await eventually('one policy', () => [...index.policyNames()].join() === 'b')
    stop.abort()
    await following
  })

  it('compiles a policy once per generation', () => {
    const index = new PolicyIndex(compileValidatingPolicy)
    const put = (generation: number, resourceVersion: string, expression = 'true'): void =>
      index.putPolicy({
        kind: 'ValidatingAdmissionPolicy',
        apiVersion: 'admissionregistration.k8s.io/v1',
        metadata: { name: 'p', uid: 'u', generation, resourceVersion },
        spec: { validations: [{ expression }] },
      })
    index.putBinding({ kind: '', apiVersion: '', metadata: { name: 'b' }, spec: { policyName: 'p', validationActions: ['Deny'] } })
    put(1, '1')
    const first = index.active[0]?.compiled()
    put(1, '2')
    expect(index.active[0]?.compiled()).to.equal(first)
    put(2, '3', 'false')
    expect(index.active[0]?.compiled()).not.to.equal(first)
  })
})
