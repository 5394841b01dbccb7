import { applyInSteps } from '../apply/apply.ts'
import { ApplyError, type Conflict, causesOf } from '../apply/apply-error.ts'
import type { Change } from '../apply/ownership.ts'
import { jsonKind } from '../apply/patch/go-print.ts'
import { printElement } from '../apply/path-element.ts'
import { asCborText, CborError, parseCbor } from '../codec/cbor.ts'
import { boundYamlValues } from '../codec/value-bound.ts'
import { type ParsedYaml, parseYamlInSteps, repeatedKeysText, untypedValue } from '../codec/yaml.ts'
import { errorMessage } from '../lib/error-message.ts'
import { invariant } from '../lib/invariant.ts'
import { runAtOnce, type Steps } from '../lib/steps.ts'
import { nextLongTurn, turnIsLong } from '../lib/turn.ts'
import { apiVersionOf } from '../meta/gvk.ts'
import { isJsonObject, type Json, type JsonObject, type KubeObject } from '../meta/object.ts'
import type { RequestNotes } from '../meta/request-notes.ts'
import { badRequestError, failure, notFoundError } from '../meta/status.ts'
import { formatTime } from '../meta/time.ts'
import type { WhyConflict } from '../meta/why.ts'
import { conversionOf } from '../registry/conversion-of.ts'
import { checkName, ensureNamespace } from '../registry/object-meta.ts'
import { type Answer, groupResourceOf, strategyOf } from '../registry/types.ts'
import { DecodeError } from '../schema/decode.ts'
import { type BodyTarget, bodyTarget } from './dialect/body-type.ts'
import { dialectOf } from './dialect/dialect-of.ts'
import { type Scope, storeOf, writeTarget } from './scope.ts'
import { type ManagedView, viewTarget, writeView } from './view.ts'
import type { WriteOptions } from './write-options.ts'

/**
 * PATCH with `application/apply-patch+yaml` or `+cbor`: server-side apply of an object, of a subresource of the same kind, or of a view (scale). Creates a missing object, except through a view.
 * https://kubernetes.io/docs/reference/using-api/server-side-apply/
 */
export async function apply(scope: Scope<'patch'>, { config, repeated }: Configuration, options: WriteOptions): Promise<{ answer: Answer; created: boolean }> {
  if (turnIsLong()) await nextLongTurn()
  const { served, exchange, subresource } = scope
  const { view } = subresource ?? {}
  let warned = false
  const checkRepeated = (): void => {
    if (repeated.length > 0 && options.fieldValidation === 'Strict')
      throw badRequestError(`error strict decoding YAML: error converting YAML to JSON: ${repeatedKeysText(repeated)}`)
    if (options.fieldValidation === 'Warn' && !warned) for (const fault of repeated) exchange.ctx.warn(fault)
    warned = true
  }
  return storeOf(scope).update(writeTarget(scope, options), {
    forceCreate: view === undefined,
    managed: true,
    transform: async live => {
      if (view) {
        if (!live) throw notFoundError(groupResourceOf(served), scope.name)
        return writeView(scope, view, live, current => {
          const target = viewTarget(subresource)
          invariant(target, 'a view is of a kind of its own')
          const merging = merged({ scope, config, options, target, checkRepeated }, current)
          return runAtOnce(translated(scope.dialect.applyView(target, config, current, merging)))
        })
      }
      const target = bodyTarget(served.version)
      const { wanted, managedFields } = await conversionOf(served.definition).withManagers(served, convert =>
        translated(merged({ scope, config, options, target, checkRepeated }, live, convert)),
      )
      if (managedFields.length > 0) wanted.metadata.managedFields = [...managedFields]
      else delete wanted.metadata.managedFields
      return wanted
    },
  })
}

/** An applied configuration and its target. */
interface Applied {
  readonly scope: Scope
  readonly config: JsonObject
  readonly options: WriteOptions
  readonly target: BodyTarget
  /** Warns of keys that are repeated in the body, or throws 400. Called where upstream does: after conflicts, before the merged object is decoded. */
  checkRepeated(): void
}

/** Merges the configuration into the live object. Returns the decoded object and its managed fields. `convert`: converts to the versions of other managers. Throws ApplyErrors as well. */
function* merged({ scope, config, options, target, checkRepeated }: Applied, live: KubeObject | undefined, convert?: Change['convert']): Steps<ManagedView> {
  const { served, subresource, subresourceName } = scope
  const { why } = scope.exchange.ctx
  const { object, managedFields } = yield* noted(
    why,
    applyInSteps({
      schema: target.schema,
      live,
      config,
      manager: options.namedManager,
      apiVersion: apiVersionOf(target),
      kind: target.kind,
      subresource: subresourceName,
      force: options.force === true,
      resetFields: subresource?.view ? undefined : strategyOf(served, subresource).resetFields,
      now: formatTime(scope.env.clock.now()),
      convert,
    }),
  )
  checkRepeated()
  yield
  const wanted = yield* decodedMerged(target, config, object, live)
  if (why) noteAdded(why, object, wanted)
  ensureNamespace(wanted.metadata, served.definition.scope === 'Namespaced' ? scope.namespace : '')
  checkName(wanted, scope.name, scope.namespace)
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

/** Records the fields that decoding a patched object has added: defaults. */
export function noteAdded(why: RequestNotes, patched: Json, decoded: Json): void {
  const changes = why.changes(patched, decoded)
  const added = changes === 'too large' ? changes : changes.filter(({ op }) => op === 'add')
  if (added.length > 0) why.note({ step: 'defaults', changes: added })
}

function* decodedMerged(target: BodyTarget, config: JsonObject, object: JsonObject, live: KubeObject | undefined): Steps<KubeObject> {
  const dialect = dialectOf(target.schema)
  try {
    return yield* dialect.decodeMerged(target, object, live)
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error
    throw new ApplyError('undecodable', dialect.mergeFault(target, config, object, error.message))
  }
}

/** A parsed apply configuration. */
export interface Configuration {
  readonly config: JsonObject
  /** Repeated keys, which only strict decoding refuses: `line 6: key "a" already set in map`. */
  readonly repeated: readonly string[]
}

/** Parses a configuration in CBOR. Any fault, such as a repeated key, is an error at every level of field validation. */
export function parseCborConfiguration(body: Buffer): Configuration {
  try {
    const { value, fault } = parseCbor(body)
    if (fault) throw new CborError(fault.text)
    if (value !== null && !isJsonObject(value))
      throw new CborError(asCborText(`json: cannot unmarshal ${jsonKind(value)} into Go value of type map[string]interface {}`))
    return { config: value ?? {}, repeated: [] }
  } catch (error) {
    if (error instanceof CborError) throw badRequestError(`error decoding YAML: ${error.message}`)
    throw error
  }
}

/** Parses a configuration in YAML, in steps. */
export function* parseConfiguration(body: Buffer): Steps<Configuration> {
  let parsed: ParsedYaml
  boundYamlValues(body)
  yield
  try {
    parsed = yield* parseYamlInSteps(body)
  } catch (error) {
    throw badRequestError(`error decoding YAML: error converting YAML to JSON: ${errorMessage(error)}`)
  }
  const { duplicates } = parsed
  const value = yield* untypedValue(parsed)
  if (value !== null && !isJsonObject(value))
    throw badRequestError(
      `error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${jsonKind(value)} into Go value of type map[string]interface {}`,
    )
  return { config: value ?? {}, repeated: duplicates }
}

/** Throws the failures of an apply as Statuses. */
function* translated<T>(steps: Steps<T>): Steps<T> {
  try {
    return yield* steps
  } catch (error) {
    throw yield* statusOf(error)
  }
}

function* statusOf(error: unknown): Steps<unknown> {
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
