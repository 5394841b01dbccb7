import type { Node } from '../../../api/core/v1.types.ts'
import { roundResources } from '../resource-list.ts'

/**
 * `allocatable` defaults to the capacity. `podCIDR` mirrors the first of `podCIDRs`; if they differ, `podCIDR` wins.
 */
export function setNodeDefaults(node: Node): void {
  const { spec, status } = node
  const [first] = spec.podCIDRs ?? []
  if (spec.podCIDR && spec.podCIDR !== first) spec.podCIDRs = [spec.podCIDR]
  else if (first !== undefined) spec.podCIDR = first
  if (status.capacity && !status.allocatable) status.allocatable = { ...status.capacity }
  roundResources(status.capacity)
  roundResources(status.allocatable)
}
