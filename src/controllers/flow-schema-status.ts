import type { FlowSchema, FlowSchemaCondition } from '../api/flowcontrol/v1.types.ts'
import type { TypedObject } from '../api/meta/object.ts'
import { getKind, updateKind } from '../catalog/define.ts'
import type { AccessEvent } from '../catalog/resource-access.ts'
import { errorMessage } from '../lib/error-message.ts'
import { quote } from '../lib/go-quote.ts'
import { isStatusError } from '../meta/status.ts'
import { formatTime } from '../meta/time.ts'
import { FLOW_SCHEMAS, PRIORITY_LEVELS } from '../resources/kinds.ts'
import type { Controller, ControllerEnvironment } from './controller.ts'
import { follow, WorkQueue } from './controller.ts'

type DanglingVerdict = Omit<FlowSchemaCondition, 'lastTransitionTime'>

const levelOf = ({ spec }: FlowSchema): string => spec.priorityLevelConfiguration.name

/** Sets the condition `Dangling` of every flow schema: whether its priority level is missing. */
export const flowSchemaStatusController: Controller = async (env, signal) => {
  /** Schema name to level name. */
  const schemas = new Map<string, string>()
  const queue = new WorkQueue(
    2,
    signal,
    name => report(env, name),
    (name, error) => env.logger.debug(1, 'cannot update the status of a flow schema, retrying', { name, error: errorMessage(error) }),
    env.queues?.meter('priority_and_fairness_config_queue'),
  )
  // A level affects the schemas that name it. A completed list affects all.
  const onLevel = ({ type, object }: AccessEvent<TypedObject>): void => {
    for (const [schema, level] of schemas) if (type === 'synced' || level === object?.metadata.name) queue.add(schema)
  }
  const onSchema = ({ type, object }: AccessEvent<FlowSchema>): void => {
    if (!object) return
    const { name = '' } = object.metadata
    if (type === 'deleted') schemas.delete(name)
    else {
      schemas.set(name, levelOf(object))
      queue.add(name)
    }
  }
  await Promise.all([follow(env, PRIORITY_LEVELS, signal, onLevel), follow(env, FLOW_SCHEMAS, signal, onSchema)])
}

/** Condition Dangling of a schema. */
function danglingOf(level: string, found: boolean): DanglingVerdict {
  const start = `This FlowSchema references the PriorityLevelConfiguration object named ${quote(level)}`
  if (found) return { type: 'Dangling', status: 'False', reason: 'Found', message: `${start} and it exists` }
  return { type: 'Dangling', status: 'True', reason: 'NotFound', message: `${start} but there is no such object` }
}

/** Returns false for an object that does not exist. Rethrows other errors. */
const falseIfNotFound = (error: unknown): false => {
  if (isStatusError(error, 'NotFound')) return false
  throw error
}

/** Writes the condition of one schema if it has changed. */
async function report(env: ControllerEnvironment, name: string): Promise<void> {
  const schema = await getKind(env.access, FLOW_SCHEMAS, '', name).catch(falseIfNotFound)
  if (!schema) return
  const level = levelOf(schema)
  const wanted = danglingOf(level, (await env.access.get(PRIORITY_LEVELS, '', level).catch(falseIfNotFound)) !== false)
  const change = (now: FlowSchema): FlowSchema | undefined => {
    const { conditions = [] } = now.status
    const old = conditions.find(({ type }) => type === 'Dangling')
    // If the schema names another level now, its own event triggers another run.
    if (levelOf(now) !== level || (old && old.status === wanted.status && old.reason === wanted.reason && old.message === wanted.message))
      return undefined
    const next = { ...wanted, lastTransitionTime: formatTime(env.clock.now()) }
    return { ...now, status: { ...now.status, conditions: [...conditions.filter(({ type }) => type !== 'Dangling'), next] } }
  }
  await updateKind(env.access, FLOW_SCHEMAS, { namespace: '', name, subresource: 'status' }, change).catch(falseIfNotFound)
}
