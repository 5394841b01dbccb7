import { doubled } from '../../lib/buckets.ts'
import { CounterFamily, HistogramFamily, type MetricFamily } from '../../lib/metrics.ts'
import type { EncryptionObserver } from './encryption.ts'

/** Buckets of kube-apiserver, from 5 µs. */
const BUCKETS = doubled(5e-6, 25)

/** Metric families, and the observer that feeds them. */
export interface TransformMetrics {
  readonly families: readonly MetricFamily[]
  readonly observer: EncryptionObserver
  /** Removes the metrics of a resource that no longer exists. */
  forget(resource: string): void
}

/** Creates kube-apiserver's metrics of transformations, by resource, direction and prefix. */
export function transformMetrics(): TransformMetrics {
  const operations = new CounterFamily({
    name: 'apiserver_storage_transformation_operations_total',
    help: 'Transformations of stored values. The status is OK, or unknown-non-grpc for those that failed.',
    stability: 'ALPHA',
    labels: ['resource', 'status', 'transformation_type', 'transformer_prefix'],
    subject: ['resource'],
  })
  const durations = new HistogramFamily({
    name: 'apiserver_storage_transformation_duration_seconds',
    help: 'How long transformations of stored values took that did not fail.',
    stability: 'ALPHA',
    labels: ['transformation_type', 'transformer_prefix'],
    buckets: BUCKETS,
  })
  return {
    families: [operations, durations],
    forget: resource => operations.forget(resource),
    observer: (resource, direction, prefix, seconds, failed) => {
      operations.child(resource, failed ? 'unknown-non-grpc' : 'OK', direction, prefix).value++
      if (!failed) durations.child(direction, prefix).observe(seconds)
    },
  }
}
