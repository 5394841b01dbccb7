import { collectDefaultMetrics, type Metric, Registry } from 'prom-client'
import { helpOf, type MetricFamily, type Sample } from '../../lib/metrics.ts'
import type { MetricSnapshot } from './shared-metrics.ts'

/** Gauges with the names of counters. Other metrics have the same values. */
const MISNAMED = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total']

/** Metrics of the process, counted from the first call on and shared by all servers in it. */
let counted: Registry | undefined

function countedOfProcess(): Registry {
  if (counted === undefined) {
    counted = new Registry()
    collectDefaultMetrics({ register: counted })
  }
  return counted
}

/** Returns a registry of the metrics of the process, except the disabled ones. */
export function processMetrics(disabled: Iterable<string> = []): Registry {
  const without = new Set([...MISNAMED, ...disabled])
  const registry = new Registry()
  const all = countedOfProcess()
  for (const { name } of all.getMetricsAsArray()) {
    const metric = all.getSingleMetric(name)
    if (metric !== undefined && !without.has(name)) registry.registerMetric(metric)
  }
  return registry
}

/** Returns the current values of a registry. prom-client declares types as numbers, but returns them as strings. */
export const snapshotsOf = async (registry: Pick<Registry, 'getMetricsAsJSON'>): Promise<MetricSnapshot[]> =>
  (await registry.getMetricsAsJSON()) as unknown as MetricSnapshot[]

/** Registers a family of ours with prom-client, whose registry only uses `name` and `get()` of a metric. */
export function adopt(registry: Registry, family: MetricFamily): void {
  const metric = {
    name: family.name,
    get: async () => ({
      name: family.name,
      help: helpOf(family),
      type: family.type,
      aggregator: family.across ?? 'sum',
      values: Array.from(family.samples(), withBound),
    }),
    reset: () => {},
  }
  registry.registerMetric(metric as unknown as Metric)
}

/** Moves the bucket bound of a sample to its label `le`. */
const withBound = ({ le, labels, ...sample }: Sample): Sample => ({ ...sample, labels: le === undefined ? labels : { ...labels, le } })
