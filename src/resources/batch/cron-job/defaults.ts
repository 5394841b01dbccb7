import type { KubeObject } from '../../../meta/object.ts'
import { defaultNestedJobSpec } from '../job/defaults.ts'

export function setCronJobDefaults({ spec }: KubeObject): void {
  if (!spec.concurrencyPolicy) spec.concurrencyPolicy = 'Allow'
  spec.suspend ??= false
  spec.successfulJobsHistoryLimit ??= 3
  spec.failedJobsHistoryLimit ??= 1
  defaultNestedJobSpec(spec.jobTemplate.spec)
}
