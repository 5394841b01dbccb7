import type { ResourceId } from '../catalog/definition.ts'
import { errorMessage } from '../lib/error-message.ts'
import { deepEqual } from '../meta/equal.ts'
import type { KubeObject } from '../meta/object.ts'
import { isStatusError } from '../meta/status.ts'
import { MANDATORY_LEVELS, MANDATORY_SCHEMAS } from '../resources/flowcontrol/bootstrap/mandatory.ts'
import { AUTO_UPDATE_ANNOTATION } from '../resources/flowcontrol/bootstrap/parts.ts'
import { SUGGESTED_LEVELS, SUGGESTED_SCHEMAS } from '../resources/flowcontrol/bootstrap/suggested.ts'
import type { ControllerEnvironment } from './controller.ts'
import { pause } from './controller.ts'

const GROUP = 'flowcontrol.apiserver.k8s.io'
const SCHEMAS: ResourceId = { group: GROUP, resource: 'flowschemas' }
const LEVELS: ResourceId = { group: GROUP, resource: 'prioritylevelconfigurations' }
const EVERY_MS = 60_000

/** Makes the suggested and the mandatory objects, brings them up to date, and removes those that an earlier release had. */
export async function ensureFlowControlObjects(env: ControllerEnvironment): Promise<void> {
  await Promise.all(SUGGESTED_SCHEMAS.map(object => ensure(env, SCHEMAS, object, false)))
  await Promise.all(SUGGESTED_LEVELS.map(object => ensure(env, LEVELS, object, false)))
  await Promise.all(MANDATORY_SCHEMAS.map(object => ensure(env, SCHEMAS, object, true)))
  await Promise.all(MANDATORY_LEVELS.map(object => ensure(env, LEVELS, object, true)))
  await removeFormer(env, SCHEMAS, [...SUGGESTED_SCHEMAS, ...MANDATORY_SCHEMAS])
  await removeFormer(env, LEVELS, [...SUGGESTED_LEVELS, ...MANDATORY_LEVELS])
}

/** Does so every minute, as kube-apiserver does. */
export async function keepFlowControlObjects(env: ControllerEnvironment, signal: AbortSignal, everyMs = EVERY_MS): Promise<void> {
  for (; !signal.aborted; await pause(everyMs, signal))
    await ensureFlowControlObjects(env).catch(error => env.logger.debug(1, 'objects of flow control cannot be made yet', { error: errorMessage(error) }))
}

/** Go's strconv.ParseBool; undefined where it gives an error. */
function parseBool(text: string | undefined): boolean | undefined {
  if (text === undefined) return undefined
  if (['1', 't', 'T', 'TRUE', 'true', 'True'].includes(text)) return true
  return ['0', 'f', 'F', 'FALSE', 'false', 'False'].includes(text) ? false : undefined
}

const autoUpdate = ({ metadata }: KubeObject): boolean | undefined => parseBool(metadata.annotations?.[AUTO_UPDATE_ANNOTATION])

async function ensure(env: ControllerEnvironment, id: ResourceId, wanted: KubeObject, mandatory: boolean): Promise<void> {
  const name = wanted.metadata.name as string
  try {
    await env.access.update(id, '', name, now => broughtUpToDate(now, wanted, mandatory))
  } catch (error) {
    if (!isStatusError(error, 'NotFound')) throw error
    await env.access.create(id, '', wanted).catch(again => {
      if (!isStatusError(again, 'AlreadyExists')) throw again
    })
  }
}

/** A suggested object that somebody has changed stays so, and says so; one that nobody has touched follows the release. */
function broughtUpToDate(now: KubeObject, wanted: KubeObject, mandatory: boolean): KubeObject | undefined {
  const follows = mandatory || (autoUpdate(now) ?? now.metadata.generation === 1)
  const specDiffers = follows && !deepEqual(now.spec, wanted.spec)
  if (autoUpdate(now) === follows && !specDiffers) return undefined
  const annotations = { ...now.metadata.annotations, [AUTO_UPDATE_ANNOTATION]: String(follows) }
  return { ...now, metadata: { ...now.metadata, annotations }, ...(specDiffers && { spec: wanted.spec }) }
}

async function removeFormer(env: ControllerEnvironment, id: ResourceId, wanted: readonly KubeObject[]): Promise<void> {
  const names = new Set(wanted.map(({ metadata }) => metadata.name))
  const { items } = await env.access.list(id, '', { resourceVersion: '0' })
  for (const object of items) {
    if (names.has(object.metadata.name) || autoUpdate(object) !== true) continue
    await env.access.delete(id, '', object.metadata.name as string).catch(error => {
      if (!isStatusError(error, 'NotFound')) throw error
    })
  }
}
