import type { KubeObject } from '../../../meta/object.ts'
import { roundResources } from '../resource-list.ts'

/** What is allocatable is the capacity unless told. The old podCIDR and the first of podCIDRs are one field; where they differ, the old one wins. */
export function setNodeDefaults(node: KubeObject): void {
  const { spec, status } = node
  if (spec) {
    const list: string[] = spec.podCIDRs ?? []
    if (spec.podCIDR && spec.podCIDR !== list[0]) spec.podCIDRs = [spec.podCIDR]
    else if (list.length > 0) spec.podCIDR = list[0]
  }
  if (status?.capacity && !status.allocatable) status.allocatable = { ...status.capacity }
  roundResources(status?.capacity)
  roundResources(status?.allocatable)
}
