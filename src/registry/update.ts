import { subresourceOf } from '../catalog/catalog.ts'
import type { HookContext, Strategy } from '../catalog/definition.ts'
import { invariant } from '../lib/invariant.ts'
import { nextLongTurn, turnIsLong } from '../lib/turn.ts'
import type { KubeObject } from '../meta/object.ts'
import { notFoundError } from '../meta/status.ts'
import type { Decision, StoredObject } from '../storage/storage.ts'
import { conversionOf } from './conversion-of.ts'
import { fillNew } from './create.ts'
import { toStatus } from './errors.ts'
import { checkRevisionText, wipeSystemFields } from './object-meta.ts'
import { checkNoUid, checkResourceVersion, checkUid } from './preconditions.ts'
import { beforeUpdate, mutate, trackManagedFields } from './prepare.ts'
import {
  type Answer,
  admissionRequest,
  groupResourceOf,
  hookContext,
  type RegistryEnvironment,
  type StoreParts,
  strategyOf,
  type WriteTarget,
} from './types.ts'
import { type HeldReservation, writeObject } from './write.ts'

/** An update, patch or apply: `transform` makes the wanted object of the present one, as often as the write is tried. */
export interface UpdateRequest {
  /**
   * The wanted object from the present one (undefined where there is none), both in the version of the request; undefined leaves that as it is, and it is not admitted. Called again after a lost race; each call
   * returns an object of its own.
   * Managed fields are tracked by the caller of this function unless it says otherwise.
   */
  transform(now: KubeObject | undefined): Promise<KubeObject | undefined>
  /** Server-side apply creates what is not there, whatever the kind says. */
  readonly forceCreate?: boolean
  /** The uid that the object must have (from the body of a PUT). */
  readonly uid?: string
  /** Managed fields have been set by `transform` (apply). */
  readonly managed?: boolean
}

/** Reads, transforms, checks and writes, again after each lost race, unless the request itself names a resourceVersion. */
export async function updateObject(store: StoreParts, target: WriteTarget, request: UpdateRequest): Promise<{ answer: Answer; created: boolean }> {
  const key = store.keys.object(target.namespace, target.name)
  try {
    const { result, written } = await writeObject(store.storage, key, target, (now, held) => decideUpdate(store, target, request, now, held))
    const { next, created } = result
    return { answer: written === undefined || written.outcome === 'deleted' ? { object: next } : { stored: written.object }, created }
  } catch (error) {
    throw toStatus(error, { gr: groupResourceOf(target.served), name: target.name, verb: 'update' })
  }
}

interface Outcome {
  /** In the version of hooks; as stored, unless nothing was written. */
  readonly next: KubeObject
  readonly created: boolean
}

/** What becomes of the present object: nothing, the wanted state, or its end where the last finalizer goes. A function of its arguments, as it may run again. */
async function decideUpdate(
  { env, keys }: StoreParts,
  target: WriteTarget,
  request: UpdateRequest,
  now: StoredObject | undefined,
  held: HeldReservation,
): Promise<Decision<Outcome>> {
  const { served } = target
  const { definition, version } = served
  const strategy = strategyOf(served, subresourceOf(version, target.subresource))
  const hooks = hookContext(env, target)
  const conversion = conversionOf(definition)
  const hookVersion = conversion.hookVersion(version)
  const inHooks = now && conversion.objectIn(hookVersion, now)
  const old = inHooks instanceof Promise ? await inHooks : inHooks
  const present = version === hookVersion ? old : now && (await conversion.objectIn(version, now))
  // Upstream checks what an update demands before it looks whether there is anything to update.
  checkUid(target, { key: keys.object(target.namespace, target.name), prefix: env.etcdPrefix }, request.uid, old)
  if (!old && !mayCreate(target, strategy, request)) throw notFoundError(groupResourceOf(served), target.name)
  if (turnIsLong()) await nextLongTurn()
  const wanted = await request.transform(present)
  if (wanted === undefined && old) return { change: { keep: true }, result: { next: old, created: false } }
  invariant(wanted !== undefined, 'what is not there cannot be left as it is')
  if (turnIsLong()) await nextLongTurn()
  const tracking = request.managed ? undefined : trackManagedFields(target, strategy, wanted, present, hooks.now)
  if (tracking) await tracking
  if (turnIsLong()) await nextLongTurn()
  if (!old) checkNoUid(target, wanted)
  const next = await mutate(env, target, wanted, old)
  checkRevisionText(next.metadata.resourceVersion ?? '')
  if (strategy.authorize) await strategy.authorize(next, old, hooks)
  if (old) await validateUpdate(env, target, strategy, { next, old, hooks, held })
  else {
    wipeSystemFields(next.metadata)
    await fillNew(env, target, next, hooks, { held, authorize: true })
  }
  const remove = old !== undefined && isOver(strategy, next, old)
  const taking = held.take(strategy.begin?.(remove ? undefined : next, old, hooks, env.access(), target.dryRun))
  if (taking) await taking
  const result = { next, created: !old }
  if (remove) return { change: { delete: true }, result }
  const converted = conversion.toStored(next)
  const put = converted instanceof Promise ? await converted : converted
  const ttlSeconds = strategy.ttlSeconds?.(next)
  return { change: { put, ...(ttlSeconds !== undefined && { ttlSeconds }) }, result }
}

const mayCreate = ({ subresource }: WriteTarget, { allowCreateOnUpdate }: Strategy, { forceCreate }: UpdateRequest): boolean =>
  subresource === '' && (allowCreateOnUpdate === true || forceCreate === true)

/** The resourceVersion, the kind's own part, every rule, and validating admission. */
async function validateUpdate(
  env: RegistryEnvironment,
  target: WriteTarget,
  strategy: Strategy,
  { next, old, hooks, held }: { readonly next: KubeObject; readonly old: KubeObject; readonly hooks: HookContext; readonly held: HeldReservation },
): Promise<void> {
  checkResourceVersion(target, strategy, next, old)
  await beforeUpdate(target, strategy, next, old, hooks)
  await env.admission.validate(admissionRequest(target, 'UPDATE', { object: next, old, held }))
  strategy.defaultStored?.(next)
}

/** Whether the last finalizer of an object that is being deleted has gone, and nothing else holds it. */
const isOver = (strategy: Strategy, next: KubeObject, { metadata }: KubeObject): boolean =>
  metadata.deletionTimestamp !== undefined &&
  (next.metadata.finalizers ?? []).length === 0 &&
  (metadata.deletionGracePeriodSeconds ?? 0) === 0 &&
  strategy.holdsDeletion?.(next) !== true
