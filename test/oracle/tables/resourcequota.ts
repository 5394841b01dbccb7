import type { Pod } from '../../../src/api/core/v1.types.ts'
import { runAtOnce } from '../../../src/lib/steps.ts'
import { formatTime } from '../../../src/meta/time.ts'
import { resourceListOf } from '../../../src/resources/core/resource-quota/usage/amounts.ts'
import { podEvaluator } from '../../../src/resources/core/resource-quota/usage/pods.ts'
import { featuresOf } from '../../support/hook-context.ts'
import { podOf } from '../../support/scheduling.ts'

const NOW = Date.parse('2030-01-01T00:00:00Z')
const PODS = podEvaluator(featuresOf())

interface PodIn {
  readonly phase?: NonNullable<Pod['status']['phase']>
  readonly requests?: Record<string, string>
  readonly limits?: Record<string, string>
  readonly overhead?: Record<string, string>
  readonly deletedSecondsAgo?: number
  readonly grace?: number
  readonly activeDeadlineSeconds?: number
  readonly priorityClassName?: string
  readonly priorityClass?: string
}

function pod({ phase = 'Running', requests, limits, overhead, deletedSecondsAgo, grace = 0, activeDeadlineSeconds, ...rest }: PodIn): Pod {
  const deleted = { deletionTimestamp: formatTime(NOW - (deletedSecondsAgo ?? 0) * 1000), deletionGracePeriodSeconds: grace }
  const priorityClassName = rest.priorityClassName ?? rest.priorityClass
  return podOf({
    metadata: deletedSecondsAgo === undefined ? {} : deleted,
    spec: {
      containers: [{ name: 'c', image: 'i', resources: { ...(requests && { requests }), ...(limits && { limits }) } }],
      ...(overhead && { overhead }),
      ...(activeDeadlineSeconds !== undefined && { activeDeadlineSeconds }),
      ...(priorityClassName !== undefined && { priorityClassName }),
    },
    status: { phase },
  })
}

function usage(given: PodIn): object {
  const amounts = PODS.usage(pod(given) as never, NOW)
  return resourceListOf('next' in amounts ? runAtOnce(amounts) : amounts)
}

/** Functions of the tables, or the reason why a table has none. */
export const TABLES: Readonly<Record<string, ((given: never) => unknown) | string>> = {
  'pod-usage': usage,
  scopes({ scope, operator = 'Exists', values, ...rest }: PodIn & { scope: 'Terminating'; operator?: string; values?: string[] }) {
    return PODS.inScope?.({ scopeName: scope, operator: operator as 'Exists', ...(values && { values }) }, pod(rest) as never)
  },
}
