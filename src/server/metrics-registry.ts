import type { Metric, Registry } from 'prom-client'
import type { MetricFamily } from '../lib/metrics.ts'

/** Lets prom-client print a family of ours: its registry asks a metric for `name` and `get()` only. */
export function adopt(registry: Registry, family: MetricFamily): void {
  const metric = {
    name: family.name,
    get: async () => ({ name: family.name, help: family.help, type: family.type, aggregator: family.across ?? 'sum', values: family.samples() }),
    reset: () => {},
  }
  registry.registerMetric(metric as unknown as Metric)
}
