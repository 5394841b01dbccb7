import { LifecycleError } from '../lifecycle/gates.ts'
import { LIFECYCLES } from '../lifecycle/kinds.ts'
import { existsIn } from '../lifecycle/lifecycle.ts'
import type { Release } from '../lifecycle/release.ts'
import type { ApiKind, RuntimeConfig } from '../lifecycle/served.ts'
import { apiVersionOf, stabilityOf } from '../meta/gvk.ts'
import type { ResourceDefinition, Version } from './definition.ts'

const kindOf = ({ group, name, kind, names }: Version): ApiKind => ({ group, version: name, kind, resource: names.plural })

/**
 * The definitions with only those versions that are served. A kind of which no version is served has no path any more: if the release has a stable version of it the server itself may need it,
 * and it stays as an internal one; otherwise it goes.
 * @param exists whether the release has the version, served or not.
 */
export function servedDefinitions(
  definitions: readonly ResourceDefinition[],
  isServed: (kind: ApiKind) => boolean,
  exists: (kind: ApiKind) => boolean = () => true,
): ResourceDefinition[] {
  return definitions.flatMap(definition => {
    if (definition.internal) return [definition]
    const [first, ...more] = definition.versions.filter(version => isServed(kindOf(version)))
    const unserved = definition.versions.filter(version => version !== first && !more.includes(version))
    if (unserved.length === 0) return [definition]
    if (first !== undefined) return [{ ...definition, versions: [first, ...more], unserved }]
    if (definition.storage === undefined) return []
    const needed = definition.neededByServer || unserved.some(version => stabilityOf(version.name) === 'ga' && exists(kindOf(version)))
    return needed ? [{ ...definition, unserved, internal: true }] : []
  })
}

/** Whether a release has a version of a kind. */
export const isInRelease =
  (release: Release) =>
  ({ group, version, kind }: ApiKind): boolean =>
    existsIn(release, apiVersionOf({ group, version }), kind)

/** A version that is asked for by name, and that the release has, but not this server, is refused. Throws LifecycleError. */
export function checkIsBuilt(definitions: readonly ResourceDefinition[], release: Release, config: RuntimeConfig): void {
  for (const [key, value] of config) {
    const [group = '', version = '', resource] = key.split('/')
    if (!value || group === 'api') continue
    const apiVersion = apiVersionOf({ group, version })
    const kinds = Object.keys(LIFECYCLES[apiVersion] ?? {}).filter(kind => existsIn(release, apiVersion, kind))
    const built = definitions.flatMap(({ versions }) => versions).filter(each => each.group === group && each.name === version)
    const found = resource === undefined ? built.length > 0 : built.some(({ names }) => names.plural === resource)
    if (kinds.length > 0 && !found) throw new LifecycleError(`--runtime-config: ${key}=true: this server does not have it`)
  }
}
