import type { Binding, Pod } from '../../../api/core/v1.types.ts'
import type { TypedObject } from '../../../api/meta/object.ts'
import { defineResource, defineSubresource, getKind, updateKind } from '../../../catalog/define.ts'
import type { Version, VirtualCall } from '../../../catalog/definition.ts'
import type { Strategy } from '../../../catalog/strategy.ts'
import { types } from '../../../catalog/types.ts'
import { aggregate } from '../../../lib/aggregate.ts'
import { invariant } from '../../../lib/invariant.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { fieldErrorText, notSupported, required } from '../../../meta/field-error.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import { badRequestError, conflictError, failure, type ResponseStatus } from '../../../meta/status.ts'
import { PODS } from '../../kinds.ts'
import { setPodCondition } from './conditions.ts'

/** Response to a create that stores no object of its own. */
export const created: ResponseStatus = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 }

const schema = types.type('core.Binding')

function validateBinding(binding: Binding): FieldError[] {
  const path = fieldPath('target')
  const { kind = '', name } = binding.target
  return [
    ...(kind !== '' && kind !== 'Node' ? [notSupported(path.child('kind'), kind, ['Node', '<empty>'])] : []),
    ...(name ? [] : [required(path.child('name'))]),
  ]
}

function bindingBody({ body }: VirtualCall<Binding>): Binding {
  invariant(body, 'a binding is created with a body')
  return body
}

/**
 * Assigns a pod to the node that a scheduler has chosen. Errors are those of kube-apiserver, including a 500 for an
 * invalid target.
 */
async function bindPod(call: VirtualCall<Binding>, binding: Binding, name: string): Promise<void> {
  const errors = validateBinding(binding).map(fieldErrorText)
  if (errors.length > 0) throw failure(500, '', aggregate(errors))
  const assign = (pod: Pod): Pod => {
    checkPreconditions(pod, binding)
    const refuse = (why: string): never => {
      throw conflictError({ group: '', resource: 'pods/binding' }, name, why)
    }
    if (pod.metadata.deletionTimestamp) refuse(`pod ${name} is being deleted, cannot be assigned to a host`)
    if (pod.spec.nodeName) refuse(`pod ${name} is already assigned to node ${JSON.stringify(pod.spec.nodeName)}`)
    if (pod.spec.schedulingGates?.length) refuse(`pod ${name} has non-empty .spec.schedulingGates`)
    if (binding.target.name !== undefined) pod.spec.nodeName = binding.target.name
    const annotations = { ...pod.metadata.annotations, ...binding.metadata.annotations }
    if (Object.keys(annotations).length > 0) pod.metadata.annotations = annotations
    if (binding.metadata.labels) pod.metadata.labels = { ...pod.metadata.labels, ...binding.metadata.labels }
    setPodCondition(pod.status, { type: 'PodScheduled', status: 'True' }, call.ctx.receivedAt)
    return pod
  }
  if (call.dryRun) assign(structuredClone(await getKind(call.api, PODS, call.namespace, name)))
  else await updateKind(call.api, PODS, { namespace: call.namespace, name, subresource: 'binding', keepsManagers: true }, assign)
}

/** Throws 409 if the binding has a UID or resourceVersion that differs from the pod’s. Empty values are ignored. */
function checkPreconditions(pod: TypedObject, { metadata }: Binding): void {
  for (const [label, wanted, present] of [
    ['UID', metadata.uid, pod.metadata.uid],
    ['ResourceVersion', metadata.resourceVersion, pod.metadata.resourceVersion],
  ]) {
    if (wanted && wanted !== present) {
      throw conflictError(
        PODS,
        pod.metadata.name ?? '',
        `Precondition failed: ${label} in precondition: ${wanted}, ${label} in object meta: ${present}`,
      )
    }
  }
}

/** Strategy of the write to the pod. It changes spec and status together, and skips the validation of pods. */
const bindingStrategy: Strategy<Pod> = {
  /**
   * A bound pod no longer needs nominatedNodeName. Labels of the binding are copied to the pod only if the gate is on
   * whose admission plugin sets them.
   */
  prepare(next, old, { features }) {
    if (features.enabled('ClearingNominatedNodeNameAfterBinding')) delete next.status.nominatedNodeName
    if (features.enabled('PodTopologyLabelsAdmission')) return
    if (old?.metadata.labels) next.metadata.labels = old.metadata.labels
    else delete next.metadata.labels
  },
}

/** The subresource `binding`: a scheduler creates a Binding, and the server sets the pod's nodeName. */
export const bindingSubresource = defineSubresource<Pod, Binding>({
  verbs: ['create'],
  kind: { group: '', version: 'v1', kind: 'Binding', schema },
  strategy: bindingStrategy,
  virtual: {
    async call(call) {
      const binding = bindingBody(call)
      if ((binding.metadata.name ?? '') !== call.name) throw badRequestError('name in URL does not match name in Binding object')
      await bindPod(call, binding, call.name)
      return { code: 201, status: created }
    },
  },
})

const v1: Version<Binding> = {
  group: '',
  name: 'v1',
  kind: 'Binding',
  names: { plural: 'bindings', singular: 'binding' },
  verbs: ['create'],
  schema,
}

/** The original form of binding: POST to `bindings`, with the name of the pod in the body. */
export const bindingResource = defineResource<Binding>({
  scope: 'Namespaced',
  versions: [v1],
  hub: v1,
  virtual: {
    async call(call) {
      const binding = bindingBody(call)
      await bindPod(call, binding, binding.metadata.name ?? '')
      return { code: 201, status: created }
    },
  },
})
