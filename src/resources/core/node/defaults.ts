import type { Node } from '../../../api/core/v1.types.ts'
import type { Steps } from '../../../lib/steps.ts'
import { isWide } from '../../../lib/wide-objects.ts'
import { cloneInSteps } from '../../../meta/whole-floats.ts'
import { roundResources, roundResourcesInSteps } from '../resource-list.ts'

/**
 * `allocatable` defaults to the capacity. `podCIDR` mirrors the first of `podCIDRs`; if they differ, `podCIDR` wins.
 */
export function setNodeDefaults(node: Node): Steps<void> | undefined {
  const { spec, status } = node
  const [first] = spec.podCIDRs ?? []
  if (spec.podCIDR && spec.podCIDR !== first) spec.podCIDRs = [spec.podCIDR]
  else if (first !== undefined) spec.podCIDR = first
  if ((status.capacity && isWide(status.capacity)) || (status.allocatable && isWide(status.allocatable))) return defaultWideAmounts(node)
  if (status.capacity && !status.allocatable) status.allocatable = { ...status.capacity }
  roundResources(status.capacity)
  roundResources(status.allocatable)
  return undefined
}

function* defaultWideAmounts({ status }: Node): Steps<void> {
  if (status.capacity && !status.allocatable) status.allocatable = yield* cloneInSteps(status.capacity)
  for (const list of [status.capacity, status.allocatable]) if (list) yield* roundResourcesInSteps(list)
}
