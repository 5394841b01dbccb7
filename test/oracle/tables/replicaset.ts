import type { Pod } from '../../../src/api/core/v1.types.ts'
import { countPods, statusOf } from '../../../src/cluster/controllers/replicaset/status.ts'
import { compareVictims, victimOf } from '../../../src/cluster/controllers/replicaset/victims.ts'
import { claimFor } from '../../../src/cluster/shared/adoption.ts'
import { inBatches } from '../../../src/cluster/shared/in-batches.ts'
import { createdPodEvent, deletedPodEvent, failedCreateEvent, failedDeleteEvent } from '../../../src/cluster/shared/pod-control.ts'
import { isPodActive } from '../../../src/cluster/shared/pods.ts'
import { runAtOnce } from '../../../src/lib/steps.ts'
import { formatTime } from '../../../src/meta/time.ts'
import { oneOf } from '../one-of.ts'

const NOW = Date.parse('2030-01-01T00:00:00Z')

interface VictimIn {
  readonly node?: string
  readonly phase?: NonNullable<Pod['status']['phase']>
  readonly ready?: boolean
  readonly readyForSeconds?: number
  readonly deletionCost?: number | string
  readonly rank?: number
  readonly restarts?: number
  readonly ageSeconds?: number
  readonly uid?: string
}

function victim({
  node,
  phase = 'Running',
  ready = false,
  readyForSeconds = 0,
  deletionCost,
  restarts = 0,
  ageSeconds = 0,
  uid = 'u',
}: VictimIn): Pod {
  const cost = deletionCost === undefined ? {} : { annotations: { 'controller.kubernetes.io/pod-deletion-cost': String(deletionCost) } }
  const since = formatTime(NOW - readyForSeconds * 1000)
  return {
    kind: 'Pod',
    apiVersion: 'v1',
    metadata: { name: uid, uid, creationTimestamp: formatTime(NOW - ageSeconds * 1000), ...cost },
    spec: { containers: [], ...(node !== undefined && { nodeName: node }) },
    status: {
      phase,
      conditions: [{ type: 'Ready', status: ready ? 'True' : 'False', lastProbeTime: null, lastTransitionTime: since }],
      containerStatuses: [{ name: 'c', state: {}, lastState: {}, ready, restartCount: restarts, image: '', imageID: '' }],
    },
  }
}

interface ClaimIn {
  readonly owner: string | null
  readonly matches: boolean
  readonly podDeleting?: boolean
  readonly controllerDeleting?: boolean
  readonly phase?: NonNullable<Pod['status']['phase']>
}

function claim({ owner, matches, podDeleting = false, controllerDeleting = false, phase = 'Running' }: ClaimIn): string {
  const pod = victim({ phase })
  if (owner !== null)
    pod.metadata.ownerReferences = [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'rs', uid: owner, controller: true }]
  if (podDeleting) pod.metadata.deletionTimestamp = formatTime(NOW)
  // A set looks at active pods alone.
  if (!isPodActive(pod)) return 'ignore'
  return claimFor({ controllerUid: 'me', isControllerDeleted: controllerDeleting, matches, object: pod })
}

interface StatusIn {
  readonly replicas: number
  readonly pods: readonly ('ready' | 'notready' | 'failed')[]
}

function status({ replicas, pods: states }: StatusIn): unknown {
  const made = states.map(each => victim({ ready: each === 'ready', phase: each === 'failed' ? 'Failed' : 'Running', readyForSeconds: 10 }))
  const pods = made.filter(isPodActive)
  return statusOf({
    old: { replicas: 0 },
    replicas,
    counts: runAtOnce(countPods(pods, { labels: {}, minReadySeconds: 0, now: NOW })),
    terminating: undefined,
    failure: undefined,
    generation: 1,
    now: NOW,
  })
}

async function slowStart({ count, callLimit }: { count: number; callLimit: number }): Promise<unknown> {
  let calls = 0
  const { successes } = await inBatches(count, async () => {
    if (++calls > callLimit) throw new Error('beyond the limit')
  })
  return { successes, calls }
}

/** By the name of a table its function, or the reason why it has none. */
export const TABLES = {
  'delete-order': ({ a, b }: { a: VictimIn; b: VictimIn }) =>
    compareVictims(victimOf(victim(a), a.rank ?? 0), victimOf(victim(b), b.rank ?? 0), NOW) < 0,
  'slow-start': slowStart,
  claim,
  status,
  events: () => oneOf([createdPodEvent('<pod>'), deletedPodEvent('<pod>'), failedCreateEvent('<error>'), failedDeleteEvent('<error>')]),
}
