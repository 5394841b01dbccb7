import { expect } from 'chai'
import { AttemptReports } from '../../../../src/cluster/scheduler/attempt-reports.ts'
import type { QueuedPod } from '../../../../src/cluster/scheduler/queue.ts'
import type { SchedulerMetrics } from '../../../../src/cluster/scheduler/scheduler-metrics.ts'
import { podOf } from '../../../support/scheduling.ts'

describe('reports of attempts', () => {
  it('count the time until a pod is bound by its attempts, from 15 on together', () => {
    const labels: string[] = []
    const child = (...values: string[]) => {
      labels.push(...values)
      return { value: 0, observe: () => {} }
    }
    const other = { child: () => ({ value: 0, observe: () => {} }) }
    const metrics = { sliSeconds: { child }, podAttempts: other, attempts: other, attemptSeconds: other } as unknown as SchedulerMetrics
    const env = { clock: { now: () => 0 } } as ConstructorParameters<typeof AttemptReports>[0]
    const reports = new AttemptReports(env, { record: () => {} } as unknown as ConstructorParameters<typeof AttemptReports>[1], metrics)
    for (const attempts of [1, 14, 15, 16]) reports.bound({ pod: podOf(), attempts, firstEnteredAt: 0, takenAt: 0 } as QueuedPod, 'n')
    expect(labels).to.deep.equal(['1', '14', '15+', '15+'])
  })
})
