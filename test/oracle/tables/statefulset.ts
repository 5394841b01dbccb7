import type { StatefulSet } from '../../../src/api/apps/v1.types.ts'
import type { Pod } from '../../../src/api/core/v1.types.ts'
import type { IntOrString } from '../../../src/api/meta/object.ts'
import { claimName, ownersByPolicy } from '../../../src/cluster/controllers/statefulset/claims.ts'
import { claimEvent, conflictEvent, podEvent } from '../../../src/cluster/controllers/statefulset/events.ts'
import { identityOfName, ordinalOf, podName, replicasOf, startOrdinal } from '../../../src/cluster/controllers/statefulset/ordinals.ts'
import { maxUnavailableOf, podsOfSet, podsToReplace, scalePlan } from '../../../src/cluster/controllers/statefulset/plan.ts'
import { statusOf } from '../../../src/cluster/controllers/statefulset/status.ts'
import { REVISION_LABEL } from '../../../src/cluster/shared/revision-history.ts'
import { formatTime } from '../../../src/meta/time.ts'
import { oneOf } from '../one-of.ts'

const NOW = Date.parse('2030-01-01T00:00:00Z')
const RULES = { minReadySeconds: 0, release: '1.33', now: NOW } as const
const CURRENT = 'web-current'
const UPDATE = 'web-update'
const template = { metadata: {}, spec: { containers: [] } }
const REVISIONS = { current: { name: CURRENT, template }, update: { name: UPDATE, template } }
const CLAIMS = { isStale: () => false, isRetained: () => true }

interface SetIn {
  readonly set?: string
  readonly start?: number
  readonly replicas?: number
  readonly policy?: string
  readonly podManagementPolicy?: string
  readonly strategy?: string
  readonly partition?: number
  readonly whenDeleted?: string
  readonly whenScaled?: string
}

function setOf({
  set = 'web',
  start,
  replicas = 0,
  policy,
  podManagementPolicy = policy,
  strategy = 'RollingUpdate',
  partition,
  whenDeleted,
  whenScaled,
}: SetIn): StatefulSet {
  return {
    kind: 'StatefulSet',
    apiVersion: 'apps/v1',
    metadata: { name: set, namespace: 'default', uid: 'set' },
    spec: {
      replicas,
      selector: { matchLabels: { app: set } },
      template,
      serviceName: set,
      ...(podManagementPolicy !== undefined && { podManagementPolicy: podManagementPolicy as 'Parallel' }),
      updateStrategy: {
        type: strategy as 'RollingUpdate',
        ...(strategy === 'RollingUpdate' && { rollingUpdate: { partition: partition ?? 0 } }),
      },
      ...(start !== undefined && { ordinals: { start } }),
      persistentVolumeClaimRetentionPolicy: { whenDeleted: whenDeleted ?? 'Retain', whenScaled: whenScaled ?? 'Retain' },
    },
    status: { replicas: 0, availableReplicas: 0 },
  }
}

const PHASES: Readonly<Record<string, Pod['status']['phase']>> = { pending: 'Pending', failed: 'Failed', succeeded: 'Succeeded' }

/**
 * @param state `ready`, `notready`, `pending`, `failed`, `succeeded`, `terminating`, several of them joined by blanks
 * or dashes.
 */
function podOf(set: StatefulSet, ordinal: number, state: string, revision = CURRENT): Pod {
  const words = state.split(/[ -]/)
  const isReady = words.includes('ready')
  const name = podName(set, ordinal)
  const phase = words.flatMap(word => PHASES[word] ?? [])[0] ?? 'Running'
  return {
    kind: 'Pod',
    apiVersion: 'v1',
    metadata: {
      name,
      uid: name,
      namespace: 'default',
      labels: { [REVISION_LABEL]: revision, 'statefulset.kubernetes.io/pod-name': name },
      ...(words.includes('terminating') && { deletionTimestamp: formatTime(NOW) }),
    },
    spec: { containers: [] },
    status: {
      phase,
      conditions: [
        { type: 'Ready', status: isReady ? 'True' : 'False', lastProbeTime: null, lastTransitionTime: formatTime(NOW - 60_000) },
      ],
    },
  }
}

function orderedScale(input: SetIn & { readonly pods: Readonly<Record<string, string>> }): unknown {
  const set = setOf(input)
  const pods = Object.entries(input.pods).map(([ordinal, state]) => podOf(set, Number(ordinal), state))
  const plan = scalePlan(set, podsOfSet(set, pods, REVISIONS, RULES), CLAIMS, RULES)
  const of = (action: string): number[] =>
    plan.groups
      .flat()
      .flatMap(step => (step.action === action ? ordinalOf(step.pod) : []))
      .sort((a, b) => a - b)
  return { create: of('create'), delete: of('delete') }
}

interface UpdateIn extends SetIn {
  readonly updated: readonly number[]
  readonly unhealthy: readonly number[]
  readonly maxUnavailable?: IntOrString
}

function updateOrder(input: UpdateIn): unknown {
  const set = setOf(input)
  const replicas = Array.from({ length: replicasOf(set) }, (_, i) =>
    podOf(set, startOrdinal(set) + i, input.unhealthy.includes(i) ? 'notready' : 'ready', input.updated.includes(i) ? UPDATE : CURRENT),
  )
  const maxUnavailable = input.maxUnavailable === undefined ? undefined : maxUnavailableOf(input.maxUnavailable, replicasOf(set))
  return podsToReplace(set, replicas, UPDATE, { ...RULES, maxUnavailable }).map(ordinalOf)
}

function statusCounts({ updating, pods, ...input }: SetIn & { readonly updating: boolean; readonly pods: readonly string[] }): unknown {
  const set = setOf(input)
  const made = pods.map((text, ordinal) => podOf(set, ordinal, text, text.startsWith('new') ? UPDATE : CURRENT))
  const update = updating ? UPDATE : CURRENT
  const status = statusOf(set, { pods: made, current: CURRENT, update, collisionCount: 0, replaced: 0 }, RULES)
  const names: Readonly<Record<string, string>> = { [CURRENT]: 'cur', [UPDATE]: 'new' }
  return { ...status, currentRevision: names[status.currentRevision ?? ''], updateRevision: names[status.updateRevision ?? ''] }
}

/** By the name of a table its function, or the reason why it has none. */
export const TABLES = {
  'pod-names': (input: SetIn) => {
    const set = setOf(input)
    return Array.from({ length: replicasOf(set) }, (_, i) => podName(set, startOrdinal(set) + i))
  },
  'parent-and-ordinal': (name: string) => {
    const { parent, ordinal } = identityOfName(name)
    return [parent, ordinal]
  },
  'claim-names': ({ template: of, set, ordinal }: { template: string; set: string; ordinal: number }) => claimName(of, set, ordinal),
  'max-unavailable': ({ maxUnavailable, replicas }: { maxUnavailable: IntOrString; replicas: number }) =>
    maxUnavailableOf(maxUnavailable, replicas),
  'update-order': updateOrder,
  'ordered-scale': orderedScale,
  retention: ({ podIs, ...input }: SetIn & { readonly podIs: string }) => {
    const { set, pod } = ownersByPolicy(setOf(input), podIs === 'in range')
    return { setOwns: set, podOwns: pod }
  },
  revisions: 'texts: test/unit/cluster/shared/revision-history.test.ts has names, hashes and data of kube-controller-manager',
  'status-counts': statusCounts,
  events: () =>
    oneOf([
      ...(['create', 'update', 'delete'] as const).flatMap(verb =>
        [undefined, '<error>'].map(failure => podEvent(verb, '<set>', '<pod>', failure)),
      ),
      ...[undefined, '<error>'].map(failure => claimEvent('<claim>', '<set>', '<pod>', failure)),
      conflictEvent('<claim>'),
    ]),
}
