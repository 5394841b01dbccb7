import { type ServedResource, subresourceOf } from '../../catalog/catalog.ts'
import type { Subresource } from '../../catalog/definition.ts'
import type { ResourceRequestInfo } from '../../meta/context.ts'
import { qualifiedResource } from '../../meta/gvk.ts'
import { pageNotFound } from '../../meta/plain-text-error.ts'
import { badRequestError, failure, notFoundError } from '../../meta/status.ts'
import { groupResourceOf } from '../../registry/types.ts'

/**
 * Resolves a path of a custom resource, which upstream serves outside its router: by resource, subresource and verb
 * alone. Segments after the subresource are ignored, and so are the name in the path of a create and the method of a
 * watch path. HEAD is a GET. Throws 404, 405 and 400.
 */
export function customRoute(served: ServedResource, info: ResourceRequestInfo): Subresource | undefined {
  checkPlace(served, info)
  const subresource = subresourceAt(served, info)
  // The error names the object.
  if (subresource === null) throw notFoundError(groupResourceOf(served), info.name)
  if (!supports(served, info, subresource)) throw notAllowed(served, info.verb)
  // A patch without a name is refused after its media type (see `checkPatchRoute`).
  if (info.verb === 'update' && !info.namesObject) throw nameRequired()
  return subresource
}

/** The 400 for an update or a patch of a collection. */
export const nameRequired = () => badRequestError('name must be provided')

/**
 * Whether the resource supports the request. Unlike `customRoute`, does not throw and does not check the namespace or
 * the name.
 */
export function hasCustomRoute(served: ServedResource, info: ResourceRequestInfo): boolean {
  const subresource = subresourceAt(served, info)
  return subresource !== null && supports(served, info, subresource)
}

const subresourceAt = ({ version }: ServedResource, { subresource }: ResourceRequestInfo): Subresource | null | undefined =>
  subresource === '' ? undefined : (subresourceOf(version, subresource) ?? null)

/**
 * Checked against the authorized namespace, which is x for `namespaces/x`, even for a custom resource that is called
 * namespaces. Cluster-scoped resources are not found in a namespace.
 */
function checkPlace({ definition }: ServedResource, { verb, namespace }: ResourceRequestInfo): void {
  if (definition.scope === 'Namespaced' ? namespace === '' && verb !== 'list' && verb !== 'watch' : namespace !== '') throw pageNotFound()
}

/** Reports whether the resource or subresource has the verb. A watch has no response without a body. */
const supports = ({ version }: ServedResource, { verb, method }: ResourceRequestInfo, subresource: Subresource | undefined): boolean =>
  (subresource ?? version).verbs.some(known => known === verb) && (verb !== 'watch' || method !== 'HEAD')

function notAllowed(served: ServedResource, verb: string) {
  const { group, resource } = groupResourceOf(served)
  const text = `${verb} is not supported on resources of kind ${JSON.stringify(qualifiedResource({ group, resource }))}`
  return failure(405, 'MethodNotAllowed', text, { group, kind: resource })
}
