import type { KubeObject, OwnerReference } from '../../api/meta/object.ts'
import type { CatalogSnapshot, ServedResource } from '../../catalog/catalog.ts'
import { quote } from '../../lib/go-quote.ts'
import { nextLongTurn, turnIsLong } from '../../lib/turn.ts'
import type { Authorizer } from '../../meta/authorizer.ts'
import type { RequestAttributes } from '../../meta/context.ts'
import { deepEqual } from '../../meta/equal.ts'
import { parseApiVersion } from '../../meta/gvk.ts'
import { resourceAttributes } from '../../meta/request-attributes.ts'
import type { AdmissionRequest } from '../../registry/types.ts'
import type { AdmissionPlugin } from '../chain.ts'
import { isAbout, refuse } from '../refuse.ts'

const ownersOf = (object: KubeObject | undefined): readonly OwnerReference[] => object?.metadata.ownerReferences ?? []

/** Owner references that block the deletion of their owner and did not before. */
function newlyBlocking({ object, old }: AdmissionRequest): OwnerReference[] {
  const blocked = new Set(ownersOf(old).flatMap(({ uid, blockOwnerDeletion }) => (blockOwnerDeletion ? [uid] : [])))
  return ownersOf(object).filter(({ uid, blockOwnerDeletion }) => blockOwnerDeletion && !blocked.has(uid))
}

/** Returns the resource of the owner's kind. Throws a Status if the kind is not served. */
function servedOwner(request: AdmissionRequest, { apiVersion, kind }: OwnerReference, catalog: CatalogSnapshot): ServedResource {
  const version = parseApiVersion(apiVersion)
  const owner = version && catalog.ofKind(version, kind)
  if (owner) return owner
  const why = version
    ? `no matches for kind ${quote(kind)} in version ${quote(apiVersion)}`
    : `unexpected GroupVersion string: ${apiVersion}`
  throw refuse(
    request,
    `cannot set blockOwnerDeletion in this case because cannot find RESTMapping for APIVersion ${apiVersion} Kind ${kind}: ${why}`,
  )
}

/**
 * OwnerReferencesPermissionEnforcement: changing the owners of an object requires permission to delete it. Setting
 * blockOwnerDeletion requires permission to update the owner's finalizers.
 * https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#ownerreferencespermissionenforcement
 */
export function ownerReferencesPermission(authorizer: Authorizer, catalog: () => CatalogSnapshot): AdmissionPlugin {
  /**
   * Returns the reason of a denial, or undefined if allowed. `<nil>` is the error that upstream formats, which is
   * always nil.
   */
  const denial = async ({ ctx }: AdmissionRequest, asked: RequestAttributes): Promise<string | undefined> => {
    const { decision, reason } = await authorizer.authorize(ctx.user, asked, ctx.signal)
    return decision === 'allow' ? undefined : `${reason}, <nil>`
  }
  const checkDeletion = async (request: AdmissionRequest): Promise<void> => {
    const { served, subresource, namespace, name } = request
    const { group, name: version, names } = served.version
    const why = await denial(
      request,
      resourceAttributes({ verb: 'delete', group, version, resource: names.plural, subresource, namespace, name }),
    )
    if (why !== undefined) throw refuse(request, `cannot set an ownerRef on a resource you can't delete: ${why}`)
  }
  const checkFinalizers = async (request: AdmissionRequest, reference: OwnerReference): Promise<void> => {
    const owner = servedOwner(request, reference, catalog())
    const namespace = owner.definition.scope === 'Namespaced' ? request.namespace : ''
    const { group, name: versionName, names } = owner.version
    const asked = resourceAttributes({
      verb: 'update',
      group,
      version: versionName,
      resource: names.plural,
      subresource: 'finalizers',
      namespace,
      name: reference.name,
    })
    const why = await denial(request, asked)
    if (why !== undefined)
      throw refuse(request, `cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on: ${why}`)
  }
  return {
    name: 'OwnerReferencesPermissionEnforcement',
    // Old kubelets corrupt ownerReferences when they update pod status. The strategy of pods/status restores them.
    handles: request => (request.operation === 'CREATE' || request.operation === 'UPDATE') && !isAbout(request, 'pods', 'status'),
    validate: async request => {
      if (deepEqual(ownersOf(request.object), ownersOf(request.old))) return
      // A user who may create an object needs no permission to delete it.
      if (request.operation !== 'CREATE') await checkDeletion(request)
      const blocking = newlyBlocking(request)
      if (blocking.length === 0) return
      const anything = resourceAttributes({ verb: 'update', group: '*', version: '*', resource: '*', subresource: 'finalizers', name: '*' })
      if ((await denial(request, anything)) === undefined) return
      for (const reference of blocking) {
        if (turnIsLong()) await nextLongTurn()
        await checkFinalizers(request, reference)
      }
    },
  }
}
