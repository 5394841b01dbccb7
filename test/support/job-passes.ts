import type { Job, JobSpec } from '../../src/api/batch/v1.types.ts'
import type { Pod, PodCondition } from '../../src/api/core/v1.types.ts'
import { type BackoffRecord, NO_FAILURES } from '../../src/cluster/controllers/job/backoff.ts'
import type { JobRules } from '../../src/cluster/controllers/job/rules.ts'
import { type JobEffects, syncJob } from '../../src/cluster/controllers/job/sync.ts'
import { formatTime } from '../../src/meta/time.ts'

/** Time of the passes, in milliseconds since the epoch. */
export const NOW = Date.parse('2024-01-01T00:00:00Z')
export const INDEX = 'batch.kubernetes.io/job-completion-index'
const FINALIZER = 'batch.kubernetes.io/job-tracking'

/** Rules with every gate on. */
export const ON: JobRules = {
  podReplacementPolicy: true,
  managedBy: true,
  backoffLimitPerIndex: true,
  successPolicy: true,
  podIndexLabel: true,
  sidecarContainers: true,
  explainsSuccess: true,
  delaysTerminalCondition: true,
  clearsStartTime: false,
}

/** Facts of a pod of a job. */
export interface PodFacts {
  readonly uid?: string
  readonly phase?: string
  readonly index?: string
  readonly indexFailureCount?: string
  readonly finalizer?: boolean
  readonly terminating?: boolean
  readonly exitCode?: number
  readonly condition?: { readonly type: string; readonly status: string }
}

let count = 0

export function podOf({
  uid = `u${count++}`,
  phase,
  index,
  indexFailureCount,
  finalizer,
  terminating,
  exitCode,
  condition,
}: PodFacts): Pod {
  const annotations = {
    ...(index !== undefined && index !== '-' && { [INDEX]: index }),
    ...(indexFailureCount !== undefined && { 'batch.kubernetes.io/job-index-failure-count': indexFailureCount }),
  }
  const pod: unknown = {
    kind: 'Pod',
    apiVersion: 'v1',
    metadata: {
      name: uid,
      namespace: 'default',
      uid,
      annotations,
      creationTimestamp: formatTime(NOW - 3_600_000),
      ...(finalizer && { finalizers: [FINALIZER] }),
      ...(terminating && { deletionTimestamp: formatTime(NOW) }),
    },
    spec: { containers: [] },
    status: {
      ...(phase && { phase: phase as 'Failed' }),
      ...(condition && { conditions: [condition as PodCondition] }),
      ...(exitCode !== undefined && { containerStatuses: [{ name: 'c', state: { terminated: { exitCode } } }] }),
    },
  }
  // Tests give only the fields that matter.
  return pod as Pod
}

/** Pods by completion index and phase. */
export const indexedPods = (list: readonly (readonly [string, string])[], finalizer = true): Pod[] =>
  list.map(([index, phase]) => podOf({ index, phase, finalizer }))

/** Equal pods with the finalizer. */
export const many = (n: number | undefined, pod: PodFacts): Pod[] =>
  Array.from({ length: n ?? 0 }, () => podOf({ ...pod, finalizer: true }))

export function jobOf(spec: Partial<JobSpec>, status: Job['status'] = {}): Job {
  return {
    kind: 'Job',
    apiVersion: 'batch/v1',
    metadata: { name: 'foobar', namespace: 'default', uid: 'job', generation: 1 },
    spec: { template: { metadata: {}, spec: { containers: [] } }, backoffLimit: 6, parallelism: 1, ...spec } as JobSpec,
    status,
  }
}

/** Requests, events and status of one pass over a job. */
export interface Counted {
  creations: number
  deletions: number
  indexes: number[]
  patches: number
  status: Job['status']
  events: string[]
  /** Milliseconds after which the job is looked at again. */
  checks: number[]
}

/** Runs one pass with effects that succeed, and returns what it did. */
export async function runPass(job: Job, pods: readonly Pod[], rules: JobRules, backoff: BackoffRecord = NO_FAILURES): Promise<Counted> {
  const counted: Counted = { creations: 0, deletions: 0, indexes: [], patches: 0, status: job.status, events: [], checks: [] }
  const effects: JobEffects = {
    async create(indexes) {
      counted.creations += indexes.length
      counted.indexes.push(...indexes.filter(index => index !== undefined))
      return { done: indexes.length, ready: 0, error: undefined }
    },
    async remove(gone, releases) {
      counted.deletions += gone.length
      if (releases) counted.patches += gone.length
      return {
        done: gone.length,
        ready: gone.filter(pod => pod.status.conditions?.some(c => c.type === 'Ready' && c.status === 'True')).length,
        error: undefined,
      }
    },
    async release(released) {
      counted.patches += released.length
      return { released: new Set(released.map(({ metadata }) => metadata.uid ?? '')), error: undefined }
    },
    async write(next) {
      counted.status = next.status
      return next
    },
    record(type, reason, message) {
      counted.events.push(`${type} ${reason} ${message}`)
    },
    checkAfter(milliseconds) {
      counted.checks.push(milliseconds)
    },
    keepBackoff() {},
  }
  await syncJob({ job, pods, rules, now: NOW, isSatisfied: true, beingReleased: new Set(), backoff }, effects)
  return counted
}
