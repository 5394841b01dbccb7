import type { CustomResourceDefinition } from '../api/apiextensions/v1.types.ts'
import type { TypedObject } from '../api/meta/object.ts'
import { updateKind } from '../catalog/define.ts'
import { type Controller, type ControllerEnvironment, followFresh, WorkQueue } from '../controllers/controller.ts'
import { errorMessage } from '../lib/error-message.ts'
import { runInTurns } from '../lib/steps.ts'
import { isSince, type Release } from '../lifecycle/release.ts'
import { isStatusError } from '../meta/status.ts'
import { isInvalidCaBundle } from '../resources/apiextensions/custom-resource-definition/ca-bundle.ts'
import { isConditionTrue } from '../resources/apiextensions/custom-resource-definition/spec.ts'
import { CLEANUP_FINALIZER } from '../resources/apiextensions/custom-resource-definition/strategy.ts'
import { CUSTOM_RESOURCE_DEFINITIONS } from '../resources/kinds.ts'
import { nameDefinition } from './accepted-names.ts'
import {
  conditionOf,
  type DefinitionCondition,
  type DefinitionHead,
  type Derived,
  derive,
  missingConditions,
  withConditions,
} from './definition-conditions.ts'
import { removeObjects } from './remove-objects.ts'

/** Cached part of a definition. 250 complete definitions would take 20 MB or more. */
interface Settled {
  /** The definition without schemas and most metadata. */
  readonly head: DefinitionHead
  readonly derived: Derived
  /** Whether the CA bundle of the conversion webhook contains no certificate. */
  readonly hasInvalidCaBundle: boolean
}

type CachedDefinitions = Map<string, Settled>

/** Extracts the cached part. @param before that of an earlier state of the definition. */
async function settled(definition: CustomResourceDefinition, before: Settled | undefined): Promise<Settled> {
  const { apiVersion, kind, metadata, spec, status } = definition
  const { name = '', uid = '', resourceVersion = '', generation = 0, deletionTimestamp, finalizers } = metadata
  const { group, names } = spec
  const kept = {
    name,
    uid,
    resourceVersion,
    generation,
    ...(deletionTimestamp !== undefined && { deletionTimestamp }),
    ...(finalizers && { finalizers }),
  }
  const isSameSpec = before !== undefined && before.head.metadata.uid === uid && before.head.metadata.generation === generation
  return {
    head: { apiVersion, kind, metadata: kept, spec: { group, names }, status },
    derived: await runInTurns(derive(definition, isSameSpec ? before.derived : undefined)),
    hasInvalidCaBundle: isSameSpec
      ? before.hasInvalidCaBundle
      : await runInTurns(isInvalidCaBundle(spec.conversion?.webhook?.clientConfig?.caBundle)),
  }
}

/**
 * Returns the controller that accepts names of CustomResourceDefinitions, establishes them, maintains their conditions,
 * and deletes the objects of definitions that are being deleted. Runs in the leader.
 * https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/
 */
export const definitionController =
  (release: Release): Controller =>
  async (env, signal) => {
    const known: CachedDefinitions = new Map()
    const onError = (name: string, error: unknown) =>
      env.logger.debug(1, 'cannot reconcile a custom resource definition, retrying', { name, error: errorMessage(error) })
    // One worker, because two definitions may request the same names.
    const naming = new WorkQueue(
      1,
      signal,
      name => settle(env, known, name, { again: other => naming.add(other), requiresCaBundle: isSince(release, '1.31') }),
      onError,
      env.queues?.meter('crd_naming_condition_controller'),
    )
    const removal = new WorkQueue(4, signal, name => finalize(env, known, name, signal), onError, env.queues?.meter('crd_finalizer'))
    const add = (name: string): void => {
      naming.add(name)
      if (isFinalizing(known.get(name)?.head)) removal.add(name)
    }
    await followFresh(env, CUSTOM_RESOURCE_DEFINITIONS, signal, () => {
      const unseen = new Set(known.keys())
      // Names are only accepted once all definitions are known.
      let waiting: string[] | undefined = []
      return async ({ type, object }) => {
        const name = object?.metadata.name
        if (!object || name === undefined) {
          for (const gone of unseen) {
            known.delete(gone)
            naming.add(gone)
          }
          for (const each of waiting ?? []) add(each)
          waiting = undefined
          return
        }
        unseen.delete(name)
        if (type === 'deleted') known.delete(name)
        else await cacheDefinition(known, object)
        if (type === 'deleted') for (const other of known.keys()) naming.add(other)
        else if (waiting) waiting.push(name)
        else add(name)
      }
    })
  }

/** Caches a definition, unless it was deleted or a newer one was cached while its conditions were derived. */
async function cacheDefinition(known: CachedDefinitions, definition: CustomResourceDefinition): Promise<void> {
  const name = definition.metadata.name ?? ''
  const before = known.get(name)
  if (!isNewer(definition, before?.head)) return
  const next = await settled(definition, before)
  const present = known.get(name)
  if ((before === undefined || present !== undefined) && isNewer(definition, present?.head)) known.set(name, next)
}

/** Whether an object is at least as new as another. The result of a write may be newer than the last watch event. */
const isNewer = (object: TypedObject, than: TypedObject | undefined): boolean =>
  than === undefined || Number(object.metadata.resourceVersion) >= Number(than.metadata.resourceVersion)

const isFinalizing = (definition: TypedObject | undefined): boolean =>
  definition?.metadata.deletionTimestamp !== undefined && (definition.metadata.finalizers ?? []).includes(CLEANUP_FINALIZER)

/** Ignores NotFound and Conflict: the definition was deleted or changed, and that event triggers another run. */
function isOutdated(error: unknown): undefined {
  if (isStatusError(error, 'NotFound') || isStatusError(error, 'Conflict')) return undefined
  throw error
}

/**
 * Updates the status of a definition if it is unchanged. Returns the written definition, or undefined if it was
 * outdated.
 */
async function writeStatus(
  env: ControllerEnvironment,
  known: CachedDefinitions,
  { metadata: { name = '', resourceVersion = '' } }: TypedObject,
  change: (definition: CustomResourceDefinition) => CustomResourceDefinition,
): Promise<CustomResourceDefinition | undefined> {
  const asKnown = (present: CustomResourceDefinition): CustomResourceDefinition => {
    const next = change(present)
    // Causes a conflict if the definition has changed.
    next.metadata.resourceVersion = resourceVersion
    return next
  }
  const written = await updateKind(env.access, CUSTOM_RESOURCE_DEFINITIONS, { namespace: '', name, subresource: 'status' }, asKnown).catch(
    isOutdated,
  )
  // Removing the last finalizer deletes the definition. Its deletion event can arrive before the response of the write.
  if (written && known.has(name)) await cacheDefinition(known, written)
  return written
}

interface Settling {
  /** Queues another definition. */
  readonly again: (name: string) => void
  /** Whether a definition is established only if the CA bundle of its conversion webhook is valid. */
  readonly requiresCaBundle: boolean
}

/** Accepts the names of a definition and then establishes it, so that it is only served with unique names. */
async function settle(env: ControllerEnvironment, known: CachedDefinitions, name: string, settling: Settling): Promise<void> {
  const now = env.clock.now()
  if (!(await settleNames(env, known, name, settling.again))) return
  const current = known.get(name)
  if (!current || !isConditionTrue(current.head, 'NamesAccepted')) return
  const wanted = settling.requiresCaBundle && current.hasInvalidCaBundle ? INVALID_CA_BUNDLE : ESTABLISHED
  const before = conditionOf(current.head, 'Established')
  if (before?.status === 'True' || before?.reason === wanted.reason) return
  await writeStatus(env, known, current.head, present => withConditions(present, [wanted], now))
}

/** Accepts names and writes conditions. Returns false if the definition was changed or deleted meanwhile. */
async function settleNames(
  env: ControllerEnvironment,
  known: CachedDefinitions,
  name: string,
  again: (name: string) => void,
): Promise<boolean> {
  const definition = known.get(name)
  if (!definition) return false
  const { head, derived } = definition
  const others = [...known.values()].map(other => other.head).filter(other => other !== head)
  const naming = nameDefinition(head, others)
  const { set, remove } = missingConditions(head, derived)
  const conditions: DefinitionCondition[] = [...(naming?.conditions ?? []), ...set]
  if (!naming && conditions.length === 0 && remove.length === 0) return true
  const now = env.clock.now()
  const written = await writeStatus(env, known, head, present => {
    const next = withConditions(present, conditions, now)
    if (naming) next.status.acceptedNames = naming.acceptedNames
    next.status.conditions = (next.status.conditions ?? []).filter(({ type }) => !remove.includes(type))
    return next
  })
  if (!written) return false
  // The definition may have released a name that another one of its group waits for.
  if (naming) for (const other of others) if (other.spec.group === head.spec.group) again(other.metadata.name ?? '')
  return true
}

const ESTABLISHED: DefinitionCondition = {
  type: 'Established',
  status: 'True',
  reason: 'InitialNamesAccepted',
  message: 'the initial names have been accepted',
}

/** The kind is not served until the bundle is mended or removed. */
const INVALID_CA_BUNDLE: DefinitionCondition = {
  type: 'Established',
  status: 'False',
  reason: 'InvalidCABundle',
  message: 'The conversion webhook CABundle is invalid',
}

/** Deletes the objects of a definition that is being deleted, then removes its finalizer. */
async function finalize(env: ControllerEnvironment, known: CachedDefinitions, name: string, signal: AbortSignal): Promise<void> {
  if (!isFinalizing(known.get(name)?.head)) return
  const report = async (condition: DefinitionCondition): Promise<CustomResourceDefinition | undefined> => {
    const current = known.get(name)?.head
    return current && writeStatus(env, known, current, present => withConditions(present, [condition], env.clock.now()))
  }
  const begun = await report({
    type: 'Terminating',
    status: 'True',
    reason: 'InstanceDeletionInProgress',
    message: 'CustomResource deletion is in progress',
  })
  if (!begun) return
  let outcome: DefinitionCondition = {
    type: 'Terminating',
    status: 'False',
    reason: 'NeverEstablished',
    message: 'resource was never established',
  }
  if (isConditionTrue(begun, 'Established')) {
    const { failure, condition } = await removeObjects(
      env,
      { group: begun.spec.group, resource: begun.status.acceptedNames.plural },
      signal,
    )
    outcome = condition
    if (failure) {
      await report(condition)
      throw failure
    }
  }
  const current = known.get(name)?.head
  if (!current) return
  await writeStatus(env, known, current, present => {
    const next = withConditions(present, [outcome], env.clock.now())
    next.metadata.finalizers = (next.metadata.finalizers ?? []).filter(finalizer => finalizer !== CLEANUP_FINALIZER)
    return next
  })
}
