import type { JsonObject, TypedObject } from '../../api/meta/object.ts'
import { canonicalQuantity } from '../../meta/quantity.ts'
import { sumOf, type UsedAmounts } from './usage-reader.ts'

/** Interval over which usage is measured. Simulated usage is exact. */
export const WINDOW = '15s'

/** Suffixes of quantities, each 1024 times the one before. */
const BINARY_UNITS = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei']

/**
 * Returns an amount as a quantity in its canonical form: cores with nine decimals, other resources as whole numbers
 * with binary units.
 */
export function usageQuantity(resource: string, amount: number): string {
  if (resource === 'cpu') return canonicalQuantity(`${BigInt(Math.round(amount * 1e9))}n`)
  let value = BigInt(Math.round(amount))
  let unit = 0
  for (; value !== 0n && value % 1024n === 0n && unit < BINARY_UNITS.length - 1; unit++) value /= 1024n
  return `${value}${BINARY_UNITS[unit]}`
}

/** Returns amounts as quantities, by resource. */
export const quantitiesOf = (amounts: UsedAmounts): Record<string, string> =>
  Object.fromEntries(Object.entries(amounts).map(([resource, amount]) => [resource, usageQuantity(resource, amount)]))

/** Metrics of a node or a pod, with their total for Tables. */
export interface Measured {
  /** NodeMetrics or PodMetrics, without kind and apiVersion. */
  readonly object: JsonObject
  /** Amounts of the whole node or pod. */
  readonly total: UsedAmounts
}

const metadataOf = ({ metadata: { name = '', namespace, labels } }: TypedObject, now: string): JsonObject => ({
  name,
  ...(namespace !== undefined && { namespace }),
  creationTimestamp: now,
  ...(labels !== undefined && { labels: { ...labels } }),
})

/** @param now RFC 3339. */
export function nodeMetrics(node: TypedObject, total: UsedAmounts, now: string): Measured {
  return { object: { metadata: metadataOf(node, now), timestamp: now, window: WINDOW, usage: quantitiesOf(total) }, total }
}

/** Returns the metrics of a pod by those of its containers. @param now RFC 3339. */
export function podMetrics(
  pod: TypedObject,
  containers: readonly { readonly name: string; readonly usage: UsedAmounts }[],
  now: string,
): Measured {
  const object = {
    metadata: metadataOf(pod, now),
    timestamp: now,
    window: WINDOW,
    containers: containers.map(({ name, usage }) => ({ name, usage: quantitiesOf(usage) })),
  }
  return { object, total: sumOf(containers.map(({ usage }) => usage)) }
}

/**
 * Returns a Table of metrics: the name, a column for each resource, and the window. Source: metrics-server,
 * pkg/api/table.go.
 */
export function metricsTable(items: readonly Measured[], version: string): JsonObject {
  const resources = Object.keys(items[0]?.total ?? {}).sort()
  const column = (name: string, format: string, description = ''): JsonObject => ({
    name,
    type: 'string',
    format,
    description,
    priority: 0,
  })
  return {
    kind: 'Table',
    apiVersion: `meta.k8s.io/${version}`,
    metadata: {},
    columnDefinitions:
      items.length === 0
        ? []
        : [
            column('Name', 'name', 'Name of the resource'),
            ...resources.map(name => column(name, 'quantity')),
            column('Window', 'duration'),
          ],
    rows: items.map(({ object, total }) => ({
      cells: [nameOf(object), ...resources.map(name => usageQuantity(name, total[name] ?? 0)), WINDOW],
      object: { kind: 'PartialObjectMetadata', apiVersion: `meta.k8s.io/${version}`, metadata: object.metadata ?? {} },
    })),
  }
}

const nameOf = ({ metadata }: JsonObject): string => String((metadata as JsonObject).name ?? '')
