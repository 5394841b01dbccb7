import { updateManagedFields } from '../apply/managed-fields.ts'
import { fromScaleManagedFields, type ReplicasPaths, toScaleManagedFields } from '../apply/scale-managed-fields.ts'
import { subresourceOf } from '../catalog/catalog.ts'
import type { Subresource, SubresourceView } from '../catalog/definition.ts'
import { invariant } from '../lib/invariant.ts'
import { clone } from '../meta/equal.ts'
import { apiVersionOf } from '../meta/gvk.ts'
import type { KubeObject, ManagedFieldsEntry } from '../meta/object.ts'
import { invalidError } from '../meta/status.ts'
import { formatTime } from '../meta/time.ts'
import { versionsOf } from '../registry/convert.ts'
import { checkView } from '../registry/preconditions.ts'
import { groupResourceOf } from '../registry/types.ts'
import type { BodyTarget } from './dialect/body-type.ts'
import type { Scope } from './scope.ts'

/** What the body of a request to a subresource of another kind is, if it is one. */
export const viewTarget = (subresource: Subresource | undefined): BodyTarget | undefined => subresource?.kind

/** A view that is to be written, and who manages its fields then. */
export interface ManagedView {
  readonly wanted: KubeObject
  readonly managedFields: readonly ManagedFieldsEntry[]
}

/** Where the versions of a resource, served or not, keep what a view calls spec.replicas. */
const replicasPaths = ({ served, subresourceName }: Scope): ReplicasPaths =>
  new Map(
    [...versionsOf(served.definition)].map(([apiVersion, version]) => [apiVersion, subresourceOf(version, subresourceName)?.view?.fields['spec.replicas']]),
  )

/**
 * The parent as a write of its view makes it, with managed fields: those of the view are taken from the parent's, and put back there. `write` gets the view as it is, with its
 * managed fields, to keep.
 */
export async function writeView(
  scope: Scope,
  view: SubresourceView,
  parent: KubeObject,
  write: (live: KubeObject) => ManagedView | Promise<ManagedView>,
): Promise<KubeObject> {
  const { group, name: version } = scope.served.version
  const paths = replicasPaths(scope)
  const live = (view.draft ?? view.get)(parent)
  const before = toScaleManagedFields(parent.metadata.managedFields, paths)
  if (before.length > 0) live.metadata.managedFields = before
  const { wanted, managedFields } = await write(live)
  const next = putView(scope, view, clone(parent), wanted)
  const after = fromScaleManagedFields(parent.metadata.managedFields, managedFields, apiVersionOf({ group, version }), paths)
  if (after.length > 0) next.metadata.managedFields = after
  else delete next.metadata.managedFields
  return next
}

/** A view that was updated or patched: the writer owns what it changes. */
export function updatedView({ env, subresource, subresourceName }: Scope, live: KubeObject, wanted: KubeObject, manager: string): ManagedView {
  const kind = subresource?.kind
  invariant(kind, 'a view is of a kind of its own')
  const now = formatTime(env.clock.now())
  const apiVersion = apiVersionOf(kind)
  return {
    wanted,
    managedFields: updateManagedFields({ schema: kind.schema, old: live, next: wanted, manager, apiVersion, subresource: subresourceName, now }),
  }
}

/** Puts a view's fields into its parent, which the caller owns. The view's resourceVersion and uid, if it has any, must be the parent's. */
export function putView(scope: Scope, view: SubresourceView, parent: KubeObject, wanted: KubeObject): KubeObject {
  const gr = groupResourceOf(scope.served)
  const part = { ...gr, resource: `${gr.resource}/${scope.subresourceName}` }
  checkView(gr, part, scope.name, wanted, parent)
  if (wanted.metadata.resourceVersion) parent.metadata.resourceVersion = wanted.metadata.resourceVersion
  const next = view.put(parent, wanted, judgeOf(scope, view, parent, wanted))
  if (!Array.isArray(next)) return next
  const kind = scope.subresource?.kind
  throw invalidError({ group: kind?.group ?? gr.group, kind: kind?.kind ?? scope.served.version.kind }, scope.name, next)
}

/** Runs declared rules besides, where the view has any. */
function judgeOf({ env, subresource, subresourceName }: Scope, view: SubresourceView, parent: KubeObject, next: KubeObject): Parameters<typeof view.put>[2] {
  const kind = subresource?.kind
  if (!view.declaredRules || !kind) return undefined
  const subject = { schema: kind.schema, kind: kind.kind.toLowerCase(), next, old: view.get(parent) }
  return errors => env.registry.withDeclared(subject, errors, subresourceName)
}
