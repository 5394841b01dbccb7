import type { Strategy } from '../../../catalog/definition.ts'
import type { Features } from '../../../lifecycle/gates.ts'
import { isSince } from '../../../lifecycle/release.ts'
import { deepEqual } from '../../../meta/equal.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { forbidden, invalid } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import { nameIsDnsSubdomain } from '../../../meta/names.ts'
import { compareQuantity } from '../../../meta/quantity.ts'
import { MIRROR_POD } from '../pod-spec/annotations.ts'
import { dropDisabledPodFields } from '../pod-spec/drop.ts'
import { podOptions } from '../pod-spec/options.ts'
import { knownQosClass, podQosClass } from '../pod-spec/qos.ts'
import { isSidecar } from '../pod-spec/visit.ts'
import type { Container, Pod, PodSpec } from '../v1.types.ts'
import { bumpGeneration, restoreMetadata } from './prepare.ts'
import { validatePod } from './validation.ts'

const LISTS = ['containers', 'initContainers'] as const

/** Changes cpu and memory of containers that run: https://kubernetes.io/docs/tasks/configure-pod-container/resize-container-resources/ */
export const resizeStrategy: Strategy<Pod> = {
  validateName: nameIsDnsSubdomain,
  revalidatesMeta: true,
  resetFields: [['status']],
  prepare(next, old, { features }) {
    if (!old) return
    keepAllButResources(next, old)
    dropDisabledPodFields(next.spec, old.spec, features)
    bumpGeneration(next, old, features)
  },
  validate: (next, old, { features }) => (old ? validate(next, old, features) : []),
}

const namesOf = (spec: PodSpec, list: (typeof LISTS)[number]): string[] => (spec[list] ?? []).map(container => container.name)

const sameNames = (next: PodSpec, old: PodSpec): boolean => LISTS.every(list => deepEqual(namesOf(next, list), namesOf(old, list)))

/** Containers in another order, or others, are left for validation to refuse. */
function keepAllButResources(next: Pod, old: Pod): void {
  if (!sameNames(next.spec, old.spec)) return
  const spec = { ...old.spec }
  for (const list of LISTS) {
    const containers = old.spec[list]
    if (containers) spec[list] = containers.map((container, i) => withResources(container, next.spec[list]?.[i]))
  }
  next.spec = spec
  next.status = old.status
  restoreMetadata(next, old)
}

/** The container with what a resize may change of it. */
function withResources(container: Container, next: Container | undefined): Container {
  if (!next) return container
  const { resizePolicy: _, ...rest } = container
  return { ...rest, resources: next.resources, ...(next.resizePolicy && { resizePolicy: next.resizePolicy }) }
}

const hasPodResources = ({ resources }: PodSpec): boolean =>
  Object.keys(resources?.requests ?? {}).length > 0 || Object.keys(resources?.limits ?? {}).length > 0

/**
 * A refusal of the pod as a whole replaces all errors before it. Containers that differ in name or order end the checks.
 * The QoS class may not change, and a node that runs the pod must report resources in the container’s status, which shows that it can resize.
 * Source: pkg/apis/core/validation in k8s.io/kubernetes.
 */
function validate(next: Pod, old: Pod, features: Features): FieldError[] {
  const errors = validatePod(next, podOptions(features, next, old))
  const whole = (text: string): FieldError[] => [forbidden(fieldPath(), text)]
  if (hasPodResources(old.spec) || hasPodResources(next.spec)) return whole('pods with pod-level resources cannot be resized')
  if (old.metadata.annotations?.[MIRROR_POD] !== undefined) return whole('static pods cannot be resized')
  if (old.spec.os?.name === 'windows') return whole('windows pods cannot be resized')
  const path = fieldPath('spec')
  if (knownQosClass(old, features) !== podQosClass(next.spec, features)) {
    errors.push(invalid(path, next.status.qosClass ?? '', 'Pod QOS Class may not change as a result of resizing'))
  }
  const running = old.status.containerStatuses?.find(container => container.state.running)
  if (running && !running.resources) errors.push(forbidden(path, 'Pod running on node without support for resize'))
  const order = validateOrder(next.spec, old.spec, path)
  if (order.length > 0) return [...errors, ...order]
  for (const list of ['initContainers', 'containers'] as const) {
    old.spec[list]?.forEach((container, i) => {
      const after = next.spec[list]?.[i]
      if (!after || (list === 'initContainers' && !isSidecar(container))) return
      const at = path.child(list).index(i).child('resources')
      errors.push(...validateKept(after, container, at))
      // From 1.34 on the kubelet tries to take memory away.
      if (!isSince(features.release, '1.34')) errors.push(...validateMemory(after, container, at))
    })
  }
  errors.push(...validateOnlyCpuAndMemory(next.spec, old.spec, path))
  return errors
}

/** Errors where containers are not those of the pod, in their order: nothing can be compared then. */
function validateOrder(next: PodSpec, old: PodSpec, path: FieldPath): FieldError[] {
  return LISTS.flatMap(list => {
    const [mine, theirs] = [namesOf(next, list), namesOf(old, list)]
    if (mine.length !== theirs.length) return [forbidden(path.child(list), `${list} may not be added or removed on resize`)]
    return theirs.flatMap((name, i) =>
      mine[i] === name ? [] : [forbidden(path.child(list).index(i).child('name'), `${list} may not be renamed or reordered on resize`)],
    )
  })
}

/** Requests and limits may not be removed. */
function validateKept(next: Container, old: Container, path: FieldPath): FieldError[] {
  const errors: FieldError[] = []
  for (const list of ['requests', 'limits'] as const) {
    const [after, before] = [next.resources[list] ?? {}, old.resources[list] ?? {}]
    if (Object.keys(before).some(name => !Object.hasOwn(after, name))) {
      errors.push(forbidden(path.child(list), `resource ${list} cannot be removed`))
    }
  }
  return errors
}

/** Memory limits may only grow, unless the container restarts for a change of memory. */
function validateMemory(next: Container, old: Container, path: FieldPath): FieldError[] {
  const policy = (next.resizePolicy ?? []).find(({ resourceName }) => resourceName === 'memory')?.restartPolicy
  if (policy && policy !== 'NotRequired') return []
  const [after, before] = [next.resources.limits?.memory, old.resources.limits?.memory]
  const at = path.child('limits').key('memory')
  if (after === undefined) return []
  if (before === undefined) return [forbidden(at, 'memory limits cannot be added unless resizePolicy is RestartContainer')]
  return compareQuantity(after, before) < 0 ? [forbidden(at, 'memory limits cannot be decreased unless resizePolicy is RestartContainer')] : []
}

/** The container with the old one's cpu and memory. */
function withOldCompute(next: Container, old: Container): Container {
  const merged = (list: 'limits' | 'requests') => {
    const before = old.resources[list]
    if (!before) return {}
    const { cpu: _cpu, memory: _memory, ...rest } = next.resources[list] ?? {}
    const { cpu, memory } = before
    return { [list]: { ...rest, ...(cpu !== undefined && { cpu }), ...(memory !== undefined && { memory }) } }
  }
  return { ...next, resources: { ...merged('limits'), ...merged('requests') } }
}

/** Compares the containers with the old cpu and memory put back. Init containers that are no sidecars do not change at all. */
function validateOnlyCpuAndMemory(next: PodSpec, old: PodSpec, path: FieldPath): FieldError[] {
  const errors: FieldError[] = []
  const sameButCompute = (container: Container, before: Container | undefined): boolean =>
    before !== undefined && deepEqual(withOldCompute(container, before), before)
  for (const [i, container] of (next.containers ?? []).entries()) {
    if (!sameButCompute(container, old.containers?.[i])) errors.push(forbidden(path, 'only cpu and memory resources are mutable'))
  }
  for (const [i, container] of (next.initContainers ?? []).entries()) {
    const before = old.initContainers?.[i]
    if (!isSidecar(container)) {
      if (!deepEqual(container, before)) errors.push(forbidden(path, 'resources for non-sidecar init containers are immutable'))
    } else if (!sameButCompute(container, before)) errors.push(forbidden(path, 'only cpu and memory resources for sidecar containers are mutable'))
  }
  return errors
}
