import { type JsonObject, objectIn } from '../../api/meta/object.ts'
import { type ClusterClient, ClusterError } from '../../clients/cluster-client.ts'
import { ArgumentError } from '../../lib/arguments.ts'
import { objectsIn, textIn } from '../../meta/json-members.ts'

/** An object that a command refers to. */
export interface NamedObject {
  /** Name for messages, such as `deployment.apps/web`. */
  readonly label: string
  /** Path of its collection in the API, with a leading slash. */
  readonly collection: string
  readonly path: string
}

/** Kind and name of an object, as written on the command line. */
export interface ObjectWords {
  readonly kind: string
  readonly name: string
}

/** Parses `KIND/NAME` or `KIND NAME`. Throws ArgumentError. */
export function objectWords(words: readonly string[]): ObjectWords {
  const [kind = '', name = '', ...more] = words.length === 1 ? (words[0] ?? '').split('/') : words
  if (kind === '' || name === '' || more.length > 0) throw new ArgumentError('an object is required as KIND/NAME, such as deployment/web')
  return { kind, name }
}

/**
 * Finds an object by discovery. The kind is written as for kubectl: plural, singular, short name or kind, optionally
 * with version and group: `deploy`, `deployments.apps`, `deployments.v1.apps`. Throws ArgumentError and ClusterError.
 */
export async function findObject(client: ClusterClient, { kind, name }: ObjectWords, namespace: string): Promise<NamedObject> {
  const { groupVersion, resource } = await findResource(client, kind.toLowerCase())
  const [group = ''] = groupVersion.includes('/') ? groupVersion.split('/') : []
  const place = resource.namespaced === true ? `namespaces/${encodeURIComponent(namespace)}/` : ''
  const collection = `/${group === '' ? 'api' : 'apis'}/${groupVersion}/${place}${textIn(resource.name)}`
  const singular = textIn(resource.singularName) || textIn(resource.kind).toLowerCase()
  return { label: `${singular}${group === '' ? '' : `.${group}`}/${name}`, collection, path: `${collection}/${encodeURIComponent(name)}` }
}

interface DiscoveredResource {
  readonly groupVersion: string
  /** An APIResource of discovery. */
  readonly resource: JsonObject
}

async function findResource(client: ClusterClient, kind: string): Promise<DiscoveredResource> {
  const [word = '', ...qualifiers] = kind.split('.')
  for (const groupVersion of await groupVersions(client, qualifiers)) {
    const found = await resourceIn(client, groupVersion, word)
    if (found !== undefined) return { groupVersion, resource: found }
  }
  throw new ArgumentError(`the server has no kind ${JSON.stringify(kind)}: kubectl api-resources lists its kinds`)
}

async function resourceIn(client: ClusterClient, groupVersion: string, word: string): Promise<JsonObject | undefined> {
  const path = groupVersion.includes('/') ? `/apis/${groupVersion}` : `/api/${groupVersion}`
  try {
    const resources = objectsIn(objectIn(await client.json(path)).resources).filter(({ name }) => !textIn(name).includes('/'))
    return resources.find(({ name, singularName, kind, shortNames }) =>
      [name, singularName, textIn(kind).toLowerCase(), ...(Array.isArray(shortNames) ? shortNames : [])].includes(word),
    )
  } catch (error) {
    // A group whose API server is unavailable is skipped.
    if (error instanceof ClusterError && error.status !== undefined && error.status !== 401 && error.status !== 403) return undefined
    throw error
  }
}

/**
 * Returns the group versions to search, `v1` first and then in the server's order of preference.
 * @param qualifiers parts of the kind after its name: a group, or a version and a group.
 */
async function groupVersions(client: ClusterClient, qualifiers: readonly string[]): Promise<string[]> {
  const groups = objectsIn(objectIn(await client.json('/apis')).groups)
  const versionsOf = (group: JsonObject): string[] => {
    const preferred = textIn(objectIn(group.preferredVersion).groupVersion)
    return [...new Set([preferred, ...objectsIn(group.versions).map(version => textIn(version.groupVersion))])].filter(
      version => version !== '',
    )
  }
  const all = ['v1', ...groups.flatMap(versionsOf)]
  if (qualifiers.length === 0) return all
  const [version = '', ...rest] = qualifiers
  const exact = `${rest.join('.')}/${version}`
  return all.filter(each => each === exact || each.startsWith(`${qualifiers.join('.')}/`))
}
