import type { Lifecycle } from '../../lifecycle/kinds.ts'
import { deprecationIn, existsIn, lifecycleOf } from '../../lifecycle/lifecycle.ts'
import { compareReleases, type Release } from '../../lifecycle/release.ts'
import { OLD_ACCESS } from './access.ts'
import { OLD_CLUSTER } from './cluster.ts'
import { OLD_EXTENSIONS } from './extensions-api.ts'
import { OLD_NETWORKING } from './networking.ts'
import type { OldVersion } from './old-version.ts'
import { OLD_WORKLOADS } from './workloads.ts'

/** Versions that were gone before the oldest release that the catalog knows, with what converts them. */
export const OLD_VERSIONS: readonly OldVersion[] = [
  ...OLD_WORKLOADS,
  ...OLD_NETWORKING,
  ...OLD_EXTENSIONS,
  ...OLD_ACCESS,
  ...OLD_CLUSTER,
  { group: 'batch', name: 'v2alpha1', kind: 'CronJob', type: 'batchV1beta1.CronJob', into: { group: 'batch', resource: 'cronjobs' } },
]

/** Kinds that were gone before 1.24 and that the table of releases (`lifecycle/kinds.ts`) does not have, as kube-apiserver served them only on request. By apiVersion and kind. */
const OLDER: Readonly<Record<string, Lifecycle>> = {
  'auditregistration.k8s.io/v1alpha1 AuditSink': { introduced: '1.13', removed: '1.19' },
  'batch/v2alpha1 CronJob': { introduced: '1.5', removed: '1.21', replacement: 'batch/v1 CronJob' },
  'node.k8s.io/v1alpha1 RuntimeClass': { introduced: '1.12', removed: '1.22', replacement: 'node.k8s.io/v1 RuntimeClass' },
  'rbac.authorization.k8s.io/v1alpha1 ClusterRole': {
    introduced: '1.5',
    deprecated: '1.17',
    removed: '1.22',
    replacement: 'rbac.authorization.k8s.io/v1 ClusterRole',
  },
  'rbac.authorization.k8s.io/v1alpha1 ClusterRoleBinding': {
    introduced: '1.5',
    deprecated: '1.17',
    removed: '1.22',
    replacement: 'rbac.authorization.k8s.io/v1 ClusterRoleBinding',
  },
  'rbac.authorization.k8s.io/v1alpha1 Role': { introduced: '1.5', deprecated: '1.17', removed: '1.22', replacement: 'rbac.authorization.k8s.io/v1 Role' },
  'rbac.authorization.k8s.io/v1alpha1 RoleBinding': {
    introduced: '1.5',
    deprecated: '1.17',
    removed: '1.22',
    replacement: 'rbac.authorization.k8s.io/v1 RoleBinding',
  },
  'scheduling.k8s.io/v1alpha1 PriorityClass': { introduced: '1.8', deprecated: '1.14', removed: '1.22', replacement: 'scheduling.k8s.io/v1 PriorityClass' },
  'settings.k8s.io/v1alpha1 PodPreset': { introduced: '1.6', removed: '1.20' },
}

/** A kind by its name in manifests. */
export interface KindName {
  readonly apiVersion: string
  readonly kind: string
}

/** What a release does with a kind of Kubernetes. */
export interface Standing {
  readonly state: 'served' | 'deprecated' | 'removed' | 'not yet'
  readonly life: Lifecycle
  /** The words of kube-apiserver. */
  readonly warning: string
}

/** Undefined for kinds that are not of Kubernetes, or that no table knows. */
export function standingIn(release: Release, { apiVersion, kind }: KindName): Standing | undefined {
  const older = OLDER[`${apiVersion} ${kind}`]
  const life = lifecycleOf(apiVersion, kind) ?? older
  if (life === undefined) return undefined
  if (compareReleases(release, life.introduced) < 0) return { state: 'not yet', life, warning: `${apiVersion} ${kind} comes with v${life.introduced}` }
  const use = life.replacement === undefined ? '' : `; use ${life.replacement}`
  const isGone = older ? compareReleases(release, older.removed ?? release) >= 0 : !existsIn(release, apiVersion, kind)
  if (isGone) return { state: 'removed', life, warning: `${apiVersion} ${kind} is no longer served as of v${life.removed ?? release}${use}` }
  const deprecation = deprecationIn(release, apiVersion, kind)
  return deprecation ? { state: 'deprecated', life, warning: deprecation.warning } : { state: 'served', life, warning: '' }
}
