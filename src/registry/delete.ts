import type { HookContext } from '../catalog/definition.ts'
import { nextLongTurn, turnIsLong } from '../lib/turn.ts'
import { invalid } from '../meta/field-error.ts'
import { fieldPath } from '../meta/field-path.ts'
import type { KubeObject } from '../meta/object.ts'
import { invalidError, isStatusError, notFoundError } from '../meta/status.ts'
import { faultOf } from '../storage/corrupt.ts'
import type { Key } from '../storage/revision.ts'
import type { Decision, Storage } from '../storage/storage.ts'
import { conversionOf } from './conversion-of.ts'
import { type DeleteOptions, deletionStep, type Preconditions, type Step } from './deletion-step.ts'
import { toStatus } from './errors.ts'
import { checkDeletion, lostVersion } from './preconditions.ts'
import { admissionRequest, groupResourceOf, hookContext, type RegistryEnvironment, type StoreParts, strategyOf, type WriteTarget } from './types.ts'
import { type HeldReservation, writeObject } from './write.ts'

/**
 * Deletes an object that can't be read, without reading it: preconditions, finalizers, admission and what the kind does on deletion are passed over, as in kube-apiserver. What it
 * had reserved is freed by the repair loops. Throws 422 where it is readable or not there.
 */
export async function deleteCorrupt({ storage, keys }: StoreParts, target: WriteTarget): Promise<void> {
  const { group, resource } = groupResourceOf(target.served)
  let outcome: Awaited<ReturnType<Storage['removeCorrupt']>>
  try {
    outcome = await storage.removeCorrupt(keys.object(target.namespace, target.name), target.ctx.signal)
  } catch (error) {
    throw toStatus(error, { gr: { group, resource }, name: target.name, verb: 'delete' })
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
export async function deleteObject(store: StoreParts, target: WriteTarget, options: DeleteOptions): Promise<DeleteResult> {
  const strategy = strategyOf(target.served, undefined)
  warnOfOrphans(target, options)
  const { last, ...first } = await takeStep(store, target, options, (old, hooks) => deletionStep(strategy, options, old, hooks))
  if (!last) return first
  // A graceful deletion without grace is written twice, as by kube-apiserver: watchers see the object going, then gone.
  if (target.dryRun) return { object: first.object, deleted: true }
  try {
    return await takeStep(store, target, { preconditions: followed(options.preconditions, first.object) }, () => 'remove')
  } catch (error) {
    if (isStatusError(error, 'NotFound')) return { object: first.object, deleted: true }
    throw error
  }
}

/** A kind that leaves its dependents behind by default says so to those who have not said what they want. */
export function warnOfOrphans(target: WriteTarget, { propagationPolicy, orphanDependents }: DeleteOptions): void {
  const { orphanWarning } = strategyOf(target.served, undefined)
  if (orphanWarning !== undefined && propagationPolicy === undefined && orphanDependents === undefined) target.ctx.warn(orphanWarning)
}

/** The preconditions of a second write: the version that they ask for is that of the first. */
const followed = ({ uid, resourceVersion }: Preconditions = {}, { metadata }: KubeObject): Preconditions => ({
  ...(uid !== undefined && { uid }),
  ...(resourceVersion !== undefined && metadata.resourceVersion !== undefined && { resourceVersion: metadata.resourceVersion }),
})

/** One write of a deletion, with preconditions and admission. `last`: the state that was written is to be removed. */
async function takeStep({ env, storage, keys }: StoreParts, target: WriteTarget, options: DeleteOptions, stepOf: StepOf): Promise<StepResult> {
  const gr = groupResourceOf(target.served)
  const { definition, version } = target.served
  const conversion = conversionOf(definition)
  const key = keys.object(target.namespace, target.name)
  try {
    const { result, written } = await writeObject(storage, key, target, async (now, held) => {
      if (!now) throw notFoundError(gr, target.name)
      // Of a collection, many begin at once, and each is parsed.
      if (turnIsLong()) await nextLongTurn()
      const old = await conversion.objectIn(conversion.hookVersion(version), now)
      if (turnIsLong()) await nextLongTurn()
      return decideStep(env, target, options, { key, old, stepOf, held })
    })
    if (written === undefined) return { ...result, ...(result.deleted && holdsFinalizers(result.object) && { blank: true }) }
    if (written.outcome === 'unchanged') return result
    const { object, deleted } = result
    // Of a collection, many come back from one commit, and each is read.
    if (turnIsLong()) await nextLongTurn()
    return { ...result, object: await conversion.deletionAnswer(version, object, deleted, written.object) }
  } catch (error) {
    // An object that can't be read is reported as by a read: upstream reads it first.
    if (faultOf(error) !== undefined)
      await storage.get(key, 'latest', target.ctx.signal).catch(failure => Promise.reject(toStatus(failure, { gr, name: target.name, verb: 'delete' })))
    throw toStatus(error, { gr, name: target.name, verb: 'delete' })
  }
}

type StepResult = DeleteResult & { readonly last?: boolean }

/** What becomes of an object that is to be deleted. */
type StepOf = (old: KubeObject, hooks: HookContext) => Step

interface Deciding {
  readonly key: Key
  readonly old: KubeObject
  readonly stepOf: StepOf
  readonly held: HeldReservation
}

async function decideStep(
  env: RegistryEnvironment,
  target: WriteTarget,
  { preconditions }: DeleteOptions,
  { key, old, stepOf, held }: Deciding,
): Promise<Decision<StepResult>> {
  const { definition } = target.served
  const hooks = hookContext(env, target)
  definition.strategy?.validateDelete?.(old)
  checkDeletion(target, preconditions, old)
  const asked = admissionRequest(target, 'DELETE', { old })
  await env.admission.mutate(asked)
  await env.admission.validate(asked)
  const step = stepOf(old, hooks)
  if (step === 'pending') return { change: { keep: true }, result: { object: old, deleted: false } }
  if (step === 'remove') {
    if (!target.dryRun && holdsFinalizers(old) && preconditions?.resourceVersion !== undefined) throw lostVersion(target, key, old)
    await held.take(definition.strategy?.begin?.(undefined, old, hooks, env.access(), target.dryRun))
    return { change: { delete: true }, result: { object: old, deleted: true } }
  }
  const put = await conversionOf(definition).toStored(step.next)
  return { change: { put }, result: { object: step.next, deleted: false, ...(step.last && { last: true }) } }
}

const holdsFinalizers = ({ metadata }: KubeObject): boolean => (metadata.finalizers ?? []).length > 0
