import type { StatefulSet } from '../../../../../src/api/apps/v1.types.ts'
import type { Pod } from '../../../../../src/api/core/v1.types.ts'
import { REVISION_LABEL } from '../../../../../src/cluster/shared/revision-history.ts'
import { formatTime } from '../../../../../src/meta/time.ts'

export const NOW = Date.parse('2030-01-01T00:00:00Z')
const TEMPLATE = { metadata: { labels: { app: 'web' } }, spec: { containers: [] } }
/** Revisions of a set in an update. */
export const REVISIONS = { current: { name: 'web-old', template: TEMPLATE }, update: { name: 'web-new', template: TEMPLATE } }

export const statefulSet = (spec: Partial<StatefulSet['spec']> = {}): StatefulSet => ({
  kind: 'StatefulSet',
  apiVersion: 'apps/v1',
  metadata: { name: 'web', namespace: 'default', uid: 'set', generation: 3 },
  spec: {
    replicas: 3,
    selector: { matchLabels: { app: 'web' } },
    template: TEMPLATE,
    serviceName: 'web',
    updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } },
    ...spec,
  },
  status: { replicas: 0, availableReplicas: 0 },
})

/** A pod of the set. @param readySeconds time since it became ready. Undefined if it is not ready. */
export function podOf(
  ordinal: number,
  {
    phase = 'Running',
    readySeconds,
    revision = 'web-old',
    deleted = false,
  }: { phase?: Pod['status']['phase']; readySeconds?: number; revision?: string; deleted?: boolean } = {},
): Pod {
  const name = `web-${ordinal}`
  const lastTransitionTime = formatTime(NOW - (readySeconds ?? 0) * 1000)
  return {
    kind: 'Pod',
    apiVersion: 'v1',
    metadata: {
      name,
      namespace: 'default',
      uid: name,
      labels: { [REVISION_LABEL]: revision, 'statefulset.kubernetes.io/pod-name': name },
      ...(deleted && { deletionTimestamp: formatTime(NOW) }),
    },
    spec: { containers: [] },
    status: {
      phase,
      conditions: [{ type: 'Ready', status: readySeconds === undefined ? 'False' : 'True', lastProbeTime: null, lastTransitionTime }],
    },
  }
}
