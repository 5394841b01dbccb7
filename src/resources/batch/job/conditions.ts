import type { ApiStruct } from '../../core/checks.ts'

/** Whether the status of a job has the condition, and it holds. */
export const isTrue = (status: ApiStruct | undefined, type: string): boolean =>
  (status?.conditions ?? []).some((condition: ApiStruct) => condition.type === type && condition.status === 'True')
