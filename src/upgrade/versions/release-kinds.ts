import type { JsonObject } from '../../api/meta/object.ts'
import { apiVersionOfVersion } from '../../catalog/catalog.ts'
import type { ResourceDefinition, Version } from '../../catalog/definition.ts'
import { type Features, parseGates } from '../../lifecycle/gates.ts'
import { DEFAULT_RELEASE, RELEASES, type Release } from '../../lifecycle/release.ts'
import { apiVersionOf, compareVersionNames } from '../../meta/gvk.ts'
import { versionsOf } from '../../registry/conversion/convert.ts'
import { builtinResources } from '../../resources/builtin.ts'
import { decode } from '../../schema/decode.ts'
import { type OldVersion, oldVersion } from './old-version.ts'
import { type KindName, OLD_VERSIONS, standingIn } from './old-versions.ts'

/** A kind in one version, with its conversion. */
export interface ServedKind {
  readonly definition: ResourceDefinition
  readonly version: Version
}

/** Kinds of one release with its default gates, including versions that it does not serve. */
export class ReleaseKinds {
  readonly release: Release
  readonly features: Features
  readonly #byName = new Map<string, ServedKind>()

  constructor(release: Release = DEFAULT_RELEASE, features: Features = parseGates(release)) {
    this.release = release
    this.features = features
    // Ranges of both families, since those of the cluster are not known.
    const serviceCIDRs = ['10.0.0.0/24', 'fd00::/112']
    const definitions = builtinResources({ features, eventTtlSeconds: 3600, serviceCIDRs, nodePortRange: { base: 30000, size: 2768 } })
    for (const definition of definitions.filter(({ internal }) => !internal))
      for (const [apiVersion, version] of versionsOf(definition)) this.#byName.set(`${apiVersion} ${version.kind}`, { definition, version })
    for (const old of OLD_VERSIONS) this.#addOld(old, definitions)
  }

  #addOld(old: OldVersion, definitions: readonly ResourceDefinition[]): void {
    const name = `${apiVersionOf({ group: old.group, version: old.name })} ${old.kind}`
    const { group, resource } = old.into
    const definition = definitions.find(({ hub }) => hub.group === group && hub.names.plural === resource)
    if (definition && (old.isPreferred || !this.#byName.has(name)))
      this.#byName.set(name, { definition, version: oldVersion(old, definition.hub) })
  }

  /**
   * Finds a version of a kind, served or not. Undefined for kinds that are not part of Kubernetes or have no
   * conversion.
   */
  find({ apiVersion, kind }: KindName): ServedKind | undefined {
    return this.#byName.get(`${apiVersion} ${kind}`)
  }

  /** Returns those of the unknown members that the version had in the last release that served it. */
  formerFields({ version }: ServedKind, value: JsonObject, unknown: readonly string[]): string[] {
    const name = { apiVersion: apiVersionOfVersion(version), kind: version.kind }
    const last =
      unknown.length === 0 ? undefined : RELEASES.findLast(each => ['served', 'deprecated'].includes(standingIn(each, name)?.state ?? ''))
    if (last === undefined || last === this.release) return []
    const schema = new ReleaseKinds(last).find(name)?.version.schema
    const never: string[] = []
    if (schema) decode(schema, value, { keepEmpty: true, onUnknown: path => never.push(path) })
    return schema ? unknown.filter(path => !never.includes(path)) : []
  }

  /**
   * Returns the version to convert to: the preferred one that the release serves and has not deprecated. Undefined if
   * that is the version itself, or there is none.
   */
  successorOf({ definition, version }: ServedKind): Version | undefined {
    const state = (each: Version): string =>
      standingIn(this.release, { apiVersion: apiVersionOfVersion(each), kind: each.kind })?.state ?? 'served'
    if (state(version) === 'served' || state(version) === 'not yet') return undefined
    const all = [...versionsOf(definition).values()].filter(each => each.kind === version.kind)
    const sameGroup = all.filter(({ group }) => group === version.group)
    const candidates =
      sameGroup.some(each => each !== version && state(each) === 'served') || version.group !== 'extensions' ? sameGroup : all
    const served = candidates.filter(each => each !== version && state(each) === 'served')
    const deprecated = candidates.filter(each => each !== version && state(each) === 'deprecated')
    const best = [...(served.length > 0 || state(version) === 'deprecated' ? served : deprecated)].sort((a, b) =>
      compareVersionNames(a.name, b.name),
    )[0]
    return best
  }
}
