import { quote } from '../../lib/go-quote.ts'
import type { TypedObject } from '../../meta/object.ts'
import { failure, forbiddenError, internalServerError, isStatusError, notFoundError } from '../../meta/status.ts'
import { segmentFault } from '../../registry/keys.ts'
import type { AdmissionRequest } from '../../registry/types.ts'
import type { AdmissionPlugin } from '../chain.ts'

const PROTECTED = new Set(['default', 'kube-system', 'kube-public'])

/** Where namespaces are read: at first as the cache has them, then, if one is missing, as they are. */
export type FindNamespace = (name: string, fresh: boolean) => Promise<NamespaceObject>

/** What is read of a Namespace. */
type NamespaceObject = TypedObject & { readonly status?: { readonly phase?: string } }

/**
 * NamespaceLifecycle: nothing is created in a namespace that does not exist or is being deleted, and the namespaces that every cluster has stay.
 * https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#namespacelifecycle
 */
export function namespaceLifecycle(find: FindNamespace): AdmissionPlugin {
  /** Resolves to the object as it is. */
  const check = async (request: AdmissionRequest): Promise<AdmissionRequest['object']> => {
    const { served, namespace, name, object } = request
    const isNamespace = served.version.group === '' && served.version.names.plural === 'namespaces'
    if (request.operation === 'DELETE') {
      if (isNamespace && PROTECTED.has(name)) throw forbiddenError({ group: '', resource: 'namespaces' }, name, 'this namespace may not be deleted')
      return object
    }
    if (request.operation !== 'CREATE' || isNamespace || served.definition.scope !== 'Namespaced' || namespace === '') return object
    if (isAccessReview(request)) return object
    const fault = segmentFault(namespace)
    if (fault !== undefined) throw internalServerError(`invalid resource name ${quote(namespace)}: [${fault}]`)
    const found = await findNamespace(find, namespace)
    if (found.status?.phase !== 'Terminating' && found.metadata.deletionTimestamp === undefined) return object
    const { group, names } = served.version
    const resource = { group, resource: names.plural }
    const error = forbiddenError(
      resource,
      object?.metadata.name ?? name,
      `unable to create new content in namespace ${namespace} because it is being terminated`,
    )
    throw failure(403, 'Forbidden', error.message, {
      ...error.status.details,
      causes: [{ reason: 'NamespaceTerminating', message: `namespace ${namespace} is being terminated`, field: 'metadata.namespace' }],
    })
  }
  return {
    name: 'NamespaceLifecycle',
    handles: request => request.operation === 'CREATE' || request.operation === 'DELETE',
    // As upstream, which checks among the plugins that mutate, deletions too.
    mutate: check,
  }
}

/** What a review says of a namespace would tell whether there is one. */
const isAccessReview = ({ served: { version } }: AdmissionRequest): boolean =>
  version.group === 'authorization.k8s.io' && version.names.plural === 'localsubjectaccessreviews'

/** From the cache, then from the store: a namespace may have been created a moment ago. */
const findNamespace = (find: FindNamespace, name: string): Promise<NamespaceObject> =>
  find(name, false).catch(async error => {
    if (!isStatusError(error, 'NotFound')) throw error
    return find(name, true).catch(second => {
      throw isStatusError(second, 'NotFound') ? notFoundError({ group: '', resource: 'namespaces' }, name) : second
    })
  })
