import { MAX_SCORE, type Plugin, SKIP } from '../framework.ts'
import { CPU_AND_MEMORY, type ResourceUse, resourceUses, type WeightedResource } from '../resource-scores.ts'

/** Arguments of the plugin. Source: NodeResourcesBalancedAllocationArgs of kubescheduler.config.k8s.io/v1. */
export interface BalancedAllocationArgs {
  readonly resources?: readonly WeightedResource[]
}

/** Prefers nodes whose resources would be used to equal fractions. */
export const balancedAllocation = ({ resources = CPU_AND_MEMORY }: BalancedAllocationArgs = {}): Plugin => ({
  name: 'NodeResourcesBalancedAllocation',
  isNodeLocal: true,
  preScore(pod) {
    if (resources.every(({ name }) => !pod.requests.get(name))) return SKIP
    return { score: node => balance(resourceUses(resources, pod, node, false)) }
  },
})

/** 1 less the standard deviation of the used fractions, scaled. */
function balance(uses: readonly ResourceUse[]): number {
  const fractions = uses.map(({ requested, allocatable }) => Math.min(requested / allocatable, 1))
  const [a = 0, b = 0] = fractions
  let deviation = 0
  if (fractions.length === 2) deviation = Math.abs((a - b) / 2)
  else if (fractions.length > 2) {
    const mean = fractions.reduce((sum, fraction) => sum + fraction, 0) / fractions.length
    deviation = Math.sqrt(fractions.reduce((sum, fraction) => sum + (fraction - mean) ** 2, 0) / fractions.length)
  }
  return Math.trunc((1 - deviation) * MAX_SCORE)
}
