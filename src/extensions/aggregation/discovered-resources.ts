import { isJsonObject, type Json, type JsonObject } from '../../api/meta/object.ts'
import type { APIResource } from '../../api/meta/v1.types.ts'
import { parseForeignJson } from '../../codec/foreign-json.ts'
import { TooManyValuesError } from '../../codec/json-exact.ts'
import { countValues } from '../../codec/value-bound.ts'
import { groupDiscoveryListType, resourceDiscoveryType } from '../../endpoints/discovery/aggregated.ts'
import { metaType } from '../../endpoints/forms/meta-v1.ts'
import { isStepDone, runInTurns, type Steps } from '../../lib/steps.ts'
import { decode } from '../../schema/decode.ts'
import type { StructSchema } from '../../schema/schema.ts'

/** Resources (APIResourceDiscovery) by `GROUP/VERSION`. */
export type DiscoveredVersions = ReadonlyMap<string, readonly JsonObject[]>

interface DiscoveryList {
  readonly items: readonly {
    readonly metadata: { readonly name?: string }
    readonly versions?: readonly { version: string; resources?: JsonObject[] }[]
  }[]
}

/** APIResourceDiscovery under construction. */
type Resource = JsonObject & { scope: string; subresources?: JsonObject[] }

/**
 * Maximum number of JSON values in the discovery of one server. A resource has about 25, so this allows ten thousand
 * resources.
 */
const MOST_VALUES = 262_144
/**
 * Maximum number of JSON values that one step decodes: a resource with its subresources (two hundred reach the limit),
 * or a group without its resources (three hundred versions reach it). A step takes about 1 ms, or 5 ms before the code
 * is compiled.
 */
const MOST_STEP_VALUES = { resource: 4096, group: 1024 }

/** Clients of 1.26 fail without responseKind. */
const NO_KIND = { group: '', version: '', kind: '' }

/**
 * Parses an APIGroupDiscoveryList (JSON, v2 or v2beta1). Rejects if it is invalid, has more than 262,144 values, or a
 * resource has more than 4,096.
 */
export const readDiscoveryList = (body: Buffer): Promise<DiscoveredVersions> => runInTurns(parseDiscoveryList(body))

/** Same as `readDiscoveryList`, in steps of one resource. */
export function* parseDiscoveryList(body: Buffer): Steps<DiscoveredVersions> {
  const list = yield* parseForeignJson(body, MOST_VALUES)
  const versionsByName = new Map<string, readonly JsonObject[]>()
  for (const { group, resources } of splitGroups(list)) {
    yield
    const { items } = decodeStep(groupDiscoveryListType(), group, 'group') as unknown as DiscoveryList
    for (const { metadata, versions = [] } of items)
      for (const [i, { version }] of versions.entries()) {
        const decoded: JsonObject[] = []
        for (const resource of resources[i] ?? []) {
          yield
          decoded.push(withKinds(decodeStep(resourceDiscoveryType(), resource, 'resource')))
        }
        versionsByName.set(`${metadata.name ?? ''}/${version}`, decoded)
      }
  }
  return versionsByName
}

function decodeStep(schema: StructSchema, value: Json, what: keyof typeof MOST_STEP_VALUES): JsonObject {
  const most = MOST_STEP_VALUES[what]
  if (countValues(value, most) > most) throw new TooManyValuesError(`the discovery of a ${what} holds more than ${most} values`)
  return decode(schema, value)
}

interface DiscoveredGroup {
  /**
   * A list with only this group, without resources. If the document is not such a list, the document itself: decoding
   * it reports the error.
   */
  readonly group: Json
  /** Resources by index of their version. */
  readonly resources: readonly (readonly Json[])[]
}

/** Splits a list into groups without resources and their resources, so that each can be decoded in a step. */
function* splitGroups(list: Json): Generator<DiscoveredGroup, void> {
  if (!isJsonObject(list) || !Array.isArray(list.items)) return yield { group: list, resources: [] }
  for (const item of list.items) {
    const versions = isJsonObject(item) && Array.isArray(item.versions) ? item.versions : []
    const resources = versions.map(version => (isJsonObject(version) && Array.isArray(version.resources) ? version.resources : []))
    const left = versions.map(version =>
      isJsonObject(version) && Array.isArray(version.resources) ? { ...version, resources: [] } : version,
    )
    yield { group: { items: [isJsonObject(item) && Array.isArray(item.versions) ? { ...item, versions: left } : item] }, resources }
  }
}

/** Sets the responseKind of a resource and its subresources if absent. */
function withKinds(resource: JsonObject): JsonObject {
  const { responseKind = NO_KIND, subresources } = resource as JsonObject & { subresources?: JsonObject[] }
  return {
    ...resource,
    responseKind,
    ...(subresources && { subresources: subresources.map(each => ({ ...each, responseKind: each.responseKind ?? NO_KIND })) }),
  }
}

/**
 * Parses an APIResourceList and converts it to aggregated discovery. Rejects if it is invalid, has more than 262,144
 * values or 4,096 per resource, or if the scope of a subresource differs from its resource. Source:
 * ConvertGroupVersionIntoToDiscovery of k8s.io/apiserver.
 */
export const readResourceList = (body: Buffer): Promise<readonly JsonObject[]> => runInTurns(parseResourceList(body))

function* parseResourceList(body: Buffer): Steps<readonly JsonObject[]> {
  const resources = yield* decodedResources(yield* parseForeignJson(body, MOST_VALUES))
  const found = new Map<string, Resource>()
  for (const resource of resources) if (!resource.name.includes('/')) found.set(resource.name, ownOf(resource))
  for (const resource of resources) {
    if (isStepDone()) yield
    const slash = resource.name.indexOf('/')
    if (slash < 0) continue
    const [parentName, name] = [resource.name.slice(0, slash), resource.name.slice(slash + 1)]
    const scope = scopeOf(resource)
    const parent: Resource = found.get(parentName) ?? {
      resource: parentName,
      responseKind: NO_KIND,
      scope,
      singularResource: '',
      verbs: [],
    }
    found.set(parentName, parent)
    if (parent.scope !== scope)
      throw new Error(`Error: Parent ${parentName} (scope: ${parent.scope}) and subresource ${name} (scope: ${scope}) scope do not match`)
    parent.subresources ??= []
    parent.subresources.push({ subresource: name, responseKind: discoveredKind(resource), verbs: [...(resource.verbs ?? [])] })
  }
  yield
  return [...found.values()]
}

/** Decodes an APIResourceList, one resource per step. */
function* decodedResources(list: Json): Steps<APIResource[]> {
  const all = isJsonObject(list) && Array.isArray(list.resources) ? list.resources : []
  yield
  decodeStep(
    metaType('meta.APIResourceList'),
    isJsonObject(list) && Array.isArray(list.resources) ? { ...list, resources: [] } : list,
    'group',
  )
  const decoded: APIResource[] = []
  for (const resource of all) {
    yield
    decoded.push(decodeStep(metaType('meta.APIResource'), resource, 'resource') as unknown as APIResource)
  }
  return decoded
}

const scopeOf = ({ namespaced }: APIResource): string => (namespaced ? 'Namespaced' : 'Cluster')

const discoveredKind = ({ group = '', version = '', kind }: APIResource) => ({ group, version, kind })

/** Converts an APIResource to an APIResourceDiscovery without subresources. */
const ownOf = (resource: APIResource): Resource => ({
  resource: resource.name,
  responseKind: discoveredKind(resource),
  scope: scopeOf(resource),
  singularResource: resource.singularName,
  verbs: [...(resource.verbs ?? [])],
  ...(resource.shortNames && { shortNames: [...resource.shortNames] }),
  ...(resource.categories && { categories: [...resource.categories] }),
})
