import type { JsonObject } from '../../api/meta/object.ts'
import type { GroupVersionKind } from '../../api/meta/v1.types.ts'
import { declarationsOf } from '../../api/packages.ts'
import { type CatalogSnapshot, listKindOf, type ServedResource } from '../../catalog/catalog.ts'
import { compareUnits } from '../../lib/compare-text.ts'
import { DEFAULT_RELEASE, isSince, minorOf, type Release } from '../../lifecycle/release.ts'
import { TypeRegistry } from '../../schema/idl.ts'
import { DefinitionSet, type OpenApiVersion, TYPE_META } from '../../schema/openapi/definitions.ts'
import { type Descriptions, noDescriptions } from '../../schema/openapi/descriptions.ts'
import { inMemberOrder } from '../../schema/openapi/member-order.ts'
import { dialectOf } from '../dialect/dialect-of.ts'
import type { TypeRef } from './operation.ts'
import { operationStyle } from './operation-style.ts'

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1'
/**
 * Types that operations refer to by name, which do not depend on the catalog. By release, parsed for the first
 * document.
 */
const metaRegistries = new Map<Release, TypeRegistry>()

function metaTypes(release: Release): TypeRegistry {
  const known = metaRegistries.get(release) ?? new TypeRegistry(minorOf(release)).addFile('meta', declarationsOf('meta'))
  metaRegistries.set(release, known)
  return known
}

/** Name of the definition of the response of /version. */
const VERSION_INFO = 'io.k8s.apimachinery.pkg.version.Info'

/** Kinds of meta/v1 that only belong to the core group. Other kinds of meta/v1 belong to every built-in group. */
const CORE_ONLY = ['Status', 'APIGroup', 'APIGroupList', 'APIResourceList', 'APIVersions']

/** Returns the kinds of each definition. A definition may have several (Scale, DeleteOptions). */
export function kindsByDefinition(snapshot: CatalogSnapshot): Map<string, GroupVersionKind[]> {
  const kinds = new Map<string, GroupVersionKind[]>()
  /** Kinds that have been added. A definition may have kinds of very many versions. */
  const seen = new Set<string>()
  const add = (definition: string | undefined, gvk: GroupVersionKind): void => {
    if (definition === undefined) return
    const id = `${definition} ${gvk.group} ${gvk.version} ${gvk.kind}`
    if (seen.has(id)) return
    seen.add(id)
    const known = kinds.get(definition)
    if (known) known.push(gvk)
    else kinds.set(definition, [gvk])
  }
  for (const groupVersion of snapshot.servedGroupVersions()) {
    for (const served of snapshot.resourcesOf(groupVersion)) {
      const { group, name: version, kind, schema, subresources } = served.version
      for (const shared of dialectOf(schema).kindsBeside) add(`${META}.${shared}`, { group, version, kind: shared })
      add(schema.definition, { group, version, kind })
      add(listDefinition(served), { group, version, kind: listKindOf(served.version) })
      for (const { kind: part } of Object.values(subresources ?? {}))
        if (part) add(part.schema.definition, { group: part.group, version: part.version, kind: part.kind })
    }
  }
  for (const kind of CORE_ONLY) add(`${META}.${kind}`, { group: '', version: 'v1', kind })
  for (const list of kinds.values())
    list.sort((a, b) => compareUnits(a.group, b.group) || compareUnits(a.version, b.version) || compareUnits(a.kind, b.kind))
  return kinds
}

/** Returns the definition name of a kind's list, which has the prefix of the kind's definition. */
function listDefinition({ version }: ServedResource): string | undefined {
  const { definition } = version.schema
  return definition && `${definition.slice(0, definition.lastIndexOf('.') + 1)}${listKindOf(version)}`
}

/** Returns references to the types of operations, and collects the referenced definitions. */
export class TypeResolver {
  readonly #definitions: DefinitionSet
  readonly #kinds: ReadonlyMap<string, readonly GroupVersionKind[]>
  readonly #release: Release

  constructor(
    version: OpenApiVersion,
    kinds: ReadonlyMap<string, readonly GroupVersionKind[]>,
    release: Release = DEFAULT_RELEASE,
    descriptions: Descriptions = noDescriptions,
  ) {
    this.#release = release
    this.#definitions = new DefinitionSet(version, descriptions, () => metaTypes(release).type('meta.ObjectMeta'))
    this.#kinds = kinds
  }

  /** Returns a reference to a type, and adds the type to `members`. A text has no definition. */
  refer(type: TypeRef): JsonObject {
    if (type === 'Text') return { type: 'string' }
    if (typeof type === 'string')
      return type === 'VersionInfo' ? this.#versionInfo() : this.#definitions.refer(metaTypes(this.#release).type(`meta.${type}`))
    return 'list' in type ? this.#list(type.list) : this.#definitions.refer(type)
  }

  /** Yields the referenced definitions by name, with the kinds of each. An undefined is a step without a definition. */
  *members(): Generator<[string, JsonObject] | undefined, void> {
    for (const entry of this.#definitions.entries()) {
      if (entry === undefined) {
        yield
        continue
      }
      const [name, definition] = entry
      const kinds = this.#kinds.get(name)
      const named = kinds && { 'x-kubernetes-group-version-kind': kinds.map(({ group, kind, version }) => ({ group, kind, version })) }
      yield [name, yield* inMemberOrder({ ...definition, ...named })]
    }
  }

  /** Returns a reference to a list type. A list without a declaration is derived from its items. */
  #list(served: ServedResource): JsonObject {
    const { version } = served
    if (version.listSchema) return this.#definitions.refer(version.listSchema)
    const item = this.#definitions.refer(version.schema)
    const name = listDefinition(served)
    const { listDefaults } = operationStyle(version.schema)
    const metadata = this.#definitions.refer(metaTypes(this.#release).type('meta.ListMeta'))
    const isV3 = String(metadata.$ref).startsWith('#/components/')
    const said = (field: string) => this.#definitions.said(TYPE_META, field)
    const about = this.#definitions.said(`${META}.ListMeta`)
    const definition: JsonObject = {
      description: `A list of ${version.kind} objects.`,
      type: 'object',
      required: ['items'],
      properties: {
        apiVersion: { ...said('apiVersion'), type: 'string' },
        items: {
          ...said('items'),
          type: 'array',
          items: isV3 && listDefaults && item.$ref !== undefined ? { default: {}, allOf: [item] } : item,
        },
        kind: { ...said('kind'), type: 'string' },
        metadata: isV3 ? { ...about, ...(listDefaults && { default: {} }), allOf: [metadata] } : { ...about, ...metadata },
      },
    }
    if (name === undefined) return definition
    if (!this.#definitions.has(name)) this.#definitions.set(name, definition)
    return this.#definitions.reference(name)
  }

  /** Returns a reference to apimachinery's version.Info, the response of /version. It belongs to no group. */
  #versionInfo(): JsonObject {
    const names = ['buildDate', 'compiler', 'gitCommit', 'gitTreeState', 'gitVersion', 'goVersion', 'major', 'minor', 'platform']
    const optional = isSince(this.#release, '1.33')
      ? ['emulationMajor', 'emulationMinor', 'minCompatibilityMajor', 'minCompatibilityMinor']
      : []
    const isV3 = this.#definitions.reference('x').$ref === '#/components/schemas/x'
    const properties: JsonObject = {}
    for (const name of [...names, ...optional].sort())
      properties[name] = {
        ...this.#definitions.said(VERSION_INFO, name),
        type: 'string',
        ...(isV3 && names.includes(name) && { default: '' }),
      }
    this.#definitions.set(VERSION_INFO, {
      ...this.#definitions.said(VERSION_INFO),
      type: 'object',
      required: ['major', 'minor', 'gitVersion', 'gitCommit', 'gitTreeState', 'buildDate', 'goVersion', 'compiler', 'platform'],
      properties,
    })
    return this.#definitions.reference(VERSION_INFO)
  }
}
