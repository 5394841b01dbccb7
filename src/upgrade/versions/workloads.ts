import { isJsonObject, type JsonObject, type KubeObject } from '../../api/meta/object.ts'
import { clone } from '../../meta/equal.ts'
import { objectAt } from '../../meta/json-members.ts'
import type { OldVersion } from './old-version.ts'

const MAX_INT32 = 2147483647

/** Returns spec and pod template of a complete workload. A patch, which has no containers, gets no defaults. */
function wholeSpec({ spec }: KubeObject): { readonly spec: JsonObject; readonly template: JsonObject } | undefined {
  if (!isJsonObject(spec) || !isJsonObject(spec.template)) return undefined
  const { template } = spec
  return isJsonObject(template.spec) && Array.isArray(template.spec.containers) ? { spec, template } : undefined
}

/** Sets the selector, and missing labels, to the labels of the pod template. */
function setLabels(object: KubeObject): void {
  const whole = wholeSpec(object)
  const labels = whole && isJsonObject(whole.template.metadata) ? whole.template.metadata.labels : undefined
  if (whole === undefined || !isJsonObject(labels)) return
  whole.spec.selector ??= { matchLabels: clone(labels) }
  if (Object.keys(object.metadata.labels ?? {}).length === 0) object.metadata.labels = labelTexts(labels)
}

const labelTexts = (labels: JsonObject): Record<string, string> =>
  Object.fromEntries(Object.entries(labels).map(([key, value]) => [key, String(value)]))

function setUpdateStrategy(object: KubeObject, type: string): void {
  const whole = wholeSpec(object)
  if (whole) objectAt(whole.spec, 'updateStrategy').type ??= type
}

/** Defaults of a Deployment in extensions/v1beta1 or apps/v1beta1. */
interface DeploymentDefaults {
  readonly unavailable: number | string
  readonly revisionHistoryLimit: number
  readonly progressDeadlineSeconds: number
}

const setDeploymentDefaults =
  (defaults: DeploymentDefaults) =>
  (object: KubeObject): void => {
    setLabels(object)
    const spec = wholeSpec(object)?.spec
    if (spec === undefined) return
    const strategy = objectAt(spec, 'strategy')
    strategy.type ??= 'RollingUpdate'
    if (strategy.type === 'RollingUpdate' || isJsonObject(strategy.rollingUpdate)) {
      const rolling = objectAt(strategy, 'rollingUpdate')
      rolling.maxUnavailable ??= defaults.unavailable
      rolling.maxSurge ??= defaults.unavailable
    }
    spec.revisionHistoryLimit ??= defaults.revisionHistoryLimit
    spec.progressDeadlineSeconds ??= defaults.progressDeadlineSeconds
  }

/** Removes `rollbackTo`, which was a request, and `templateGeneration`, which was a counter: apps/v1 has neither. */
function withoutRequests(object: KubeObject): KubeObject {
  if (!isJsonObject(object.spec)) return object
  delete object.spec.rollbackTo
  delete object.spec.templateGeneration
  return object
}

const into = (resource: string): OldVersion['into'] => ({ group: 'apps', resource })
const DEPLOYMENTS = into('deployments')
const DAEMON_SETS = into('daemonsets')
const REPLICA_SETS = into('replicasets')
const STATEFUL_SETS = into('statefulsets')

const extensions = { group: 'extensions', name: 'v1beta1' }
const apps1 = { group: 'apps', name: 'v1beta1' }
const apps2 = { group: 'apps', name: 'v1beta2' }

/**
 * Workloads of releases up to 1.15. Defaults that differ from apps/v1, of pkg/apis/extensions/v1beta1/defaults.go and
 * pkg/apis/apps/v1beta1/defaults.go: selector and labels, which come from the pod template; update strategies, maxSurge
 * and maxUnavailable; revisionHistoryLimit and progressDeadlineSeconds. apps/v1beta2 has those of apps/v1.
 */
export const OLD_WORKLOADS: readonly OldVersion[] = [
  {
    ...extensions,
    kind: 'Deployment',
    type: 'extensionsV1beta1.Deployment',
    into: DEPLOYMENTS,
    setDefaults: setDeploymentDefaults({ unavailable: 1, revisionHistoryLimit: MAX_INT32, progressDeadlineSeconds: MAX_INT32 }),
    toHub: withoutRequests,
  },
  {
    ...apps1,
    kind: 'Deployment',
    type: 'appsV1beta1.Deployment',
    into: DEPLOYMENTS,
    setDefaults: setDeploymentDefaults({ unavailable: '25%', revisionHistoryLimit: 2, progressDeadlineSeconds: 600 }),
    toHub: withoutRequests,
  },
  { ...apps2, kind: 'Deployment', type: 'appsV1beta2.Deployment', into: DEPLOYMENTS },
  {
    ...extensions,
    kind: 'DaemonSet',
    type: 'extensionsV1beta1.DaemonSet',
    into: DAEMON_SETS,
    setDefaults(object) {
      setLabels(object)
      setUpdateStrategy(object, 'OnDelete')
    },
    toHub: withoutRequests,
  },
  { ...apps2, kind: 'DaemonSet', type: 'appsV1beta2.DaemonSet', into: DAEMON_SETS },
  { ...extensions, kind: 'ReplicaSet', type: 'extensionsV1beta1.ReplicaSet', into: REPLICA_SETS, setDefaults: setLabels },
  { ...apps2, kind: 'ReplicaSet', type: 'appsV1beta2.ReplicaSet', into: REPLICA_SETS },
  {
    ...apps1,
    kind: 'StatefulSet',
    type: 'appsV1beta1.StatefulSet',
    into: STATEFUL_SETS,
    setDefaults(object) {
      setLabels(object)
      setUpdateStrategy(object, 'OnDelete')
    },
  },
  { ...apps2, kind: 'StatefulSet', type: 'appsV1beta2.StatefulSet', into: STATEFUL_SETS },
  ...[apps1, apps2].map(version => ({
    ...version,
    kind: 'ControllerRevision',
    type: `appsV1${version.name.slice(2)}.ControllerRevision`,
    into: into('controllerrevisions'),
  })),
]
