import { apiVersionOf, compareVersionNames, parseApiVersion, stabilityOf } from '../meta/gvk.ts'
import type { GateName } from './feature-gates.ts'
import { type Gates, LifecycleError } from './gates.ts'
import { EMPTY_VERSIONS, LIFECYCLES } from './kinds.ts'
import { comesLater, existsIn, lifecycleOf } from './lifecycle.ts'
import { isSince, type Release } from './release.ts'

/** `--runtime-config`: `api/all`, `api/ga`, `api/beta`, `api/alpha`, `group/version` and `group/version/resource`, to be served or not. The core group's name is empty: `/v1`. */
export type RuntimeConfig = ReadonlyMap<string, boolean>

export interface ApiKind {
  readonly group: string
  readonly version: string
  readonly kind: string
  /** Plural. */
  readonly resource: string
}

const LEVELS = ['api/all', 'api/ga', 'api/beta', 'api/alpha'] as const

/** Resources that are served only while a gate is on, whatever else is asked for. */
const GATED: Readonly<Record<string, GateName>> = {
  'authentication.k8s.io/selfsubjectreviews': 'APISelfSubjectReview',
  'certificates.k8s.io/clustertrustbundles': 'ClusterTrustBundle',
  'certificates.k8s.io/podcertificaterequests': 'PodCertificateRequest',
  'scheduling.k8s.io/podgroups': 'GenericWorkload',
  'scheduling.k8s.io/workloads': 'GenericWorkload',
  'storagemigration.k8s.io/storageversionmigrations': 'StorageVersionMigrator',
}

/** Beta versions that came with this release or later are served only where they are asked for. https://kep.k8s.io/3136 */
const BETA_OFF_SINCE: Release = '1.24'

/** Beta versions that are served by default though they are newer: servers of two releases had no other in common. */
const BETA_ON: readonly string[] = ['flowcontrol.apiserver.k8s.io/v1beta3']

/** Refuses what kube-apiserver refuses, in its words. Throws LifecycleError. */
export function checkRuntimeConfig(config: RuntimeConfig): void {
  if (config.size === 1 && config.get('api/all') === false) throw new LifecycleError('invalid key with only api/all=false')
  const known = [...Object.keys(LIFECYCLES), ...EMPTY_VERSIONS].map(apiVersion => parseApiVersion(apiVersion))
  const entries = [...config.keys()].filter(key => !isLevel(key)).map(key => ({ key, ...partsOf(key) }))
  const unknown = entries.map(({ group }) => group).filter(group => !known.some(each => each?.group === group))
  if (unknown.length > 0) throw new LifecycleError(`unknown api groups ${unknown.join(',')}`)
  for (const { key, group, version, resource } of entries) {
    if (!known.some(each => each?.group === group && each.version === version))
      throw new LifecycleError(`group version ${apiVersionOf({ group, version })} that has not been registered`)
    if (resource !== undefined && resource !== resource.toLowerCase())
      throw new LifecycleError(`invalid key ${key}: group/version/resource and resource is always lowercase plural, not ${JSON.stringify(resource)}`)
  }
}

/** Whether versions that came after the release are served (KEP-4330). */
export interface LaterVersions {
  /** Where an older version of the kind is: what clients use can be moved to the stable one before the release is (`--emulation-forward-compatible`). */
  readonly bySuccession?: boolean
  /** Where they are asked for by name (`--runtime-config-emulation-forward-compatible`). */
  readonly byName?: boolean
}

/**
 * Which kinds a release serves: of those that it has, the stable ones, beta ones of before 1.24, and others as far as they are asked for. A resource that is named counts more than its version, and a version
 * that is named more than a level; of the levels, the later one in the order all, ga, beta, alpha.
 */
export function servedKinds(release: Release, gates: Gates, config: RuntimeConfig, later: LaterVersions = {}): (kind: ApiKind) => boolean {
  const isServed = (asked: ApiKind): boolean => {
    const { group, version, kind, resource } = asked
    const gate = GATED[`${group}/${resource}`]
    if (gate !== undefined && !gates.enabled(gate)) return false
    const named = config.get(`${group}/${version}/${resource}`) ?? config.get(`${group}/${version}`)
    if (existsIn(release, apiVersionOf({ group, version }), kind)) return named ?? levelOf(config, version, isOnByDefault(kind, group, version))
    if (!comesLater(release, apiVersionOf({ group, version }), kind)) return false
    if (named !== undefined) return named && later.byName === true
    return later.bySuccession === true && olderVersions(asked).some(isServed)
  }
  return isServed
}

/** Versions of the kind that are less preferred and not alpha. */
const olderVersions = (asked: ApiKind): ApiKind[] =>
  Object.keys(LIFECYCLES).flatMap(apiVersion => {
    const known = parseApiVersion(apiVersion)
    if (known?.group !== asked.group || !Object.hasOwn(LIFECYCLES[apiVersion] ?? {}, asked.kind)) return []
    const { version } = known
    return stabilityOf(version) !== 'alpha' && compareVersionNames(asked.version, version) < 0 ? [{ ...asked, version }] : []
  })

/** Whether a kind is served by a release that has it, where nothing is said of it. */
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

function partsOf(key: string): { group: string; version: string; resource: string | undefined } {
  const [group = '', version, resource, ...more] = key.split('/')
  if (version === undefined || more.length > 0) throw new LifecycleError(`runtime-config invalid key ${key}`)
  return { group, version, resource }
}
