import { type HistogramChild, HistogramFamily, type MetricFamily } from '../lib/metrics.ts'
import type { Operation } from '../registry/types.ts'

const BUCKETS = [0.005, 0.025, 0.1, 0.5, 1, 2.5]

type AdmissionStep = 'admit' | 'validate'

/** Duration metric of one step, or of one plugin within a step. */
export interface StepTimer {
  /** @param begun `performance.now()` at the start of the step. */
  ended(operation: Operation, isRejected: boolean, begun: number): void
}

/** How long admission takes, as a whole and by plugin. Source: k8s.io/apiserver, pkg/admission/metrics. */
export class AdmissionMetrics {
  readonly #steps = new HistogramFamily({
    name: 'apiserver_admission_step_admission_duration_seconds',
    help: 'Admission sub-step latency histogram in seconds, broken out for each operation and API resource and step type (validate or admit).',
    stability: 'STABLE',
    labels: ['type', 'operation', 'rejected'],
    buckets: BUCKETS,
  })
  readonly #plugins = new HistogramFamily({
    name: 'apiserver_admission_controller_admission_duration_seconds',
    help: 'Admission controller latency histogram in seconds, identified by name and broken out for each operation and API resource and type (validate or admit).',
    stability: 'STABLE',
    labels: ['name', 'type', 'operation', 'rejected'],
    buckets: BUCKETS,
  })

  families(): MetricFamily[] {
    return [this.#steps, this.#plugins]
  }

  /** Metric of all plugins of a step together. */
  step(step: AdmissionStep): StepTimer {
    return timer((operation, rejected) => this.#steps.child(step, operation, rejected))
  }

  plugin(name: string, step: AdmissionStep): StepTimer {
    return timer((operation, rejected) => this.#plugins.child(name, step, operation, rejected))
  }
}

/** Caches children per operation: a create observes about twenty of them. */
function timer(childOf: (operation: Operation, rejected: string) => HistogramChild): StepTimer {
  const admitted = new Map<Operation, HistogramChild>()
  const rejected = new Map<Operation, HistogramChild>()
  return {
    ended(operation, isRejected, begun) {
      const children = isRejected ? rejected : admitted
      let child = children.get(operation)
      if (child === undefined) {
        child = childOf(operation, String(isRejected))
        children.set(operation, child)
      }
      child.observe((performance.now() - begun) / 1000)
    },
  }
}
