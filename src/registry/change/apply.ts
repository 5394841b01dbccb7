import type { JsonObject, KubeObject } from '../../api/meta/object.ts'
import { applyInSteps } from '../../apply/apply.ts'
import { ApplyError, type Conflict, causesOf } from '../../apply/apply-error.ts'
import type { OwnedWrite } from '../../apply/ownership.ts'
import { printElement } from '../../apply/path-element.ts'
import { subresourceOf } from '../../catalog/catalog.ts'
import { repeatedKeysText } from '../../codec/yaml.ts'
import { runAtOnce, type Steps } from '../../lib/steps.ts'
import { isSince } from '../../lifecycle/release.ts'
import { apiVersionOf } from '../../meta/gvk.ts'
import type { RequestNotes } from '../../meta/request-notes.ts'
import { badRequestError, failure, notFoundError } from '../../meta/status.ts'
import { formatTime } from '../../meta/time.ts'
import type { WhyConflict } from '../../meta/why.ts'
import { DecodeError } from '../../schema/decode.ts'
import { conversionOf } from '../conversion/conversion-of.ts'
import { noteAdded } from '../note-changes.ts'
import { checkName, ensureNamespace } from '../object-meta.ts'
import { resetFieldsIn } from '../prepare.ts'
import { type FieldValidation, groupResourceOf, type RegistryEnvironment, strategyOf, type WriteTarget } from '../types.ts'
import { type BodyTarget, bodyTarget } from './body-target.ts'
import { changeFormOf } from './change-form.ts'
import type { Transform } from './transform.ts'
import { type ManagedView, viewOf, writeView } from './view.ts'

/**
 * PATCH with `application/apply-patch+yaml` or `+cbor`: server-side apply of an object, of a subresource of the same
 * kind, or of a view (scale). Creates a missing object, except through a view.
 * https://kubernetes.io/docs/reference/using-api/server-side-apply/
 */
export interface ApplyChange {
  readonly kind: 'apply'
  readonly config: JsonObject
  /** Repeated keys in the body, which only strict decoding refuses: `line 6: key "a" already set in map`. */
  readonly repeated: readonly string[]
  /** Field manager that applies. */
  readonly manager: string
  /** Whether fields of other managers are taken from them. */
  readonly force: boolean
  readonly fieldValidation: FieldValidation
}

/** Returns the transform that merges a configuration into the live object. */
export function applyTransform(env: RegistryEnvironment, target: WriteTarget, change: ApplyChange): Transform {
  const { served } = target
  const checkRepeated = repeatedCheck(env, target, change)
  const view = viewOf(target)
  if (view)
    return async live => {
      if (!live) throw notFoundError(groupResourceOf(served), target.name)
      return writeView(env, view, live, current => {
        const merging = merged({ env, target, change, body: view.kind, checkRepeated }, current)
        return runAtOnce(translated(changeFormOf(served.version.schema).applyView(view.kind, change.config, current, merging)))
      })
    }
  const body = bodyTarget(served.version)
  return async live => {
    const { wanted, managedFields } = await conversionOf(served.definition).withManagers(served, convert =>
      translated(merged({ env, target, change, body, checkRepeated }, live, convert)),
    )
    if (managedFields.length > 0) wanted.metadata.managedFields = [...managedFields]
    else delete wanted.metadata.managedFields
    return wanted
  }
}

/** Returns a function that warns once of keys that are repeated in the body, or throws 400. */
function repeatedCheck({ features }: RegistryEnvironment, { ctx }: WriteTarget, { repeated, fieldValidation }: ApplyChange): () => void {
  const what = isSince(features.release, '1.37') ? 'patch' : 'YAML'
  let warned = false
  return () => {
    if (repeated.length > 0 && fieldValidation === 'Strict')
      throw badRequestError(`error strict decoding ${what}: error converting YAML to JSON: ${repeatedKeysText(repeated)}`)
    if (fieldValidation === 'Warn' && !warned) for (const fault of repeated) ctx.warn(fault)
    warned = true
  }
}

/** An applied configuration and its target. */
interface Applied {
  readonly env: RegistryEnvironment
  readonly target: WriteTarget
  readonly change: ApplyChange
  /** Type of the body: the version itself, or the kind of a view. */
  readonly body: BodyTarget
  /** Called where upstream decodes the body strictly: after conflicts, before the merged object is decoded. */
  checkRepeated(): void
}

/**
 * Merges the configuration into the live object. Returns the decoded object and its managed fields. `convert`: converts
 * to the versions of other managers. Throws ApplyErrors as well.
 */
function* merged(
  { env, target, change, body, checkRepeated }: Applied,
  live: KubeObject | undefined,
  convert?: OwnedWrite['convert'],
): Steps<ManagedView> {
  const { ctx, served, subresource: name } = target
  const { config, manager, force } = change
  const subresource = subresourceOf(served.version, name)
  const { object, managedFields } = yield* noted(
    ctx.why,
    applyInSteps({
      schema: body.schema,
      live,
      config,
      manager,
      apiVersion: apiVersionOf(body),
      kind: body.kind,
      subresource: name,
      force,
      ...(!subresource?.view && resetFieldsIn(strategyOf(served, subresource), env.features.release)),
      now: formatTime(env.clock.now()),
      convert,
    }),
  )
  checkRepeated()
  yield
  const wanted = yield* decodedMerged(body, config, object, live)
  if (ctx.why) noteAdded(ctx.why, object, wanted)
  ensureNamespace(wanted.metadata, target.namespace)
  checkName(wanted, target.name, target.namespace)
  return { wanted, managedFields }
}

/** Records the conflicts: fields of other managers that the configuration would change. */
function* noted<T>(why: RequestNotes | undefined, applying: Steps<T>): Steps<T> {
  try {
    return yield* applying
  } catch (error) {
    if (error instanceof ApplyError && error.conflicts.length > 0)
      why?.note({ step: 'apply conflicts', conflicts: error.conflicts.slice(0, 100).map(whyConflict) })
    throw error
  }
}

const whyConflict = ({ manager: { manager, operation, subresource, time }, path }: Conflict): WhyConflict => ({
  field: path.map(printElement).join(''),
  manager,
  operation,
  ...(subresource !== '' && { subresource }),
  ...(time !== undefined && { since: time }),
})

/** Decodes the merged object. Throws an ApplyError `undecodable` if that fails. */
function* decodedMerged(body: BodyTarget, config: JsonObject, object: JsonObject, live: KubeObject | undefined): Steps<KubeObject> {
  const form = changeFormOf(body.schema)
  try {
    return yield* form.decodeMerged(body, object, live)
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error
    throw new ApplyError('undecodable', form.mergeFault(body, config, object, error.message))
  }
}

/** Throws the failures of an apply as Statuses. */
function* translated<T>(steps: Steps<T>): Steps<T> {
  try {
    return yield* steps
  } catch (error) {
    throw yield* applyErrorStatus(error)
  }
}

/**
 * Returns the error to throw: a StatusError for failures of an apply, any other error as it is. A body that cannot be
 * decoded is a 500, as upstream.
 */
function* applyErrorStatus(error: unknown): Steps<unknown> {
  if (error instanceof DecodeError) return failure(500, '', error.message)
  if (!(error instanceof ApplyError)) return error
  switch (error.code) {
    case 'bad request':
      return badRequestError(error.message)
    case 'conflict':
      return failure(409, 'Conflict', error.message, { causes: yield* causesOf(error) })
    case 'internal':
    case 'undecodable':
      return failure(500, '', error.message)
  }
}
