import type { PriorityLevelConfiguration } from '../api/flowcontrol/v1.types.ts'
import type { KubeObject, TypedObject } from '../api/meta/object.ts'
import { type KindId, listKind, updateKind } from '../catalog/define.ts'
import { errorMessage } from '../lib/error-message.ts'
import { pause } from '../lib/pause.ts'
import type { Release } from '../lifecycle/release.ts'
import { deepEqual } from '../meta/equal.ts'
import { isStatusError } from '../meta/status.ts'
import { MANDATORY_SCHEMAS, mandatoryLevels } from '../resources/flowcontrol/bootstrap/mandatory.ts'
import { AUTO_UPDATE_ANNOTATION, type NewLevel, type NewSchema } from '../resources/flowcontrol/bootstrap/parts.ts'
import { SUGGESTED_LEVELS, SUGGESTED_SCHEMAS } from '../resources/flowcontrol/bootstrap/suggested.ts'
import { FLOW_SCHEMAS, PRIORITY_LEVELS } from '../resources/kinds.ts'
import type { Controller, ControllerEnvironment } from './controller.ts'

const EVERY_MS = 60_000

/**
 * Creates and updates the suggested and mandatory flow schemas and priority levels of a release. Deletes those that
 * another release created.
 */
export async function ensureFlowControlObjects(env: ControllerEnvironment, release: Release): Promise<void> {
  const levels = mandatoryLevels(release)
  await Promise.all(SUGGESTED_SCHEMAS.map(schema => ensureSchema(env, schema, false)))
  await Promise.all(SUGGESTED_LEVELS.map(level => ensureLevel(env, level, false)))
  await Promise.all(MANDATORY_SCHEMAS.map(schema => ensureSchema(env, schema, true)))
  await Promise.all(levels.map(level => ensureLevel(env, level, true)))
  await removeFormer(env, FLOW_SCHEMAS, [...SUGGESTED_SCHEMAS, ...MANDATORY_SCHEMAS])
  await removeFormer(env, PRIORITY_LEVELS, [...SUGGESTED_LEVELS, ...levels])
}

/** Reconciles the objects every minute, as kube-apiserver does. */
export const flowControlKeeper =
  (release: Release, everyMs = EVERY_MS): Controller =>
  async (env, signal) => {
    for (; !signal.aborted; await pause(everyMs, signal))
      await ensureFlowControlObjects(env, release).catch(error =>
        env.logger.debug(1, 'cannot reconcile flow schemas and priority levels, retrying', { error: errorMessage(error) }),
      )
  }

/** Same as Go's strconv.ParseBool. Undefined if it would return an error. */
function parseBool(text: string | undefined): boolean | undefined {
  if (text === undefined) return undefined
  if (['1', 't', 'T', 'TRUE', 'true', 'True'].includes(text)) return true
  return ['0', 'f', 'F', 'FALSE', 'false', 'False'].includes(text) ? false : undefined
}

type WithSpec = TypedObject & { spec: unknown }

/** An object without status. */
type New<T extends WithSpec> = TypedObject & Pick<T, 'spec'>

const autoUpdate = ({ metadata }: TypedObject): boolean | undefined => parseBool(metadata.annotations?.[AUTO_UPDATE_ANNOTATION])

const ensureSchema = (env: ControllerEnvironment, wanted: NewSchema, mandatory: boolean): Promise<void> =>
  ensure(env, FLOW_SCHEMAS, wanted, now => broughtUpToDate(now, wanted, mandatory))

const ensureLevel = (env: ControllerEnvironment, wanted: NewLevel, mandatory: boolean): Promise<void> =>
  ensure(env, PRIORITY_LEVELS, wanted, now => broughtUpToDate(now, withOwnExemption(wanted, now), mandatory))

/** Keeps the `exempt` settings of the stored level, which administrators may change. */
const withOwnExemption = (wanted: NewLevel, { spec: { exempt } }: PriorityLevelConfiguration): NewLevel =>
  wanted.spec.exempt && exempt ? { ...wanted, spec: { ...wanted.spec, exempt } } : wanted

/** Creates the object, or updates the existing one with `change` unless that returns undefined. */
async function ensure<T extends TypedObject>(
  env: ControllerEnvironment,
  id: KindId<T>,
  wanted: KubeObject,
  change: (now: T) => T | undefined,
): Promise<void> {
  const { name = '' } = wanted.metadata
  try {
    await updateKind(env.access, id, { namespace: '', name }, change)
  } catch (error) {
    if (!isStatusError(error, 'NotFound')) throw error
    await env.access.create(id, '', wanted).catch(again => {
      if (!isStatusError(again, 'AlreadyExists')) throw again
    })
  }
}

/**
 * Returns the updated object, or undefined if it is up to date. A suggested object that a user has changed is kept and
 * marked; an unchanged one follows the release.
 */
function broughtUpToDate<T extends WithSpec>(now: T, wanted: New<T>, mandatory: boolean): T | undefined {
  const follows = mandatory || (autoUpdate(now) ?? now.metadata.generation === 1)
  const specDiffers = follows && !deepEqual(now.spec, wanted.spec)
  if (autoUpdate(now) === follows && !specDiffers) return undefined
  const annotations = { ...now.metadata.annotations, [AUTO_UPDATE_ANNOTATION]: String(follows) }
  return { ...now, metadata: { ...now.metadata, annotations }, ...(specDiffers && { spec: wanted.spec }) }
}

/** Deletes objects with the annotation of bootstrap objects that this release does not have. */
async function removeFormer<T extends TypedObject>(
  env: ControllerEnvironment,
  id: KindId<T>,
  wanted: readonly TypedObject[],
): Promise<void> {
  const names = new Set(wanted.map(({ metadata }) => metadata.name))
  for (const object of await listKind(env.access, id, '', { resourceVersion: '0' })) {
    const { name } = object.metadata
    if (name === undefined || names.has(name) || autoUpdate(object) !== true) continue
    await env.access.delete(id, '', name).catch(error => {
      if (!isStatusError(error, 'NotFound')) throw error
    })
  }
}
