import { parseForeignJson } from '../../codec/foreign-json.ts'
import { countValues } from '../../codec/value-bound.ts'
import { groupDiscoveryListType } from '../../endpoints/discovery/aggregated.ts'
import { metaType } from '../../endpoints/forms/meta-v1.ts'
import { isStepDone, runInTurns, type Steps } from '../../lib/steps.ts'
import { isJsonObject, type Json, type JsonObject } from '../../meta/object.ts'
import { decode } from '../../schema/decode.ts'

/** Resources of group versions (APIResourceDiscovery), by `GROUP/VERSION`. */
export type DiscoveredVersions = ReadonlyMap<string, readonly JsonObject[]>

interface DiscoveryList {
  readonly items: readonly { readonly metadata: { readonly name?: string }; readonly versions?: readonly { version: string; resources?: JsonObject[] }[] }[]
}

/** An APIResourceDiscovery while it is made. */
type Resource = JsonObject & { scope: string; subresources?: JsonObject[] }

interface DiscoveredResource {
  readonly name: string
  readonly singularName: string
  readonly namespaced: boolean
  readonly group?: string
  readonly version?: string
  readonly kind: string
  readonly verbs: readonly string[] | null
  readonly shortNames?: readonly string[]
  readonly categories?: readonly string[]
}

/** Values of a group of one backend. They are decoded in one step, which takes about 5 ms, and 20 ms before the code is compiled. A thousand resources with their verbs have as many. */
const MOST_GROUP_VALUES = 16_384

/** Clients of 1.26 fail where there is no kind. */
const NO_KIND = { group: '', version: '', kind: '' }

/** Reads an APIGroupDiscoveryList in JSON, of v2 or v2beta1. Rejects if it is none, has more than 65,536 values, or a group has more than 16,384. */
export const readDiscoveryList = (body: Buffer): Promise<DiscoveredVersions> => runInTurns(parseDiscoveryList(body))

/** The same in steps, each of one group. */
export function* parseDiscoveryList(body: Buffer): Steps<DiscoveredVersions> {
  const list = yield* parseForeignJson(body)
  const versionsByName = new Map<string, readonly JsonObject[]>()
  for (const part of partsOf(list)) {
    yield
    boundGroup(part, 'group')
    const { items } = decode(groupDiscoveryListType(), part) as unknown as DiscoveryList
    for (const { metadata, versions = [] } of items)
      for (const { version, resources = [] } of versions) versionsByName.set(`${metadata.name ?? ''}/${version}`, resources.map(withKinds))
  }
  // The caller compares the result with an earlier one in a step of its own.
  yield
  return versionsByName
}

function boundGroup(value: Json, what: string): void {
  if (countValues(value, MOST_GROUP_VALUES) > MOST_GROUP_VALUES) throw new Error(`the discovery of a ${what} holds more than ${MOST_GROUP_VALUES} values`)
}

/** Lists of one item each. A value that is no list is returned as it is: decoding it reports why. */
function* partsOf(list: Json): Generator<Json, void> {
  if (!isJsonObject(list) || !Array.isArray(list.items)) return yield list
  for (const item of list.items) yield { items: [item] }
}

function withKinds(resource: JsonObject): JsonObject {
  const { responseKind = NO_KIND, subresources } = resource as JsonObject & { subresources?: JsonObject[] }
  return {
    ...resource,
    responseKind,
    ...(subresources && { subresources: subresources.map(each => ({ ...each, responseKind: each.responseKind ?? NO_KIND })) }),
  }
}

/**
 * Reads an APIResourceList, and makes of it what aggregated discovery has in its place. Rejects if it is none, has more than 16,384 values, or a subresource is of another scope than its resource. Source: ConvertGroupVersionIntoToDiscovery
 * of k8s.io/apiserver.
 */
export const readResourceList = (body: Buffer): Promise<readonly JsonObject[]> => runInTurns(parseResourceList(body))

function* parseResourceList(body: Buffer): Steps<readonly JsonObject[]> {
  const list = yield* parseForeignJson(body, MOST_GROUP_VALUES)
  // A short text is not counted while it is parsed.
  boundGroup(list, 'group version')
  yield
  const { resources } = decode(metaType('meta.APIResourceList'), list) as unknown as { readonly resources: readonly DiscoveredResource[] | null }
  const found = new Map<string, Resource>()
  for (const resource of resources ?? []) if (!resource.name.includes('/')) found.set(resource.name, ownOf(resource))
  for (const resource of resources ?? []) {
    if (isStepDone()) yield
    const slash = resource.name.indexOf('/')
    if (slash < 0) continue
    const [parentName, name] = [resource.name.slice(0, slash), resource.name.slice(slash + 1)]
    const scope = scopeOf(resource)
    const parent: Resource = found.get(parentName) ?? { resource: parentName, responseKind: NO_KIND, scope, singularResource: '', verbs: [] }
    found.set(parentName, parent)
    if (parent.scope !== scope)
      throw new Error(`Error: Parent ${parentName} (scope: ${parent.scope}) and subresource ${name} (scope: ${scope}) scope do not match`)
    parent.subresources ??= []
    parent.subresources.push({ subresource: name, responseKind: kindOf(resource), verbs: [...(resource.verbs ?? [])] })
  }
  yield
  return [...found.values()]
}

const scopeOf = ({ namespaced }: DiscoveredResource): string => (namespaced ? 'Namespaced' : 'Cluster')

const kindOf = ({ group = '', version = '', kind }: DiscoveredResource) => ({ group, version, kind })

const ownOf = (resource: DiscoveredResource): Resource => ({
  resource: resource.name,
  responseKind: kindOf(resource),
  scope: scopeOf(resource),
  singularResource: resource.singularName,
  verbs: [...(resource.verbs ?? [])],
  ...(resource.shortNames && { shortNames: [...resource.shortNames] }),
  ...(resource.categories && { categories: [...resource.categories] }),
})
