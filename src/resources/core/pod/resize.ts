import type { Container, Pod, PodSpec, ResourceRequirements } from '../../../api/core/v1.types.ts'
import type { Strategy } from '../../../catalog/strategy.ts'
import { runIfSteps, type Steps } from '../../../lib/steps.ts'
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
import { podUpdateOptions } from '../pod-spec/options.ts'
import { knownQosClass, podQosClass } from '../pod-spec/qos.ts'
import { isSidecar } from '../pod-spec/visit.ts'
import { defaultPodLevelResources, defaultsPodLevelOnWrite, resizesPodLevel } from './pod-level-defaults.ts'
import { bumpGeneration, restoreMetadata } from './prepare.ts'
import { validatePod } from './validation.ts'

const LISTS = ['containers', 'initContainers'] as const

/**
 * Resizes cpu and memory of running containers:
 * https://kubernetes.io/docs/tasks/configure-pod-container/resize-container-resources/
 */
export const resizeStrategy: Strategy<Pod> = {
  validateName: nameIsDnsSubdomain,
  metaRounds: ['change', 'whole'],
  resetFields: [['status']],
  *prepare(next, old, { features }) {
    if (!old) return
    keepAllButResources(next, old, features)
    if (defaultsPodLevelOnWrite(features) && resizesPodLevel(next, old)) yield* defaultPodLevelResources(next.spec)
    dropDisabledPodFields(next.spec, old.spec, features)
    yield* runIfSteps(bumpGeneration(next, old, features))
  },
  validate: (next, old, { features }) => (old ? validateResize(next, old, features) : []),
}

const containerNamesIn = (spec: PodSpec, list: (typeof LISTS)[number]): string[] => (spec[list] ?? []).map(container => container.name)

const sameNames = (next: PodSpec, old: PodSpec): boolean =>
  LISTS.every(list => deepEqual(containerNamesIn(next, list), containerNamesIn(old, list)))

/**
 * Discards all changes but those of resources. If containers were added, removed or reordered, the change is left for
 * validation to reject.
 */
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

/** Returns the container with the fields of `next` that a resize may change. */
function withResources(container: Container, next: Container | undefined): Container {
  if (!next) return container
  const { resizePolicy: _, ...rest } = container
  return { ...rest, resources: next.resources, ...(next.resizePolicy && { resizePolicy: next.resizePolicy }) }
}

const hasPodResources = ({ resources }: PodSpec): boolean =>
  Object.keys(resources?.requests ?? {}).length > 0 || Object.keys(resources?.limits ?? {}).length > 0

/**
 * Validates a resize. An error about the pod as a whole replaces all others. Containers that differ in name or order
 * end the checks. The QoS class may not change, and if the pod runs on a node, its container statuses must have
 * `resources`, which shows that the node supports resizing. Source: pkg/apis/core/validation in k8s.io/kubernetes.
 */
function* validateResize(next: Pod, old: Pod, features: Features): Steps<FieldError[]> {
  const whole = (text: string): FieldError[] => [forbidden(fieldPath(), text)]
  const ofPod = hasPodResources(old.spec) || hasPodResources(next.spec)
  if (ofPod && !isSince(features.release, '1.35')) return whole('pods with pod-level resources cannot be resized')
  if (old.metadata.annotations?.[MIRROR_POD] !== undefined) return whole('static pods cannot be resized')
  if (old.spec.os?.name === 'windows') return whole('windows pods cannot be resized')
  const path = fieldPath('spec')
  const errors = [
    ...(yield* validatePod(next, yield* podUpdateOptions(features, next, old))),
    ...validateAllowed(next, old, features, path),
  ]
  if (ofPod && !features.enabled('InPlacePodLevelResourcesVerticalScaling')) return [...errors, ...whole(POD_LEVEL_IS_OFF)]
  if (ofPod) errors.push(...validatePodLevel(next.spec.resources, old.spec.resources, path))
  if ((old.status.nodeAllocatableResourceClaimStatuses ?? []).length > 0)
    errors.push(forbidden(path, 'pods with node allocatable resource claims cannot be resized'))
  const order = validateOrder(next.spec, old.spec, path)
  if (order.length > 0) return [...errors, ...order]
  return [
    ...errors,
    ...validateContainers(next.spec, old.spec, features, path),
    ...validateOnlyCpuAndMemory(next.spec, old.spec, features, path),
  ]
}

const POD_LEVEL_IS_OFF =
  'resize of pods with pod-level resources is forbidden when InPlacePodLevelResourcesVerticalScalingEnabled feature gate is disabled'

/** Checks whether the pod may be resized at all. */
function validateAllowed(next: Pod, old: Pod, features: Features, path: FieldPath): FieldError[] {
  const errors: FieldError[] = []
  if (knownQosClass(old, features) !== podQosClass(next.spec, features)) {
    errors.push(invalid(path, next.status.qosClass ?? '', 'Pod QOS Class may not change as a result of resizing'))
  }
  const running = old.status.containerStatuses?.find(container => container.state.running)
  if (running && !running.resources) errors.push(forbidden(path, 'Pod running on node without support for resize'))
  return errors
}

/** Checks pod-level resources: they may not be removed, and only cpu and memory may change (KEP-5419). */
function validatePodLevel(next: ResourceRequirements | undefined, old: ResourceRequirements | undefined, path: FieldPath): FieldError[] {
  const at = path.child('resources')
  if (old && !next) return [forbidden(at, 'pod-level resources cannot be removed')]
  const errors = validateKept(next, old, at, 'pod-level resource')
  if (!deepEqual(withOldCompute(next, old), withOldCompute(old, old)))
    errors.push(forbidden(path, 'only cpu and memory resources are mutable at pod-level'))
  return errors
}

/** Checks requests and limits of containers and of resizable init containers. */
function validateContainers(next: PodSpec, old: PodSpec, features: Features, path: FieldPath): FieldError[] {
  return (['initContainers', 'containers'] as const).flatMap(list =>
    (old[list] ?? []).flatMap((container, i) => {
      const after = next[list]?.[i]
      if (!after || (list === 'initContainers' && !isResizable(container, features))) return []
      const at = path.child(list).index(i).child('resources')
      const errors = validateKept(after.resources, container.resources, at, 'resource')
      // Since 1.34 the kubelet may reduce memory limits.
      return isSince(features.release, '1.34') ? errors : [...errors, ...validateMemory(after, container, at)]
    }),
  )
}

/** Reports whether a container may be resized. Of the init containers only sidecars may, and since 1.36 all. */
const isResizable = (container: Container, features: Features): boolean =>
  isSidecar(container) || features.enabled('InPlacePodVerticalScalingInitContainers')

/**
 * Returns errors if the containers differ from those of the old pod in name or order. Nothing else can be compared
 * then.
 */
function validateOrder(next: PodSpec, old: PodSpec, path: FieldPath): FieldError[] {
  return LISTS.flatMap(list => {
    const [mine, theirs] = [containerNamesIn(next, list), containerNamesIn(old, list)]
    if (mine.length !== theirs.length) return [forbidden(path.child(list), `${list} may not be added or removed on resize`)]
    return theirs.flatMap((name, i) =>
      mine[i] === name ? [] : [forbidden(path.child(list).index(i).child('name'), `${list} may not be renamed or reordered on resize`)],
    )
  })
}

/** Checks that requests and limits are not removed. `what` is the word of the message for the container or pod. */
function validateKept(
  next: ResourceRequirements | undefined,
  old: ResourceRequirements | undefined,
  path: FieldPath,
  what: string,
): FieldError[] {
  return (['requests', 'limits'] as const).flatMap(list => {
    const after = next?.[list] ?? {}
    return Object.keys(old?.[list] ?? {}).some(name => !Object.hasOwn(after, name))
      ? [forbidden(path.child(list), `${what} ${list} cannot be removed`)]
      : []
  })
}

/** Checks that memory limits do not shrink, unless the container restarts on a memory resize. */
function validateMemory(next: Container, old: Container, path: FieldPath): FieldError[] {
  const policy = (next.resizePolicy ?? []).find(({ resourceName }) => resourceName === 'memory')?.restartPolicy
  if (policy && policy !== 'NotRequired') return []
  const [after, before] = [next.resources.limits?.memory, old.resources.limits?.memory]
  const at = path.child('limits').key('memory')
  if (after === undefined) return []
  if (before === undefined) return [forbidden(at, 'memory limits cannot be added unless resizePolicy is RestartContainer')]
  return compareQuantity(after, before) < 0
    ? [forbidden(at, 'memory limits cannot be decreased unless resizePolicy is RestartContainer')]
    : []
}

/**
 * Returns requests and limits with the old cpu and memory. Claims are left out, so containers with claims never compare
 * equal. Empty lists are omitted.
 */
function withOldCompute(next: ResourceRequirements | undefined, old: ResourceRequirements | undefined): ResourceRequirements {
  const merged = (list: 'limits' | 'requests') => {
    const { cpu: _cpu, memory: _memory, ...rest } = next?.[list] ?? {}
    const { cpu, memory } = old?.[list] ?? {}
    const all = { ...rest, ...(cpu !== undefined && { cpu }), ...(memory !== undefined && { memory }) }
    return Object.keys(all).length > 0 && { [list]: all }
  }
  return { ...merged('limits'), ...merged('requests') }
}

/** Reports whether only cpu and memory differ. */
function isSameButCompute(next: Container, old: Container | undefined): boolean {
  if (!old || old.resources.claims) return false
  return deepEqual(
    { ...next, resources: withOldCompute(next.resources, old.resources) },
    { ...old, resources: withOldCompute(old.resources, old.resources) },
  )
}

/**
 * Compares the containers after restoring the old cpu and memory. Init containers that are not resizable must be
 * unchanged.
 */
function validateOnlyCpuAndMemory(next: PodSpec, old: PodSpec, features: Features, path: FieldPath): FieldError[] {
  const errors: FieldError[] = []
  for (const [i, container] of (next.containers ?? []).entries()) {
    if (!isSameButCompute(container, old.containers?.[i])) errors.push(forbidden(path, 'only cpu and memory resources are mutable'))
  }
  for (const [i, container] of (next.initContainers ?? []).entries())
    errors.push(...validateInitContainer(container, old.initContainers?.[i], features, path, i))
  return errors
}

/** Checks an init container. Since 1.36 errors name it. One that is not a sidecar cannot be restarted for a resize. */
function validateInitContainer(next: Container, old: Container | undefined, features: Features, path: FieldPath, i: number): FieldError[] {
  if (!isResizable(next, features))
    return deepEqual(next, old) ? [] : [forbidden(path, 'resources for non-sidecar init containers are immutable')]
  if (!isSince(features.release, '1.36'))
    return isSameButCompute(next, old) ? [] : [forbidden(path, 'only cpu and memory resources for sidecar containers are mutable')]
  const at = path.child('initContainers').index(i)
  const errors = isSameButCompute(next, old)
    ? []
    : [forbidden(at, 'only cpu and memory resources for init or sidecar containers are mutable')]
  const restarts =
    isSidecar(next) || deepEqual(next, old)
      ? []
      : (next.resizePolicy ?? []).filter(({ restartPolicy }) => restartPolicy === 'RestartContainer')
  return [
    ...errors,
    ...restarts.map(() => forbidden(at, 'non-sidecar init containers with a resize policy of RestartContainer cannot be resized')),
  ]
}
