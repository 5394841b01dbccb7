import type { DaemonSet } from '../../../../../src/api/apps/v1.types.ts'
import type { Node, Pod, PodSpec, Taint } from '../../../../../src/api/core/v1.types.ts'
import type { PodRules } from '../../../../../src/cluster/controllers/daemonset/placement.ts'
import { affinityToNode } from '../../../../../src/cluster/controllers/daemonset/pod.ts'
import { REVISION_LABEL } from '../../../../../src/cluster/shared/revision-history.ts'
import { formatTime } from '../../../../../src/meta/time.ts'

export const NOW = Date.parse('2030-01-01T00:00:00Z')
export const RULES: PodRules = { hash: 'new', minReadySeconds: 0, now: NOW, isSurging: false }
export const RUNS = { shouldRun: true, shouldContinue: true }

export const daemonSet = (
  spec: Partial<PodSpec> = {},
  updateStrategy: DaemonSet['spec']['updateStrategy'] = { type: 'RollingUpdate' },
): DaemonSet => ({
  kind: 'DaemonSet',
  apiVersion: 'apps/v1',
  metadata: {
    name: 'ds',
    namespace: 'default',
    uid: 'ds',
    generation: 2,
    annotations: { 'deprecated.daemonset.template.generation': '7' },
  },
  spec: {
    selector: { matchLabels: { app: 'ds' } },
    template: { metadata: { labels: { app: 'ds' } }, spec: { containers: [], ...spec } },
    updateStrategy,
  },
  status: { currentNumberScheduled: 0, numberMisscheduled: 0, desiredNumberScheduled: 0, numberReady: 0 },
})

export const nodeOf = (name: string, taints: Taint[] = [], labels: Record<string, string> = {}): Pick<Node, 'metadata' | 'spec'> => ({
  metadata: { name, labels },
  spec: { taints },
})

interface PodIn {
  readonly phase?: NonNullable<Pod['status']['phase']>
  readonly ready?: boolean
  readonly hash?: string
  readonly age?: number
  readonly deleted?: boolean
  readonly bound?: boolean
}

/** A daemon pod of a node. @param age in seconds. */
export const daemonPod = (
  name: string,
  node: string,
  { phase = 'Running', ready = true, hash = 'new', age = 0, deleted = false, bound = true }: PodIn = {},
): Pod => ({
  kind: 'Pod',
  apiVersion: 'v1',
  metadata: {
    name,
    namespace: 'default',
    uid: name,
    labels: { [REVISION_LABEL]: hash },
    creationTimestamp: formatTime(NOW - age * 1000),
    ...(deleted && { deletionTimestamp: formatTime(NOW) }),
  },
  spec: { containers: [], affinity: affinityToNode(undefined, node), ...(bound && { nodeName: node }) },
  status: {
    phase,
    conditions: [{ type: 'Ready', status: ready ? 'True' : 'False', lastProbeTime: null, lastTransitionTime: formatTime(NOW - 60_000) }],
  },
})

export const podNames = (pods: readonly Pod[]): string[] => pods.map(({ metadata: { name = '' } }) => name)
