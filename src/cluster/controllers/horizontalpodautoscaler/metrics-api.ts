import type { TypedObject } from '../../../api/meta/object.ts'
import type { ApiClient, ResourceKind } from '../../../clients/api-client.ts'
import { parseDuration } from '../../../lib/duration.ts'
import { errorMessage } from '../../../lib/error-message.ts'
import { isLongStepDone, type Steps, startInTurns } from '../../../lib/steps.ts'
import { quantityMilliValue } from '../../../meta/quantity.ts'
import { timeMillis } from '../../../meta/time.ts'
import { customMetrics, externalMetrics } from './custom-metrics.ts'
import type { PodMetric, PodMetrics } from './group-pods.ts'
import type { MetricSource } from './metrics.ts'

/** metrics.k8s.io/v1beta1. */
type PodUsage = TypedObject & {
  timestamp: string
  window: string
  containers: { name: string; usage: Record<string, string> }[]
}

const POD_METRICS: ResourceKind<PodUsage> = {
  group: 'metrics.k8s.io',
  version: 'v1beta1',
  resource: 'pods',
  kind: 'PodMetrics',
  namespaced: true,
}

/**
 * Reads the metrics of a target: those of its pods from the metrics API, others from the APIs of custom and external
 * metrics, if a server is registered for them.
 * @param needsContainer whether metrics of a container are read only if all pods have it, as before 1.33.
 */
export function metricsOf(client: ApiClient, namespace: string, labelSelector: string, needsContainer = false): MetricSource {
  return {
    async resource(name, container) {
      let items: readonly PodUsage[]
      try {
        items = (await client.list(POD_METRICS, { namespace, labelSelector })).items
      } catch (error) {
        throw new Error(`unable to fetch metrics from resource metrics API: ${errorMessage(error)}`)
      }
      if (items.length === 0) throw new Error('no metrics returned from resource metrics API')
      return startInTurns(usesOf(items, name, container, needsContainer))
    },
    ...customMetrics(client, namespace, labelSelector),
    external: externalMetrics(client, namespace),
  }
}

/**
 * Returns the use of a resource by pods, in steps. A pod is left out if a container that counts has no value.
 * @param needsContainer whether an Error is thrown if a pod has no metrics of the container.
 */
export function* usesOf(items: readonly PodUsage[], resource: string, container?: string, needsContainer = false): Steps<PodMetrics> {
  const uses = new Map<string, PodMetric>()
  for (const { metadata, timestamp, window, containers } of items) {
    if (isLongStepDone()) yield
    const { name = '', namespace = '' } = metadata
    const counted = container === undefined ? containers : containers.filter(each => each.name === container)
    if (container !== undefined && counted.length === 0 && needsContainer)
      throw new Error(`failed to get container metrics: container ${container} not present in metrics for pod ${namespace}/${name}`)
    const values = counted.map(({ usage }) => usage[resource])
    if (values.length === 0 || values.includes(undefined)) continue
    const value = values.reduce((sum, each) => sum + Number(quantityMilliValue(each)), 0)
    uses.set(name, { value, timestamp: timeMillis(timestamp) ?? 0, window: Number(parseDuration(window) / 1_000_000n) })
  }
  return uses
}
