import type { Container, PodSpec } from '../../../api/core/v1.types.ts'
import type { FieldPath } from '../../../meta/field-path.ts'

const LISTS = ['initContainers', 'containers', 'ephemeralContainers'] as const

const NONE: readonly Container[] = []

/**
 * Concatenates two lists. If one is empty, returns the other itself, without a copy: most pods have only containers.
 */
const concatContainers = (a: readonly Container[], b: readonly Container[]): readonly Container[] =>
  b.length === 0 ? a : a.length === 0 ? b : [...a, ...b]

/**
 * Returns every container of a spec: init containers, containers, ephemeral containers. The result may be a list of the
 * spec itself and must not be changed.
 */
export const allContainers = ({ initContainers, containers, ephemeralContainers }: PodSpec): readonly Container[] =>
  concatContainers(concatContainers(initContainers ?? NONE, containers ?? NONE), ephemeralContainers ?? NONE)

/** Returns every container of a spec with its path. */
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

/**
 * Reports whether an init container is a sidecar, which keeps running:
 * https://kubernetes.io/docs/concepts/workloads/pods/sidecar-containers/
 */
export const isSidecar = (container: Container): boolean => container.restartPolicy === 'Always'

/** Returns containers, then init containers. Ephemeral containers have no resources and are left out. */
export const containersAndInit = ({ containers, initContainers }: PodSpec): readonly Container[] =>
  concatContainers(containers ?? NONE, initContainers ?? NONE)
