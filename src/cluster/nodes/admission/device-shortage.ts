import type { Container, Pod } from '../../../api/core/v1.types.ts'
import { quantityValue } from '../../../meta/quantity.ts'
import type { NodeRoom } from '../../shared/node-room.ts'
import { isSidecar } from '../../shared/pods.ts'

/** Reports whether a resource has the name of devices: one with a domain that is not Kubernetes' own. */
export function isExtended(name: string): boolean {
  const slash = name.indexOf('/')
  if (slash < 0 || name.startsWith('requests.')) return false
  const domain = name.slice(0, slash)
  return domain !== 'kubernetes.io' && !domain.endsWith('.kubernetes.io')
}

/**
 * Returns why the device manager of a node cannot allocate a pod's devices, or undefined if it can. Containers take
 * theirs one after the other; the pod's own containers take over those of init containers that have ended. A node that
 * does not name a resource has no plugin for it, and leaves it alone. Source: devicesToAllocate of
 * pkg/kubelet/cm/devicemanager/manager.go.
 */
export function deviceShortage({ spec, status }: Pod, { used, allocatable }: NodeRoom): string | undefined {
  const claimed = new Set(
    (status.extendedResourceClaimStatus?.requestMappings ?? []).map(
      ({ containerName, resourceName }) => `${containerName}/${resourceName}`,
    ),
  )
  const free = new Map<string, number>()
  /** Devices of init containers that have ended. */
  const reusable = new Map<string, number>()
  const take = (container: Container, isEnding: boolean): string | undefined => {
    const limits = container.resources?.limits ?? {}
    for (const name of Object.keys(limits).filter(isExtended).sort()) {
      const capacity = allocatable.get(name)
      const needed = Number(quantityValue(limits[name] ?? '0'))
      if (capacity === undefined || needed === 0 || claimed.has(`${container.name}/${name}`)) continue
      if (capacity === 0) return `no healthy devices present; cannot allocate unhealthy devices ${name}`
      const reused = Math.min(needed, reusable.get(name) ?? 0)
      const available = free.get(name) ?? capacity - (used.get(name) ?? 0)
      const missing = needed - reused
      if (missing > available)
        return `requested number of devices unavailable for ${name}. Requested: ${missing}, Available: ${Math.max(0, available)}`
      free.set(name, available - missing)
      reusable.set(name, (reusable.get(name) ?? 0) + (isEnding ? missing : -reused))
    }
    return undefined
  }
  for (const container of spec.initContainers ?? []) {
    const shortage = take(container, !isSidecar(container))
    if (shortage !== undefined) return shortage
  }
  for (const container of spec.containers ?? []) {
    const shortage = take(container, false)
    if (shortage !== undefined) return shortage
  }
  return undefined
}
