import type { Pod } from '../../../src/api/core/v1.types.ts'
import type { PodDisruptionBudgetSpec } from '../../../src/api/policy/v1.types.ts'
import {
  allowedCondition,
  budgetStatus,
  countHealthy,
  expectationOf,
  usesScale,
} from '../../../src/cluster/controllers/disruption/budget.ts'
import { runAtOnce } from '../../../src/lib/steps.ts'

type StatusIn = Pick<PodDisruptionBudgetSpec, 'minAvailable' | 'maxUnavailable'> & {
  readonly expectedFromControllers: number
  readonly pods: number
  readonly healthy: number
}

function status({ expectedFromControllers, pods: count, healthy, ...spec }: StatusIn): object {
  const pods = Array.from({ length: count }, (_, i): Pod => {
    const pod: unknown = {
      metadata: { name: `p${i}` },
      status: { conditions: [{ type: 'Ready', status: i < healthy ? 'True' : 'False' }] },
    }
    return pod as Pod
  })
  const budget = {
    kind: 'PodDisruptionBudget',
    apiVersion: 'policy/v1',
    metadata: {},
    spec,
    status: { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 },
  }
  const {
    conditions: _,
    observedGeneration: __,
    ...counts
  } = budgetStatus(budget, expectationOf(spec, usesScale(spec) ? expectedFromControllers : count), runAtOnce(countHealthy(pods, {})), {}, 0)
  return counts
}

/** Functions of the tables, or the reason why a table has none. */
export const TABLES: Readonly<Record<string, ((given: never) => unknown) | string>> = {
  status,
  condition(given: string) {
    const { type, status: value, reason, message } = allowedCondition(given.includes('> 0'), 1, 0)
    return { type, status: value, reason, message }
  },
  events: 'a text: scenarios check it',
}
