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
import { keepMembers } from '../../shared/strategy-parts.ts'
import { MIRROR_POD } from '../pod-spec/annotations.ts'
import { dropDisabledPodFields } from '../pod-spec/drop.ts'
import { podOptions } from '../pod-spec/options.ts'
import { knownQosClass, podQosClass } from '../pod-spec/qos.ts'
import { isSidecar } from '../pod-spec/visit.ts'
import type { Container, Pod, PodSpec, ResourceRequirements } from '../v1.types.ts'
import { bumpGeneration, restoreMetadata } from './prepare.ts'
import { validatePod } from './validation.ts'

const LISTS = ['containers', 'initContainers'] as const

/** Changes cpu and memory of containers that run: https://kubernetes.io/docs/tasks/configure-pod-container/resize-container-resources/ */
export const resizeStrategy: Strategy<Pod> = {
  validateName: nameIsDnsSubdomain,
  metaRounds: ['change', 'whole'],
  resetFields: [['status']],
  prepare(next, old, { features }) {
    if (!old) return
    keepAllButResources(next, old, features)
    dropDisabledPodFields(next.spec, old.spec, features)
    bumpGeneration(next, old, features)
  },
  validate: (next, old, { features }) => (old ? validate(next, old, features) : []),
}

const namesOf = (spec: PodSpec, list: (typeof LISTS)[number]): string[] => (spec[list] ?? []).map(container => container.name)

const sameNames = (next: PodSpec, old: PodSpec): boolean => LISTS.every(list => deepEqual(namesOf(next, list), namesOf(old, list)))

/** Containers in another order, or others, are left for validation to refuse. */
function keepAllButResources(next: Pod, old: Pod, features: Features): void {
  if (!sameNames(next.spec, old.spec)) return
  const spec = { ...old.spec }
  if (features.enabled('InPlacePodLevelResourcesVerticalScaling')) keepMembers(spec, next.spec, 'resources')
  for (const list of LISTS) {
    const containers = old.spec[list]
    if (containers) spec[list] = containers.map((container, i) => withResources(container, next.spec[list]?.[i]))
  }
  next.spec = spec
  next.status = old.status
  restoreMetadata(next, old, features)
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
  const whole = (text: string): FieldError[] => [forbidden(fieldPath(), text)]
  const ofPod = hasPodResources(old.spec) || hasPodResources(next.spec)
  if (ofPod && !isSince(features.release, '1.35')) return whole('pods with pod-level resources cannot be resized')
  if (old.metadata.annotations?.[MIRROR_POD] !== undefined) return whole('static pods cannot be resized')
  if (old.spec.os?.name === 'windows') return whole('windows pods cannot be resized')
  const path = fieldPath('spec')
  const errors = [...validatePod(next, podOptions(features, next, old)), ...validateAllowed(next, old, features, path)]
  if (ofPod && !features.enabled('InPlacePodLevelResourcesVerticalScaling')) return [...errors, ...whole(POD_LEVEL_IS_OFF)]
  if (ofPod) errors.push(...validatePodLevel(next.spec.resources, old.spec.resources, path))
  if ((old.status.nodeAllocatableResourceClaimStatuses ?? []).length > 0)
    errors.push(forbidden(path, 'pods with node allocatable resource claims cannot be resized'))
  const order = validateOrder(next.spec, old.spec, path)
  if (order.length > 0) return [...errors, ...order]
  return [...errors, ...validateContainers(next.spec, old.spec, features, path), ...validateOnlyCpuAndMemory(next.spec, old.spec, features, path)]
}

const POD_LEVEL_IS_OFF = 'resize of pods with pod-level resources is forbidden when InPlacePodLevelResourcesVerticalScalingEnabled feature gate is disabled'

/** Whether this pod may be resized at all. */
function validateAllowed(next: Pod, old: Pod, features: Features, path: FieldPath): FieldError[] {
  const errors: FieldError[] = []
  if (knownQosClass(old, features) !== podQosClass(next.spec, features)) {
    errors.push(invalid(path, next.status.qosClass ?? '', 'Pod QOS Class may not change as a result of resizing'))
  }
  const running = old.status.containerStatuses?.find(container => container.state.running)
  if (running && !running.resources) errors.push(forbidden(path, 'Pod running on node without support for resize'))
  return errors
}

/** What the pod as a whole asks for may neither go nor change but for cpu and memory (KEP-5419). */
function validatePodLevel(next: ResourceRequirements | undefined, old: ResourceRequirements | undefined, path: FieldPath): FieldError[] {
  const at = path.child('resources')
  if (old && !next) return [forbidden(at, 'pod-level resources cannot be removed')]
  const errors = validateKept(next, old, at, 'pod-level resource')
  if (!deepEqual(withOldCompute(next, old), withOldCompute(old, old))) errors.push(forbidden(path, 'only cpu and memory resources are mutable at pod-level'))
  return errors
}

/** Requests and limits of containers, and of init containers that may be resized. */
function validateContainers(next: PodSpec, old: PodSpec, features: Features, path: FieldPath): FieldError[] {
  return (['initContainers', 'containers'] as const).flatMap(list =>
    (old[list] ?? []).flatMap((container, i) => {
      const after = next[list]?.[i]
      if (!after || (list === 'initContainers' && !isResizable(container, features))) return []
      const at = path.child(list).index(i).child('resources')
      const errors = validateKept(after.resources, container.resources, at, 'resource')
      // From 1.34 on the kubelet tries to take memory away.
      return isSince(features.release, '1.34') ? errors : [...errors, ...validateMemory(after, container, at)]
    }),
  )
}

/** Init containers that run beside the others, and from 1.36 on those that run before them. */
const isResizable = (container: Container, features: Features): boolean => isSidecar(container) || features.enabled('InPlacePodVerticalScalingInitContainers')

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

/** Requests and limits may not be removed. `what`: as the message calls them. */
function validateKept(next: ResourceRequirements | undefined, old: ResourceRequirements | undefined, path: FieldPath, what: string): FieldError[] {
  return (['requests', 'limits'] as const).flatMap(list => {
    const after = next?.[list] ?? {}
    return Object.keys(old?.[list] ?? {}).some(name => !Object.hasOwn(after, name)) ? [forbidden(path.child(list), `${what} ${list} cannot be removed`)] : []
  })
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

/** Limits and requests with the old cpu and memory, and nothing else: claims are left out, so that what has them is never the same. Lists that are empty are absent. */
function withOldCompute(next: ResourceRequirements | undefined, old: ResourceRequirements | undefined): ResourceRequirements {
  const merged = (list: 'limits' | 'requests') => {
    const { cpu: _cpu, memory: _memory, ...rest } = next?.[list] ?? {}
    const { cpu, memory } = old?.[list] ?? {}
    const all = { ...rest, ...(cpu !== undefined && { cpu }), ...(memory !== undefined && { memory }) }
    return Object.keys(all).length > 0 && { [list]: all }
  }
  return { ...merged('limits'), ...merged('requests') }
}

/** Whether nothing but cpu and memory is another. */
function isSameButCompute(next: Container, old: Container | undefined): boolean {
  if (!old || old.resources.claims) return false
  return deepEqual({ ...next, resources: withOldCompute(next.resources, old.resources) }, { ...old, resources: withOldCompute(old.resources, old.resources) })
}

/** Compares the containers with the old cpu and memory put back. Init containers that may not be resized do not change at all. */
function validateOnlyCpuAndMemory(next: PodSpec, old: PodSpec, features: Features, path: FieldPath): FieldError[] {
  const errors: FieldError[] = []
  for (const [i, container] of (next.containers ?? []).entries()) {
    if (!isSameButCompute(container, old.containers?.[i])) errors.push(forbidden(path, 'only cpu and memory resources are mutable'))
  }
  for (const [i, container] of (next.initContainers ?? []).entries())
    errors.push(...validateInitContainer(container, old.initContainers?.[i], features, path, i))
  return errors
}

/** From 1.36 on errors name the container. One that does not run beside the others cannot be restarted for its resources. */
function validateInitContainer(next: Container, old: Container | undefined, features: Features, path: FieldPath, i: number): FieldError[] {
  if (!isResizable(next, features)) return deepEqual(next, old) ? [] : [forbidden(path, 'resources for non-sidecar init containers are immutable')]
  if (!isSince(features.release, '1.36'))
    return isSameButCompute(next, old) ? [] : [forbidden(path, 'only cpu and memory resources for sidecar containers are mutable')]
  const at = path.child('initContainers').index(i)
  const errors = isSameButCompute(next, old) ? [] : [forbidden(at, 'only cpu and memory resources for init or sidecar containers are mutable')]
  const restarts = isSidecar(next) || deepEqual(next, old) ? [] : (next.resizePolicy ?? []).filter(({ restartPolicy }) => restartPolicy === 'RestartContainer')
  return [...errors, ...restarts.map(() => forbidden(at, 'non-sidecar init containers with a resize policy of RestartContainer cannot be resized'))]
}
