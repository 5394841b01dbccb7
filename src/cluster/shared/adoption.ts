import type { TypedObject } from '../../api/meta/object.ts'
import type { ApiClient, ResourceKind } from '../../clients/api-client.ts'
import { aggregate } from '../../lib/aggregate.ts'
import { errorMessage } from '../../lib/error-message.ts'
import { nextBackgroundTurn, turnIsSpent } from '../../lib/turn.ts'
import type { LabelRequirement } from '../../meta/label-requirement.ts'
import { matchesLabels } from '../../meta/label-selector.ts'
import { isStatusError } from '../../meta/status.ts'
import { controllerOf, controllerReference } from './owner.ts'

/** Decision about an object that a controller may own. */
export type Claim = 'keep' | 'adopt' | 'release' | 'ignore'

/** Input of `claimFor`. */
export interface ClaimCase {
  readonly controllerUid: string
  /** Whether the controller has a deletion timestamp. */
  readonly isControllerDeleted: boolean
  /** Whether the selector of the controller, and its filter, match the object. */
  readonly matches: boolean
  readonly object: TypedObject
}

/**
 * Decides whether a controller keeps, adopts or releases an object. An object of another controller is ignored,
 * whatever its labels. A controller that is being deleted neither adopts nor releases, and an object that is being
 * deleted is not adopted.
 */
export function claimFor({ controllerUid, isControllerDeleted, matches, object }: ClaimCase): Claim {
  const owner = controllerOf(object)
  if (owner) {
    if (owner.uid !== controllerUid) return 'ignore'
    if (matches) return 'keep'
    return isControllerDeleted ? 'ignore' : 'release'
  }
  return matches && !isControllerDeleted && object.metadata.deletionTimestamp === undefined ? 'adopt' : 'ignore'
}

/** A controller, and the objects that it may own. */
export interface AdopterOptions<C extends TypedObject, T extends TypedObject> {
  readonly client: ApiClient
  readonly controllerKind: ResourceKind<C>
  /** State of the informer. It is read anew before the first adoption. */
  readonly controller: C
  readonly kind: ResourceKind<T>
  /** Selector of the controller. */
  readonly selector: readonly LabelRequirement[]
  /** Optional. Finalizers that an adopted object gets, and that a released one loses. */
  readonly finalizers?: readonly string[]
  /** Optional. Whether an object may be claimed at all. */
  readonly filter?: (object: T) => boolean
}

/**
 * Claims objects for a controller: adopts those that match its selector and have no controller, and releases its own
 * that no longer match. Returns those that it controls then. Rejects with the errors of all objects, joined.
 * Corresponds to upstream's ControllerRefManager.
 */
export async function claimObjects<C extends TypedObject, T extends TypedObject>(
  objects: readonly T[],
  options: AdopterOptions<C, T>,
): Promise<T[]> {
  const { controller, selector, filter = () => true } = options
  const claimed: T[] = []
  const errors: string[] = []
  const mayAdopt = once(() => checkAdoption(options))
  for (const object of objects) {
    if (turnIsSpent()) await nextBackgroundTurn()
    const claim = claimFor({
      controllerUid: controller.metadata.uid ?? '',
      isControllerDeleted: controller.metadata.deletionTimestamp !== undefined,
      matches: matchesLabels(selector, object.metadata.labels) && filter(object),
      object,
    })
    try {
      if (claim === 'keep') claimed.push(object)
      else if (claim === 'adopt') claimed.push(...(await adopt(object, options, mayAdopt)))
      else if (claim === 'release') await release(object, options)
    } catch (error) {
      errors.push(errorMessage(error))
    }
  }
  if (errors.length > 0) throw new Error(aggregate(errors))
  return claimed
}

/** Adopts an object. Returns none if the object is gone, or belongs to another controller by now. */
async function adopt<C extends TypedObject, T extends TypedObject>(
  object: T,
  { client, kind, controllerKind, controller, finalizers }: AdopterOptions<C, T>,
  mayAdopt: () => Promise<void>,
): Promise<T[]> {
  try {
    await mayAdopt()
  } catch (error) {
    const { namespace = '', name = '', uid = '' } = object.metadata
    throw new Error(`can't adopt ${kind.kind} ${namespace}/${name} (${uid}): ${errorMessage(error)}`)
  }
  const { namespace = '', name = '', uid } = object.metadata
  const metadata = {
    ownerReferences: [controllerReference(controllerKind, controller)],
    uid: uid ?? '',
    ...(finalizers && { finalizers: [...finalizers] }),
  }
  try {
    return [await client.patch(kind, { namespace, name }, { metadata }, 'strategic')]
  } catch (error) {
    if (isStatusError(error, 'NotFound')) return []
    throw error
  }
}

/**
 * Removes the reference to the controller. An object that is gone or has another uid, and one that has lost the
 * reference already, need no release.
 */
async function release<C extends TypedObject, T extends TypedObject>(
  object: T,
  { client, kind, controller, finalizers }: AdopterOptions<C, T>,
): Promise<void> {
  const { namespace = '', name = '', uid } = object.metadata
  const metadata = {
    uid: uid ?? '',
    ownerReferences: [{ $patch: 'delete', uid: controller.metadata.uid ?? '' }],
    ...(finalizers && { '$deleteFromPrimitiveList/finalizers': [...finalizers] }),
  }
  try {
    await client.patch(kind, { namespace, name }, { metadata }, 'strategic')
  } catch (error) {
    if (!isStatusError(error, 'NotFound', 'Invalid')) throw error
  }
}

/**
 * Reads the controller from the server, past the informer: its deletion may not have been seen. Throws an Error if it
 * may not adopt.
 */
async function checkAdoption<C extends TypedObject, T extends TypedObject>({
  client,
  controllerKind,
  controller,
}: AdopterOptions<C, T>): Promise<void> {
  const { namespace = '', name = '', uid = '' } = controller.metadata
  const fresh = await client.get(controllerKind, namespace, name)
  if (fresh.metadata.uid !== uid)
    throw new Error(`original ${controllerKind.kind} ${namespace}/${name} is gone: got uid ${fresh.metadata.uid ?? ''}, wanted ${uid}`)
  if (fresh.metadata.deletionTimestamp !== undefined)
    throw new Error(`${namespace}/${name} has just been deleted at ${fresh.metadata.deletionTimestamp}`)
}

/** Calls a function on first use, and returns its promise from then on. */
function once(call: () => Promise<void>): () => Promise<void> {
  let called: Promise<void> | undefined
  return () => {
    called ??= call()
    return called
  }
}
