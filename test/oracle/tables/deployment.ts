import type { Deployment, DeploymentStatus, ReplicaSet } from '../../../src/api/apps/v1.types.ts'
import type { Pod } from '../../../src/api/core/v1.types.ts'
import type { IntOrString } from '../../../src/api/meta/object.ts'
import { hasOldPods } from '../../../src/cluster/controllers/deployment/controller.ts'
import { surplusSets } from '../../../src/cluster/controllers/deployment/replica-sets.ts'
import { isCopied, newSetAnnotations, REVISION, sizeAnnotations } from '../../../src/cluster/controllers/deployment/revisions.ts'
import {
  dropAvailable,
  dropUnavailable,
  fencepostsOf,
  maxUnavailable,
  minAvailable,
  newSetReplicas,
  resizeAll,
  resizeNew,
  resizeOld,
  shareOf,
} from '../../../src/cluster/controllers/deployment/rollout.ts'
import { hasTimedOut, isComplete, isProgress, newCondition, untilDeadline } from '../../../src/cluster/controllers/deployment/status.ts'
import { safeEncode, templateHash } from '../../../src/cluster/shared/template-hash.ts'
import { runAtOnce } from '../../../src/lib/steps.ts'
import { formatTime } from '../../../src/meta/time.ts'

const NOW = Date.parse('2030-01-01T00:00:00Z')
const HISTORY = 'deployment.kubernetes.io/revision-history'
const TEXTS = 'texts: scenarios check them'

interface Given {
  readonly strategy?: 'RollingUpdate' | 'Recreate'
  readonly replicas?: number
  readonly maxSurge?: IntOrString | null
  readonly maxUnavailable?: IntOrString | null
  readonly status?: DeploymentStatus
  readonly spec?: Partial<Deployment['spec']>
}

const deployment = ({ strategy = 'RollingUpdate', replicas = 0, maxSurge, maxUnavailable, status = {}, spec = {} }: Given): Deployment => ({
  kind: 'Deployment',
  apiVersion: 'apps/v1',
  metadata: { name: 'foo', namespace: 'default', generation: 1 },
  spec: {
    replicas,
    selector: {},
    template: { metadata: {}, spec: { containers: [] } },
    strategy: {
      type: strategy,
      rollingUpdate: { ...(maxSurge != null && { maxSurge }), ...(maxUnavailable != null && { maxUnavailable }) },
    },
    ...spec,
  },
  status,
})

interface GivenSet {
  readonly name?: string
  readonly replicas: number
  readonly available?: number
  readonly created?: number
  readonly annotations?: Record<string, string>
  readonly statusReplicas?: number
}

const set = ({ name = 'foo-v', replicas, available = 0, created = 0, annotations, statusReplicas = replicas }: GivenSet): ReplicaSet => ({
  kind: 'ReplicaSet',
  apiVersion: 'apps/v1',
  metadata: { name, uid: name, creationTimestamp: formatTime(NOW + created * 1000), ...(annotations && { annotations }) },
  spec: { replicas, selector: {}, template: { metadata: {}, spec: { containers: [] } } },
  status: { replicas: statusReplicas, availableReplicas: available },
})

const scaled = (before: number, after: number | undefined, expected: string): object =>
  after === undefined || after === before ? { scaleExpected: false } : { scaleExpected: true, [expected]: after }

interface Sizes {
  readonly deploymentReplicas: number
  readonly maxSurge?: number
  readonly maxUnavailable?: number
  readonly oldReplicas: number
  readonly newReplicas: number
  readonly readyPods: number
  readonly readyPodsFromOldRS: number
  readonly readyPodsFromNewRS: number
  readonly maxCleanupCount: number
}

function reconcileNew({ deploymentReplicas, maxSurge = 0, oldReplicas, newReplicas }: Sizes): object {
  const newSet = set({ name: 'foo-v2', replicas: newReplicas })
  const old = set({ replicas: oldReplicas })
  return scaled(
    newReplicas,
    resizeNew(deployment({ replicas: deploymentReplicas, maxSurge }), [old, newSet], newSet)?.replicas,
    'expectedNewReplicas',
  )
}

function reconcileOld({
  deploymentReplicas,
  maxUnavailable: most = 0,
  oldReplicas,
  newReplicas,
  readyPodsFromOldRS,
  readyPodsFromNewRS,
}: Sizes): object {
  const old = set({ replicas: oldReplicas, available: readyPodsFromOldRS })
  const newSet = set({ name: 'foo-v2', replicas: newReplicas, available: readyPodsFromNewRS })
  const resize = resizeOld(deployment({ replicas: deploymentReplicas, maxSurge: 0, maxUnavailable: most }), [old], newSet).at(-1)
  return scaled(oldReplicas, resize?.replicas, 'expectedOldReplicas')
}

function cleanup({ oldReplicas, readyPods, maxCleanupCount }: Sizes): object {
  const [resize] = dropUnavailable([set({ replicas: oldReplicas, available: readyPods })], maxCleanupCount)
  return { cleanupCountExpected: resize ? oldReplicas - resize.replicas : 0 }
}

function scaleDownOld({ deploymentReplicas, maxUnavailable: most = 0, readyPods, oldReplicas }: Sizes): object {
  const old = set({ replicas: oldReplicas, available: readyPods })
  const [resize] = dropAvailable(
    deployment({ replicas: deploymentReplicas, maxSurge: 0, maxUnavailable: most }),
    [old],
    new Map([[old, oldReplicas]]),
  )
  return scaled(oldReplicas, resize?.replicas, 'expectedOldReplicas')
}

function fenceposts({ maxSurge, maxUnavailable: most, desired }: Given & { readonly desired: number }): object {
  try {
    return fencepostsOf(maxSurge ?? undefined, most ?? undefined, desired)
  } catch {
    return { error: true }
  }
}

interface FractionIn extends Given {
  readonly statusReplicas: number
  readonly rsReplicas: number
  readonly maxReplicasAnnotation: string | null
}

function fraction({ statusReplicas, rsReplicas, maxReplicasAnnotation, ...given }: FractionIn): number {
  const annotations = maxReplicasAnnotation === null ? {} : { 'deployment.kubernetes.io/max-replicas': maxReplicasAnnotation }
  return shareOf(set({ replicas: rsReplicas, annotations }), deployment({ ...given, status: { replicas: statusReplicas } }))
}

interface CompleteIn extends Given {
  readonly current: number
  readonly updated: number
  readonly available: number
}

const complete = ({ current, updated, available, ...given }: CompleteIn): boolean =>
  isComplete(deployment(given), { replicas: current, updatedReplicas: updated, availableReplicas: available, observedGeneration: 1 })

interface TimedIn {
  readonly reason: string
  readonly progressDeadlineSeconds: number | null
  readonly secondsSinceLastUpdate: number
}

function timedOut({ reason, progressDeadlineSeconds, secondsSinceLastUpdate }: TimedIn): boolean {
  const spec = progressDeadlineSeconds === null ? {} : { progressDeadlineSeconds }
  const condition = newCondition('Progressing', 'True', reason, '', NOW - secondsSinceLastUpdate * 1000)
  return hasTimedOut(deployment({ spec }), [condition], NOW)
}

interface RequeueIn {
  readonly progressDeadlineSeconds: number
  readonly replicas: number
  readonly status: { readonly replicas: number; readonly updated: number; readonly available: number }
  readonly progressing: string | null
  readonly reason?: string
  readonly secondsSinceLastUpdate: number | null
}

function requeue({ progressDeadlineSeconds, replicas, status, progressing, reason = '', secondsSinceLastUpdate }: RequeueIn): number {
  // Times of conditions are whole seconds, so the clock is moved instead.
  const since = Math.ceil((secondsSinceLastUpdate ?? 0) * 1000)
  const conditions = progressing === null ? [] : [newCondition('Progressing', progressing, reason, '', NOW)]
  const given = deployment({ replicas, spec: { progressDeadlineSeconds }, status: { conditions } })
  const next = { replicas: status.replicas, updatedReplicas: status.updated, availableReplicas: status.available, observedGeneration: 1 }
  const wait = untilDeadline(given, next, NOW + since)
  return wait === undefined ? -1 : Math.floor(wait / 1000)
}

interface ProportionalSet {
  readonly name: string
  readonly replicas: number
  readonly age: number
  readonly available?: number
  readonly desiredAnnotation?: number
}

interface ProportionalIn extends Given {
  readonly wasReplicas: number
  readonly wasMaxSurge: number
  readonly new: ProportionalSet | null
  readonly old: readonly ProportionalSet[]
}

function proportional({ wasReplicas, wasMaxSurge, new: newest, old, ...given }: ProportionalIn): object {
  const made = ({ name, replicas, age, available = replicas, desiredAnnotation = wasReplicas }: ProportionalSet): ReplicaSet =>
    set({ name, replicas, available, created: age, annotations: sizeAnnotations(desiredAnnotation, wasReplicas + wasMaxSurge) })
  const newSet = newest ? made(newest) : undefined
  const olds = old.map(made)
  const sizes = new Map([...olds, ...(newSet ? [newSet] : [])].map(each => [each.metadata.name ?? '', each.spec.replicas ?? 0]))
  for (const { set: each, replicas } of resizeAll(deployment(given), newSet, olds)) sizes.set(each.metadata.name ?? '', replicas)
  return Object.fromEntries(sizes)
}

interface HistoryIn {
  readonly revisionHistoryLimit: number
  readonly old: readonly {
    readonly name: string
    readonly spec?: number
    readonly status?: number
    readonly replicas?: number
    readonly createdAt?: number
    readonly revision?: string
  }[]
}

function surplus({ revisionHistoryLimit, old }: HistoryIn): string[] {
  const sets = old.map(({ name, spec = 0, status = 0, createdAt = 0, revision }) =>
    set({ name, replicas: spec, statusReplicas: status, created: createdAt, ...(revision && { annotations: { [REVISION]: revision } }) }),
  )
  return surplusSets(
    deployment({ spec: { revisionHistoryLimit } }),
    sets.map(each => ({ ...each, metadata: { ...each.metadata, generation: 0 } })),
  ).map(({ metadata }) => metadata.name ?? '')
}

interface RunningIn {
  readonly oldStatusReplicas: readonly number[]
  readonly podPhasesByOldReplicaSet?: Readonly<Record<string, readonly NonNullable<Pod['status']['phase']>[]>>
}

function oldPodsRunning({ oldStatusReplicas, podPhasesByOldReplicaSet = {} }: RunningIn): boolean {
  const counted = oldStatusReplicas.map((statusReplicas, i) => set({ name: `counted-${i}`, replicas: 0, statusReplicas }))
  const withPods = Object.keys(podPhasesByOldReplicaSet).map(name => set({ name, replicas: 0 }))
  const podOf = (phase: NonNullable<Pod['status']['phase']>): Pod => ({
    kind: 'Pod',
    apiVersion: 'v1',
    metadata: {},
    spec: { containers: [] },
    status: { phase },
  })
  return hasOldPods({ newSet: undefined, old: [...counted, ...withPods] }, ({ metadata }) =>
    (podPhasesByOldReplicaSet[metadata.uid ?? ''] ?? []).map(podOf),
  )
}

interface RevisionIn {
  readonly rsRevision: string | null
  readonly newRevision: string
  readonly history: string | null
  readonly limitChars: number
}

function revisionHistory({ rsRevision, newRevision, history, limitChars }: RevisionIn): object {
  const present = { ...(rsRevision !== null && { [REVISION]: rsRevision }), ...(history !== null && { [HISTORY]: history }) }
  const annotations = runAtOnce(newSetAnnotations(deployment({}), present, Number(newRevision), limitChars))
  return { revision: annotations[REVISION], history: annotations[HISTORY] }
}

interface ShapeIn {
  readonly collisionCountA: number | null
  readonly collisionCountB: number | null
  readonly sameTemplate: boolean
}

function hashShape({ collisionCountA, collisionCountB, sameTemplate }: ShapeIn): object {
  const template = { spec: { containers: [{ image: 'a' }] } }
  const other = sameTemplate ? template : { spec: { containers: [{ image: 'b' }] } }
  return { equal: templateHash(template, collisionCountA ?? undefined) === templateHash(other, collisionCountB ?? undefined) }
}

/** By the name of a table its function, or the reason why it has none. */
export const TABLES = {
  'new-rs-replicas': ({ newReplicas, totalReplicas, ...given }: Given & { newReplicas: number; totalReplicas: number }) =>
    newSetReplicas(deployment(given), [set({ replicas: totalReplicas })], newReplicas),
  'reconcile-new': reconcileNew,
  'reconcile-old': reconcileOld,
  'cleanup-unhealthy': cleanup,
  'scale-down-old': scaleDownOld,
  fenceposts,
  'max-unavailable': (given: Given) => maxUnavailable(deployment(given)),
  'min-available': (given: Given) => minAvailable(deployment(given)),
  'scale-fraction': fraction,
  complete,
  progressing: ({ old, new: next }: { old: DeploymentStatus; new: DeploymentStatus }) => isProgress(old, next),
  'timed-out': timedOut,
  requeue,
  'proportional-scale': proportional,
  'history-limit': (input: HistoryIn) => ({ deleted: surplus(input).length }),
  'history-order': surplus,
  'recreate-old-pods-running': oldPodsRunning,
  'revision-history': revisionHistory,
  'not-copied-annotations': isCopied,
  conditions: TEXTS,
  events: TEXTS,
  'hash-encode': (sum: number) => safeEncode(String(sum)),
  'hash-shape': hashShape,
}
