import type { KubeObject } from '../api/meta/object.ts'
import type { GroupResource } from '../api/meta/v1.types.ts'
import type { HookContext } from '../catalog/strategy.ts'
import { runStages, type Stages, stage } from '../lib/stages.ts'
import { startInTurns } from '../lib/steps.ts'
import { qualifiedResource } from '../meta/gvk.ts'
import { alreadyExistsError, detailsOf, failure, isStatusError, type StatusError } from '../meta/status.ts'
import { formatTime } from '../meta/time.ts'
import { cloneExactlyInSteps } from '../meta/whole-floats.ts'
import { readFaultOf } from '../storage/corrupt.ts'
import type { StoredObject, WriteDecision } from '../storage/storage.ts'
import { conversionOf } from './conversion/conversion-of.ts'
import { ConversionError, toStatus } from './errors.ts'
import { dedupOwnersInSteps, ensureNamespace, generatedName, revisionFault, wipeSystemFields } from './object-meta.ts'
import { beforeCreate, mutate, resetFieldsIn, trackManagedFields } from './prepare.ts'
import { objectInTurns } from './ready-object.ts'
import {
  admissionRequest,
  groupResourceOf,
  hookContext,
  type RegistryEnvironment,
  type RequestResult,
  type ReservationHolder,
  type StoreParts,
  strategyOf,
  type WriteTarget,
} from './types.ts'
import { HeldReservation, writeObject } from './write.ts'

/** Largest number of names that are generated for one create, as upstream's maxNameGenerationCreateAttempts. */
const NAME_ATTEMPTS = 8

/**
 * Creates an object, which is in the version of the request. Takes ownership of it. If a name from generateName is
 * taken, another suffix is tried, provided that the gate RetryGenerateName is on. The result is not yet converted to
 * the version of the request. Throws a StatusError.
 */
export async function createObject(store: StoreParts, target: WriteTarget, object: KubeObject): Promise<RequestResult> {
  const { env } = store
  const gr = groupResourceOf(target.served)
  const named: WriteTarget = { ...target, name: object.metadata.name ?? '' }
  const admitted = await runStages(admitNew(env, named, object))
  const { name, generateName = '' } = admitted.metadata
  const generated = !name && generateName !== ''
  const attempts = env.features.enabled('RetryGenerateName') ? NAME_ATTEMPTS : 1
  for (let attempt = 1; ; attempt++) {
    const next = generated && attempt < attempts ? await startInTurns(cloneExactlyInSteps(admitted)) : admitted
    if (generated) next.metadata.name = generatedName(generateName, env.nameSuffix())
    try {
      return await createOnce(store, named, next)
    } catch (error) {
      const status = toStatus(error, { gr, name: next.metadata.name ?? '', verb: 'create' })
      if (generateName === '' || !isStatusError(status, 'AlreadyExists')) throw status
      // Upstream adds the message about generateName even if the client also set a name.
      if (!generated || attempt >= attempts) throw nameConflict(gr, next.metadata.name ?? '', status.message)
    }
  }
}

/** Runs all stages of a create up to mutating admission. Returns the object in the version of hooks. */
function* admitNew(env: RegistryEnvironment, target: WriteTarget, object: KubeObject): Stages<KubeObject> {
  const { served, ctx } = target
  const { metadata } = object
  wipeSystemFields(metadata)
  ensureNamespace(metadata, served.definition.scope === 'Namespaced' ? target.namespace : '')
  yield* dedupOwnersInSteps(metadata, text => ctx.warn(text), false)
  // Subresources are created by `endpoints/virtual.ts`.
  const strategy = strategyOf(served, undefined)
  yield* trackManagedFields(target, resetFieldsIn(strategy, env.features.release), object, undefined, env.clock.now())
  const admitted = yield* mutate(env, target, object)
  yield* stage(strategy.authorize?.(admitted, undefined, hookContext(env, target)))
  return admitted
}

/** Creates the object under its name. Rolls back the reservations of admission if that fails. */
async function createOnce(store: StoreParts, target: WriteTarget, next: KubeObject): Promise<RequestResult> {
  // Admission runs once, however often the write is retried, so its reservations outlive each attempt.
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

/**
 * Fills in the object and writes it if its key is absent. `admitted` receives what admission reserved; the caller
 * commits it or rolls it back.
 */
async function writeNew(
  { env, storage, keys }: StoreParts,
  target: WriteTarget,
  next: KubeObject,
  admitted: HeldReservation,
): Promise<RequestResult> {
  const { served } = target
  const strategy = strategyOf(served, undefined)
  const hooks = hookContext(env, target)
  await runStages(fillNew(env, target, next, hooks, { held: admitted }))
  const key = keys.object(next.metadata.namespace ?? '', next.metadata.name ?? '')
  let unreserved: unknown
  let isEncoded = false
  // Upstream's storage encodes the object before it looks for an existing one. A dry run does not reach the storage.
  function* encode(): Stages<KubeObject> {
    // The storage, not the registry, rejects the resourceVersion upstream. The error therefore has no reason.
    if (namesRevision(next)) throw failure(500, '', 'resourceVersion should not be set on objects to be created')
    const encoded = yield* stage(conversionOf(served.definition).toStored(next))
    isEncoded = true
    return encoded
  }
  function* decide(stored: StoredObject | undefined, held: HeldReservation): Stages<WriteDecision<undefined>> {
    const found = stored && target.dryRun && !(yield* isConvertible(target, stored)) ? undefined : stored
    // A failed reservation takes precedence over AlreadyExists, which an optimistic write may find only in its second
    // attempt.
    if (!found || target.dryRun) {
      try {
        yield* stage(held.take(strategy.begin?.(next, undefined, hooks, env.access(), target.dryRun)))
      } catch (error) {
        unreserved = error
        throw error
      }
    }
    if (found) {
      if (unreserved === undefined && !target.dryRun && !isEncoded) yield* encode()
      throw unreserved ?? existingObjectError(target, yield* stage(objectInTurns(found)))
    }
    const ttlSeconds = strategy.ttlSeconds?.(next)
    const put = target.dryRun ? next : yield* encode()
    return { change: { put, ...(ttlSeconds !== undefined && { ttlSeconds }) }, result: undefined }
  }
  try {
    const { written } = await writeObject(storage, key, target, (stored, held) => runStages(decide(stored, held)), 'absent')
    return written ? { stored: written.object } : { object: next }
  } catch (error) {
    // The existing object is corrupt, but its name is taken.
    throw readFaultOf(error) === undefined ? error : alreadyExistsError(groupResourceOf(served), next.metadata.name ?? '')
  }
}

/**
 * Whether a stored object can be converted to the version of the request. As upstream, a dry run treats an object that
 * cannot be converted as absent.
 */
function* isConvertible({ served: { definition, version } }: WriteTarget, stored: StoredObject): Stages<boolean> {
  try {
    yield* stage(conversionOf(definition).objectIn(version, stored))
    return true
  } catch (error) {
    if (error instanceof ConversionError) return false
    throw error
  }
}

interface Filling {
  /** Receives the reservations of admission. */
  readonly held: ReservationHolder
  /** Whether to authorize the creation, before validating admission. Defaults to false. */
  readonly authorize?: boolean
}

/**
 * Completes and validates a new object in place: sets the uid and the creation time, runs the kind's `prepare` and all
 * validation, then validating admission. A dry run also gets the defaults that a stored object has. Reserves nothing
 * for the strategy. Throws a StatusError.
 */
export function* fillNew(
  env: RegistryEnvironment,
  target: WriteTarget,
  next: KubeObject,
  hooks: HookContext,
  { held, authorize = false }: Filling,
): Stages<void> {
  const { served } = target
  if (next.metadata.resourceVersion === '') delete next.metadata.resourceVersion
  next.metadata.uid = env.newUid()
  next.metadata.creationTimestamp = formatTime(hooks.now)
  const strategy = strategyOf(served, undefined)
  yield* beforeCreate(target, strategy, next, hooks)
  if (authorize) yield* stage(env.authorizeCreate(target))
  // The name of the request, even if mutating admission changed the object's.
  const named: WriteTarget = { ...target, name: target.name || (next.metadata.name ?? '') }
  yield* stage(env.admission.validate(admissionRequest(named, 'CREATE', { object: next, held })))
  const defaults = target.dryRun ? strategy.defaultStored?.(next) : undefined
  if (defaults) yield* defaults
}

/** Whether a new object has a resourceVersion other than zero. Text that is not a number is rejected elsewhere. */
function namesRevision({ metadata: { resourceVersion = '' } }: KubeObject): boolean {
  return revisionFault(resourceVersion) === undefined && /[1-9]/.test(resourceVersion)
}

/** 409 AlreadyExists. The message says if the existing object is being deleted, as its name will be free then. */
function existingObjectError(target: WriteTarget, found: KubeObject): StatusError {
  const gr = groupResourceOf(target.served)
  const { name = '', deletionTimestamp } = found.metadata
  if (deletionTimestamp === undefined) return alreadyExistsError(gr, name)
  return failure(409, 'AlreadyExists', `object is being deleted: ${qualifiedResource(gr)} "${name}" already exists`, detailsOf(gr, name))
}

/**
 * 409 after the last attempt to generate a name, with a Retry-After of 1 s: kube-apiserver's message since 1.30
 * (KEP-4420).
 */
function nameConflict(gr: GroupResource, name: string, taken: string): StatusError {
  const message = `${taken}, the server was not able to generate a unique name for the object`
  return failure(409, 'AlreadyExists', message, { ...detailsOf(gr, name), retryAfterSeconds: 1 })
}
