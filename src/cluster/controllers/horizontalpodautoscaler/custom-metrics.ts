import type { CrossVersionObjectReference, MetricIdentifier } from '../../../api/autoscaling/v2.types.ts'
import type { TypedObject } from '../../../api/meta/object.ts'
import type { ApiClient, ListQuery, ResourceKind } from '../../../clients/api-client.ts'
import { errorMessage } from '../../../lib/error-message.ts'
import { parseApiVersion, qualifiedResource } from '../../../meta/gvk.ts'
import { labelSelectorOf, printLabelRequirements } from '../../../meta/label-selector.ts'
import { quantityMilliValue } from '../../../meta/quantity.ts'
import { isStatusError, notFoundError, pathNotFoundError } from '../../../meta/status.ts'
import { timeMillis } from '../../../meta/time.ts'
import type { PodMetric } from './group-pods.ts'
import type { MetricSource } from './metrics.ts'

/** Versions of the API of custom metrics, newest first. */
const CUSTOM_VERSIONS = ['v1beta2', 'v1beta1']
/** Window of a custom metric that names none, in milliseconds. Source: pkg/controller/podautoscaler/metrics/client.go. */
const DEFAULT_WINDOW_MS = 60_000

/** A value of external.metrics.k8s.io/v1beta1. */
type ExternalValue = TypedObject & { readonly value: string }

/** A value of custom.metrics.k8s.io. */
type CustomValue = TypedObject & {
  readonly describedObject: { readonly name: string }
  readonly timestamp: string
  readonly windowSeconds?: number
  readonly value: string
}

/**
 * Returns a reader of external metrics: of the sum of the values of a metric, in thousandths. Source: GetExternalMetric
 * of pkg/controller/podautoscaler/metrics/client.go.
 */
export const externalMetrics =
  (client: ApiClient, namespace: string): MetricSource['external'] =>
  async metric => {
    const group = 'external.metrics.k8s.io'
    const kind: ResourceKind<ExternalValue> = {
      group,
      version: 'v1beta1',
      resource: encodeURIComponent(metric.name),
      kind: 'ExternalMetricValue',
      namespaced: true,
    }
    const items = await fetched('external', async () => {
      const found = await listServed(client, kind, { namespace, ...selected('labelSelector', metricSelector(metric)) })
      if (found) return found
      throw new Error(`the server could not find the requested resource (get ${metric.name}.${group})`)
    })
    return items.reduce((sum, { value }) => sum + Number(quantityMilliValue(value)), 0)
  }

/**
 * Returns readers of custom metrics, of the pods of a target and of other objects. Source: pkg/client/custom_metrics of
 * k8s.io/metrics.
 * @param labelSelector selects the pods
 */
export function customMetrics(client: ApiClient, namespace: string, labelSelector: string): Pick<MetricSource, 'pods' | 'object'> {
  const read = async (path: string, metric: MetricIdentifier, query: ListQuery = {}): Promise<readonly CustomValue[]> => {
    for (const version of CUSTOM_VERSIONS) {
      const resource = `${path}/${encodeURIComponent(metric.name)}`
      const kind = { group: 'custom.metrics.k8s.io', version, resource, kind: 'MetricValue', namespaced: true }
      const selectors = { ...query, ...selected('metricLabelSelector', metricSelector(metric)) }
      const found = await listServed<CustomValue>(client, kind, { namespace, ...selectors })
      if (found) return found
    }
    throw new Error('no custom metrics API (custom.metrics.k8s.io) registered')
  }
  return {
    async pods(metric) {
      const items = await fetched('custom', () => read('pods/*', metric, selected('labelSelector', labelSelector)))
      return new Map(items.map(item => [item.describedObject.name, podMetric(item)]))
    },
    async object(metric, object) {
      const group = parseApiVersion(object.apiVersion ?? 'v1')?.group ?? ''
      // The name of a namespace has no effect: an autoscaler reads metrics of its own only.
      const isNamespace = group === '' && object.kind === 'Namespace'
      const [item] = await fetched('custom', async () => {
        const path = isNamespace ? 'metrics' : `${await resourceOf(client, group, object)}/${encodeURIComponent(object.name)}`
        const items = await read(path, metric)
        if (items.length === 1) return items
        throw new Error(`the custom metrics API server returned ${items.length} results when we asked for exactly one`)
      })
      return Number(quantityMilliValue(item?.value))
    },
  }
}

const podMetric = ({ value, timestamp, windowSeconds }: CustomValue): PodMetric => ({
  value: Number(quantityMilliValue(value)),
  timestamp: timeMillis(timestamp) ?? 0,
  window: windowSeconds === undefined ? DEFAULT_WINDOW_MS : windowSeconds * 1000,
})

/** Returns the resource of an object in paths of custom metrics: `services`, `ingresses.networking.k8s.io`. */
async function resourceOf(client: ApiClient, group: string, { kind, apiVersion = 'v1' }: CrossVersionObjectReference): Promise<string> {
  const found = (await client.kindsOf(group)).find(each => each.kind === kind)
  if (found === undefined) throw new Error(`no matches for kind "${kind}" in version "${apiVersion}"`)
  return qualifiedResource(found)
}

/** Selector of a metric, in the syntax of a query parameter. */
const metricSelector = ({ selector }: MetricIdentifier): string => (selector ? printLabelRequirements(labelSelectorOf(selector)) : '')

const selected = (parameter: 'labelSelector' | 'metricLabelSelector', selector: string): ListQuery =>
  selector === '' ? {} : { [parameter]: selector }

/** Reads values. An empty list is an error. */
async function fetched<T>(api: 'custom' | 'external', read: () => Promise<readonly T[]>): Promise<readonly T[]> {
  let items: readonly T[]
  try {
    items = await read()
  } catch (error) {
    throw new Error(`unable to fetch metrics from ${api} metrics API: ${errorMessage(error)}`)
  }
  if (items.length === 0) throw new Error(`no metrics returned from ${api} metrics API`)
  return items
}

/** Returns undefined if no server serves the group version. */
async function listServed<T extends TypedObject>(
  client: ApiClient,
  kind: ResourceKind<T>,
  query: ListQuery,
): Promise<readonly T[] | undefined> {
  try {
    return (await client.list(kind, query)).items
  } catch (error) {
    const unserved = [notFoundError(kind, '').message, pathNotFoundError().message]
    if (isStatusError(error, 'NotFound') && unserved.includes(errorMessage(error))) return undefined
    throw error
  }
}
