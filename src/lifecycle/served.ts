import { apiVersionOf, compareVersionNames, parseApiVersion, stabilityOf } from '../meta/gvk.ts'
import type { GateName } from './feature-gates.ts'
import { type Gates, LifecycleError } from './gates.ts'
import { EMPTY_VERSIONS, LIFECYCLES } from './kinds.ts'
import { comesLater, existsIn, lifecycleOf } from './lifecycle.ts'
import { isSince, type Release } from './release.ts'

/**
 * Value of `--runtime-config`: whether `api/all`, `api/ga`, `api/beta`, `api/alpha`, `group/version` or
 * `group/version/resource` is served. The core group has an empty name: `/v1`.
 */
export type RuntimeConfig = ReadonlyMap<string, boolean>

/** A kind in one version, with its resource. */
export interface ApiKind {
  readonly group: string
  readonly version: string
  readonly kind: string
  /** Plural name. */
  readonly resource: string
}

const LEVELS = ['api/all', 'api/ga', 'api/beta', 'api/alpha'] as const

/** Resources that are served only while a gate is on, whatever `--runtime-config` contains. */
const GATED: Readonly<Record<string, GateName>> = {
  'authentication.k8s.io/selfsubjectreviews': 'APISelfSubjectReview',
  'certificates.k8s.io/clustertrustbundles': 'ClusterTrustBundle',
  'certificates.k8s.io/podcertificaterequests': 'PodCertificateRequest',
  'lifecycle.k8s.io/evictionrequests': 'EvictionRequestAPI',
  'lifecycle.k8s.io/evictions': 'EvictionRequestAPI',
  'scheduling.k8s.io/compositepodgroups': 'CompositePodGroup',
  'scheduling.k8s.io/podgroups': 'GenericWorkload',
  'scheduling.k8s.io/workloads': 'GenericWorkload',
  'storagemigration.k8s.io/storageversionmigrations': 'StorageVersionMigrator',
}

/** First release whose new beta versions are not served by default. https://kep.k8s.io/3136 */
const BETA_OFF_SINCE: Release = '1.24'

/**
 * Newer beta versions that are served by default nevertheless, because servers of two consecutive releases had no other
 * version in common.
 */
const BETA_ON: readonly string[] = ['flowcontrol.apiserver.k8s.io/v1beta3']

/** Rejects what kube-apiserver rejects, in its words. Throws LifecycleError. */
export function checkRuntimeConfig(config: RuntimeConfig): void {
  if (config.size === 1 && config.get('api/all') === false) throw new LifecycleError('invalid key with only api/all=false')
  const known = [...Object.keys(LIFECYCLES), ...EMPTY_VERSIONS].map(apiVersion => parseApiVersion(apiVersion))
  const entries = [...config.keys()].filter(key => !isLevel(key)).map(key => ({ key, ...parseApiKey(key) }))
  const unknown = entries.map(({ group }) => group).filter(group => !known.some(each => each?.group === group))
  if (unknown.length > 0) throw new LifecycleError(`unknown api groups ${unknown.join(',')}`)
  for (const { key, group, version, resource } of entries) {
    if (!known.some(each => each?.group === group && each.version === version))
      throw new LifecycleError(`group version ${apiVersionOf({ group, version })} that has not been registered`)
    if (resource !== undefined && resource !== resource.toLowerCase())
      throw new LifecycleError(
        `invalid key ${key}: group/version/resource and resource is always lowercase plural, not ${JSON.stringify(resource)}`,
      )
  }
}

/** Conditions for serving versions that were introduced after the emulated release (KEP-4330). */
export interface LaterVersions {
  /**
   * Whether they are served if an older version of the kind is, so that clients can move to the stable version early
   * (`--emulation-forward-compatible`).
   */
  readonly bySuccession?: boolean
  /** Whether they are served if `--runtime-config` names them (`--runtime-config-emulation-forward-compatible`). */
  readonly byName?: boolean
}

/**
 * Returns a predicate for the kinds that a release serves: its GA versions, beta versions from before 1.24, and others
 * that are enabled. A setting for a resource takes precedence over one for its version, and that over one for a level;
 * among levels the last of all, ga, beta, alpha wins.
 */
export function servedKinds(release: Release, gates: Gates, config: RuntimeConfig, later: LaterVersions = {}): (kind: ApiKind) => boolean {
  const isServed = (asked: ApiKind): boolean => {
    const { group, version, kind, resource } = asked
    const gate = GATED[`${group}/${resource}`]
    if (gate !== undefined && !gates.enabled(gate)) return false
    const named = config.get(`${group}/${version}/${resource}`) ?? config.get(`${group}/${version}`)
    if (existsIn(release, apiVersionOf({ group, version }), kind))
      return named ?? levelOf(config, version, isOnByDefault(kind, group, version))
    if (!comesLater(release, apiVersionOf({ group, version }), kind)) return false
    if (named !== undefined) return named && later.byName === true
    return later.bySuccession === true && olderVersions(asked).some(isServed)
  }
  return isServed
}

/** Returns versions of the kind that have lower priority and are not alpha. */
const olderVersions = (asked: ApiKind): ApiKind[] =>
  Object.keys(LIFECYCLES).flatMap(apiVersion => {
    const known = parseApiVersion(apiVersion)
    if (known?.group !== asked.group || !Object.hasOwn(LIFECYCLES[apiVersion] ?? {}, asked.kind)) return []
    const { version } = known
    return stabilityOf(version) !== 'alpha' && compareVersionNames(asked.version, version) < 0 ? [{ ...asked, version }] : []
  })

/** Reports whether a release that has the kind serves it by default. */
function isOnByDefault(kind: string, group: string, version: string): boolean {
  const stability = stabilityOf(version)
  if (stability !== 'beta') return stability === 'ga'
  const apiVersion = apiVersionOf({ group, version })
  const introduced = lifecycleOf(apiVersion, kind)?.introduced
  return BETA_ON.includes(apiVersion) || (introduced !== undefined && !isSince(introduced, BETA_OFF_SINCE))
}

function levelOf(config: RuntimeConfig, version: string, preset: boolean): boolean {
  const stability = stabilityOf(version)
  let served = preset
  for (const level of LEVELS) if (level === 'api/all' || level === `api/${stability}`) served = config.get(level) ?? served
  return served
}

const isLevel = (key: string): boolean => LEVELS.some(level => level === key)

function parseApiKey(key: string): { group: string; version: string; resource: string | undefined } {
  const [group = '', version, resource, ...more] = key.split('/')
  if (version === undefined || more.length > 0) throw new LifecycleError(`runtime-config invalid key ${key}`)
  return { group, version, resource }
}
