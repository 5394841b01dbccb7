import type { Pod } from '../../../../api/core/v1.types.ts'
import { type ContainerAmounts, mostOf } from '../../pod-spec/pod-amounts.ts'
import { isSidecar } from '../../pod-spec/visit.ts'

/**
 * Returns the resources of a resizable pod's containers: the maximum of the desired, allocated and actual resources, without the desired ones if the resize is
 * infeasible. Init containers other than sidecars run once, with the resources of the spec. Source: determineContainerReqs and determineContainerLimits in
 * k8s.io/component-helpers.
 */
export function resizedAmounts({ spec, status }: Pod): ContainerAmounts {
  const statuses = new Map([...(status.containerStatuses ?? []), ...(status.initContainerStatuses ?? [])].map(each => [each.name, each]))
  const once = new Set((spec.initContainers ?? []).filter(container => !isSidecar(container)))
  const pending = status.conditions?.find(({ type }) => type === 'PodResizePending')
  const isInfeasible = pending?.reason === 'Infeasible'
  return (container, list) => {
    const wanted = container.resources[list]
    const actual = once.has(container) ? undefined : statuses.get(container.name)
    if (!actual?.resources) return wanted
    const { resources, allocatedResources } = actual
    return mostOf(isInfeasible ? undefined : wanted, resources[list], list === 'requests' ? allocatedResources : undefined)
  }
}
