import type { KubeObject } from '../api/meta/object.ts'
import { subresourceOf } from '../catalog/catalog.ts'
import type { HookContext, Strategy } from '../catalog/strategy.ts'
import { invariant } from '../lib/invariant.ts'
import { runStages, type Stages, stage } from '../lib/stages.ts'
import { isSince } from '../lifecycle/release.ts'
import { notFoundError } from '../meta/status.ts'
import type { StoredObject, WriteDecision } from '../storage/storage.ts'
import { type ObjectChange, setsManagedFields, transformOf } from './change/change.ts'
import type { Transform } from './change/transform.ts'
import { conversionOf } from './conversion/conversion-of.ts'
import { fillNew } from './create.ts'
import { toStatus } from './errors.ts'
import { checkRevisionText, wipeSystemFields } from './object-meta.ts'
import { checkNoUid, checkResourceVersion, checkUid } from './preconditions.ts'
import { beforeUpdate, mutate, resetFieldsIn, trackManagedFields } from './prepare.ts'
import {
  admissionRequest,
  groupResourceOf,
  hookContext,
  type RegistryEnvironment,
  type RequestResult,
  type StoreParts,
  strategyOf,
  type WriteTarget,
} from './types.ts'
import { type HeldReservation, writeObject } from './write.ts'

/** An update, a patch or an apply. */
export interface UpdateRequest {
  readonly change: ObjectChange
  /** Whether a missing object is created even if the kind does not allow that, as server-side apply does. */
  readonly forceCreate?: boolean
  /** The uid that the existing object must have, from the body of a PUT. */
  readonly uid?: string
}

interface PlannedUpdate extends UpdateRequest {
  readonly transform: Transform
}

/**
 * Updates an object by compare-and-swap: reads, transforms, validates and writes it, and retries after a conflict,
 * unless the request itself requires a resourceVersion. Throws a StatusError.
 */
export async function updateObject(
  store: StoreParts,
  target: WriteTarget,
  request: UpdateRequest,
): Promise<{ answer: RequestResult; created: boolean }> {
  const key = store.keys.object(target.namespace, target.name)
  const planned = { transform: transformOf(store.env, target, request.change), ...request }
  try {
    const { result, written } = await writeObject(store.storage, key, target, (now, held) =>
      runStages(decideUpdate(store, target, planned, now, held)),
    )
    const { next, created } = result
    return { answer: written === undefined || written.outcome === 'deleted' ? { object: next } : { stored: written.object }, created }
  } catch (error) {
    throw toStatus(error, { gr: groupResourceOf(target.served), name: target.name, verb: 'update' })
  }
}

interface UpdateOutcome {
  /** The object in the version of hooks. */
  readonly next: KubeObject
  readonly created: boolean
}

/**
 * Decides the write of one attempt: none, the wanted state, or a deletion if the last finalizer of a deleted object is
 * removed. Keeps no state between attempts.
 */
function* decideUpdate(
  { env, keys }: StoreParts,
  target: WriteTarget,
  request: PlannedUpdate,
  now: StoredObject | undefined,
  held: HeldReservation,
): Stages<WriteDecision<UpdateOutcome>> {
  const { served } = target
  const { definition, version } = served
  const subresource = subresourceOf(version, target.subresource)
  const strategy = strategyOf(served, subresource)
  const hooks = hookContext(env, target)
  const conversion = conversionOf(definition)
  const hookVersion = conversion.hookVersion(version)
  const old = yield* stage(now && conversion.objectIn(hookVersion, now))
  const present = version === hookVersion ? old : yield* stage(now && conversion.objectIn(version, now))
  const isMissing = !old && !mayCreate(target, strategy, request)
  // Before 1.34 upstream checks the preconditions of an update first.
  if (isMissing && isSince(env.features.release, '1.34')) throw notFoundError(groupResourceOf(served), target.name)
  checkUid(target, { key: keys.object(target.namespace, target.name), prefix: env.etcdPrefix }, request.uid, old)
  if (isMissing) throw notFoundError(groupResourceOf(served), target.name)
  const wanted = yield* stage(request.transform(present))
  if (wanted === undefined && old) return { change: { keep: true }, result: { next: old, created: false } }
  invariant(wanted !== undefined, 'a missing object cannot be left unchanged')
  if (!target.keepsManagers && !setsManagedFields(request.change, subresource?.view !== undefined))
    yield* trackManagedFields(target, resetFieldsIn(strategy, env.features.release), wanted, present, hooks.now)
  if (!old) checkNoUid(target, wanted)
  const next = yield* mutate(env, target, wanted, old)
  checkRevisionText(next.metadata.resourceVersion ?? '')
  yield* stage(strategy.authorize?.(next, old, hooks))
  if (old) yield* checkUpdate(env, target, strategy, { next, old, hooks, held })
  else {
    // Upstream clears the metadata of a deletion in every create since 1.37, and before only in a POST.
    wipeSystemFields(next.metadata, !isSince(env.features.release, '1.37'))
    yield* fillNew(env, target, next, hooks, { held, authorize: true })
  }
  const remove = old !== undefined && isOver(strategy, next, old)
  yield* stage(held.take(strategy.begin?.(remove ? undefined : next, old, hooks, env.access(), target.dryRun)))
  const result = { next, created: !old }
  if (remove) return { change: { delete: true }, result }
  const put = yield* stage(conversion.toStored(next))
  const ttlSeconds = strategy.ttlSeconds?.(next)
  return { change: { put, ...(ttlSeconds !== undefined && { ttlSeconds }) }, result }
}

const mayCreate = ({ subresource }: WriteTarget, { allowCreateOnUpdate }: Strategy, { forceCreate }: UpdateRequest): boolean =>
  subresource === '' && (allowCreateOnUpdate === true || forceCreate === true)

/**
 * Checks the resourceVersion, then prepares and validates the update, then runs validating admission. Throws a
 * StatusError.
 */
function* checkUpdate(
  env: RegistryEnvironment,
  target: WriteTarget,
  strategy: Strategy,
  {
    next,
    old,
    hooks,
    held,
  }: { readonly next: KubeObject; readonly old: KubeObject; readonly hooks: HookContext; readonly held: HeldReservation },
): Stages<void> {
  checkResourceVersion(target, strategy, next, old)
  yield* beforeUpdate(target, strategy, next, old, hooks)
  yield* stage(env.admission.validate(admissionRequest(target, 'UPDATE', { object: next, old, held })))
  const defaults = target.dryRun ? strategy.defaultStored?.(next) : undefined
  if (defaults) yield* defaults
}

/**
 * Whether an update removes the last finalizer of an object that is being deleted, and nothing else holds the object.
 */
const isOver = (strategy: Strategy, next: KubeObject, { metadata }: KubeObject): boolean =>
  metadata.deletionTimestamp !== undefined &&
  (next.metadata.finalizers ?? []).length === 0 &&
  (metadata.deletionGracePeriodSeconds ?? 0) === 0 &&
  strategy.holdsDeletion?.(next) !== true
