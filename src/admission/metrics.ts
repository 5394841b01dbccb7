import { type HistogramChild, HistogramFamily, type MetricFamily } from '../lib/metrics.ts'

const BUCKETS = [0.005, 0.025, 0.1, 0.5, 1, 2.5]

type Step = 'admit' | 'validate'

/** How long admission takes, as a whole and by plugin. Source: k8s.io/apiserver, pkg/admission/metrics. */
export class AdmissionMetrics {
  private readonly steps = new HistogramFamily({
    name: 'apiserver_admission_step_admission_duration_seconds',
    help: 'Admission sub-step latency histogram in seconds, broken out for each operation and API resource and step type (validate or admit).',
    stability: 'STABLE',
    labels: ['type', 'operation', 'rejected'],
    buckets: BUCKETS,
  })
  private readonly plugins = new HistogramFamily({
    name: 'apiserver_admission_controller_admission_duration_seconds',
    help: 'Admission controller latency histogram in seconds, identified by name and broken out for each operation and API resource and type (validate or admit).',
    stability: 'STABLE',
    labels: ['name', 'type', 'operation', 'rejected'],
    buckets: BUCKETS,
  })
  private readonly known = new Map<string, HistogramChild>()

  families(): MetricFamily[] {
    return [this.steps, this.plugins]
  }

  /** Does it, and notes how long it took and whether it threw. `plugin`: empty for the whole step. */
  async timed<T>(plugin: string, step: Step, operation: string, run: () => T | Promise<T>): Promise<T> {
    const begun = performance.now()
    let rejected = true
    try {
      const result = await run()
      rejected = false
      return result
    } finally {
      this.child(plugin, step, operation, rejected).observe((performance.now() - begun) / 1000)
    }
  }

  private child(plugin: string, step: Step, operation: string, rejected: boolean): HistogramChild {
    const key = `${plugin}/${step}/${operation}/${rejected}`
    let child = this.known.get(key)
    if (child === undefined) {
      child = plugin === '' ? this.steps.child(step, operation, String(rejected)) : this.plugins.child(plugin, step, operation, String(rejected))
      this.known.set(key, child)
    }
    return child
  }
}
