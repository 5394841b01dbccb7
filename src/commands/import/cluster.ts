import { isJsonObject, type JsonObject, objectIn } from '../../api/meta/object.ts'
import { type ClusterClient, ClusterError } from '../../clients/cluster-client.ts'
import { type ListedResource, listedResources, listPages, type Wait } from '../../clients/cluster-lists.ts'
import { objectsIn } from '../../meta/json-members.ts'
import type { ImportTarget } from './files.ts'

/** Resources that are computed on each read and not stored. */
const VIRTUAL = new Set(['componentstatuses'])

const DEFINITIONS = { group: 'apiextensions.k8s.io', name: 'customresourcedefinitions' }
const API_SERVICES = { group: 'apiregistration.k8s.io', name: 'apiservices' }

/**
 * Imports every object that a server stores and lists, definitions first. A list that fails is reported as a remark.
 * Throws ClusterError if the server cannot be reached.
 */
export async function importCluster(client: ClusterClient, target: ImportTarget, wait?: Wait): Promise<void> {
  const { remarks } = target
  const listed = await listedResources(
    client,
    name => VIRTUAL.has(name),
    (path, error) => remarks.lost(path, error.message),
    wait,
  )
  const stored = new Map<string, string>()
  const elsewhere = new Set<string>()
  for (const resource of listed.filter(each => isThat(each, DEFINITIONS) || isThat(each, API_SERVICES)))
    await importList(client, resource, target, wait, object => {
      if (isThat(resource, DEFINITIONS)) noteStored(object, stored)
      else if (isJsonObject(objectIn(object.spec).service)) elsewhere.add(groupVersionOf(object))
    })
  for (const resource of listed) {
    if (isThat(resource, DEFINITIONS) || isThat(resource, API_SERVICES)) continue
    if (elsewhere.has(resource.apiVersion)) remarks.note(resource.path, 'skipped, because another server serves it')
    else await importList(client, inStoredVersion(resource, stored), target, wait)
  }
}

const isThat = (resource: ListedResource, { group, name }: typeof DEFINITIONS): boolean =>
  resource.group === group && resource.name === name

const groupVersionOf = ({ spec }: JsonObject): string => `${String(objectIn(spec).group)}/${String(objectIn(spec).version)}`

/** Records the storage version of a custom resource if it is served, so that its objects need no conversion. */
function noteStored({ spec }: JsonObject, stored: Map<string, string>): void {
  const { group, names, versions } = objectIn(spec)
  const found = objectsIn(versions).find(({ storage, served }) => storage === true && served === true)
  if (found && typeof found.name === 'string') stored.set(`${String(group)}/${String(objectIn(names).plural)}`, found.name)
}

function inStoredVersion(resource: ListedResource, stored: ReadonlyMap<string, string>): ListedResource {
  const { group, name } = resource
  const version = stored.get(`${group}/${name}`)
  return version === undefined
    ? resource
    : { ...resource, apiVersion: `${group}/${version}`, path: `/apis/${group}/${encodeURIComponent(version)}/${name}` }
}

async function importList(
  client: ClusterClient,
  { apiVersion, kind, path }: ListedResource,
  { importer, remarks, watch }: ImportTarget,
  wait: Wait | undefined,
  see: (object: JsonObject) => void = () => {},
): Promise<void> {
  try {
    for await (const { items, resourceVersion, isAnew } of listPages(client, path, wait)) {
      if (isAnew) importer.forget(apiVersion, kind)
      importer.sawRevision(resourceVersion)
      for (const item of items) {
        see(item)
        const { namespace, name } = objectIn(item.metadata)
        const place = `${path}: ${typeof namespace === 'string' ? `${namespace}/` : ''}${String(name)}`
        watch.object(place)
        importer.add({ ...item, apiVersion, kind }, place)
      }
    }
  } catch (error) {
    if (!(error instanceof ClusterError)) throw error
    remarks.lost(path, error.message)
  }
}
