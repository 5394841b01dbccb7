import { eachAtOnce } from '../lib/each-at-once.ts'
import { errorMessage } from '../lib/error-message.ts'
import type { ForeignObject, ForeignResource, ForeignResources } from './foreign-resources.ts'
import type { ResourceLeft } from './resource-left.ts'

/** Maximum number of concurrent deletions if the server does not support deletecollection. */
const AT_ONCE = 8
/** Maximum number of resources deleted concurrently, so that a hanging server delays few others. */
const RESOURCES_AT_ONCE = 4

/**
 * Deletes the objects of aggregated servers in a namespace. Returns the remaining ones. Source:
 * pkg/controller/namespace/deletion in k8s.io/kubernetes.
 */
export async function deleteForeign(
  foreign: ForeignResources,
  resources: readonly ForeignResource[],
  namespace: string,
  signal: AbortSignal,
): Promise<readonly ResourceLeft[]> {
  const left: ResourceLeft[] = []
  await eachAtOnce(resources, RESOURCES_AT_ONCE, async resource => {
    left.push(await deleteAll(foreign, resource, namespace, signal))
  })
  return left
}

/** Deletes the objects of one resource, with deletecollection if the server supports it. Returns the remaining ones. */
async function deleteAll(
  foreign: ForeignResources,
  resource: ForeignResource,
  namespace: string,
  signal: AbortSignal,
): Promise<ResourceLeft> {
  const { group, version, resource: name, verbs } = resource
  const none = { id: { group, resource: name }, count: 0, finalizers: [] }
  const list = async (): Promise<readonly ForeignObject[]> =>
    verbs.includes('list') ? ((await foreign.list(resource, namespace, signal)) ?? []) : []
  try {
    const isDeleted = verbs.includes('deletecollection') && (await foreign.deleteCollection(resource, namespace, signal))
    if (!isDeleted) await eachAtOnce(await list(), AT_ONCE, object => foreign.delete(resource, namespace, object.name, signal))
    const items = await list()
    const left = { ...none, count: items.length, finalizers: items.flatMap(({ finalizers }) => finalizers) }
    if (items.length === 0 || left.finalizers.length > 0) return left
    return { ...left, error: `unexpected items still remain in namespace: ${namespace} for gvr: ${group}/${version}, Resource=${name}` }
  } catch (error) {
    return { ...none, error: errorMessage(error) }
  }
}
