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

/** Returns the body type of a subresource of another kind, such as scale. Undefined if the subresource has the kind of its parent. */
export const viewTarget = (subresource: Subresource | undefined): BodyTarget | undefined => subresource?.kind

/** A view to be written, with its managed fields. */
export interface ManagedView {
  readonly wanted: KubeObject
  readonly managedFields: readonly ManagedFieldsEntry[]
}

/** Returns the path of the view's `spec.replicas` in each version of the parent, served or not. */
const replicasPaths = ({ served, subresourceName }: Scope): ReplicasPaths =>
  new Map(
    [...versionsOf(served.definition)].map(([apiVersion, version]) => [apiVersion, subresourceOf(version, subresourceName)?.view?.fields['spec.replicas']]),
  )

/**
 * Returns the parent as a write of its view makes it. The view's managed fields are derived from the parent's, and merged back into them. `write` receives the current view, with its managed fields, and may
 * keep it.
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

/** Returns an updated or patched view. The writer owns the fields that it changes. */
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

/** Copies a view's fields into its parent, which the caller owns. A resourceVersion and uid in the view must equal the parent's. */
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

/** Returns the validation by declared rules, if the view has any. */
function judgeOf({ env, subresource, subresourceName }: Scope, view: SubresourceView, parent: KubeObject, next: KubeObject): Parameters<typeof view.put>[2] {
  const kind = subresource?.kind
  if (!view.declaredRules || !kind) return undefined
  const subject = { schema: kind.schema, kind: kind.kind.toLowerCase(), next, old: view.get(parent) }
  return errors => env.registry.withDeclared(subject, errors, subresourceName)
}
