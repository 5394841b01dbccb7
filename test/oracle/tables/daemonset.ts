import type { DaemonSet } from '../../../src/api/apps/v1.types.ts'
import type { Node, Pod, PodSpec, Taint, Toleration } from '../../../src/api/core/v1.types.ts'
import type { IntOrString } from '../../../src/api/meta/object.ts'
import { failedPodEvent, selectsAllEvent, succeededPodEvent } from '../../../src/cluster/controllers/daemonset/events.ts'
import { FailureBackoff } from '../../../src/cluster/controllers/daemonset/failure-backoff.ts'
import { nodeFitOf } from '../../../src/cluster/controllers/daemonset/node-fit.ts'
import { changesOnNode } from '../../../src/cluster/controllers/daemonset/placement.ts'
import { daemonTolerations } from '../../../src/cluster/controllers/daemonset/pod.ts'
import { rolloutLimits } from '../../../src/cluster/controllers/daemonset/rollout.ts'
import { createdPodEvent, deletedPodEvent, failedCreateEvent, failedDeleteEvent } from '../../../src/cluster/shared/pod-control.ts'
import { REVISION_LABEL } from '../../../src/cluster/shared/revision-history.ts'
import { formatTime } from '../../../src/meta/time.ts'
import { oneOf } from '../one-of.ts'

const NOW = Date.parse('2030-01-01T00:00:00Z')
const NEW = 'new'

const setOf = (spec: Partial<PodSpec>, strategy: DaemonSet['spec']['updateStrategy'] = {}): Pick<DaemonSet, 'spec'> => ({
  spec: { selector: null, template: { metadata: {}, spec: { containers: [], ...spec } }, updateStrategy: strategy },
})

interface FitIn {
  readonly nodeName?: string
  readonly nodeSelector?: Record<string, string>
  readonly nodeLabels?: Record<string, string>
  readonly requiredIn?: Readonly<Record<string, string[]>>
  readonly taints?: Taint[]
  readonly tolerations?: Toleration[]
  readonly hostNetwork?: boolean
}

function shouldRun({ nodeName, nodeSelector, nodeLabels, requiredIn, taints, tolerations, hostNetwork }: FitIn): unknown {
  const matchExpressions = Object.entries(requiredIn ?? {}).map(([key, values]) => ({ key, operator: 'In' as const, values }))
  const required = { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions }] } }
  const set = setOf({
    ...(nodeName !== undefined && { nodeName }),
    ...(nodeSelector && { nodeSelector }),
    ...(requiredIn && { affinity: { nodeAffinity: required } }),
    ...(tolerations && { tolerations }),
    ...(hostNetwork !== undefined && { hostNetwork }),
  })
  const node: Pick<Node, 'metadata' | 'spec'> = {
    metadata: { name: 'test-node', ...(nodeLabels && { labels: nodeLabels }) },
    spec: { ...(taints && { taints }) },
  }
  const { shouldRun: runs, shouldContinue } = nodeFitOf(set)(node)
  return { shouldRun: runs, shouldContinueRunning: shouldContinue }
}

/** Reads `NAME:TEMPLATE:STATE:ageN`. */
function podOf(text: string): Pod {
  const [name = '', template = '', state = '', age = 'age0'] = text.split(':')
  const isReady = /^(?:ready|available)/.test(state)
  const phases = { succeeded: 'Succeeded', failed: 'Failed', pending: 'Pending' } as const
  const phase = Object.entries(phases).find(([of]) => state.startsWith(of))?.[1] ?? 'Running'
  return {
    kind: 'Pod',
    apiVersion: 'v1',
    metadata: {
      name,
      uid: name,
      labels: { [REVISION_LABEL]: template },
      creationTimestamp: formatTime(NOW - Number(age.slice(3)) * 1000),
      ...(state.includes('terminating') && { deletionTimestamp: formatTime(NOW) }),
    },
    spec: { containers: [], ...(!state.includes('unbound') && { nodeName: 'n' }) },
    status: {
      phase,
      conditions: [
        { type: 'Ready', status: isReady ? 'True' : 'False', lastProbeTime: null, lastTransitionTime: formatTime(NOW - 60_000) },
      ],
    },
  }
}

interface NodeIn {
  readonly shouldRun: boolean
  readonly shouldContinueRunning?: boolean
  readonly surge: boolean
  readonly pods: readonly string[]
}

function podsOnNode({ shouldRun: runs, shouldContinueRunning = runs, surge, pods }: NodeIn): unknown {
  const rules = { hash: NEW, minReadySeconds: 0, now: NOW, isSurging: surge }
  const present = pods.length === 0 ? undefined : pods.map(podOf)
  const { creates, victims, failed, succeeded } = changesOnNode({ shouldRun: runs, shouldContinue: shouldContinueRunning }, present, rules)
  return { createOnNode: creates, delete: [...failed, ...succeeded, ...victims].map(({ metadata }) => metadata.name) }
}

/** Seconds between the deletion before the n-th and the n-th. */
function failureDelay(n: number): number {
  const backoff = new FailureBackoff()
  let now = NOW
  for (let i = 1; i < n; i++) {
    now += backoff.left('k', now)
    backoff.next('k', now)
  }
  return backoff.left('k', now) / 1000
}

/** By the name of a table its function, or the reason why it has none. */
export const TABLES = {
  'added-tolerations': ({ hostNetwork }: { hostNetwork: boolean }) => oneOf(daemonTolerations({ hostNetwork })),
  'should-run': shouldRun,
  counts: ({ desired, maxSurge, maxUnavailable }: { desired: number; maxSurge: IntOrString | null; maxUnavailable: IntOrString | null }) =>
    rolloutLimits(
      setOf(
        {},
        {
          type: 'RollingUpdate',
          rollingUpdate: { ...(maxSurge !== null && { maxSurge }), ...(maxUnavailable !== null && { maxUnavailable }) },
        },
      ),
      desired,
    ),
  'pods-on-node': podsOnNode,
  events: () => {
    const pod = { metadata: { namespace: '<ns>', name: '<pod>' } }
    return oneOf([
      failedPodEvent(pod, '<node>'),
      succeededPodEvent(pod, '<node>'),
      selectsAllEvent,
      createdPodEvent('<pod>'),
      deletedPodEvent('<pod>'),
      failedCreateEvent('<error>'),
      failedDeleteEvent('<error>'),
    ])
  },
  'failed-pod-backoff': failureDelay,
}
