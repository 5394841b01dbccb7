import type { HookContext } from '../catalog/definition.ts'
import { nextLongTurn, turnIsLong } from '../lib/turn.ts'
import { type GroupResource, qualifiedResource } from '../meta/gvk.ts'
import type { KubeObject } from '../meta/object.ts'
import { alreadyExistsError, detailsOf, failure, isStatusError, type StatusError } from '../meta/status.ts'
import { formatTime } from '../meta/time.ts'
import { cloneExactly } from '../meta/whole-floats.ts'
import { faultOf } from '../storage/corrupt.ts'
import type { Decision, StoredObject } from '../storage/storage.ts'
import { conversionOf } from './conversion-of.ts'
import { ConversionError, toStatus } from './errors.ts'
import { dedupOwnerReferences, ensureNamespace, generatedName, revisionFault, wipeSystemFields } from './object-meta.ts'
import { beforeCreate, mutate, trackManagedFields } from './prepare.ts'
import {
  type Answer,
  admissionRequest,
  groupResourceOf,
  hookContext,
  type RegistryEnvironment,
  type ReservationHolder,
  type StoreParts,
  strategyOf,
  type WriteTarget,
} from './types.ts'
import { HeldReservation, writeObject } from './write.ts'

/** As upstream: the first name, and seven more. */
const NAME_ATTEMPTS = 8

/**
 * Creates the object, which the caller hands over in the version of the request. A name made from generateName is tried again with another suffix when it is taken, unless the release
 * gives up at once (RetryGenerateName).
 */
export async function createObject(store: StoreParts, target: WriteTarget, object: KubeObject): Promise<Answer> {
  const { env } = store
  const { served, ctx } = target
  const gr = groupResourceOf(served)
  const meta = object.metadata
  wipeSystemFields(meta)
  ensureNamespace(meta, served.definition.scope === 'Namespaced' ? target.namespace : '')
  dedupOwnerReferences(meta, text => ctx.warn(text), false)
  // Subresources are not created here: theirs is another way (`endpoints/virtual.ts`).
  const strategy = strategyOf(served, undefined)
  const now = env.clock.now()
  const tracking = trackManagedFields(target, strategy, object, undefined, now)
  if (tracking) await tracking
  if (turnIsLong()) await nextLongTurn()
  const asked: WriteTarget = { ...target, name: meta.name ?? '' }
  const admitted = await mutate(env, asked, object)
  if (strategy.authorize) await strategy.authorize(admitted, undefined, hookContext(env, target))
  const { name, generateName = '' } = admitted.metadata
  const generated = !name && generateName !== ''
  const attempts = env.features.enabled('RetryGenerateName') ? NAME_ATTEMPTS : 1
  for (let attempt = 1; ; attempt++) {
    const next = generated && attempt < attempts ? cloneExactly(admitted) : admitted
    if (generated) next.metadata.name = generatedName(generateName, env.nameSuffix())
    try {
      return await createOnce(store, asked, next)
    } catch (error) {
      const status = toStatus(error, { gr, name: next.metadata.name ?? '', verb: 'create' })
      if (generateName === '' || !isStatusError(status, 'AlreadyExists')) throw status
      // Upstream says so beside a name of the client's own as well.
      if (!generated || attempt >= attempts) throw nameConflict(gr, next.metadata.name ?? '', status.message)
    }
  }
}

/** One attempt by one name. What it has reserved in other keys is returned where the name is taken. */
async function createOnce(store: StoreParts, target: WriteTarget, next: KubeObject): Promise<Answer> {
  // Admission is asked once, however often the write is tried.
  const admitted = new HeldReservation()
  let isWritten = false
  try {
    const answer = await writeNew(store, target, next, admitted)
    isWritten = true
    return answer
  } finally {
    const ending = isWritten ? admitted.commit() : admitted.rollback()
    if (ending) await ending
  }
}

async function writeNew({ env, storage, keys }: StoreParts, target: WriteTarget, next: KubeObject, admitted: HeldReservation): Promise<Answer> {
  const { served } = target
  const strategy = strategyOf(served, undefined)
  const hooks = hookContext(env, target)
  await fillNew(env, target, next, hooks, { held: admitted })
  const key = keys.object(next.metadata.namespace ?? '', next.metadata.name ?? '')
  let unreserved: unknown
  const decide = async (stored: StoredObject | undefined, held: HeldReservation): Promise<Decision<undefined>> => {
    const found = stored && target.dryRun && !(await isConvertible(target, stored)) ? undefined : stored
    // What can't be reserved is said before what is there already, which a write may learn only when it is decided again.
    if (!found || target.dryRun) {
      try {
        const taking = held.take(strategy.begin?.(next, undefined, hooks, env.access(), target.dryRun))
        if (taking) await taking
      } catch (error) {
        unreserved = error
        throw error
      }
    }
    if (found) throw unreserved ?? exists(target, found)
    // Storage refuses it upstream, and so without a reason; a dry-run does not get that far. What is no number is not looked at.
    if (!target.dryRun && namesRevision(next)) throw failure(500, '', 'resourceVersion should not be set on objects to be created')
    const ttlSeconds = strategy.ttlSeconds?.(next)
    const converted = target.dryRun ? next : conversionOf(served.definition).toStored(next)
    const put = converted instanceof Promise ? await converted : converted
    return { change: { put, ...(ttlSeconds !== undefined && { ttlSeconds }) }, result: undefined }
  }
  try {
    const { written } = await writeObject(storage, key, target, decide, 'absent')
    return written ? { stored: written.object } : { object: next }
  } catch (error) {
    // What is there can't be read, but it is there.
    throw faultOf(error) === undefined ? error : alreadyExistsError(groupResourceOf(served), next.metadata.name ?? '')
  }
}

/** Whether a stored object can be shown in the version of the request. A dry run looks no further, as upstream, and takes one that cannot for absent. */
async function isConvertible({ served: { definition, version } }: WriteTarget, stored: StoredObject): Promise<boolean> {
  try {
    await conversionOf(definition).objectIn(version, stored)
    return true
  } catch (error) {
    if (error instanceof ConversionError) return false
    throw error
  }
}

interface Filling {
  /** Where admission leaves what it reserves until the write has ended. */
  readonly held: ReservationHolder
  /** The right to create is still to be asked for, which comes before validating admission. */
  readonly authorize?: boolean
}

/** Uid, times, the kind's own part, every rule, validating admission, and in a dry run the defaults of the stored object: all but the strategy's reservation and the write. */
export async function fillNew(
  env: RegistryEnvironment,
  target: WriteTarget,
  next: KubeObject,
  hooks: HookContext,
  { held, authorize = false }: Filling,
): Promise<void> {
  const { served } = target
  if (next.metadata.resourceVersion === '') delete next.metadata.resourceVersion
  next.metadata.uid = env.newUid()
  next.metadata.creationTimestamp = formatTime(hooks.now)
  const strategy = strategyOf(served, undefined)
  await beforeCreate(target, strategy, next, hooks)
  if (authorize) await env.authorizeCreate(target)
  // By the name that was asked for, whatever admission has made of it.
  const asked: WriteTarget = { ...target, name: target.name || (next.metadata.name ?? '') }
  await env.admission.validate(admissionRequest(asked, 'CREATE', { object: next, held }))
  if (target.dryRun) strategy.defaultStored?.(next)
}

/** Whether a new object says which version it is of, which none can. Text that is no number is refused elsewhere. */
function namesRevision({ metadata: { resourceVersion = '' } }: KubeObject): boolean {
  return revisionFault(resourceVersion) === undefined && /[1-9]/.test(resourceVersion)
}

/** 409. An object that is being deleted is distinguished: its name will be free. */
function exists(target: WriteTarget, found: StoredObject): StatusError {
  const gr = groupResourceOf(target.served)
  const { name = '', deletionTimestamp } = found.object().metadata
  if (deletionTimestamp === undefined) return alreadyExistsError(gr, name)
  return failure(409, 'AlreadyExists', `object is being deleted: ${qualifiedResource(gr)} "${name}" already exists`, detailsOf(gr, name))
}

/** 409 after the last attempt, with a second to wait: kube-apiserver's text since 1.30 (KEP-4420). */
function nameConflict(gr: GroupResource, name: string, taken: string): StatusError {
  const message = `${taken}, the server was not able to generate a unique name for the object`
  return failure(409, 'AlreadyExists', message, { ...detailsOf(gr, name), retryAfterSeconds: 1 })
}
