import type { HookContext, Strategy } from '../catalog/definition.ts'
import { invalid } from '../meta/field-error.ts'
import { fieldPath } from '../meta/field-path.ts'
import type { KubeObject } from '../meta/object.ts'
import { conflictError, invalidError, isStatusError, notFoundError } from '../meta/status.ts'
import { faultOf } from '../storage/corrupt.ts'
import type { Key, Revision } from '../storage/revision.ts'
import type { Change, Storage, StoredObject } from '../storage/storage.ts'
import { type DeleteOptions, deletionStep, type Preconditions, type Step } from './deletion-step.ts'
import { toStatus } from './errors.ts'
import type { KeySpace } from './keys.ts'
import { hookObject, toStored } from './remote-conversion.ts'
import type { RegistryEnvironment, WriteTarget } from './types.ts'
import { groupKindOf, groupResourceOf, optionsOf } from './types.ts'
import { objectIn } from './version-view.ts'

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

/** Deletes the object, or begins to: finalizers, grace period and the kind's own hold are respected. */
export async function deleteObject(
  env: RegistryEnvironment,
  storage: Storage,
  keys: KeySpace,
  target: WriteTarget,
  options: DeleteOptions,
): Promise<DeleteResult> {
  const strategy: Strategy = target.served.definition.strategy ?? {}
  if (strategy.orphanWarning !== undefined && options.propagationPolicy === undefined && options.orphanDependents === undefined) {
    target.ctx.warn(strategy.orphanWarning)
  }
  const { last, ...first } = await takeStep(env, storage, keys, target, options, (old, hooks) => deletionStep(strategy, options, old, hooks))
  if (!last) return first
  // A graceful deletion without grace is written twice, as by kube-apiserver: watchers are told that the object is going, then that it has gone.
  if (target.dryRun) return { object: first.object, deleted: true }
  try {
    return await takeStep(env, storage, keys, target, { preconditions: followed(options.preconditions, first.object) }, () => 'remove')
  } catch (error) {
    if (isStatusError(error, 'NotFound')) return { object: first.object, deleted: true }
    throw error
  }
}

/** The preconditions of a second write: the version that they ask for is that of the first. */
const followed = ({ uid, resourceVersion }: Preconditions = {}, { metadata }: KubeObject): Preconditions => ({
  ...(uid !== undefined && { uid }),
  ...(resourceVersion !== undefined && metadata.resourceVersion !== undefined && { resourceVersion: metadata.resourceVersion }),
})

/** One write of a deletion, with preconditions and admission. `last`: the state that was written is to be removed. */
async function takeStep(
  env: RegistryEnvironment,
  storage: Storage,
  keys: KeySpace,
  target: WriteTarget,
  options: DeleteOptions,
  stepOf: (old: KubeObject, hooks: HookContext) => Step,
): Promise<DeleteResult & { readonly last?: boolean }> {
  const gr = groupResourceOf(target.served)
  const { definition } = target.served
  const key = keys.object(target.namespace, target.name)
  let result: (DeleteResult & { readonly last?: boolean }) | undefined
  let reservation: Awaited<ReturnType<NonNullable<Strategy['begin']>>> | undefined
  const decide = async (now: StoredObject | undefined): Promise<Change> => {
    await reservation?.rollback()
    reservation = undefined
    if (!now) throw notFoundError(gr, target.name)
    const old = definition.converter ? await hookObject(target.served, now) : objectIn(definition, definition.home, now)
    const hooks: HookContext = { now: env.clock.now(), ...(target.ctx && { request: target.ctx }), subresource: '' }
    checkPreconditions(target, options, old)
    await admitDeletion(env, target, old)
    const step = stepOf(old, hooks)
    if (step === 'pending') {
      result = { object: old, deleted: false }
      return { keep: true }
    }
    if (step === 'remove') {
      if (!target.dryRun && holdsFinalizers(old) && options.preconditions?.resourceVersion !== undefined) throw lostVersion(target, key, old)
      result = { object: old, deleted: true }
      reservation = await definition.strategy?.begin?.(undefined, old, hooks, env.access(), target.dryRun)
      return { delete: true }
    }
    result = { object: step.next, deleted: false, ...(step.last && { last: true }) }
    return { put: definition.converter ? await toStored(definition, step.next) : step.next }
  }
  let done = false
  try {
    if (target.dryRun) {
      await decide(await storage.get(key, 'latest', target.ctx.signal))
      const told = result as unknown as DeleteResult
      return { ...told, ...(told.deleted && holdsFinalizers(told.object) && { blank: true }) }
    }
    const written = await storage.write(key, decide, target.ctx.signal)
    done = true
    await reservation?.commit()
    const told = result as unknown as DeleteResult
    if (written.outcome === 'unchanged') return told
    return { ...told, object: await writtenObject(target, told, written.object) }
  } catch (error) {
    // An object that can't be read is told of as a read does: upstream reads it first.
    if (faultOf(error) !== undefined)
      await storage.get(key, 'latest', target.ctx.signal).catch(failure => Promise.reject(toStatus(failure, gr, target.name, 'delete')))
    throw toStatus(error, gr, target.name, 'delete')
  } finally {
    if (!done) await reservation?.rollback()
  }
}

async function admitDeletion({ admission }: RegistryEnvironment, target: WriteTarget, old: KubeObject): Promise<void> {
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
  await admission.mutate(asked)
  await admission.validate(asked)
}

/** What is gone is told as it was read where somebody else converts it: nobody need convert it once more. */
async function writtenObject({ served }: WriteTarget, { object, deleted }: DeleteResult, stored: StoredObject): Promise<KubeObject> {
  if (!served.definition.converter) return stored.object()
  return deleted ? withRevision(object, stored.revision) : hookObject(served, stored)
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
