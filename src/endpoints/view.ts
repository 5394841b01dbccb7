import type { Subresource, SubresourceView } from '../catalog/definition.ts'
import type { KubeObject } from '../meta/object.ts'
import { conflictError, invalidError, OPTIMISTIC_LOCK } from '../meta/status.ts'
import { groupResourceOf } from '../registry/types.ts'
import type { BodyTarget } from './body.ts'
import type { Scope } from './scope.ts'

/** What the body of a request to a subresource of another kind is, if it is one. */
export const viewTarget = (subresource: Subresource | undefined): BodyTarget | undefined => subresource?.kind

/** Puts a view's fields into its parent, which the caller owns. The view's resourceVersion and uid, if it has any, must be the parent's. */
export function putView(scope: Scope, view: SubresourceView, parent: KubeObject, wanted: KubeObject): KubeObject {
  const gr = groupResourceOf(scope.served)
  const { uid, resourceVersion } = wanted.metadata
  if (uid !== undefined && uid !== '' && uid !== parent.metadata.uid)
    throw conflictError(gr, scope.name, `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${parent.metadata.uid}`)
  if (resourceVersion !== undefined && resourceVersion !== '' && resourceVersion !== parent.metadata.resourceVersion)
    throw conflictError(gr, scope.name, OPTIMISTIC_LOCK)
  const next = view.put(parent, wanted)
  if (!Array.isArray(next)) return next
  const kind = scope.subresource?.kind
  throw invalidError({ group: kind?.group ?? gr.group, kind: kind?.kind ?? scope.served.version.kind }, scope.name, next)
}
