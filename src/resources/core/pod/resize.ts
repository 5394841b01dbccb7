import type { Strategy } from '../../../catalog/definition.ts'
import { deepEqual } from '../../../meta/equal.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { forbidden, invalid } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import { nameIsDnsSubdomain } from '../../../meta/names.ts'
import type { KubeObject } from '../../../meta/object.ts'
import { compareQuantity } from '../../../meta/quantity.ts'
import type { ApiStruct, Errors } from '../checks.ts'
import { MIRROR_POD } from '../pod-spec/annotations.ts'
import { dropDisabledPodFields } from '../pod-spec/drop.ts'
import { podOptions } from '../pod-spec/options.ts'
import { knownQosClass, podQosClass } from '../pod-spec/qos.ts'
import { isSidecar } from '../pod-spec/visit.ts'
import { bumpGeneration, restoreMetadata } from './prepare.ts'
import { checkPod } from './validation.ts'

const LISTS = ['containers', 'initContainers'] as const

/** Changes cpu and memory of containers that run: https://kubernetes.io/docs/tasks/configure-pod-container/resize-container-resources/ */
export const resizeStrategy: Strategy = {
  validateName: nameIsDnsSubdomain,
  revalidatesMeta: true,
  resetFields: [['status']],
  prepare(next, old) {
    if (!old) return
    keepAllButResources(next, old)
    dropDisabledPodFields(next.spec, old.spec)
    bumpGeneration(next, old)
  },
  validate: (next, old) => (old ? validate(next, old) : []),
}

const sameNames = (next: ApiStruct, old: ApiStruct): boolean =>
  LISTS.every(list =>
    deepEqual(
      (next[list] ?? []).map((container: ApiStruct) => container.name),
      (old[list] ?? []).map((container: ApiStruct) => container.name),
    ),
  )

/** Containers in another order, or others, are left for validation to refuse. */
function keepAllButResources(next: KubeObject, old: KubeObject): void {
  if (!sameNames(next.spec, old.spec)) return
  const spec = { ...old.spec }
  for (const list of LISTS) {
    if (!old.spec[list]) continue
    spec[list] = old.spec[list].map((container: ApiStruct, i: number) => {
      const { resources, resizePolicy } = next.spec[list][i]
      const { resizePolicy: _, ...rest } = container
      return { ...rest, resources, ...(resizePolicy && { resizePolicy }) }
    })
  }
  next.spec = spec
  next.status = old.status
  restoreMetadata(next, old)
}

const hasPodResources = ({ resources }: ApiStruct): boolean =>
  Object.keys(resources?.requests ?? {}).length > 0 || Object.keys(resources?.limits ?? {}).length > 0

function validate(next: KubeObject, old: KubeObject): FieldError[] {
  const errors: Errors = []
  checkPod(next, podOptions(old), errors)
  const whole = (text: string): FieldError[] => [forbidden(fieldPath(), text)]
  if (hasPodResources(old.spec) || hasPodResources(next.spec)) return whole('pods with pod-level resources cannot be resized')
  if (old.metadata.annotations?.[MIRROR_POD] !== undefined) return whole('static pods cannot be resized')
  if (old.spec.os?.name === 'windows') return whole('windows pods cannot be resized')
  const path = fieldPath('spec')
  if (knownQosClass(old) !== podQosClass(next.spec)) {
    errors.push(invalid(path, next.status?.qosClass ?? '', 'Pod QOS Class may not change as a result of resizing'))
  }
  const running = (old.status?.containerStatuses ?? []).find((container: ApiStruct) => container.state?.running)
  if (running && !running.resources) errors.push(forbidden(path, 'Pod running on node without support for resize'))
  if (!checkOrder(next.spec, old.spec, path, errors)) return errors
  for (const list of ['initContainers', 'containers'] as const) {
    const before: ApiStruct[] = old.spec[list] ?? []
    before.forEach((container, i) => {
      if (list === 'initContainers' && !isSidecar(container)) return
      checkResize(next.spec[list][i], container, path.child(list).index(i).child('resources'), errors)
    })
  }
  checkOnlyCpuAndMemory(next.spec, old.spec, path, errors)
  return errors
}

/** False where containers are not those of the pod, in their order: nothing can be compared then. */
function checkOrder(next: ApiStruct, old: ApiStruct, path: FieldPath, errors: Errors): boolean {
  const before = errors.length
  for (const list of LISTS) {
    const [mine, theirs]: ApiStruct[][] = [next[list] ?? [], old[list] ?? []]
    if (mine?.length !== theirs?.length) errors.push(forbidden(path.child(list), `${list} may not be added or removed on resize`))
    else
      theirs?.forEach(({ name }, i) => {
        if (mine?.[i].name !== name) errors.push(forbidden(path.child(list).index(i).child('name'), `${list} may not be renamed or reordered on resize`))
      })
  }
  return errors.length === before
}

type Quantities = Readonly<Record<string, string>>

function checkResize(next: ApiStruct, old: ApiStruct, path: FieldPath, errors: Errors): void {
  for (const list of ['requests', 'limits']) {
    const [after, before]: Quantities[] = [next.resources?.[list] ?? {}, old.resources?.[list] ?? {}]
    if (Object.keys(before as Quantities).some(name => !Object.hasOwn(after as Quantities, name))) {
      errors.push(forbidden(path.child(list), `resource ${list} cannot be removed`))
    }
  }
  const policy = (next.resizePolicy ?? []).find(({ resourceName }: ApiStruct) => resourceName === 'memory')?.restartPolicy
  if (policy && policy !== 'NotRequired') return
  const [after, before] = [next.resources?.limits?.memory, old.resources?.limits?.memory]
  const at = path.child('limits').key('memory')
  if (after !== undefined && before === undefined) errors.push(forbidden(at, 'memory limits cannot be added unless resizePolicy is RestartContainer'))
  else if (after !== undefined && compareQuantity(after, before) < 0) {
    errors.push(forbidden(at, 'memory limits cannot be decreased unless resizePolicy is RestartContainer'))
  }
}

/** The container with the old one's cpu and memory. */
function withOldCompute(next: ApiStruct, old: ApiStruct): ApiStruct {
  const merged = (list: string): ApiStruct => {
    const before = old.resources?.[list]
    if (!before) return {}
    const { cpu: _cpu, memory: _memory, ...rest } = next.resources?.[list] ?? {}
    const { cpu, memory } = before
    return { [list]: { ...rest, ...(cpu !== undefined && { cpu }), ...(memory !== undefined && { memory }) } }
  }
  return { ...next, resources: { ...merged('limits'), ...merged('requests') } }
}

function checkOnlyCpuAndMemory(next: ApiStruct, old: ApiStruct, path: FieldPath, errors: Errors): void {
  const differ = (text: string): void => void errors.push(forbidden(path, text))
  for (const [i, container] of ((next.containers ?? []) as ApiStruct[]).entries()) {
    if (!deepEqual(withOldCompute(container, old.containers[i]), old.containers[i])) differ('only cpu and memory resources are mutable')
  }
  for (const [i, container] of ((next.initContainers ?? []) as ApiStruct[]).entries()) {
    const before = old.initContainers[i]
    if (!isSidecar(container)) {
      if (!deepEqual(container, before)) differ('resources for non-sidecar init containers are immutable')
    } else if (!deepEqual(withOldCompute(container, before), before)) differ('only cpu and memory resources for sidecar containers are mutable')
  }
}
