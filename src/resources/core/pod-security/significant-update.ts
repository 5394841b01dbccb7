import type { Container, Pod } from '../../../api/core/v1.types.ts'
import { isSince, type Release } from '../../../lifecycle/release.ts'
import { SECCOMP_CONTAINER_PREFIX, SECCOMP_POD } from '../pod-spec/annotations.ts'

/**
 * Reports whether an update changes fields that the standards check: of the mutable ones, the containers and their
 * images. Seccomp annotations count before release 1.25 for pods, and before 1.27 for containers.
 */
export function isSignificantUpdate(pod: Pod, old: Pod, release: Release): boolean {
  const differs = (key: string): boolean => pod.metadata.annotations?.[key] !== old.metadata.annotations?.[key]
  const readsAnnotations = !isSince(release, '1.27')
  const isOther = (container: Container, before: Container): boolean =>
    container.image !== before.image || (readsAnnotations && differs(SECCOMP_CONTAINER_PREFIX + container.name))
  const areOther = (now: readonly Container[], before: readonly Container[]): boolean =>
    now.length !== before.length || now.some((container, i) => isOther(container, before[i] ?? container))
  if (!isSince(release, '1.25') && differs(SECCOMP_POD)) return true
  if (areOther(pod.spec.containers ?? [], old.spec.containers ?? [])) return true
  if (areOther(pod.spec.initContainers ?? [], old.spec.initContainers ?? [])) return true
  const before = new Map((old.spec.ephemeralContainers ?? []).map(container => [container.name, container]))
  return (pod.spec.ephemeralContainers ?? []).some(container => {
    const same = before.get(container.name)
    return same === undefined || isOther(container, same)
  })
}
