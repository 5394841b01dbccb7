import type { FieldPath } from '../../../meta/field-path.ts'
import type { Container, PodSpec } from '../v1.types.ts'

/** Every container of a spec: init containers, containers, ephemeral ones. */
export function* allContainers(spec: PodSpec): Generator<Container> {
  yield* spec.initContainers ?? []
  yield* spec.containers ?? []
  yield* spec.ephemeralContainers ?? []
}

/** The same with the path of each. */
export function* containersWithPath(spec: PodSpec, path: FieldPath): Generator<[container: Container, path: FieldPath]> {
  for (const list of ['initContainers', 'containers', 'ephemeralContainers'] as const) {
    const containers: readonly Container[] = spec[list] ?? []
    if (containers.length === 0) continue
    const at = path.child(list)
    for (const [i, container] of containers.entries()) yield [container, at.index(i)]
  }
}

/** An init container that keeps running: https://kubernetes.io/docs/concepts/workloads/pods/sidecar-containers/ */
export const isSidecar = (container: Container): boolean => container.restartPolicy === 'Always'

/** Containers, then init containers; no ephemeral ones, which have no resources. */
export function* containersAndInit(spec: PodSpec): Generator<Container> {
  yield* spec.containers ?? []
  yield* spec.initContainers ?? []
}
