import type { JobStatus } from '../../../api/batch/v1.types.ts'

/** Reports whether the status of a job has the condition with status True. */
export const hasTrueCondition = ({ conditions = [] }: JobStatus, type: string): boolean =>
  conditions.some(condition => condition.type === type && condition.status === 'True')
