import type { Node } from '../../api/core/v1.types.ts'
import type { Steps } from '../../lib/steps.ts'
import { isWide } from '../../lib/wide-objects.ts'
import { amountsInSteps, amountsOf, type ResourceAmounts } from './pod-requests.ts'

/** Amounts of wide lists, as long as the lists exist. */
const kept = new WeakMap<object, ResourceAmounts>()

const listOf = ({ status }: Node): Readonly<Record<string, string>> | undefined => status?.allocatable ?? status?.capacity

/**
 * Returns the amounts that pods can request of a node: those of the capacity if the node does not report them. The node
 * must not change. Throws QuantityError.
 */
export function allocatableOf(node: Node): ResourceAmounts {
  const list = listOf(node)
  return (list && kept.get(list)) ?? amountsOf(list)
}

/** Converts the amounts of a node in steps if they are many, so that `allocatableOf` returns what is kept. */
export function* keepAllocatable(node: Node): Steps<void> {
  const list = listOf(node)
  if (list && isWide(list) && !kept.has(list)) kept.set(list, yield* amountsInSteps(list))
}
