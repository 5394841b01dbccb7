import { type Controller, type ControllerEnvironment, followFresh, WorkQueue } from '../controllers/controller.ts'
import { errorMessage } from '../lib/error-message.ts'
import type { KubeObject } from '../meta/object.ts'
import { isStatusError } from '../meta/status.ts'
import { isConditionTrue } from '../resources/apiextensions/custom-resource-definition/spec.ts'
import { CLEANUP_FINALIZER } from '../resources/apiextensions/custom-resource-definition/strategy.ts'
import { nameDefinition } from './accepted-names.ts'
import { type Condition, conditionOf, derivedConditions, withConditions } from './definition-conditions.ts'
import { DEFINITIONS } from './follow-definitions.ts'
import { removeObjects } from './remove-objects.ts'

/**
 * Accepts the names of custom resource definitions, establishes them, tells in their conditions what is to be said, and removes the objects of those that are being deleted. Of several servers, the one
 * that leads does so.
 * Source: https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/
 */
export const definitionController =
  (serveWritten: (definition: KubeObject) => void): Controller =>
  async (env, signal) => {
    const known = new Map<string, KubeObject>()
    const onError = (name: string, error: unknown) =>
      env.logger.debug(1, 'a custom resource definition is not settled yet', { name, error: errorMessage(error) })
    // Names are given one after the other: two definitions may want the same.
    const naming = new WorkQueue(
      1,
      signal,
      name => settle(env, serveWritten, known, name, other => naming.add(other)),
      onError,
      env.queues?.meter('crd_naming_condition_controller'),
    )
    const removal = new WorkQueue(4, signal, name => finalize(env, known, name, signal), onError, env.queues?.meter('crd_finalizer'))
    const add = (name: string): void => {
      naming.add(name)
      if (isFinalizing(known.get(name))) removal.add(name)
    }
    await followFresh(env, DEFINITIONS, signal, () => {
      const unseen = new Set(known.keys())
      return ({ type, object }) => {
        const name = object?.metadata.name
        if (!object || name === undefined) {
          for (const gone of unseen) {
            known.delete(gone)
            naming.add(gone)
          }
          return
        }
        unseen.delete(name)
        if (type === 'deleted') known.delete(name)
        else if (isNewer(object, known.get(name))) known.set(name, object)
        if (type === 'deleted') for (const other of known.keys()) naming.add(other)
        else add(name)
      }
    })
  }

/** What was written here may be newer than what the watch shows. */
const isNewer = (object: KubeObject, than: KubeObject | undefined): boolean =>
  than === undefined || Number(object.metadata.resourceVersion) >= Number(than.metadata.resourceVersion)

const isFinalizing = (definition: KubeObject | undefined): boolean =>
  definition?.metadata.deletionTimestamp !== undefined && (definition.metadata.finalizers ?? []).includes(CLEANUP_FINALIZER)

/** Deleted or changed meanwhile: its next event brings it here again. */
function isOutdated(error: unknown): undefined {
  if (isStatusError(error, 'NotFound') || isStatusError(error, 'Conflict')) return undefined
  throw error
}

/** Resolves with what was written; undefined where it is outdated. */
async function writeStatus(env: ControllerEnvironment, known: Map<string, KubeObject>, definition: KubeObject): Promise<KubeObject | undefined> {
  const name = definition.metadata.name as string
  const written = await env.access.update(DEFINITIONS, '', name, () => definition, { subresource: 'status' }).catch(isOutdated)
  if (written) known.set(name, written)
  return written
}

async function settle(
  env: ControllerEnvironment,
  serveWritten: (definition: KubeObject) => void,
  known: Map<string, KubeObject>,
  name: string,
  again: (name: string) => void,
): Promise<void> {
  const definition = known.get(name)
  if (!definition) return
  const now = env.clock.now()
  const others = [...known.values()].filter(other => other !== definition)
  const naming = nameDefinition(definition, others)
  const derived = derivedConditions(definition)
  const conditions: Condition[] = [...(naming?.conditions ?? []), ...derived.set]
  if (naming || conditions.length > 0 || derived.remove.length > 0) {
    const next = withConditions(structuredClone(definition), conditions, now)
    if (naming) next.status.acceptedNames = naming.acceptedNames
    next.status.conditions = (next.status.conditions as Condition[]).filter(({ type }) => !derived.remove.includes(type))
    if (!(await writeStatus(env, known, next))) return
    // It may have given up a name that another one of its group waits for.
    if (naming) for (const other of others) if (other.spec.group === definition.spec.group) again(other.metadata.name as string)
  }
  const current = known.get(name)
  if (current && isConditionTrue(current, 'NamesAccepted') && conditionOf(current, 'Established')?.status !== 'True') {
    const established = withConditions(structuredClone(current), [ESTABLISHED], env.clock.now())
    // Whoever waits for it to be established wants to use its kind at once; and whoever finds the kind may rely on its being established.
    const written = await writeStatus(env, known, established)
    if (written) serveWritten(written)
  }
}

const ESTABLISHED: Condition = {
  type: 'Established',
  status: 'True',
  reason: 'InitialNamesAccepted',
  message: 'the initial names have been accepted',
}

async function finalize(env: ControllerEnvironment, known: Map<string, KubeObject>, name: string, signal: AbortSignal): Promise<void> {
  const definition = known.get(name)
  if (!definition || !isFinalizing(definition)) return
  const tell = async (condition: Condition): Promise<KubeObject | undefined> => {
    const current = known.get(name)
    if (!current) return undefined
    return writeStatus(env, known, withConditions(structuredClone(current), [condition], env.clock.now()))
  }
  const begun = await tell({ type: 'Terminating', status: 'True', reason: 'InstanceDeletionInProgress', message: 'CustomResource deletion is in progress' })
  if (!begun) return
  let outcome: Condition = { type: 'Terminating', status: 'False', reason: 'NeverEstablished', message: 'resource was never established' }
  if (isConditionTrue(begun, 'Established')) {
    const { failure, condition } = await removeObjects(env, { group: begun.spec.group, resource: begun.status.acceptedNames.plural }, signal)
    outcome = condition
    if (failure) {
      await tell(condition)
      throw failure
    }
  }
  const current = known.get(name)
  if (!current) return
  const next = withConditions(structuredClone(current), [outcome], env.clock.now())
  next.metadata.finalizers = (next.metadata.finalizers ?? []).filter(finalizer => finalizer !== CLEANUP_FINALIZER)
  await writeStatus(env, known, next)
}
