import { collectDefaultMetrics, type Metric, Registry } from 'prom-client'
import { helpOf, type MetricFamily, type Sample } from '../lib/metrics.ts'
import type { MetricSnapshot } from './workers/messages.ts'

/** Gauges under the names of counters, which say nothing that others don't. */
const MISNAMED = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total']

/** What is counted of the process, from the first call on: once for all servers in it. */
let counted: Registry | undefined

function countedOfProcess(): Registry {
  if (counted === undefined) {
    counted = new Registry()
    collectDefaultMetrics({ register: counted })
  }
  return counted
}

/** The metrics of the process, but those that are disabled. */
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

/** What the registry counts at this moment: prom-client gives its types as text, and calls them numbers in its declarations. */
export const snapshotsOf = async (registry: Pick<Registry, 'getMetricsAsJSON'>): Promise<MetricSnapshot[]> =>
  (await registry.getMetricsAsJSON()) as unknown as MetricSnapshot[]

/** Lets prom-client print a family of ours: its registry asks a metric for `name` and `get()` only. */
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

/** Every label in its place. */
const withBound = ({ le, labels, ...sample }: Sample): Sample => ({ ...sample, labels: le === undefined ? labels : { ...labels, le } })
