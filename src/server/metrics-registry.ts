import { collectDefaultMetrics, type Metric, Registry } from 'prom-client'
import { helpOf, type MetricFamily, type Sample } from '../lib/metrics.ts'
import type { MetricSnapshot } from './workers/messages.ts'

/** Gauges under the names of counters, which say nothing that others don't. */
const MISNAMED = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total']

/** The metrics of the process, but those that are disabled. */
export function processMetrics(disabled: Iterable<string> = []): Registry {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  for (const name of [...MISNAMED, ...disabled]) registry.removeSingleMetric(name)
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
