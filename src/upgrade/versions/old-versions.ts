import { LIFECYCLES, type Lifecycle } from '../../lifecycle/kinds.ts'
import { deprecationIn, existsIn, lifecycleOf } from '../../lifecycle/lifecycle.ts'
import { compareReleases, type Release } from '../../lifecycle/release.ts'
import { OLD_ACCESS } from './access.ts'
import { OLD_CLUSTER } from './cluster.ts'
import { OLD_EXTENSIONS } from './extensions-api.ts'
import { OLD_NETWORKING } from './networking.ts'
import type { OldVersion } from './old-version.ts'
import { OLD_WORKLOADS } from './workloads.ts'

/** Versions that were removed before the oldest release of the catalog, with their conversion. */
export const OLD_VERSIONS: readonly OldVersion[] = [
  ...OLD_WORKLOADS,
  ...OLD_NETWORKING,
  ...OLD_EXTENSIONS,
  ...OLD_ACCESS,
  ...OLD_CLUSTER,
  { group: 'batch', name: 'v2alpha1', kind: 'CronJob', type: 'batchV1beta1.CronJob', into: { group: 'batch', resource: 'cronjobs' } },
]

/** Lifecycle of a kind that kube-apiserver could serve between two releases. */
const between = (introduced: Release, removed?: Release, replacement?: string): Lifecycle => ({
  introduced,
  ...(removed !== undefined && { removed }),
  ...(replacement !== undefined && { replacement }),
})

const RBAC = 'rbac.authorization.k8s.io'

/**
 * Lifecycles by apiVersion and kind that the table of releases (`lifecycle/kinds.ts`) does not have, as these kinds
 * were never served by default and are not in the catalog, and that of a kind that was removed before it was due. They
 * take precedence over that table.
 */
const OTHERS: Readonly<Record<string, Lifecycle>> = {
  'auditregistration.k8s.io/v1alpha1 AuditSink': between('1.13', '1.19'),
  'batch/v2alpha1 CronJob': between('1.5', '1.21', 'batch/v1 CronJob'),
  'node.k8s.io/v1alpha1 RuntimeClass': between('1.12', '1.22', 'node.k8s.io/v1 RuntimeClass'),
  ...Object.fromEntries(
    ['ClusterRole', 'ClusterRoleBinding', 'Role', 'RoleBinding'].map(kind => [
      `${RBAC}/v1alpha1 ${kind}`,
      { ...between('1.5', '1.22', `${RBAC}/v1 ${kind}`), deprecated: '1.17' },
    ]),
  ),
  'resource.k8s.io/v1beta2 DeviceTaintRule': between('1.36'),
  'scheduling.k8s.io/v1alpha1 PriorityClass': { ...between('1.8', '1.22', 'scheduling.k8s.io/v1 PriorityClass'), deprecated: '1.14' },
  'settings.k8s.io/v1alpha1 PodPreset': between('1.6', '1.20'),
}

/** A kind by its names in manifests. */
export interface KindName {
  readonly apiVersion: string
  readonly kind: string
}

/** State of a kind of Kubernetes in a release. */
export interface Standing {
  readonly state: 'served' | 'deprecated' | 'removed' | 'not yet'
  readonly life: Lifecycle
  /** Warning in kube-apiserver's words. */
  readonly warning: string
}

/**
 * Handles an unknown kind of a version whose kinds are all removed. Lists have the lifecycle of their items, which are
 * reported instead.
 */
function neverServed(release: Release, { apiVersion, kind }: KindName): Standing | undefined {
  const kinds = Object.hasOwn(LIFECYCLES, apiVersion) ? Object.keys(LIFECYCLES[apiVersion] ?? {}) : []
  const lives = kinds.map(each => standingIn(release, { apiVersion, kind: each }))
  if (kind.endsWith('List') || lives.length === 0 || lives.some(standing => standing?.state !== 'removed')) return undefined
  return { state: 'removed', life: { introduced: '1.0' }, warning: `${apiVersion} ${kind} was never served` }
}

/** Returns undefined for kinds that are not part of Kubernetes or not in any table. */
export function standingIn(release: Release, { apiVersion, kind }: KindName): Standing | undefined {
  const name = `${apiVersion} ${kind}`
  const other = Object.hasOwn(OTHERS, name) ? OTHERS[name] : undefined
  const life = other ?? lifecycleOf(apiVersion, kind)
  if (life === undefined) return neverServed(release, { apiVersion, kind })
  if (compareReleases(release, life.introduced) < 0)
    return { state: 'not yet', life, warning: `${apiVersion} ${kind} comes with v${life.introduced}` }
  const use = life.replacement === undefined ? '' : `; use ${life.replacement}`
  const isGone = other ? other.removed !== undefined && compareReleases(release, other.removed) >= 0 : !existsIn(release, apiVersion, kind)
  if (isGone)
    return {
      state: 'removed',
      life,
      warning: `${apiVersion} ${kind} is no longer served as of v${life.removed ?? life.withdrawn ?? release}${use}`,
    }
  const deprecation = other ? undefined : deprecationIn(release, apiVersion, kind)
  return deprecation ? { state: 'deprecated', life, warning: deprecation.warning } : { state: 'served', life, warning: '' }
}
