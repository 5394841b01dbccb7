import type {
  CrossVersionObjectReference,
  MetricIdentifier,
  MetricSpec,
  MetricStatus,
  MetricTarget,
  MetricValueStatus,
} from '../../../api/autoscaling/v2.types.ts'
import type { Pod } from '../../../api/core/v1.types.ts'
import { errorMessage } from '../../../lib/error-message.ts'
import { startInTurns } from '../../../lib/steps.ts'
import { quantityMilliValue } from '../../../meta/quantity.ts'
import { printGoSelector } from '../../shared/go-selector.ts'
import {
  averageProposal,
  type PodProposalInput,
  type Proposal,
  perReplicaProposal,
  type Tolerances,
  utilizationProposal,
  valueProposal,
} from './calculator.ts'
import type { PodMetrics } from './group-pods.ts'
import type { PodRequestRules } from './requests.ts'
import { milliQuantity } from './status.ts'

/**
 * Source of the metrics that an autoscaler follows. All methods reject if there are none. Values are in thousandths.
 */
export interface MetricSource {
  /** Use of a resource by pods of the target. @param container name of the only container that counts. */
  resource(name: string, container?: string): Promise<PodMetrics>
  /** Value of a metric of each pod of the target. */
  pods(metric: MetricIdentifier): Promise<PodMetrics>
  /** Value of a metric of one object. */
  object(metric: MetricIdentifier, object: CrossVersionObjectReference): Promise<number>
  external(metric: MetricIdentifier): Promise<number>
}

/** State of the target of an autoscaler. */
export interface TargetState {
  readonly namespace: string
  /** Replicas in the spec of the target. */
  readonly specReplicas: number
  /** Replicas in the status of the target. */
  readonly statusReplicas: number
  /** Pods that the selector of the target matches. */
  readonly pods: readonly Pod[]
  readonly tolerances: Tolerances
  readonly requestRules: PodRequestRules
  /** Milliseconds since the epoch. */
  readonly now: number
  readonly source: MetricSource
}

/** Proposal of one metric. */
export interface MetricProposal {
  readonly replicas: number
  /** Description of the metric in events and conditions. */
  readonly name: string
  /** Current value, for the status of the autoscaler. */
  readonly status: MetricStatus
}

/** Failure of one metric. */
export class MetricError extends Error {
  override readonly name = 'MetricError'
  /** Reason of the condition and the event: `FailedGetResourceMetric`. */
  readonly reason: string
  /** Message of the condition and the event. The error itself says of which metric it is. */
  readonly detail: string

  constructor(reason: string, detail: string, message: string) {
    super(message)
    this.reason = reason
    this.detail = detail
  }
}

/** Proposes replicas by one metric. Rejects with a MetricError. */
export async function metricProposal(spec: MetricSpec, state: TargetState): Promise<MetricProposal> {
  switch (spec.type) {
    case 'Resource':
      if (spec.resource) return resourceProposal(spec.type, spec.resource, undefined, state)
      break
    case 'ContainerResource':
      if (spec.containerResource) return resourceProposal(spec.type, spec.containerResource, spec.containerResource.container, state)
      break
    case 'Pods':
      if (spec.pods) return podsProposal(spec.pods, state)
      break
    case 'Object':
      if (spec.object) return objectProposal(spec.object, state)
      break
    case 'External':
      if (spec.external) return externalProposal(spec.external, state)
      break
    default:
  }
  const message = `unknown metric source type "${spec.type}"`
  throw new MetricError('InvalidMetricSourceType', message, message)
}

const inputOf = ({ specReplicas: current, pods, tolerances, requestRules, now }: TargetState, metrics: PodMetrics): PodProposalInput => ({
  current,
  pods,
  metrics,
  tolerances,
  requestRules,
  now,
})

const milli = (quantity: string): number => Number(quantityMilliValue(quantity))

/** Runs a computation. Its error becomes a MetricError. @param message message of the error, before the cause. */
async function explained<T>(reason: string, message: string, compute: () => Promise<T>): Promise<T> {
  try {
    return await compute()
  } catch (error) {
    const detail = errorMessage(error)
    throw new MetricError(reason, detail, `${message}: ${detail}`)
  }
}

/** Proposes replicas by the use of a resource, of all containers or of one. */
async function resourceProposal(
  type: string,
  { name, target }: { readonly name: string; readonly target: MetricTarget },
  container: string | undefined,
  state: TargetState,
): Promise<MetricProposal> {
  const [reason, message] =
    container === undefined
      ? ['FailedGetResourceMetric', `failed to get ${name} resource metric value`]
      : ['FailedGetContainerResourceMetric', `failed to get ${container} container metric value`]
  const { averageValue, averageUtilization } = target
  const proposal = await explained(reason, message, async () => {
    if (averageValue === undefined && averageUtilization === undefined)
      throw new Error('invalid resource metric source: neither an average utilization target nor an average value (usage) target was set')
    return withErrorPrefix(`failed to get ${name} ${averageValue === undefined ? 'utilization' : 'usage'}`, async () => {
      const metrics = await withErrorPrefix(`unable to get metrics for resource ${name}`, () => state.source.resource(name, container))
      return startInTurns(
        averageValue === undefined
          ? utilizationProposal(inputOf(state, metrics), name, averageUtilization ?? 0, container)
          : averageProposal(inputOf(state, metrics), milli(averageValue), name),
      )
    })
  })
  const current = averageStatus(proposal)
  const utilization = `${container === undefined ? '' : 'container '}resource utilization (percentage of request)`
  return {
    replicas: proposal.replicas,
    // Upstream names both types alike by their average value.
    name: `${name} ${averageValue === undefined ? utilization : 'resource'}`,
    status: container === undefined ? { type, resource: { name, current } } : { type, containerResource: { name, container, current } },
  }
}

/** Proposes replicas by the average of a metric of the pods. */
async function podsProposal(
  { metric, target }: { readonly metric: MetricIdentifier; readonly target: MetricTarget },
  state: TargetState,
): Promise<MetricProposal> {
  const proposal = await explained('FailedGetPodsMetric', 'failed to get pods metric value', async () => {
    const metrics = await withErrorPrefix(`unable to get metric ${metric.name}`, () => state.source.pods(metric))
    return startInTurns(averageProposal(inputOf(state, metrics), milli(target.averageValue ?? '0')))
  })
  return {
    replicas: proposal.replicas,
    name: `pods metric ${metric.name}`,
    status: { type: 'Pods', pods: { metric, current: averageStatus(proposal) } },
  }
}

/** Value of an average: utilization if there is one. */
const averageStatus = ({ usage, utilization }: Proposal): MetricValueStatus => ({
  averageValue: milliQuantity(usage),
  ...(utilization !== undefined && { averageUtilization: utilization }),
})

/** A metric of type Object. */
interface ObjectSource {
  readonly metric: MetricIdentifier
  readonly target: MetricTarget
  readonly describedObject: CrossVersionObjectReference
}

/** Proposes replicas by a metric of one object. */
async function objectProposal({ metric, target, describedObject }: ObjectSource, state: TargetState): Promise<MetricProposal> {
  const { kind, name } = describedObject
  const isAverage = target.averageValue !== undefined
  const message = `failed to get object metric value${isAverage ? `: failed to get ${metric.name} object metric` : ''}`
  const { proposal, current } = await explained('FailedGetObjectMetric', message, async () => {
    // Upstream's message has its values in the wrong order.
    const usage = await renamed(
      cause => `unable to get metric ${metric.name}: ${kind} on ${state.namespace} ${name}/${cause}`,
      () => state.source.object(metric, describedObject),
    )
    return totalProposal(usage, target, state, 'object')
  })
  return {
    replicas: proposal.replicas,
    // Upstream words an average like one of an external metric.
    name: isAverage ? `external metric ${metric.name}(${printGoSelector(metric.selector)})` : `${kind} metric ${metric.name}`,
    status: { type: 'Object', object: { metric, describedObject, current } },
  }
}

/** Proposes replicas by an external metric. */
async function externalProposal(
  { metric, target }: { readonly metric: MetricIdentifier; readonly target: MetricTarget },
  state: TargetState,
): Promise<MetricProposal> {
  const { name } = metric
  const selector = printGoSelector(metric.selector)
  const what = target.averageValue === undefined ? `external metric ${name}` : `${name} external metric`
  const message = `failed to get ${name} external metric value: failed to get ${what}`
  const { proposal, current } = await explained('FailedGetExternalMetric', message, async () => {
    const usage = await withErrorPrefix(`unable to get external metric ${state.namespace}/${name}/${selector}`, () =>
      state.source.external(metric),
    )
    return totalProposal(usage, target, state, 'external')
  })
  return {
    replicas: proposal.replicas,
    name: `external metric ${name}(${selector})`,
    status: { type: 'External', external: { metric, current } },
  }
}

/** Proposes replicas by a value that does not belong to a pod. */
function totalProposal(
  usage: number,
  { value, averageValue }: MetricTarget,
  { specReplicas: current, statusReplicas, pods, tolerances }: TargetState,
  kind: string,
): { readonly proposal: Proposal; readonly current: MetricValueStatus } {
  if (averageValue !== undefined) {
    const proposal = perReplicaProposal(statusReplicas, tolerances, usage, milli(averageValue))
    return { proposal, current: { averageValue: milliQuantity(proposal.usage) } }
  }
  if (value === undefined) throw new Error(`invalid ${kind} metric source: neither a value target nor an average value target was set`)
  const proposal = valueProposal({ current, pods, tolerances }, usage, milli(value))
  return { proposal, current: { value: milliQuantity(proposal.usage) } }
}

/** Runs a computation. Its error gets the message as prefix. */
const withErrorPrefix = <T>(message: string, compute: () => Promise<T>): Promise<T> => renamed(cause => `${message}: ${cause}`, compute)

/** Runs a computation. Its error gets a message that is made from the old one. */
async function renamed<T>(messageOf: (cause: string) => string, compute: () => Promise<T>): Promise<T> {
  try {
    return await compute()
  } catch (error) {
    throw new Error(messageOf(errorMessage(error)))
  }
}
