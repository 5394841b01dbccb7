import type { TypedObject } from '../../api/meta/object.ts'
import { type Awaitable, recover, use } from '../../lib/awaitable.ts'
import { quote } from '../../lib/go-quote.ts'
import { DEFAULT_RELEASE, isSince, type Release } from '../../lifecycle/release.ts'
import { failure, forbiddenError, internalServerError, isStatusError, notFoundError, type StatusError } from '../../meta/status.ts'
import { segmentFault } from '../../registry/keys.ts'
import type { AdmissionRequest } from '../../registry/types.ts'
import type { AdmissionPlugin } from '../chain.ts'

const PROTECTED = new Set(['default', 'kube-system', 'kube-public'])

/** Returns a namespace, from the cache or, if `fresh`, from the store. Throws NotFound if it does not exist. */
export type FindNamespace = (name: string, fresh: boolean) => Awaitable<NamespaceObject>

/** The part of a Namespace that the plugin reads. */
type NamespaceObject = TypedObject & { readonly status?: { readonly phase?: string } }

/**
 * NamespaceLifecycle: rejects creates and updates in a namespace that does not exist, creates in a namespace that is
 * being deleted, and the deletion of the initial namespaces. Since 1.37 it lets updates through.
 * https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#namespacelifecycle
 */
export function namespaceLifecycle(find: FindNamespace, release: Release = DEFAULT_RELEASE): AdmissionPlugin {
  const checksUpdates = !isSince(release, '1.37')
  const check = (request: AdmissionRequest): Promise<undefined> | undefined => {
    const { served, namespace, name } = request
    const isNamespace = served.version.group === '' && served.version.names.plural === 'namespaces'
    if (request.operation === 'DELETE') {
      if (isNamespace && PROTECTED.has(name))
        throw forbiddenError({ group: '', resource: 'namespaces' }, name, 'this namespace may not be deleted')
      return undefined
    }
    if (request.operation === 'UPDATE' && !checksUpdates) return undefined
    if (isNamespace || served.definition.scope !== 'Namespaced' || namespace === '') return undefined
    if (isAccessReview(request)) return undefined
    const fault = segmentFault(namespace)
    if (fault !== undefined) throw internalServerError(`invalid resource name ${quote(namespace)}: [${fault}]`)
    return use(findNamespace(find, namespace), ({ status, metadata }) => {
      if (request.operation !== 'CREATE') return
      if (status?.phase === 'Terminating' || metadata.deletionTimestamp !== undefined) throw terminatingError(request)
    })
  }
  return {
    name: 'NamespaceLifecycle',
    handles: request => request.operation !== 'CONNECT',
    // A mutating plugin, as upstream: it also runs before other plugins change the object, and for deletions.
    mutate: check,
  }
}

/** 403 for a create in a namespace that is being deleted, with the cause that clients recognize. */
function terminatingError({ served, namespace, name, object }: AdmissionRequest): StatusError {
  const { group, names } = served.version
  const resource = { group, resource: names.plural }
  const error = forbiddenError(
    resource,
    object?.metadata.name ?? name,
    `unable to create new content in namespace ${namespace} because it is being terminated`,
  )
  return failure(403, 'Forbidden', error.message, {
    ...error.status.details,
    causes: [{ reason: 'NamespaceTerminating', message: `namespace ${namespace} is being terminated`, field: 'metadata.namespace' }],
  })
}

/** Whether the request creates a LocalSubjectAccessReview. Rejecting it would reveal whether the namespace exists. */
const isAccessReview = ({ served: { version } }: AdmissionRequest): boolean =>
  version.group === 'authorization.k8s.io' && version.names.plural === 'localsubjectaccessreviews'

/** Reads a namespace from the cache, then from the store, since it may have been created a moment ago. */
function findNamespace(find: FindNamespace, name: string): Awaitable<NamespaceObject> {
  return recover(find(name, false), error => findFresh(find, name, error))
}

/** Reads a namespace from the store after the cache did not have it. Rethrows other errors of the cache. */
async function findFresh(find: FindNamespace, name: string, first: unknown): Promise<NamespaceObject> {
  if (!isStatusError(first, 'NotFound')) throw first
  try {
    return await find(name, true)
  } catch (second) {
    throw isStatusError(second, 'NotFound') ? notFoundError({ group: '', resource: 'namespaces' }, name) : second
  }
}
