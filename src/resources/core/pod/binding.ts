import { defineResource, defineSubresource, getKind, updateKind } from '../../../catalog/define.ts'
import type { Strategy, Version, VirtualCall } from '../../../catalog/definition.ts'
import { aggregate } from '../../../lib/aggregate.ts'
import { invariant } from '../../../lib/invariant.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { fieldErrorText, notSupported, required } from '../../../meta/field-error.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import type { TypedObject } from '../../../meta/object.ts'
import { type AnsweredStatus, badRequestError, conflictError, failure } from '../../../meta/status.ts'
import { PODS } from '../../kinds.ts'
import { types } from '../../types.ts'
import type { Binding, Pod } from '../v1.types.ts'
import { setPodCondition } from './conditions.ts'

/** The answer of a call that made something happen but no object. */
export const created: AnsweredStatus = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 }

const schema = types.type('core.Binding')

function validateBinding(binding: Binding): FieldError[] {
  const path = fieldPath('target')
  const { kind = '', name } = binding.target
  return [
    ...(kind !== '' && kind !== 'Node' ? [notSupported(path.child('kind'), kind, ['Node', '<empty>'])] : []),
    ...(name ? [] : [required(path.child('name'))]),
  ]
}

function bodyOf({ body }: VirtualCall<Binding>): Binding {
  invariant(body, 'a binding is created with a body')
  return body
}

/** Gives a pod its node, which a scheduler has chosen. Errors are those of kube-apiserver, among them a 500 for a bad target. */
async function bind(call: VirtualCall<Binding>, binding: Binding, name: string): Promise<void> {
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
  else await updateKind(call.api, PODS, { namespace: call.namespace, name, subresource: 'binding' }, assign)
}

/** Throws a conflict where the binding names a UID or a revision that is not the pod’s; empty ones count as missing. */
function checkPreconditions(pod: TypedObject, { metadata }: Binding): void {
  for (const [label, wanted, present] of [
    ['UID', metadata.uid, pod.metadata.uid],
    ['ResourceVersion', metadata.resourceVersion, pod.metadata.resourceVersion],
  ]) {
    if (wanted && wanted !== present) {
      throw conflictError(PODS, pod.metadata.name ?? '', `Precondition failed: ${label} in precondition: ${wanted}, ${label} in object meta: ${present}`)
    }
  }
}

/** The write that a binding makes: spec and status at once, checked by no rule of the kind. */
const bindingStrategy: Strategy<Pod> = {
  resetFields: [['status']],
  /** Once a pod has a node, it is nominated for none. Labels of bindings reach pods only with the gate under which an admission plugin sets them. */
  prepare(next, old, { features }) {
    if (features.enabled('ClearingNominatedNodeNameAfterBinding')) delete next.status.nominatedNodeName
    if (features.enabled('PodTopologyLabelsAdmission')) return
    if (old?.metadata.labels) next.metadata.labels = old.metadata.labels
    else delete next.metadata.labels
  },
}

/** A scheduler creates a Binding; the server writes the node into the pod. */
export const bindingSubresource = defineSubresource<Pod, Binding>({
  verbs: ['create'],
  kind: { group: '', version: 'v1', kind: 'Binding', schema },
  strategy: bindingStrategy,
  virtual: {
    async call(call) {
      const binding = bodyOf(call)
      if ((binding.metadata.name ?? '') !== call.name) throw badRequestError('name in URL does not match name in Binding object')
      await bind(call, binding, call.name)
      return { code: 201, status: created }
    },
  },
})

const v1: Version<Binding> = { group: '', name: 'v1', kind: 'Binding', names: { plural: 'bindings', singular: 'binding' }, verbs: ['create'], schema }

/** The old way, POST …/bindings: the pod is named in the body. */
export const bindingResource = defineResource<Binding>({
  scope: 'Namespaced',
  versions: [v1],
  hub: v1,
  virtual: {
    async call(call) {
      const binding = bodyOf(call)
      await bind(call, binding, binding.metadata.name ?? '')
      return { code: 201, status: created }
    },
  },
})
