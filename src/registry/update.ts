import { subresourceOf } from '../catalog/catalog.ts'
import type { HookContext, Strategy } from '../catalog/definition.ts'
import { runInTurns } from '../lib/steps.ts'
import { nextLongTurn, turnIsLong } from '../lib/turn.ts'
import { fieldPath } from '../meta/field-path.ts'
import type { KubeObject } from '../meta/object.ts'
import { conflictError, invalidError, notFoundError, OPTIMISTIC_LOCK } from '../meta/status.ts'
import type { Key } from '../storage/revision.ts'
import type { Change, Storage, StoredObject } from '../storage/storage.ts'
import { convert } from './convert.ts'
import { fillNew } from './create.ts'
import { toStatus } from './errors.ts'
import type { KeySpace } from './keys.ts'
import { checkRevisionText, dedupOwnerReferences, ensureNamespace, wipeSystemFields } from './object-meta.ts'
import { beforeUpdate, trackManagedFields, trackRemotely } from './prepare.ts'
import { hookObject, hookVersion, toStored } from './remote-conversion.ts'
import type { Answer, RegistryEnvironment, WriteTarget } from './types.ts'
import { groupResourceOf, optionsOf, strategyOf } from './types.ts'
import { objectIn } from './version-view.ts'

export interface UpdateRequest {
  /**
   * The wanted object from the present one (undefined where there is none), both in the version of the request. Called again after a lost race; each call returns an object of its own.
   * Managed fields are tracked by the caller of this function unless it says otherwise.
   */
  transform(now: KubeObject | undefined): Promise<KubeObject>
  /** Server-side apply creates what is not there, whatever the kind says. */
  readonly forceCreate?: boolean
  /** The uid that the object must have (from the body of a PUT). */
  readonly uid?: string
  /** Managed fields have been set by `transform` (apply). */
  readonly managed?: boolean
}

/** Reads, transforms, checks and writes, again after each lost race, unless the request itself names a resourceVersion. */
export async function updateObject(
  env: RegistryEnvironment,
  storage: Storage,
  keys: KeySpace,
  target: WriteTarget,
  request: UpdateRequest,
): Promise<{ answer: Answer; created: boolean }> {
  const gr = groupResourceOf(target.served)
  const key = keys.object(target.namespace, target.name)
  const strategy = strategyOf(target.served, subresourceOf(target.served.version, target.subresource))
  let outcome: Outcome | undefined
  const decide = async (now: StoredObject | undefined): Promise<Change> => {
    await outcome?.rollback() // of a run that lost its race
    outcome = undefined
    outcome = await decideUpdate(env, target, strategy, request, key, now)
    const { definition } = target.served
    const put = definition.converter ? await toStored(definition, outcome.next) : outcome.next
    if (outcome.remove) return { delete: true, answer: put }
    const ttlSeconds = strategy.ttlSeconds?.(outcome.next)
    return { put, ...(ttlSeconds !== undefined && { ttlSeconds }) }
  }
  let done = false
  try {
    if (target.dryRun) {
      await decide(await storage.get(key, 'latest', target.ctx.signal))
      return { answer: { object: (outcome as unknown as Outcome).next }, created: (outcome as unknown as Outcome).created }
    }
    const written = await storage.write(key, decide, target.ctx.signal)
    done = true
    const last = outcome as unknown as Outcome
    await last.commit()
    return { answer: last.remove ? { object: last.next } : { stored: written.object }, created: written.outcome === 'created' }
  } catch (error) {
    throw toStatus(error, gr, target.name, 'update')
  } finally {
    if (!done) await (outcome as Outcome | undefined)?.rollback()
  }
}

interface Outcome {
  readonly next: KubeObject
  readonly created: boolean
  /** The last finalizer of an object that is being deleted has gone. */
  readonly remove: boolean
  commit(): Promise<void>
  rollback(): Promise<void>
}

async function decideUpdate(
  env: RegistryEnvironment,
  target: WriteTarget,
  strategy: Strategy,
  request: UpdateRequest,
  key: Key,
  now: StoredObject | undefined,
): Promise<Outcome> {
  const { served, ctx } = target
  const gr = groupResourceOf(served)
  const hooks: HookContext = { now: env.clock.now(), request: ctx, subresource: target.subresource }
  const { definition, version } = served
  const home = hookVersion(served)
  const old = now && (definition.converter ? await hookObject(served, now) : objectIn(definition, home, now))
  const present = version === home ? old : now && objectIn(definition, version, now)
  const mayCreate = target.subresource === '' && (strategy.allowCreateOnUpdate === true || request.forceCreate === true)
  // Upstream checks what an update demands before it looks whether there is anything to update.
  if (request.uid !== undefined && request.uid !== '' && request.uid !== old?.metadata.uid)
    throw conflictError(
      gr,
      target.name,
      `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: ${request.uid}, UID in object meta: ${old?.metadata.uid ?? ''}`,
    )
  if (!old && !mayCreate) throw notFoundError(gr, target.name)
  let next = await request.transform(present)
  if (turnIsLong()) await nextLongTurn()
  if (!request.managed && definition.converter) await trackRemotely(target, strategy, next, present, hooks.now)
  else if (!request.managed) await runInTurns(trackManagedFields(target, strategy, next, present, hooks.now))
  if (turnIsLong()) await nextLongTurn()
  next = convert(definition, next, version, home)
  const admission = {
    ctx,
    served,
    subresource: target.subresource,
    namespace: target.namespace,
    name: target.name,
    dryRun: target.dryRun,
    ...optionsOf(target),
  }
  next = (await env.admission.mutate({ ...admission, operation: old ? 'UPDATE' : 'CREATE', object: next, ...(old && { old }) })) ?? next
  ensureNamespace(next.metadata, definition.scope === 'Namespaced' ? target.namespace : '')
  dedupOwnerReferences(next.metadata, text => ctx.warn(text), true)
  if (turnIsLong()) await nextLongTurn()
  if (!old) {
    if (next.metadata.uid)
      throw conflictError(gr, target.name, `uid mismatch: the provided object specified uid ${next.metadata.uid}, and no existing object was found`)
    wipeSystemFields(next.metadata)
    await fillNew(env, target, next, hooks, true)
    return outcomeOf(next, true, false, await strategy.begin?.(next, undefined, hooks, env.access(), target.dryRun))
  }
  checkVersion(target, strategy, next, old)
  await beforeUpdate(target, strategy, next, old, hooks)
  await env.admission.validate({ ...admission, operation: 'UPDATE', object: next, old })
  const remove =
    old.metadata.deletionTimestamp !== undefined &&
    (next.metadata.finalizers ?? []).length === 0 &&
    (old.metadata.deletionGracePeriodSeconds ?? 0) === 0 &&
    strategy.holdsDeletion?.(next) !== true
  return outcomeOf(next, false, remove, await strategy.begin?.(remove ? undefined : next, old, hooks, env.access(), target.dryRun))
}

const nothing = async (): Promise<void> => {}

const outcomeOf = (
  next: KubeObject,
  created: boolean,
  remove: boolean,
  reservation: { commit(): Promise<void>; rollback(): Promise<void> } | undefined,
): Outcome => ({
  next,
  created,
  remove,
  commit: reservation ? () => reservation.commit() : nothing,
  rollback: reservation ? () => reservation.rollback() : nothing,
})

/** An update without a resourceVersion takes the present one, where the kind allows that; any other must name the present one. */
function checkVersion(target: WriteTarget, strategy: Strategy, next: KubeObject, old: KubeObject): void {
  const gr = groupResourceOf(target.served)
  const wanted = next.metadata.resourceVersion ?? ''
  checkRevisionText(wanted)
  if (wanted === '' || wanted === '0') {
    if (strategy.allowUnconditionalUpdate === false)
      throw invalidError({ group: gr.group, kind: gr.resource }, target.name, [
        { reason: 'FieldValueInvalid', field: fieldPath('metadata', 'resourceVersion').text, body: 'Invalid value: 0x0: must be specified for an update' },
      ])
    next.metadata.resourceVersion = old.metadata.resourceVersion as string
  } else if (wanted !== old.metadata.resourceVersion) {
    throw conflictError(gr, target.name, OPTIMISTIC_LOCK)
  }
}
