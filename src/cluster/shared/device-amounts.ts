import type { PodStatus } from '../../api/core/v1.types.ts'
import { amountOf } from './amount-of.ts'

/** Resources of a node that the devices of a pod take. */
export interface DeviceAmounts {
  /** Amounts of the pod as a whole. */
  readonly ofPod: ReadonlyMap<string, number>
  /** Amounts by the name of the container that uses the devices. */
  readonly ofContainers: ReadonlyMap<string, ReadonlyMap<string, number>>
}

/**
 * Returns the resources of the node that the status of a pod records for its claims. Undefined if there are none.
 * Source: getDRANodeAllocatableResources of k8s.io/component-helpers/resource.
 */
export function deviceAmounts({ nodeAllocatableResourceClaimStatuses: statuses }: PodStatus): DeviceAmounts | undefined {
  if (!statuses?.length) return undefined
  const ofPod = new Map<string, number>()
  const ofContainers = new Map<string, Map<string, number>>()
  for (const { resources, mapping = [], overhead = [], containers = [] } of statuses) {
    // Since 1.37 `mapping` and `overhead` take the place of `resources`.
    for (const [name, quantity] of Object.entries(resources ?? {})) addAmount(ofPod, name, quantity)
    for (const { name, quantity } of mapping) addAmount(ofPod, name, quantity)
    for (const { name, perPod, perContainer } of overhead) {
      addAmount(ofPod, name, perPod)
      if (perContainer === undefined) continue
      for (const container of containers) {
        const amounts = ofContainers.get(container) ?? new Map<string, number>()
        ofContainers.set(container, amounts)
        addAmount(amounts, name, perContainer)
      }
    }
  }
  return { ofPod, ofContainers }
}

function addAmount(sum: Map<string, number>, name: string, quantity: string | null | undefined): void {
  if (quantity) sum.set(name, (sum.get(name) ?? 0) + amountOf(name, quantity))
}
