import type { Job, JobCondition, PodFailurePolicy, SuccessPolicyRule } from '../../../src/api/batch/v1.types.ts'
import type { Pod } from '../../../src/api/core/v1.types.ts'
import { NO_FAILURES, remainingBackoff } from '../../../src/cluster/controllers/job/backoff.ts'
import { failureCondition, finalCondition, jobCondition } from '../../../src/cluster/controllers/job/conditions.ts'
import { jobContext } from '../../../src/cluster/controllers/job/context.ts'
import { matchFailurePolicy } from '../../../src/cluster/controllers/job/failure-policy.ts'
import { formatIndexes, type Indexes, indexesOf, mergeIndexes } from '../../../src/cluster/controllers/job/intervals.ts'
import { indexFailures } from '../../../src/cluster/controllers/job/job-pods.ts'
import {
  delayedPods,
  failedIndexes,
  isIndexFailed,
  nextIndexFailures,
  pendingIndexes,
  succeededIndexes,
} from '../../../src/cluster/controllers/job/per-index.ts'
import { indexedPrefix } from '../../../src/cluster/controllers/job/pod-template.ts'
import { duplicatePods } from '../../../src/cluster/controllers/job/removal.ts'
import type { JobRules } from '../../../src/cluster/controllers/job/rules.ts'
import { matchSuccessPolicy } from '../../../src/cluster/controllers/job/success-policy.ts'
import { formatTime } from '../../../src/meta/time.ts'
import { INDEX, indexedPods, jobOf, many, NOW, ON, type PodFacts, podOf, runPass } from '../../support/job-passes.ts'

type Conditions = readonly Pick<JobCondition, 'type' | 'status' | 'reason' | 'message'>[]

/** Conditions as the tables have them. */
const shown = (conditions: Conditions = [], hasReasons = true): Conditions =>
  conditions.map(({ type, status, reason, message }) =>
    hasReasons ? { type, status, ...(reason && { reason }), ...(message && { message }) } : { type, status },
  )

interface SyncIn {
  readonly parallelism: number
  readonly completions: number
  readonly backoffLimit?: number
  readonly completionMode?: 'Indexed'
  readonly suspend?: boolean
  readonly deleting?: boolean
  readonly podReplacementPolicy?: 'Failed'
  readonly jobPodReplacementPolicy?: boolean
  readonly jobManagedBy?: boolean
  readonly pendingPods?: number
  readonly activePods?: number
  readonly readyPods?: number
  readonly succeededPods?: number
  readonly failedPods?: number
  readonly terminatingPods?: number
  readonly podsWithIndexes?: readonly (readonly [string, string])[]
}

const rulesOf = (replacement = false, managedBy = false): JobRules => ({
  ...ON,
  podReplacementPolicy: replacement,
  managedBy,
  delaysTerminalCondition: replacement || managedBy,
  explainsSuccess: replacement || managedBy,
})

async function sync(given: SyncIn): Promise<object> {
  const { parallelism, completions, completionMode, suspend, podReplacementPolicy } = given
  const rules = rulesOf(given.jobPodReplacementPolicy, given.jobManagedBy)
  const job = jobOf({
    parallelism,
    ...(completions >= 0 && { completions }),
    backoffLimit: given.backoffLimit ?? 0,
    ...(completionMode && { completionMode }),
    ...(suspend !== undefined && { suspend }),
    ...(podReplacementPolicy && { podReplacementPolicy }),
  })
  if (given.deleting) job.metadata.deletionTimestamp = formatTime(NOW)
  const active = many(given.activePods, { phase: 'Running' })
  for (const pod of active.slice(0, given.readyPods ?? 0))
    pod.status.conditions = [{ type: 'Ready', status: 'True', lastProbeTime: null, lastTransitionTime: null }]
  const pods = [
    ...many(given.pendingPods, { phase: 'Pending' }),
    ...active,
    ...many(given.succeededPods, { phase: 'Succeeded' }),
    ...many(given.failedPods, { phase: 'Failed' }),
    ...many(given.terminatingPods, { phase: 'Running', terminating: true }),
    ...indexedPods(given.podsWithIndexes ?? []),
  ]
  const { creations, deletions, indexes, patches, status } = await runPass(job, pods, rules)
  return {
    expectedCreations: creations,
    expectedDeletions: deletions,
    expectedCreatedIndexes: indexes,
    expectedPodPatches: patches,
    expectedActive: status.active ?? 0,
    expectedReady: status.ready,
    expectedTerminating: status.terminating,
    expectedSucceeded: status.succeeded ?? 0,
    expectedFailed: status.failed ?? 0,
    expectedCompletedIdxs: status.completedIndexes,
    expectedConditions: shown(status.conditions),
  }
}

interface DeadlineIn extends SyncIn {
  readonly activeDeadlineSeconds: number
  readonly startTime: number
  readonly enableJobPodReplacementPolicy?: boolean
  readonly enableJobManagedBy?: boolean
}

async function deadline(given: DeadlineIn): Promise<object> {
  const {
    parallelism,
    completions,
    backoffLimit = 0,
    activeDeadlineSeconds,
    startTime,
    activePods,
    succeededPods,
    failedPods,
    suspend,
  } = given
  const rules = rulesOf(given.enableJobPodReplacementPolicy, given.enableJobManagedBy)
  const job = jobOf(
    { parallelism, completions, backoffLimit, activeDeadlineSeconds, ...(suspend !== undefined && { suspend }) },
    { startTime: formatTime(NOW - startTime * 1000) },
  )
  const pods = [
    ...many(activePods, { phase: 'Running' }),
    ...many(succeededPods, { phase: 'Succeeded' }),
    ...many(failedPods, { phase: 'Failed' }),
  ]
  const { deletions, status } = await runPass(job, pods, rules)
  return {
    expectedDeletions: deletions,
    expectedActive: status.active ?? 0,
    expectedSucceeded: status.succeeded ?? 0,
    expectedFailed: status.failed ?? 0,
    expectedConditions: shown(status.conditions),
  }
}

interface RestartsIn {
  readonly parallelism: number
  readonly completions: number
  readonly backoffLimit: number
  readonly suspend: boolean
  readonly restartCounts: readonly number[]
  readonly podPhase: string
  readonly enableJobManagedBy?: boolean
  readonly enableJobPodReplacementPolicy?: boolean
}

async function restarts(given: RestartsIn): Promise<object> {
  const { parallelism, completions, backoffLimit, suspend, restartCounts, podPhase } = given
  const job = jobOf({ parallelism, completions, backoffLimit, suspend })
  job.spec.template.spec.restartPolicy = 'OnFailure'
  const pods = restartCounts.map(restartCount => {
    const pod = podOf({ phase: podPhase, finalizer: true })
    pod.status.containerStatuses = [{ name: 'c', restartCount, state: {}, lastState: {}, ready: false, image: '', imageID: '' }]
    return pod
  })
  const { status } = await runPass(job, pods, rulesOf(given.enableJobPodReplacementPolicy, given.enableJobManagedBy))
  return {
    expectedActive: status.active ?? 0,
    expectedSucceeded: status.succeeded ?? 0,
    expectedFailed: status.failed ?? 0,
    expectedConditions: shown(status.conditions),
  }
}

interface NeverIn {
  readonly parallelism: number
  readonly completions: number
  readonly backoffLimit: number
  readonly activePodsPhase: string
  readonly activePods: number
  readonly failedPods: number
}

async function never({ parallelism, completions, backoffLimit, activePodsPhase, activePods, failedPods }: NeverIn): Promise<object> {
  const job = jobOf({ parallelism, completions, backoffLimit })
  job.spec.template.spec.restartPolicy = 'Never'
  const { status } = await runPass(
    job,
    [...many(failedPods, { phase: 'Failed' }), ...many(activePods, { phase: activePodsPhase })],
    rulesOf(),
  )
  return {
    expectedActive: status.active ?? 0,
    expectedSucceeded: status.succeeded ?? 0,
    expectedFailed: status.failed ?? 0,
    expectedConditions: shown(status.conditions),
  }
}

function failurePolicy(given: { podFailurePolicy: PodFailurePolicy; pod: Pod; enableJobBackoffLimitPerIndex?: boolean }): object {
  const { action, counts, failJobMessage } = matchFailurePolicy(
    given.podFailurePolicy,
    withStates(given.pod),
    given.enableJobBackoffLimitPerIndex ?? false,
  )
  return { failJobMessage, countsAsFailure: counts, action }
}

/** A pod as decoded: every container status has a state. */
function withStates(pod: Pod): Pod {
  const filled = (pod.status.containerStatuses ?? []).map(status => ({ ...status, state: status.state ?? {} }))
  return { ...pod, status: { ...pod.status, containerStatuses: filled } }
}

const intervals = (pairs: readonly (readonly [number, number])[] | object): Indexes =>
  Array.isArray(pairs) ? pairs.map(([first, last]) => ({ first, last })) : []
const pairs = (indexes: Indexes): number[][] => indexes.map(({ first, last }) => [first, last])

function successPolicy(given: { completions: number; succeeded: [number, number][]; rules: SuccessPolicyRule[] }): object {
  const message = matchSuccessPolicy({ rules: given.rules }, given.completions, intervals(given.succeeded))
  return { met: message !== undefined, message: message ?? '' }
}

type IndexSpec = Pick<Partial<IndexIn>, 'completions' | 'backoffLimitPerIndex' | 'podFailurePolicy'>

interface IndexIn {
  readonly completions: number
  readonly backoffLimitPerIndex?: number
  readonly previous?: string
  readonly podFailurePolicy?: PodFailurePolicy
  readonly pods: readonly PodFacts[]
  readonly pod: PodFacts
  readonly finalizersBeingRemoved?: readonly string[]
}

const indexJob = ({ completions, backoffLimitPerIndex, podFailurePolicy }: IndexSpec, status: Job['status'] = {}): Job =>
  jobOf(
    {
      completionMode: 'Indexed',
      ...(completions !== undefined && { completions }),
      ...(backoffLimitPerIndex !== undefined && { backoffLimitPerIndex }),
      ...(podFailurePolicy && { podFailurePolicy }),
    },
    status,
  )

function delayed(given: IndexIn): string[] {
  const pods = given.pods.map(podOf)
  const job = indexJob(given)
  const context = jobContext({
    job,
    pods,
    rules: ON,
    now: NOW,
    isSatisfied: true,
    beingReleased: new Set(given.finalizersBeingRemoved),
    backoff: NO_FAILURES,
  })
  const held = delayedPods(context, succeededIndexes(context).current, failedIndexes(context))
  return [...held.values()].map(({ metadata }) => metadata.uid ?? '')
}

const FAILURES: Readonly<Record<string, readonly [string, string]>> = {
  'backoffLimit exceeded': ['BackoffLimitExceeded', 'Job has reached the specified backoff limit'],
  'all indexes finished, some failed': ['FailedIndexes', 'Job has failed indexes'],
  'activeDeadlineSeconds exceeded': ['DeadlineExceeded', 'Job was active longer than specified deadline'],
  'maxFailedIndexes exceeded': ['MaxFailedIndexesExceeded', 'Job has exceeded the specified maximal number of failed indexes'],
}

/** Functions of the tables, or the reason why a table has none. */
export const TABLES: Readonly<Record<string, ((given: never) => unknown) | string>> = {
  sync,
  deadline,
  'backoff-on-failure': restarts,
  'backoff-never': never,
  'pod-failure-policy': failurePolicy,
  'success-policy': successPolicy,
  'succeeded-indexes'(given: { completions: number; previous: string; pods: [string, string][] }) {
    const { current } = succeededIndexes({ job: indexJob(given, { completedIndexes: given.previous }), pods: indexedPods(given.pods) })
    return { text: formatIndexes(current), intervals: pairs(current) }
  },
  'index-text': (given: number[]) => formatIndexes(mergeIndexes([], indexesOf(given))),
  'first-pending-indexes'(given: {
    activePods?: [string, string][]
    succeededIndexes?: [number, number][]
    cnt: number
    completions: number
  }) {
    const input = { job: indexJob(given), active: indexedPods(given.activePods ?? []), terminating: [], rules: ON }
    return pendingIndexes(input, { succeeded: intervals(given.succeededIndexes ?? []) }, given.cnt)
  },
  'duplicate-indexes'(given: { completions: number; pods: [string, string][] }) {
    const { remove, keep } = duplicatePods(indexedPods(given.pods), given.completions)
    const listed = (pods: readonly Pod[]): string[][] =>
      pods.map(({ metadata, status }) => [metadata.annotations?.[INDEX] ?? '-', status.phase ?? ''])
    return { remove: listed(remove), keep: listed(keep) }
  },
  'indexed-pod-name': (given: { job: string; index: number }) => indexedPrefix(given.job, given.index),
  backoff: (failures: number) => remainingBackoff({ failures, lastFailure: NOW }, NOW) / 1000,
  'remaining-backoff': (given: { failures: number; lastFailureAt: number; now: number; base: number; max: number }) =>
    remainingBackoff(
      { failures: given.failures, lastFailure: given.lastFailureAt * 1000 },
      given.now * 1000,
      given.base * 1000,
      given.max * 1000,
    ) / 1000,
  'index-failed': (given: IndexIn) => isIndexFailed(indexJob(given), podOf(given.pod), ON),
  'failed-indexes': (given: IndexIn) =>
    pairs(
      failedIndexes({
        job: indexJob(given, given.previous === undefined ? {} : { failedIndexes: given.previous }),
        pods: given.pods.map(podOf),
        rules: ON,
      }),
    ),
  'delayed-finalizer': delayed,
  'next-failure-count'(given: IndexIn) {
    const { failures, ignored } = nextIndexFailures(indexJob(given), given.pod && podOf(given.pod), ON)
    return { wantNewIndexFailureCount: failures, wantNewIndexIgnoredFailureCount: ignored }
  },
  'failure-count': (given: { pod: PodFacts }) => indexFailures(podOf(given.pod)),
  'new-finished-pods'(given: { status: Job['status']; pods: PodFacts[]; finalizersBeingRemoved?: string[] }) {
    const beingReleased = new Set(given.finalizersBeingRemoved)
    const context = jobContext({
      job: jobOf({}, given.status),
      pods: given.pods.map(podOf),
      rules: rulesOf(),
      now: NOW,
      isSatisfied: true,
      beingReleased,
      backoff: NO_FAILURES,
    })
    return { succeeded: context.succeeded, failed: context.failed }
  },
  'terminal-conditions'(given: string) {
    const [reason, message] = FAILURES[given] ?? ['SuccessPolicy', 'Matched rules at index <i>']
    const first = FAILURES[given]
      ? failureCondition(reason, message, ON, NOW)
      : jobCondition('SuccessCriteriaMet', 'True', reason, message, NOW)
    const [[a], [b]] = [shown([first]), shown([finalCondition(first, NOW)])]
    return {
      first: a,
      last: b,
      event: FAILURES[given] ? { type: 'Warning', reason, message } : { type: 'Normal', reason: 'Completed', message: 'Job completed' },
    }
  },
  events: 'the entries have no input; the scenarios cover the events',
}
