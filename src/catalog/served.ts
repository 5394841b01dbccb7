import { LifecycleError } from '../lifecycle/gates.ts'
import { LIFECYCLES } from '../lifecycle/kinds.ts'
import { comesLater, existsIn, lifecycleOf } from '../lifecycle/lifecycle.ts'
import type { Release } from '../lifecycle/release.ts'
import type { ApiKind, LaterVersions, RuntimeConfig } from '../lifecycle/served.ts'
import { apiVersionOf, stabilityOf } from '../meta/gvk.ts'
import type { ResourceDefinition, Version } from './definition.ts'

const versionKind = ({ group, name, kind, names }: Version): ApiKind => ({ group, version: name, kind, resource: names.plural })

/**
 * Returns the definitions with only their served versions. A kind without a served version has no path: it becomes
 * internal if the server or the release needs it, the latter if a GA version exists; otherwise it is removed.
 * @param exists reports whether the release has the version, served or not.
 */
export function servedDefinitions(
  definitions: readonly ResourceDefinition[],
  isServed: (kind: ApiKind) => boolean,
  exists: (kind: ApiKind) => boolean = () => true,
): ResourceDefinition[] {
  return definitions.flatMap(definition => {
    if (definition.internal) return [definition]
    const [first, ...more] = definition.versions.filter(version => isServed(versionKind(version)))
    const unserved = definition.versions.filter(version => version !== first && !more.includes(version))
    if (unserved.length === 0) return [definition]
    if (first !== undefined) return [{ ...definition, versions: [first, ...more], unserved }]
    if (definition.storage === undefined) return []
    const needed = definition.neededByServer || unserved.some(version => stabilityOf(version.name) === 'ga' && exists(versionKind(version)))
    return needed ? [{ ...definition, unserved, internal: true }] : []
  })
}

/** Returns a predicate for versions of kinds that the release has. */
export const isInRelease =
  (release: Release) =>
  ({ group, version, kind }: ApiKind): boolean =>
    existsIn(release, apiVersionOf({ group, version }), kind)

/** Rejects a version in `--runtime-config` that the release has, but this server does not. Throws LifecycleError. */
export function checkIsBuilt(
  definitions: readonly ResourceDefinition[],
  release: Release,
  config: RuntimeConfig,
  later: LaterVersions = {},
): void {
  for (const [key, value] of config) {
    const [group = '', version = '', resource] = key.split('/')
    if (!value || group === 'api') continue
    const apiVersion = apiVersionOf({ group, version })
    const kinds = Object.keys(LIFECYCLES[apiVersion] ?? {}).filter(kind => existsIn(release, apiVersion, kind))
    const built = definitions.flatMap(({ versions }) => versions).filter(each => each.group === group && each.name === version)
    const found = resource === undefined ? built.length > 0 : built.some(({ names }) => names.plural === resource)
    if (!later.byName)
      checkIsThere(
        built.filter(({ names }) => resource === undefined || names.plural === resource),
        release,
        resource,
      )
    if (kinds.length > 0 && !found) throw new LifecycleError(`--runtime-config: ${key}=true: this server does not have it`)
  }
}

/** Throws LifecycleError with kube-apiserver's message if all these versions were introduced after the release. */
function checkIsThere(versions: readonly Version[], release: Release, resource: string | undefined): void {
  const [first] = versions
  if (!first || !versions.every(version => comesLater(release, apiVersionOfVersion(version), version.kind))) return
  const apiVersion = apiVersionOfVersion(first)
  const introduced = lifecycleOf(apiVersion, first.kind)?.introduced
  const [what, since] =
    resource === undefined
      ? [`version ${apiVersion}`, 'all the resources have been introduced']
      : [`resource ${apiVersion}, Resource=${resource}`, `it is introduced at ${introduced}`]
  throw new LifecycleError(
    `cannot enable ${what} in runtime-config because ${since} after the current version ${release}. Consider setting --runtime-config-emulation-forward-compatible=true`,
  )
}

const apiVersionOfVersion = ({ group, name }: Version): string => apiVersionOf({ group, version: name })
