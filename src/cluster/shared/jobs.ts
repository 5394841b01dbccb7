import type { Job, JobCondition } from '../../api/batch/v1.types.ts'

/** Returns the condition with which a job has ended: Complete or Failed. Undefined if it has not ended. */
export const finishedCondition = ({ status: { conditions = [] } }: Job): JobCondition | undefined =>
  conditions.find(({ type, status }) => (type === 'Complete' || type === 'Failed') && status === 'True')
