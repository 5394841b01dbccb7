import { decodedObject, isJsonObject, type Json, type JsonObject, type KubeObject, type ManagedFieldsEntry } from '../api/meta/object.ts'
import { isStepDone, runIfSteps, type Steps } from '../lib/steps.ts'
import { parseApiVersion } from '../meta/gvk.ts'
import { textIn } from '../meta/json-members.ts'
import { sameJsonInSteps } from '../meta/same-json.ts'
import type { StructSchema } from '../schema/schema.ts'
import { ApplyError, type Conflict, conflictError } from './apply-error.ts'
import { difference, ensureNamedFieldsAreMembers, hasPath, intersection, pathsOf, union } from './field-set.ts'
import { annotated, lastAppliedSet, updatedLastApplied } from './last-applied.ts'
import { decodeManagedInSteps, encodeManaged, type Managed, type Manager, managerIdentity } from './managed.ts'
import { recordUpdate } from './managed-fields.ts'
import {
  emptyObject,
  type OwnedWrite,
  ownable,
  prefixErrors,
  reconcile,
  type Touches,
  takeFromOthers,
  touchesOf,
  untracked,
  type Versioned,
  withoutReset,
} from './ownership.ts'
import { EMPTY, type FieldSet, isEmptySet } from './set-node.ts'
import { mergeTyped, removeItems } from './typed-merge.ts'
import { toFieldSet } from './typed-paths.ts'
import { errorsText, misfitOf, validateTyped } from './typed-validate.ts'

/** Arguments of a server-side apply. The algorithm is pure: time and conversions are arguments. */
export interface ApplyArgs {
  readonly schema: StructSchema
  /** The existing object, in the version of the request. Undefined if the apply creates it. */
  readonly live: KubeObject | undefined
  /** The applied configuration as sent, neither decoded nor defaulted. */
  readonly config: JsonObject
  readonly manager: string
  readonly apiVersion: string
  readonly kind: string
  readonly subresource?: string | undefined
  readonly force: boolean
  readonly resetFields?: OwnedWrite['resetFields']
  /** Optional. Reset fields in versions other than the request's. */
  readonly resetElsewhere?: OwnedWrite['resetElsewhere']
  /** Time of the request: RFC 3339 in whole seconds. */
  readonly now: string
  /** Optional. Needed if managers may name other versions than the request's. */
  readonly convert?: OwnedWrite['convert']
}

/** Result of an apply. */
export interface Applied {
  /** The merged object in the version of the request, without managed fields. The caller must decode and default it. */
  readonly object: KubeObject
  readonly managedFields: ManagedFieldsEntry[]
}

/** The manager of `kubectl apply --server-side`, which may take over fields of a client-side apply. */
const KUBECTL = 'kubectl'

/**
 * Applies a configuration: merges it into the object, and removes fields that the manager applied before, no longer
 * applies, and that have no other manager. Throws an ApplyError: `conflict` if other managers own fields that would
 * change (unless `force`), `bad request` or `internal` if the configuration is invalid. Runs in steps, as
 * configurations may be large. https://kubernetes.io/docs/reference/using-api/server-side-apply/
 */
export function* applyInSteps(args: ApplyArgs): Steps<Applied> {
  const { schema, config, apiVersion, kind, manager, now } = args
  checkConfigurationType(config, apiVersion, kind)
  const live = untracked(args.live ?? emptyObject(schema, apiVersion, kind))
  const before = yield* decodeManagedInSteps(args.live?.metadata.managedFields)
  if (before === undefined) throw new ApplyError('internal', 'failed to decode managed fields: malformed entry')
  const validating = args.live && misfitOf(schema, live)
  const misfit = validating && (yield* validating)
  if (misfit !== undefined && before.size === 0)
    throw misfitError(live, 'failed to create manager for existing fields: failed to convert new object', ' to smd typed', misfit)
  const managed = before.size > 0 ? before : yield* firstManagers(args, live, now)
  yield
  yield* checkConfiguration(args)
  yield
  if (misfit !== undefined) throw misfitError(live, 'failed to create typed live object', '', misfit)
  let applied: { object: KubeObject; managed: Managed }
  try {
    applied = yield* applyConfiguration(args, live, managed, args.force)
  } catch (error) {
    if (manager !== KUBECTL || !(error instanceof ApplyError) || error.code !== 'conflict') throw error
    applied = yield* takeOver(args, live, managed, error)
  }
  yield
  const object = manager === KUBECTL && annotated(applied.object) ? yield* updatedLastApplied(applied.object, config) : applied.object
  return { object, managedFields: encodeManaged(applied.managed) }
}

/** Assigns the fields of an object without managers to the manager `before-first-apply`. */
function* firstManagers(
  { schema, apiVersion, kind, subresource = '', resetFields, resetElsewhere, convert }: ApplyArgs,
  live: KubeObject,
  time: string,
): Steps<Managed> {
  const change: OwnedWrite = {
    schema,
    apiVersion,
    old: emptyObject(schema, apiVersion, kind),
    next: live,
    resetFields,
    resetElsewhere,
    convert,
  }
  return yield* recordUpdate(change, new Map(), { manager: 'before-first-apply', subresource, time })
}

/** Throws an ApplyError `bad request` if the configuration has another apiVersion or kind. */
export function checkConfigurationType(config: JsonObject, apiVersion: string, kind: string): void {
  if (textIn(config.apiVersion).replace(/^\/(?=[^/]+$)/, '') !== apiVersion || config.kind !== kind)
    throw new ApplyError('bad request', `invalid object type: ${printKind(config)}`)
}

/** Throws an ApplyError if the configuration does not match the schema, or sets managed fields. */
function* checkConfiguration({ schema, config }: ApplyArgs): Steps<void> {
  const metadata = isJsonObject(config.metadata) ? config.metadata : undefined
  // Upstream's accessor returns none if any entry is not an object.
  if (Array.isArray(metadata?.managedFields) && metadata.managedFields.every(isJsonObject))
    throw new ApplyError('bad request', 'metadata.managedFields must be nil')
  const errors = yield* validateTyped(schema, config)
  if (errors.length === 0) return
  throw misfitError(config, 'failed to create typed patch object', '', errorsText(errors))
}

function misfitError(object: JsonObject, failed: string, to: string, why: string): ApplyError {
  const metadata = isJsonObject(object.metadata) ? object.metadata : {}
  const [namespace, name] = ['namespace', 'name'].map(member => textIn(metadata[member]))
  return new ApplyError('internal', `${failed} (${namespace}/${name}; ${printKind(object)})${to}: ${why}`)
}

/**
 * Merges the configuration into the live object, prunes it, and updates the managers. Throws an ApplyError `conflict`
 * unless `force`.
 */
function* applyConfiguration(
  args: ApplyArgs,
  live: KubeObject,
  before: Managed,
  force: boolean,
): Steps<{ object: KubeObject; managed: Managed }> {
  const { schema, config, apiVersion, subresource = '', resetFields, resetElsewhere, convert } = args
  const applier = { manager: args.manager, operation: 'Apply', apiVersion, subresource } as const
  const identity = managerIdentity(applier)
  const last = before.get(identity)
  const self: Manager = {
    ...applier,
    set: yield* runIfSteps(withoutReset(yield* toFieldSet(schema, config), resetFields)),
    time: last?.time,
  }
  yield
  const inSchema = new Map<string, Manager>()
  for (const [id, manager] of before) {
    const other = manager.apiVersion === apiVersion ? schema : (yield* runIfSteps(convert?.(live, manager.apiVersion)))?.schema
    if (other) inSchema.set(id, { ...manager, set: yield* runIfSteps(reconcile(manager.set, other)) })
    yield
  }
  const lastSet = inSchema.get(identity)
  inSchema.set(identity, self)
  const merged = decodedObject(yield* mergeTyped(schema, live, config))
  yield
  const object = lastSet ? yield* prune({ schema, apiVersion, convert }, merged, [...inSchema.values()], lastSet) : merged
  yield
  const touchIn = touchesOf({ schema, apiVersion, old: live, next: object, resetFields, resetElsewhere, convert })
  if (!force) yield* refuseConflicts(inSchema, identity, touchIn)
  const managed = yield* takeFromOthers(inSchema, touchIn, identity)
  yield
  const own = yield* runIfSteps(ownable(self.set))
  if (isEmptySet(own)) managed.delete(identity)
  else managed.set(identity, { ...self, set: own, ...(!(yield* sameJsonInSteps(live, object)) && { time: args.now }) })
  return { object, managed }
}

/** Throws an ApplyError `conflict` if other managers own fields that the apply changes. */
function* refuseConflicts(managed: Managed, self: string, touchIn: Touches): Steps<void> {
  const conflicts: Conflict[] = []
  for (const [identity, manager] of managed) {
    if (identity === self) continue
    const touch = yield* touchIn(manager.apiVersion)
    yield
    for (const path of pathsOf(yield* runIfSteps(intersection(manager.set, touch?.touched ?? EMPTY)))) {
      if (path === undefined) yield
      else conflicts.push({ manager, path })
    }
  }
  if (conflicts.length > 0) throw yield* conflictError(conflicts)
}

/**
 * Repeats an apply of kubectl with force if all conflicts are fields that a client-side apply set and that have not
 * changed since. Otherwise throws the remaining conflicts.
 */
function* takeOver(
  args: ApplyArgs,
  live: KubeObject,
  managed: Managed,
  error: ApplyError,
): Steps<{ object: KubeObject; managed: Managed }> {
  const allowed: FieldSet | undefined = yield* lastAppliedSet(args.schema, live, args.apiVersion)
  if (allowed === undefined) throw error
  const left: Conflict[] = []
  for (const conflict of error.conflicts) {
    if (isStepDone()) yield
    if (!hasPath(allowed, conflict.path)) left.push(conflict)
  }
  if (left.length > 0) throw yield* conflictError(left)
  return yield* applyConfiguration(args, live, managed, true)
}

/** The group, version and kind in upstream's messages. All are empty if the apiVersion is malformed. */
function printKind({ apiVersion, kind }: { readonly apiVersion?: Json; readonly kind?: Json }): string {
  const groupVersion = parseApiVersion(textIn(apiVersion))
  return groupVersion ? `${groupVersion.group}/${groupVersion.version}, Kind=${textIn(kind)}` : '/, Kind='
}

/** The version of the request and the conversion to others. */
interface Pruning {
  readonly schema: StructSchema
  readonly apiVersion: string
  readonly convert: OwnedWrite['convert']
}

/**
 * Removes from the merged object the fields of the manager's last apply that no manager owns now. `managers` includes
 * the manager with its new set. Struct fields that lead to an owned field count as owned. Fields outside of the last
 * apply are kept even without a manager. Source: prune in structured-merge-diff's merge/update.go.
 */
function* prune(request: Pruning, merged: KubeObject, managers: readonly Manager[], last: Manager): Steps<KubeObject> {
  if (isEmptySet(last.set)) return merged
  const into = function* (object: KubeObject, from: string, to: string, failed: string): Steps<Versioned | undefined> {
    if (from === to) return { schema: yield* versionSchema(request, object, to), object }
    return yield* prefixErrors(`failed to prune fields: ${failed}`, runIfSteps(request.convert?.(object, to)))
  }
  const then = yield* into(merged, request.apiVersion, last.apiVersion, 'failed to convert merged object to last applied version: ')
  if (then === undefined) return merged
  const namedLast = yield* keepNamedFields(last.set, then.schema)
  const thenFields = yield* namedFieldSet(then)
  yield
  let pruned = yield* without(then, namedLast)
  for (const [apiVersion, owned] of yield* ownedByVersion(managers, last.apiVersion)) {
    const addingBack = (what: string): string => `failed add back owned items: failed to convert ${what} object at version ${apiVersion}: `
    const whole = yield* into(then.object, last.apiVersion, apiVersion, addingBack('merged'))
    const part = whole && (yield* into(pruned, last.apiVersion, apiVersion, addingBack('pruned')))
    if (whole === undefined || part === undefined) continue
    yield
    const kept = yield* runIfSteps(union(yield* namedFieldSet(part), yield* keepNamedFields(owned, whole.schema)))
    yield
    const back = yield* into(
      yield* without(whole, yield* runIfSteps(difference(whole.object === then.object ? thenFields : yield* namedFieldSet(whole), kept))),
      apiVersion,
      last.apiVersion,
      'failed add back dangling items: failed to convert pruned object to last applied version: ',
    )
    yield
    if (back !== undefined) pruned = back.object
  }
  const gone = yield* runIfSteps(difference(thenFields, yield* namedFieldSet({ schema: then.schema, object: pruned })))
  const dangling = yield* runIfSteps(intersection(gone, namedLast))
  yield
  return (yield* into(yield* without(then, dangling), last.apiVersion, request.apiVersion, ''))?.object ?? merged
}

function* versionSchema(request: Pruning, object: KubeObject, apiVersion: string): Steps<StructSchema> {
  if (apiVersion === request.apiVersion) return request.schema
  return (yield* runIfSteps(request.convert?.(object, apiVersion)))?.schema ?? request.schema
}

const keepNamedFields = (set: FieldSet, schema: StructSchema): Steps<FieldSet> => runIfSteps(ensureNamedFieldsAreMembers(set, schema))

function* namedFieldSet({ schema, object }: Versioned): Steps<FieldSet> {
  return yield* keepNamedFields(yield* toFieldSet(schema, object), schema)
}

/** Removes the paths of a set from an object. */
function* without({ schema, object }: Versioned, set: FieldSet): Steps<KubeObject> {
  const left = yield* removeItems(schema, object, set)
  return decodedObject(isJsonObject(left) ? left : {})
}

/** The paths that any manager owns, by version. The version of the manager's last apply, `first`, comes first. */
function* ownedByVersion(managers: readonly Manager[], first: string): Steps<[string, FieldSet][]> {
  const owned = new Map<string, FieldSet>()
  for (const { apiVersion, set } of managers) owned.set(apiVersion, yield* runIfSteps(union(owned.get(apiVersion) ?? EMPTY, set)))
  return [...owned].sort(([a], [b]) => Number(b === first) - Number(a === first))
}
