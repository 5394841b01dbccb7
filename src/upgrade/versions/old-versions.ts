import { LIFECYCLES, type Lifecycle } from '../../lifecycle/kinds.ts'
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

/** In which releases kube-apiserver could serve a kind. */
const between = (introduced: Release, removed?: Release, replacement?: string): Lifecycle => ({
  introduced,
  ...(removed !== undefined && { removed }),
  ...(replacement !== undefined && { replacement }),
})

const RBAC = 'rbac.authorization.k8s.io'

/**
 * Kinds that the table of releases (`lifecycle/kinds.ts`) does not have, as they were served only on request and are no part of the catalog, and one that went before it was due. By apiVersion and kind.
 * These count first.
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

/** What is said to be of a version of Kubernetes that is gone with all its kinds, and was none of them. Lists have the life of their items, which are told of. */
function neverServed(release: Release, { apiVersion, kind }: KindName): Standing | undefined {
  const kinds = Object.hasOwn(LIFECYCLES, apiVersion) ? Object.keys(LIFECYCLES[apiVersion] ?? {}) : []
  const lives = kinds.map(each => standingIn(release, { apiVersion, kind: each }))
  if (kind.endsWith('List') || lives.length === 0 || lives.some(standing => standing?.state !== 'removed')) return undefined
  return { state: 'removed', life: { introduced: '1.0' }, warning: `${apiVersion} ${kind} was never served` }
}

/** Undefined for kinds that are not of Kubernetes, or that no table knows. */
export function standingIn(release: Release, { apiVersion, kind }: KindName): Standing | undefined {
  const name = `${apiVersion} ${kind}`
  const other = Object.hasOwn(OTHERS, name) ? OTHERS[name] : undefined
  const life = other ?? lifecycleOf(apiVersion, kind)
  if (life === undefined) return neverServed(release, { apiVersion, kind })
  if (compareReleases(release, life.introduced) < 0) return { state: 'not yet', life, warning: `${apiVersion} ${kind} comes with v${life.introduced}` }
  const use = life.replacement === undefined ? '' : `; use ${life.replacement}`
  const isGone = other ? other.removed !== undefined && compareReleases(release, other.removed) >= 0 : !existsIn(release, apiVersion, kind)
  if (isGone) return { state: 'removed', life, warning: `${apiVersion} ${kind} is no longer served as of v${life.removed ?? life.withdrawn ?? release}${use}` }
  const deprecation = other ? undefined : deprecationIn(release, apiVersion, kind)
  return deprecation ? { state: 'deprecated', life, warning: deprecation.warning } : { state: 'served', life, warning: '' }
}
