import { type ParsedJson, parseExactlyInSteps } from '../../codec/json.ts'
import { groupDiscoveryListType } from '../../endpoints/discovery/aggregated.ts'
import { metaType } from '../../endpoints/forms/meta-v1.ts'
import { runInTurns } from '../../lib/steps.ts'
import type { Json, JsonObject } from '../../meta/object.ts'
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

const parse = async (body: Buffer): Promise<Json> => ((await runInTurns(parseExactlyInSteps(body))) satisfies ParsedJson).value

/** Clients of 1.26 fail where there is no kind. */
const NO_KIND = { group: '', version: '', kind: '' }

/** Reads an APIGroupDiscoveryList in JSON, of v2 or v2beta1. Throws where it is none. */
export async function readDiscoveryList(body: Buffer): Promise<DiscoveredVersions> {
  const { items } = decode(groupDiscoveryListType(), await parse(body)) as unknown as DiscoveryList
  const versionsByName = new Map<string, readonly JsonObject[]>()
  for (const { metadata, versions = [] } of items)
    for (const { version, resources = [] } of versions) versionsByName.set(`${metadata.name ?? ''}/${version}`, resources.map(withKinds))
  return versionsByName
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
 * Reads an APIResourceList, and makes of it what aggregated discovery has in its place. Throws where it is none, or a subresource is of another scope than its resource. Source: ConvertGroupVersionIntoToDiscovery
 * of k8s.io/apiserver.
 */
export async function readResourceList(body: Buffer): Promise<readonly JsonObject[]> {
  const { resources } = decode(metaType('meta.APIResourceList'), await parse(body)) as unknown as { readonly resources: readonly DiscoveredResource[] | null }
  const found = new Map<string, Resource>()
  for (const resource of resources ?? []) if (!resource.name.includes('/')) found.set(resource.name, ownOf(resource))
  for (const resource of resources ?? []) {
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
