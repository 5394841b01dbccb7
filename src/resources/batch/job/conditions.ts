import type { JobStatus } from '../v1.types.ts'

/** Whether the status of a job has the condition, and it holds. */
export const isTrue = ({ conditions = [] }: JobStatus, type: string): boolean =>
  conditions.some(condition => condition.type === type && condition.status === 'True')
