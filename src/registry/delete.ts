import type { HookContext, Strategy } from '../catalog/definition.ts'
import { clone } from '../meta/equal.ts'
import { invalid } from '../meta/field-error.ts'
import { fieldPath } from '../meta/field-path.ts'
import type { KubeObject } from '../meta/object.ts'
import { conflictError, invalidError, notFoundError } from '../meta/status.ts'
import { formatTime } from '../meta/time.ts'
import { faultOf } from '../storage/corrupt.ts'
import type { Key, Revision } from '../storage/revision.ts'
import type { Change, Storage, StoredObject } from '../storage/storage.ts'
import { toStatus } from './errors.ts'
import type { KeySpace } from './keys.ts'
import { hookObject, toStored } from './remote-conversion.ts'
import type { RegistryEnvironment, WriteTarget } from './types.ts'
import { groupKindOf, groupResourceOf, optionsOf } from './types.ts'
import { objectIn } from './version-view.ts'

/** metav1.DeleteOptions, as far as the registry acts on it. */
export interface DeleteOptions {
  readonly gracePeriodSeconds?: number
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string }
  readonly propagationPolicy?: 'Orphan' | 'Background' | 'Foreground'
  readonly orphanDependents?: boolean
}

/**
 * Deletes an object that can't be read, without reading it: preconditions, finalizers, admission and what the kind does on deletion are passed over, as in kube-apiserver. What it
 * had reserved is freed by the repair loops. Throws 422 where it is readable or not there.
 */
export async function deleteCorrupt(storage: Storage, keys: KeySpace, target: WriteTarget): Promise<void> {
  const { group, resource } = groupResourceOf(target.served)
  let outcome: Awaited<ReturnType<Storage['removeCorrupt']>>
  try {
    outcome = await storage.removeCorrupt(keys.object(target.namespace, target.name), target.ctx.signal)
  } catch (error) {
    throw toStatus(error, { group, resource }, target.name, 'delete')
  }
  if (outcome === 'removed') return
  const why = 'is exclusively used to delete corrupt object(s), try again by removing this option'
  throw invalidError({ group, kind: resource }, target.name, [invalid(IGNORE_READ_ERROR, true, why)])
}

/** `deleted`: the object has gone. Otherwise it is waiting for its finalizers or its grace period; the object is its state now. */
export interface DeleteResult {
  readonly object: KubeObject
  readonly deleted: boolean
  /** The answer is an object without content: upstream's to a dry-run that would take out the last finalizer, and the object with it. */
  readonly blank?: boolean
}

/** The option of unsafe deletion. */
export const IGNORE_READ_ERROR = fieldPath('ignoreStoreReadErrorWithClusterBreakingPotential')

const ORPHAN = 'orphan'
const FOREGROUND = 'foregroundDeletion'

/** Deletes the object, or begins to: finalizers, grace period and the kind's own hold are respected. */
export async function deleteObject(
  env: RegistryEnvironment,
  storage: Storage,
  keys: KeySpace,
  target: WriteTarget,
  options: DeleteOptions,
): Promise<DeleteResult> {
  const gr = groupResourceOf(target.served)
  const key = keys.object(target.namespace, target.name)
  const strategy: Strategy = target.served.definition.strategy ?? {}
  if (strategy.orphanWarning !== undefined && options.propagationPolicy === undefined && options.orphanDependents === undefined) {
    target.ctx.warn(strategy.orphanWarning)
  }
  let result: DeleteResult | undefined
  let reservation: Awaited<ReturnType<NonNullable<Strategy['begin']>>> | undefined
  const decide = async (now: StoredObject | undefined): Promise<Change> => {
    await reservation?.rollback()
    reservation = undefined
    if (!now) throw notFoundError(gr, target.name)
    const { definition } = target.served
    const old = definition.converter ? await hookObject(target.served, now) : objectIn(definition, definition.home, now)
    const hooks: HookContext = { now: env.clock.now(), ...(target.ctx && { request: target.ctx }), subresource: '' }
    checkPreconditions(target, options, old)
    const asked = {
      ctx: target.ctx,
      operation: 'DELETE' as const,
      served: target.served,
      subresource: '',
      namespace: target.namespace,
      name: target.ofCollection ? '' : target.name,
      dryRun: target.dryRun,
      ...optionsOf(target),
      old,
    }
    await env.admission.mutate(asked)
    await env.admission.validate(asked)
    const next = deletionStep(strategy, options, old, hooks)
    if (next === 'pending') {
      result = { object: old, deleted: false }
      return { keep: true }
    }
    if (next === 'remove') {
      if (!target.dryRun && holdsFinalizers(old) && options.preconditions?.resourceVersion !== undefined) throw lostVersion(target, key, old)
      result = { object: old, deleted: true }
      reservation = await strategy.begin?.(undefined, old, hooks, env.access(), target.dryRun)
      return { delete: true }
    }
    result = { object: next, deleted: false }
    return { put: definition.converter ? await toStored(definition, next) : next }
  }
  let done = false
  try {
    if (target.dryRun) {
      await decide(await storage.get(key, 'latest', target.ctx.signal))
      const { deleted, object } = result as unknown as DeleteResult
      return { deleted, object, ...(deleted && holdsFinalizers(object) && { blank: true }) }
    }
    const written = await storage.write(key, decide, target.ctx.signal)
    done = true
    await reservation?.commit()
    const { deleted, object } = result as unknown as DeleteResult
    if (written.outcome === 'unchanged') return { deleted, object }
    // What is gone is told as it was read: nobody need convert it once more.
    if (target.served.definition.converter)
      return { deleted, object: deleted ? withRevision(object, written.object.revision) : await hookObject(target.served, written.object) }
    return { deleted, object: written.object.object() }
  } catch (error) {
    // An object that can't be read is told of as a read does: upstream reads it first.
    if (faultOf(error) !== undefined)
      await storage.get(key, 'latest', target.ctx.signal).catch(failure => Promise.reject(toStatus(failure, gr, target.name, 'delete')))
    throw toStatus(error, gr, target.name, 'delete')
  } finally {
    if (!done) await reservation?.rollback()
  }
}

const withRevision = (object: KubeObject, revision: Revision): KubeObject => ({
  ...object,
  metadata: { ...object.metadata, resourceVersion: String(revision) },
})

const holdsFinalizers = ({ metadata }: KubeObject): boolean => (metadata.finalizers ?? []).length > 0

/** Upstream loses the version that it was told where a deletion takes out the last finalizer, and then finds that it does not match. */
const lostVersion = (target: WriteTarget, key: Key, old: KubeObject) =>
  conflictError(
    groupResourceOf(target.served),
    target.name,
    `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: ResourceVersion in precondition: , ResourceVersion in object meta: ${old.metadata.resourceVersion}`,
  )

function checkPreconditions(target: WriteTarget, { preconditions }: DeleteOptions, old: KubeObject): void {
  if (preconditions === undefined) return
  const { group, kind } = groupKindOf(target.served)
  const { uid, resourceVersion } = preconditions
  if (uid !== undefined && uid !== old.metadata.uid)
    throw conflictError(
      { group, resource: kind },
      target.name,
      `the UID in the precondition (${uid}) does not match the UID in record (${old.metadata.uid}). The object might have been deleted and then recreated`,
    )
  if (resourceVersion !== undefined && resourceVersion !== old.metadata.resourceVersion)
    throw conflictError(
      { group, resource: kind },
      target.name,
      `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${old.metadata.resourceVersion}). The object might have been modified`,
    )
}

/** The object's next state: the same with its deletion begun or brought forward, `remove`, or `pending` where nothing changes. */
function deletionStep(strategy: Strategy, options: DeleteOptions, old: KubeObject, hooks: HookContext): KubeObject | 'remove' | 'pending' {
  const requested = options.gracePeriodSeconds !== undefined && options.gracePeriodSeconds < 0 ? 1 : options.gracePeriodSeconds
  const meta = old.metadata
  let graceSeconds: number | undefined
  let deletesAt: number | undefined
  if (strategy.gracePeriod) {
    if (meta.deletionTimestamp === undefined) {
      graceSeconds = strategy.gracePeriod(old, requested, hooks)
      if (graceSeconds !== undefined) deletesAt = hooks.now + graceSeconds * 1000
    } else if ((meta.deletionGracePeriodSeconds ?? 0) !== 0) {
      const running = Math.max(meta.deletionGracePeriodSeconds as number, 1)
      if (requested === undefined || requested >= running) return 'pending'
      graceSeconds = requested
      deletesAt = Date.parse(meta.deletionTimestamp) - running * 1000 + requested * 1000
      if (deletesAt < hooks.now) {
        deletesAt = hooks.now
        if (graceSeconds !== 0) graceSeconds = 1
      }
    }
  }
  const finalizers = collectorFinalizers(strategy, options, meta.finalizers ?? [])
  const held = finalizers.length > 0 || strategy.holdsDeletion?.(old) === true
  const graceful = graceSeconds !== undefined && graceSeconds > 0
  if (!held && !graceful) return 'remove'
  const next = clone(old)
  if (finalizers.length > 0) next.metadata.finalizers = finalizers
  else delete next.metadata.finalizers
  if (meta.deletionTimestamp === undefined && (meta.generation ?? 0) > 0) next.metadata.generation = (meta.generation as number) + 1
  if (graceful) {
    next.metadata.deletionTimestamp = formatTime(deletesAt as number)
    next.metadata.deletionGracePeriodSeconds = graceSeconds as number
  } else {
    if (meta.deletionTimestamp === undefined || Date.parse(meta.deletionTimestamp) > hooks.now) next.metadata.deletionTimestamp = formatTime(hooks.now)
    next.metadata.deletionGracePeriodSeconds = 0
  }
  strategy.markDeleting?.(next)
  return next
}

/** The finalizers with those of the garbage collector as the options, the object itself or the kind's default want them. */
function collectorFinalizers(strategy: Strategy, options: DeleteOptions, finalizers: readonly string[]): string[] {
  const standing = finalizers.find(f => f === ORPHAN || f === FOREGROUND)
  let wanted: string | undefined
  if (options.orphanDependents !== undefined) wanted = options.orphanDependents ? ORPHAN : undefined
  else if (options.propagationPolicy !== undefined)
    wanted = options.propagationPolicy === 'Orphan' ? ORPHAN : options.propagationPolicy === 'Foreground' ? FOREGROUND : undefined
  else if (standing !== undefined) wanted = standing
  else if (strategy.defaultPropagation === 'orphan') wanted = ORPHAN
  const kept = finalizers.filter(f => f !== ORPHAN && f !== FOREGROUND)
  if (wanted === undefined) return kept
  return finalizers.includes(wanted) && !finalizers.includes(wanted === ORPHAN ? FOREGROUND : ORPHAN) ? [...finalizers] : [...kept, wanted]
}
