import type { HPAScalingRules } from '../../../src/api/autoscaling/v2.types.ts'
import type { Pod } from '../../../src/api/core/v1.types.ts'
import {
  averageProposal,
  type Proposal,
  perReplicaProposal,
  utilizationProposal,
  valueProposal,
} from '../../../src/cluster/controllers/horizontalpodautoscaler/calculator.ts'
import { rescaleReason } from '../../../src/cluster/controllers/horizontalpodautoscaler/decide.ts'
import { groupPods, type PodMetric } from '../../../src/cluster/controllers/horizontalpodautoscaler/group-pods.ts'
import {
  limitReplicas,
  limitReplicasByRules,
  type ScaleEvent,
  scaleDownLimit,
  scaleUpLimit,
} from '../../../src/cluster/controllers/horizontalpodautoscaler/limits.ts'
import { metricProposal } from '../../../src/cluster/controllers/horizontalpodautoscaler/metrics.ts'
import { type Recommendation, stabilize, stabilizeByRules } from '../../../src/cluster/controllers/horizontalpodautoscaler/stabilization.ts'
import { runAtOnce } from '../../../src/lib/steps.ts'
import { formatTime } from '../../../src/meta/time.ts'

const NOW = Date.parse('2024-01-01T12:00:00Z')
const LONG_AGO = '0001-01-01T00:00:00Z'
/** Periods of upstream's tests. */
const PERIODS = { cpuInitialization: 120_000, initialReadiness: 10_000 }
const MINUTE = 60_000

interface CalculatorIn {
  readonly currentReplicas: number
  readonly podReadiness?: readonly string[]
  readonly podStartTime?: readonly string[]
  readonly podPhase?: readonly string[]
  readonly podDeletionTimestamp?: readonly boolean[]
  readonly tolerances?: readonly [scaleDown: number, scaleUp: number]
  readonly container?: string
  readonly resource?: {
    readonly name: string
    readonly requests: readonly string[]
    readonly levels: readonly (number | readonly number[])[]
    readonly targetUtilization?: number
    readonly targetUsage?: number
  }
  readonly metric?: {
    readonly metricType: string
    readonly levels: readonly number[]
    readonly targetUsage?: number
    readonly perPodTargetUsage?: number
  }
}

function podAt(given: CalculatorIn, i: number): Pod {
  const start = given.podStartTime?.[i]
  const startTime = start === undefined ? LONG_AGO : formatTime(start === 'hot' ? NOW : NOW - 180_000)
  const resources = { requests: { [given.resource?.name ?? '']: given.resource?.requests[i] ?? '0' } }
  const pod: unknown = {
    kind: 'Pod',
    apiVersion: 'v1',
    metadata: { name: `pod-${i}`, ...(given.podDeletionTimestamp?.[i] && { deletionTimestamp: formatTime(NOW) }) },
    spec: { containers: ['container1', 'container2'].map(name => ({ name, resources })) },
    status: {
      phase: given.podPhase?.[i] ?? 'Running',
      startTime,
      conditions: [{ type: 'Ready', status: given.podReadiness?.[i] ?? 'True', lastTransitionTime: startTime }],
    },
  }
  return pod as Pod
}

const metricsOf = (values: readonly number[]): Map<string, PodMetric> =>
  new Map(values.map((value, i) => [`pod-${i}`, { value, timestamp: NOW, window: MINUTE }]))

function calculate(given: CalculatorIn): object {
  const { currentReplicas: current, resource, metric, tolerances: [scaleDown, scaleUp] = [0.1, 0.1], container } = given
  const pods = Array.from({ length: given.podPhase?.length ?? current }, (_, i) => podAt(given, i))
  const tolerances = { scaleDown, scaleUp }
  const input = { current, pods, tolerances, now: NOW, periods: PERIODS }
  const second = container === 'container2' ? 1 : 0
  if (resource) {
    const uses = resource.levels.map(level => {
      if (typeof level === 'number') return container === undefined ? 2 * level : level
      return container === undefined ? level.reduce((sum, each) => sum + each, 0) : (level[second] ?? 0)
    })
    const metrics = metricsOf(uses)
    const proposal = runAtOnce(
      resource.targetUtilization === undefined
        ? averageProposal({ ...input, metrics }, resource.targetUsage ?? 0, resource.name)
        : utilizationProposal({ ...input, metrics }, resource.name, resource.targetUtilization, container),
    )
    return { expectedUtilization: proposal.utilization, expectedValue: proposal.usage, replicas: proposal.replicas }
  }
  const { replicas, usage } = metricOf(given, metric ?? { metricType: '', levels: [] }, input)
  return { expectedUsage: usage, replicas }
}

function metricOf(
  { currentReplicas: current }: CalculatorIn,
  metric: NonNullable<CalculatorIn['metric']>,
  input: Parameters<typeof valueProposal>[0] & { now: number },
): Proposal {
  const { metricType, levels, targetUsage = 0, perPodTargetUsage = 0 } = metric
  const total = levels.reduce((sum, level) => sum + level, 0)
  if (metricType.endsWith('PerPod')) return perReplicaProposal(current, input.tolerances, total, perPodTargetUsage)
  if (metricType === 'object' || metricType === 'external') return valueProposal(input, total, targetUsage)
  return runAtOnce(averageProposal({ ...input, metrics: metricsOf(levels), periods: PERIODS }, targetUsage))
}

interface GroupIn {
  readonly pods: readonly {
    metadata: { name: string; deletionTimestamp?: string }
    status: { phase: string; startTime?: number; conditions?: { type: string; status: string; lastTransitionTime: number }[] }
  }[]
  readonly metrics: Readonly<Record<string, { value: number; timestamp?: number; window?: number }>>
  readonly resource: string
}

function group(given: GroupIn): object {
  const pods = given.pods.map(({ metadata, status }): Pod => {
    const pod: unknown = {
      metadata: { ...metadata, ...(metadata.deletionTimestamp && { deletionTimestamp: LONG_AGO }) },
      status: {
        phase: status.phase,
        ...(status.startTime !== undefined && { startTime: formatTime(NOW + status.startTime * 1000) }),
        ...(status.conditions && {
          conditions: status.conditions.map(each => ({ ...each, lastTransitionTime: formatTime(NOW + each.lastTransitionTime * 1000) })),
        }),
      },
    }
    return pod as Pod
  })
  const metrics = new Map(
    Object.entries(given.metrics).map(([name, { value, timestamp = -1e9, window = 0 }]) => [
      name,
      { value, timestamp: NOW + timestamp * 1000, window: window * 1000 },
    ]),
  )
  const { ready, unready, missing, ignored } = runAtOnce(groupPods(pods, metrics, given.resource, NOW, PERIODS))
  return { expectReadyPodCount: ready, expectUnreadyPods: [...unready], expectMissingPods: [...missing], expectIgnoredPods: [...ignored] }
}

interface RulesIn {
  readonly pods?: number
  readonly podsPeriod?: number
  readonly percent?: number
  readonly percentPeriod?: number
  readonly window?: number
}

interface LimitsIn {
  readonly current: number
  readonly desired: number
  readonly min: number
  readonly max: number
  readonly scaleUpRules?: RulesIn
  readonly scaleDownRules?: RulesIn
  readonly scaleUpEvents?: readonly { change: number; secondsAgo: number }[]
  readonly scaleDownEvents?: readonly { change: number; secondsAgo: number }[]
}

const DEFAULT_UP: HPAScalingRules = {
  selectPolicy: 'Max',
  policies: [
    { type: 'Pods', value: 4, periodSeconds: 15 },
    { type: 'Percent', value: 100, periodSeconds: 15 },
  ],
}
const DEFAULT_DOWN: HPAScalingRules = { selectPolicy: 'Max', policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }] }

const rulesOf = (given: RulesIn | undefined, byDefault: HPAScalingRules): HPAScalingRules =>
  given
    ? {
        selectPolicy: 'Max',
        policies: [
          ...(given.pods ? [{ type: 'Pods', value: given.pods, periodSeconds: given.podsPeriod ?? 0 }] : []),
          ...(given.percent ? [{ type: 'Percent', value: given.percent, periodSeconds: given.percentPeriod ?? 0 }] : []),
        ],
      }
    : byDefault

const eventsOf = (events: LimitsIn['scaleUpEvents'] = []): ScaleEvent[] =>
  events.map(({ change, secondsAgo }) => ({ change, at: NOW - secondsAgo * 1000 }))

function limitByRules(given: LimitsIn): object {
  const events = { up: eventsOf(given.scaleUpEvents), down: eventsOf(given.scaleDownEvents) }
  const { replicas, reason } = limitReplicasByRules(
    given,
    rulesOf(given.scaleUpRules, DEFAULT_UP),
    rulesOf(given.scaleDownRules, DEFAULT_DOWN),
    events,
    NOW,
  )
  return { replicas, reason }
}

const recommendationsOf = (list: readonly { replicas: number; at: number }[]): Recommendation[] =>
  list.map(({ replicas, at }) => ({ replicas, at: NOW + at * 1000 }))

interface PoliciesIn {
  readonly current: number
  readonly policies: readonly (readonly [string, number, number])[]
  readonly selectPolicy: string
}

const policyRules = ({ policies, selectPolicy }: PoliciesIn): HPAScalingRules => ({
  selectPolicy,
  policies: policies.map(([type, value, periodSeconds]) => ({ type, value, periodSeconds })),
})

/** Reasons by the description of a metric, with a metric that proposes five of one replica. */
async function reason(given: string): Promise<string> {
  if (given.startsWith('any decrease')) return rescaleReason(3, 1, 'x')
  const [, name = ''] = /metric (\S+)/.exec(given) ?? []
  const metrics = metricsOf([5000])
  const source = { resource: async () => metrics, pods: async () => metrics, object: async () => 5000, external: async () => 5000 }
  const pods = [podAt({ currentReplicas: 1, resource: { name: 'cpu', requests: ['1'], levels: [] } }, 0)]
  const state = {
    namespace: 'ns',
    specReplicas: 1,
    statusReplicas: 1,
    pods,
    tolerances: { scaleDown: 0.1, scaleUp: 0.1 },
    requestRules: { podLevel: false, needsContainer: false },
    now: NOW,
    source,
  }
  const average = { type: 'AverageValue', averageValue: '1' }
  const specs: Record<string, Parameters<typeof metricProposal>[0]> = {
    cpu: {
      type: 'Resource',
      resource: { name: 'cpu', target: given.includes('utili') ? { type: 'Utilization', averageUtilization: 50 } : average },
    },
    pods: { type: 'Pods', pods: { metric: { name }, target: average } },
    external: { type: 'External', external: { metric: { name }, target: average } },
    object: {
      type: 'Object',
      object: {
        metric: { name },
        target: { type: 'Value', value: '1' },
        describedObject: { kind: given.split(' ')[0] ?? '', name: 'x' },
      },
    },
  }
  const kind = given.startsWith('external') ? 'external' : given.startsWith('pods') ? 'pods' : given.startsWith('cpu') ? 'cpu' : 'object'
  const spec = specs[kind]
  return spec ? rescaleReason(1, 5, (await metricProposal(spec, state)).name) : ''
}

/** Functions of the tables, or the reason why a table has none. */
export const TABLES: Readonly<Record<string, ((given: never) => unknown) | string>> = {
  'replica-calculator': calculate,
  'group-pods': group,
  // Its rows in the first half are those of group-pods.
  'limits-without-behavior'(given: LimitsIn | GroupIn) {
    if ('pods' in given) return group(given)
    const { replicas, reason } = limitReplicas(given)
    return { replicas, reason }
  },
  'limits-with-behavior': limitByRules,
  'stabilise-without-behavior'({
    recommendations,
    desired,
    windowSeconds,
  }: {
    recommendations: { replicas: number; at: number }[]
    desired: number
    windowSeconds: number
  }) {
    const { replicas, kept } = stabilize(recommendationsOf(recommendations), desired, NOW, windowSeconds)
    return { replicas, kept: kept.length }
  },
  'stabilise-with-behavior'(given: {
    recommendations: { replicas: number; at: number }[]
    current: number
    desired: number
    scaleUpWindow: number
    scaleDownWindow: number
  }) {
    const [up, down] = [{ stabilizationWindowSeconds: given.scaleUpWindow }, { stabilizationWindowSeconds: given.scaleDownWindow }]
    return stabilizeByRules(recommendationsOf(given.recommendations), given, up, down, NOW).replicas
  },
  'scale-up-limit': (given: PoliciesIn) => scaleUpLimit(given.current, policyRules(given), { up: [], down: [] }, NOW),
  'scale-down-limit': (given: PoliciesIn) => scaleDownLimit(given.current, policyRules(given), { up: [], down: [] }, NOW),
  'rescale-reasons': reason,
  conditions: 'the entries are texts without objects; the scenarios and unit tests cover the conditions',
}
