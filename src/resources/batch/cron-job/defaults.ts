import type { CronJob } from '../../../api/batch/v1.types.ts'
import type { Steps } from '../../../lib/steps.ts'
import { defaultNestedJobSpec } from '../job/defaults.ts'

/**
 * Sets defaults: a history of three successful jobs and one failed job. Source: pkg/apis/batch/v1/defaults.go in
 * k8s.io/kubernetes.
 */
export function setCronJobDefaults({ spec }: CronJob): Steps<void> | undefined {
  if (!spec.concurrencyPolicy) spec.concurrencyPolicy = 'Allow'
  spec.suspend ??= false
  spec.successfulJobsHistoryLimit ??= 3
  spec.failedJobsHistoryLimit ??= 1
  return defaultNestedJobSpec(spec.jobTemplate.spec)
}
