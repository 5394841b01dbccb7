import { expect } from 'chai'
import type { VirtualCall } from '../../../../../src/catalog/definition.ts'
import type { ResourceAccess } from '../../../../../src/catalog/resource-access.ts'
import { StatusError } from '../../../../../src/meta/status.ts'
import { bindingResource } from '../../../../../src/resources/core/pod/binding.ts'
import { podResource } from '../../../../../src/resources/core/pod/definition.ts'
import type { AnyObject } from '../../../../support/any-object.ts'
import { createdPod, NOW } from '../../../../support/pod.ts'

const { binding } = podResource.hub.subresources as Record<
  string,
  { virtual: { call(call: VirtualCall): Promise<{ code: number; object: unknown }> } }
>

/** A store with one pod that records what is done to it. */
function world(pod: AnyObject, body: object, dryRun = false) {
  const done: unknown[] = []
  const api = {
    get: async () => pod,
    update: async (_id: unknown, _namespace: string, _name: string, change: (pod: AnyObject) => AnyObject, options: unknown) => {
      done.push(options, change(structuredClone(pod)))
    },
  } as unknown as ResourceAccess
  const call = { api, body, dryRun, name: 'p', namespace: 'default', verb: 'create', ctx: { receivedAt: NOW } } as unknown as VirtualCall
  return { call, done }
}
const bindingOf = (more: object = {}) => ({
  kind: 'Binding',
  apiVersion: 'v1',
  metadata: { name: 'p', annotations: { a: 'b' } },
  target: { kind: 'Node', name: 'n' },
  ...more,
})
async function refusal(call: Promise<unknown>): Promise<[number, string]> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (!(error instanceof StatusError)) throw new Error(`no refusal: ${error}`)
  return [error.code, error.message]
}

describe('resources/core/pod binding', () => {
  for (const [name, of] of [
    ['pods/binding', binding],
    ['bindings', bindingResource],
  ] as const) {
    it(`${name} assigns a pod to a node`, async () => {
      const { call, done } = world(createdPod({}), bindingOf())
      expect(await of?.virtual?.call(call)).to.deep.include({ code: 201 })
      const [options, pod] = done as [object, AnyObject]
      expect(options).to.deep.equal({ subresource: 'binding', keepsManagers: true })
      expect(pod.spec.nodeName).to.equal('n')
      expect(pod.metadata.annotations).to.deep.equal({ a: 'b' })
      expect(pod.status.conditions).to.deep.equal([
        { type: 'PodScheduled', status: 'True', lastProbeTime: null, lastTransitionTime: '2026-01-01T16:00:00Z' },
      ])
    })
  }

  const conflict = 'Operation cannot be fulfilled on pods/binding "p": pod p'
  const refusals: [name: string, pod: AnyObject, body: object, code: number, message: string][] = [
    ['another name', createdPod({}), bindingOf({ metadata: { name: 'q' } }), 400, 'name in URL does not match name in Binding object'],
    ['no target', createdPod({}), bindingOf({ target: {} }), 500, 'target.name: Required value'],
    [
      'another kind of target',
      createdPod({}),
      bindingOf({ target: { kind: 'Rack', name: 'n' } }),
      500,
      'target.kind: Unsupported value: "Rack": supported values: "Node", "<empty>"',
    ],
    ['a pod that has a node', createdPod({ nodeName: 'm' }), bindingOf(), 409, `${conflict} is already assigned to node "m"`],
    ['a gated pod', createdPod({ schedulingGates: [{ name: 'g' }] }), bindingOf(), 409, `${conflict} has non-empty .spec.schedulingGates`],
    [
      'a pod that is being deleted',
      createdPod({}, { deletionTimestamp: '2026-01-01T00:00:00Z' }),
      bindingOf(),
      409,
      `${conflict} is being deleted, cannot be assigned to a host`,
    ],
    [
      'another pod',
      createdPod({}, { uid: 'u' }),
      bindingOf({ metadata: { name: 'p', uid: 'v' } }),
      409,
      'Operation cannot be fulfilled on pods "p": Precondition failed: UID in precondition: v, UID in object meta: u',
    ],
  ]
  for (const [name, pod, body, code, message] of refusals) {
    it(`refuses ${name}`, async () =>
      expect(await refusal(binding?.virtual.call(world(pod, body).call) as Promise<unknown>)).to.deep.equal([code, message]))
  }

  it('writes nothing in a dry run', async () => {
    const { call, done } = world(createdPod({}), bindingOf(), true)
    await binding?.virtual.call(call)
    expect(done).to.deep.equal([])
  })
})
