import type { KubeObject } from '../api/meta/object.ts'
import type { Preconditions } from '../api/meta/v1.types.ts'
import type { HookContext } from '../catalog/strategy.ts'
import { runStages, type Stages, stage } from '../lib/stages.ts'
import type { Steps } from '../lib/steps.ts'
import { isSince } from '../lifecycle/release.ts'
import { invalid } from '../meta/field-error.ts'
import { fieldPath } from '../meta/field-path.ts'
import { invalidError, isStatusError, notFoundError } from '../meta/status.ts'
import { readFaultOf } from '../storage/corrupt.ts'
import type { Key } from '../storage/revision.ts'
import type { Storage, StoredObject, WriteDecision } from '../storage/storage.ts'
import { conversionOf } from './conversion/conversion-of.ts'
import { type DeletionOptions, type DeletionStep, deletionStep } from './deletion-step.ts'
import { toStatus } from './errors.ts'
import { checkDeletion, lostVersion, readableError } from './preconditions.ts'
import {
  admissionRequest,
  groupResourceOf,
  hookContext,
  type RegistryEnvironment,
  type StoreParts,
  strategyOf,
  type WriteTarget,
} from './types.ts'
import { type HeldReservation, writeObject } from './write.ts'

/**
 * Deletes a corrupt object without reading it. As in kube-apiserver, preconditions, finalizers, admission and the
 * kind's own deletion are skipped. Repair loops free what the object had reserved. Throws 409 if the object can be read
 * and 404 if it does not exist, before 1.37 422 for both.
 */
export async function deleteCorrupt({ env, storage, keys }: StoreParts, target: WriteTarget): Promise<void> {
  const { group, resource } = groupResourceOf(target.served)
  const key = keys.object(target.namespace, target.name)
  let outcome: Awaited<ReturnType<Storage['removeCorrupt']>>
  try {
    outcome = await storage.removeCorrupt(key, target.ctx.signal, target.dryRun)
  } catch (error) {
    throw toStatus(error, { gr: { group, resource }, name: target.name, verb: 'delete' })
  }
  if (outcome === 'removed') return
  if (isSince(env.features.release, '1.37'))
    throw outcome === 'absent' ? notFoundError({ group, resource }, target.name) : readableError(target, key)
  const why = 'is exclusively used to delete corrupt object(s), try again by removing this option'
  throw invalidError({ group, kind: resource }, target.name, [invalid(IGNORE_READ_ERROR, true, why)])
}

/** Result of a deletion. */
export interface DeleteResult {
  /** The last state, in the version of hooks. */
  readonly object: KubeObject
  /** Whether the object is gone. If not, it waits for its finalizers or its grace period. */
  readonly deleted: boolean
  /**
   * Whether the response is an object without content. Upstream returns one to a dry run that would remove an object
   * with finalizers.
   */
  readonly blank?: boolean
}

/** Path of the delete option that enables unsafe deletion (KEP-3926). */
export const IGNORE_READ_ERROR = fieldPath('ignoreStoreReadErrorWithClusterBreakingPotential')

/**
 * Deletes an object, or marks it as being deleted if finalizers, a grace period or the kind itself hold it. Throws a
 * StatusError.
 */
export async function deleteObject(store: StoreParts, target: WriteTarget, options: DeletionOptions): Promise<DeleteResult> {
  const strategy = strategyOf(target.served, undefined)
  warnOfOrphans(target, options)
  const { last, ...first } = await takeStep(store, target, options, (old, hooks) => deletionStep(strategy, options, old, hooks))
  if (!last) return first
  // As in kube-apiserver, a graceful deletion with a grace period of 0 is two writes: watchers see a modification, then
  // the deletion.
  if (target.dryRun) return { object: first.object, deleted: true }
  try {
    return await takeStep(store, target, { preconditions: followed(options.preconditions, first.object) }, removal)
  } catch (error) {
    if (isStatusError(error, 'NotFound')) return { object: first.object, deleted: true }
    throw error
  }
}

/** Warns a client that sets no propagation policy if the kind orphans its dependents by default. */
export function warnOfOrphans(target: WriteTarget, { propagationPolicy, orphanDependents }: DeletionOptions): void {
  const { orphanWarning } = strategyOf(target.served, undefined)
  if (orphanWarning !== undefined && propagationPolicy === undefined && orphanDependents === undefined) target.ctx.warn(orphanWarning)
}

/** Preconditions of the second write. A required resourceVersion becomes that of the first write. */
const followed = ({ uid, resourceVersion }: Preconditions = {}, { metadata }: KubeObject): Preconditions => ({
  ...(uid !== undefined && { uid }),
  ...(resourceVersion !== undefined && metadata.resourceVersion !== undefined && { resourceVersion: metadata.resourceVersion }),
})

/**
 * Runs one write of a deletion, with preconditions and admission. The result has `last` if a second write must remove
 * the object.
 */
async function takeStep(
  { env, storage, keys }: StoreParts,
  target: WriteTarget,
  options: DeletionOptions,
  stepOf: StepOf,
): Promise<StepResult> {
  const gr = groupResourceOf(target.served)
  const key = keys.object(target.namespace, target.name)
  try {
    const { result, written } = await writeObject(storage, key, target, (now, held) =>
      runStages(decideStep(env, target, options, { key, now, stepOf, held })),
    )
    if (written === undefined) return { ...result, ...(result.deleted && holdsFinalizers(result.object) && { blank: true }) }
    return written.outcome === 'unchanged' ? result : await runStages(resultOfDeletion(target, result, written.object))
  } catch (error) {
    // A corrupt object fails with the error of a read, as upstream reads it first.
    if (readFaultOf(error) !== undefined)
      await storage
        .get(key, 'latest', target.ctx.signal)
        .catch(failure => Promise.reject(toStatus(failure, { gr, name: target.name, verb: 'delete' })))
    throw toStatus(error, { gr, name: target.name, verb: 'delete' })
  }
}

type StepResult = DeleteResult & { readonly last?: boolean }

// biome-ignore lint/correctness/useYield: a step that needs none
function* removal(): Steps<DeletionStep> {
  return 'remove'
}

/** Returns the next step of a deletion. */
type StepOf = (old: KubeObject, hooks: HookContext) => Steps<DeletionStep>

interface Deciding {
  readonly key: Key
  readonly now: StoredObject | undefined
  readonly stepOf: StepOf
  readonly held: HeldReservation
}

function* decideStep(
  env: RegistryEnvironment,
  target: WriteTarget,
  { preconditions }: DeletionOptions,
  { key, now, stepOf, held }: Deciding,
): Stages<WriteDecision<StepResult>> {
  const { definition, version } = target.served
  if (!now) throw notFoundError(groupResourceOf(target.served), target.name)
  // Deletions of a collection run concurrently, and each parses its object.
  yield
  const conversion = conversionOf(definition)
  const old = yield* stage(conversion.objectIn(conversion.hookVersion(version), now))
  const hooks = hookContext(env, target)
  definition.strategy?.validateDelete?.(old)
  checkDeletion(target, preconditions, old)
  const review = admissionRequest(target, 'DELETE', { old })
  yield* stage(env.admission.mutate(review))
  yield* stage(env.admission.validate(review))
  const step = yield* stepOf(old, hooks)
  if (step === 'pending') return { change: { keep: true }, result: { object: old, deleted: false } }
  if (step === 'remove') {
    if (!target.dryRun && holdsFinalizers(old) && preconditions?.resourceVersion !== undefined) throw lostVersion(target, key, old)
    yield* stage(held.take(definition.strategy?.begin?.(undefined, old, hooks, env.access(), target.dryRun)))
    return { change: { delete: true }, result: { object: old, deleted: true } }
  }
  const put = yield* stage(conversion.toStored(step.next))
  return { change: { put }, result: { object: step.next, deleted: false, ...(step.last && { last: true }) } }
}

/** The result of a written step, with the object as it was stored. */
function* resultOfDeletion({ served: { definition, version } }: WriteTarget, result: StepResult, stored: StoredObject): Stages<StepResult> {
  // Many deletions of a collection may return from one commit, and each parses its object.
  yield
  return { ...result, object: yield* stage(conversionOf(definition).deletionAnswer(version, result.object, result.deleted, stored)) }
}

const holdsFinalizers = ({ metadata }: KubeObject): boolean => (metadata.finalizers ?? []).length > 0
