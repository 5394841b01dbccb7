import type { KubeObject, ManagedFieldsEntry } from '../../api/meta/object.ts'
import { updateManagedFields } from '../../apply/managed-fields.ts'
import { fromScaleManagedFields, type ReplicasPaths, toScaleManagedFields } from '../../apply/scale-managed-fields.ts'
import { subresourceOf } from '../../catalog/catalog.ts'
import type { SubresourceView } from '../../catalog/definition.ts'
import { invariant } from '../../lib/invariant.ts'
import { clone } from '../../meta/equal.ts'
import { apiVersionOf } from '../../meta/gvk.ts'
import { invalidError } from '../../meta/status.ts'
import { formatTime } from '../../meta/time.ts'
import { versionsOf } from '../conversion/convert.ts'
import { runsAllDeclaredRules, withDeclaredRules } from '../declared-validation.ts'
import { checkView } from '../preconditions.ts'
import { groupResourceOf, type RegistryEnvironment, type WriteTarget } from '../types.ts'
import { type BodyTarget, viewTarget } from './body-target.ts'

/** A view that a request writes, such as scale. */
export interface WrittenView {
  readonly target: WriteTarget
  readonly view: SubresourceView
  /** Type of the view. */
  readonly kind: BodyTarget
}

/** Returns the view that a request writes; undefined if it writes the object itself. */
export function viewOf(target: WriteTarget): WrittenView | undefined {
  const subresource = subresourceOf(target.served.version, target.subresource)
  const view = subresource?.view
  if (view === undefined) return undefined
  const kind = viewTarget(subresource)
  invariant(kind, 'a view has a kind of its own')
  return { target, view, kind }
}

/** A view to be written, with its managed fields. */
export interface ManagedView {
  readonly wanted: KubeObject
  readonly managedFields: readonly ManagedFieldsEntry[]
}

/** Returns the path of the view's `spec.replicas` in each version of the parent, served or not. */
const replicasPaths = ({ served, subresource }: WriteTarget): ReplicasPaths =>
  new Map(
    [...versionsOf(served.definition)].map(([apiVersion, version]) => [
      apiVersion,
      subresourceOf(version, subresource)?.view?.fields['spec.replicas'],
    ]),
  )

/**
 * Returns the parent as a write of its view makes it. The view's managed fields are derived from the parent's, and
 * merged back into them. `write` receives the current view, with its managed fields, and may keep it.
 */
export async function writeView(
  env: RegistryEnvironment,
  written: WrittenView,
  parent: KubeObject,
  write: (live: KubeObject) => ManagedView | Promise<ManagedView>,
): Promise<KubeObject> {
  const { target, view } = written
  const { group, name: version } = target.served.version
  const paths = replicasPaths(target)
  const live = (view.draft ?? view.get)(parent)
  const before = toScaleManagedFields(parent.metadata.managedFields, paths)
  if (before.length > 0) live.metadata.managedFields = before
  const { wanted, managedFields } = await write(live)
  const next = putView(env, written, clone(parent), wanted)
  const after = fromScaleManagedFields(parent.metadata.managedFields, managedFields, apiVersionOf({ group, version }), paths)
  if (after.length > 0) next.metadata.managedFields = after
  else delete next.metadata.managedFields
  return next
}

/** Returns an updated or patched view. The writer owns the fields that it changes. */
export function updatedView(
  { clock }: RegistryEnvironment,
  { target, kind }: WrittenView,
  live: KubeObject,
  wanted: KubeObject,
): ManagedView {
  const { manager, subresource } = target
  const now = formatTime(clock.now())
  return {
    wanted,
    managedFields: updateManagedFields({
      schema: kind.schema,
      old: live,
      next: wanted,
      manager,
      apiVersion: apiVersionOf(kind),
      subresource,
      now,
    }),
  }
}

/**
 * Copies a view's fields into its parent, which the caller owns. A resourceVersion and uid in the view must equal the
 * parent's.
 */
export function putView(env: RegistryEnvironment, written: WrittenView, parent: KubeObject, wanted: KubeObject): KubeObject {
  const { target, view, kind } = written
  const gr = groupResourceOf(target.served)
  const part = { ...gr, resource: `${gr.resource}/${target.subresource}` }
  checkView(gr, part, target.name, wanted, parent)
  if (wanted.metadata.resourceVersion) parent.metadata.resourceVersion = wanted.metadata.resourceVersion
  const next = view.put(parent, wanted, judgeOf(env, written, parent, wanted))
  if (!Array.isArray(next)) return next
  throw invalidError({ group: kind.group, kind: kind.kind }, target.name, next)
}

/** Returns the validation by declared rules, if the view has any. */
function judgeOf(
  env: RegistryEnvironment,
  { target, view, kind }: WrittenView,
  parent: KubeObject,
  next: KubeObject,
): Parameters<typeof view.put>[2] {
  if (!(view.declaredRules ?? runsAllDeclaredRules(env.features.release))) return undefined
  const subject = { schema: kind.schema, kind: kind.kind.toLowerCase(), next, old: view.get(parent) }
  return errors => withDeclaredRules(subject, errors, { ...env, subresource: target.subresource })
}
