import type { TypePackage } from '../../schema/idl.ts'

/**
 * The types of batch/v1beta1, as earlier releases served them. Objects of such versions are still read and written in every media type, by programs and by a server that
 * emulates a release that has them.
 */
export const olderBatchTypes: readonly TypePackage[] = [
  {
    id: 'batchV1beta1',
    definition: 'io.k8s.api.batch.v1beta1',
    source: `
types CronJob CronJobList CronJobStatus JobTemplateSpec like batch

type CronJobSpec like batch.CronJobSpec
  concurrencyPolicy 3 string?
`,
  },
]
