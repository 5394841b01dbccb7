import type { FieldPath } from '../../../meta/field-path.ts'
import type { Container, PodSpec } from '../v1.types.ts'

const LISTS = ['initContainers', 'containers', 'ephemeralContainers'] as const

const NONE: readonly Container[] = []

/** The items of two lists; one of them itself where the other is empty, as most pods have containers alone. */
const joined = (a: readonly Container[], b: readonly Container[]): readonly Container[] => (b.length === 0 ? a : a.length === 0 ? b : [...a, ...b])

/** Every container of a spec: init containers, containers, ephemeral ones. May be a list of the spec itself. */
export const allContainers = ({ initContainers, containers, ephemeralContainers }: PodSpec): readonly Container[] =>
  joined(joined(initContainers ?? NONE, containers ?? NONE), ephemeralContainers ?? NONE)

/** The same with the path of each. */
export function containersWithPath(spec: PodSpec, path: FieldPath): readonly [container: Container, path: FieldPath][] {
  const found: [Container, FieldPath][] = []
  for (const list of LISTS) {
    const containers: readonly Container[] = spec[list] ?? NONE
    if (containers.length === 0) continue
    const at = path.child(list)
    containers.forEach((container, i) => {
      found.push([container, at.index(i)])
    })
  }
  return found
}

/** An init container that keeps running: https://kubernetes.io/docs/concepts/workloads/pods/sidecar-containers/ */
export const isSidecar = (container: Container): boolean => container.restartPolicy === 'Always'

/** Containers, then init containers; no ephemeral ones, which have no resources. */
export const containersAndInit = ({ containers, initContainers }: PodSpec): readonly Container[] => joined(containers ?? NONE, initContainers ?? NONE)
