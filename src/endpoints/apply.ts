import { applyInSteps, checkConfigurationType } from '../apply/apply.ts'
import { ApplyError } from '../apply/apply-error.ts'
import { type Change, untracked } from '../apply/ownership.ts'
import { jsonKind } from '../apply/patch/go-print.ts'
import type { Version } from '../catalog/definition.ts'
import { asCborText, CborError, parseCbor } from '../codec/cbor.ts'
import { boundYamlValues } from '../codec/value-bound.ts'
import { type ParsedYaml, parseYamlInSteps, repeatedKeysText } from '../codec/yaml.ts'
import { runAtOnce, type Steps } from '../lib/steps.ts'
import { nextLongTurn, turnIsLong } from '../lib/turn.ts'
import { clone } from '../meta/equal.ts'
import { apiVersionOf } from '../meta/gvk.ts'
import { isJsonObject, type JsonObject, type KubeObject } from '../meta/object.ts'
import { sameJson } from '../meta/same-json.ts'
import { badRequestError, failure, notFoundError } from '../meta/status.ts'
import { formatTime } from '../meta/time.ts'
import { conversionOf } from '../registry/conversion-of.ts'
import { applyKindDefaults, decodeInSteps } from '../registry/decode-object.ts'
import { checkName, ensureNamespace } from '../registry/object-meta.ts'
import { type Answer, groupResourceOf, strategyOf } from '../registry/types.ts'
import { conversionFault } from '../schema/conversion-fault.ts'
import { DecodeError } from '../schema/decode.ts'
import { type BodyTarget, bodyTarget } from './body.ts'
import { type Scope, storeOf, writeTarget } from './scope.ts'
import { type ManagedView, viewTarget, writeView } from './view.ts'
import type { WriteOptions } from './write-options.ts'

/**
 * PATCH with `application/apply-patch+yaml` or `+cbor`: server-side apply of an object, of a subresource of the same kind, or of a view (scale); creates what is not there, but for views.
 * https://kubernetes.io/docs/reference/using-api/server-side-apply/
 */
export async function apply(scope: Scope<'patch'>, { config, repeated }: Configuration, options: WriteOptions): Promise<{ answer: Answer; created: boolean }> {
  if (turnIsLong()) await nextLongTurn()
  const { served, exchange, subresource } = scope
  const { view } = subresource ?? {}
  let told = false
  const tellFault = (): void => {
    if (repeated.length > 0 && options.fieldValidation === 'Strict')
      throw badRequestError(`error strict decoding YAML: error converting YAML to JSON: ${repeatedKeysText(repeated)}`)
    if (options.fieldValidation === 'Warn' && !told) for (const fault of repeated) exchange.ctx.warn(fault)
    told = true
  }
  return storeOf(scope).update(writeTarget(scope, options), {
    forceCreate: view === undefined,
    managed: true,
    transform: async live => {
      if (view) {
        if (!live) throw notFoundError(groupResourceOf(served), scope.name)
        return writeView(scope, view, live, current => {
          const target = viewTarget(subresource) as BodyTarget
          const custom = served.version.schema.freeForm !== undefined
          if (custom) checkType(config, target)
          if (custom && current.metadata.managedFields === undefined)
            throw scaleFailure('create manager for existing fields: failed to convert live object (/;')
          const result = runAtOnce(merged(scope, config, options, target, current, tellFault))
          if (custom) throw scaleFailure(`convert new object (${nameOf(config)};`)
          return result
        })
      }
      const target = bodyTarget(served.version)
      const { wanted, managedFields } = await conversionOf(served.definition).withManagers(served, convert =>
        merged(scope, config, options, target, live, tellFault, convert),
      )
      if (managedFields.length > 0) wanted.metadata.managedFields = [...managedFields]
      else delete wanted.metadata.managedFields
      return wanted
    },
  })
}

/** Upstream's manager of a custom kind knows no Scale: an apply of one finds conflicts, and fails where there are none. */
const scaleFailure = (what: string) =>
  failure(500, '', `failed to ${what} autoscaling/v1, Kind=Scale) to proper version: request to convert CR to an invalid group/version: autoscaling/v1`)

function nameOf({ metadata }: JsonObject): string {
  const { namespace = '', name = '' } = isJsonObject(metadata) ? metadata : {}
  return `${namespace}/${name}`
}

/** The live object with the configuration laid over it, decoded, and its managers. `tellFault` comes where upstream tells of a fault of the body itself. */
function* merged(
  scope: Scope,
  config: JsonObject,
  options: WriteOptions,
  target: BodyTarget,
  live: KubeObject | undefined,
  tellFault: () => void,
  convert?: Change['convert'],
): Steps<ManagedView> {
  const { served, subresource, subresourceName } = scope
  const { object, managedFields } = yield* translated(
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
  tellFault()
  yield
  const wanted = yield* translated(decodeMerged(target, object as unknown as JsonObject, live), why =>
    unconvertible(target, config, object as unknown as JsonObject, why),
  )
  ensureNamespace(wanted.metadata, served.definition.scope === 'Namespaced' ? scope.namespace : '')
  checkName(wanted, scope.name, scope.namespace)
  return { wanted, managedFields }
}

/**
 * Of an object of a custom kind the metadata alone is read, without what is malformed there: what else has come together is not pruned, and nulls are found by its validation. Where nothing changes, it gets no defaults
 * either: they may be those of another version than the stored one.
 */
function* decodeMerged(target: BodyTarget, merged: JsonObject, live: KubeObject | undefined): Steps<KubeObject> {
  const { freeForm } = target.schema
  if (!freeForm) return yield* decodeInSteps(target as unknown as Version, merged)
  yield
  const { metadata } = freeForm.readStored({ metadata: merged.metadata ?? {} })
  const object = { ...clone(merged), metadata } as unknown as KubeObject
  return live && sameJson(merged, untracked(live) as unknown as JsonObject) ? object : applyKindDefaults(target as unknown as Version, object)
}

export interface Configuration {
  readonly config: JsonObject
  /** Keys that are there twice, which only strict decoding minds: `line 6: key "a" already set in map`. */
  readonly repeated: readonly string[]
}

/** Reads a configuration in CBOR, whose faults no level of field validation lets pass. */
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

/** Reads a configuration in YAML, in steps. */
export function* parseConfiguration(body: Buffer): Steps<Configuration> {
  let parsed: ParsedYaml
  boundYamlValues(body)
  yield
  try {
    parsed = yield* parseYamlInSteps(body)
  } catch (error) {
    throw badRequestError(`error decoding YAML: error converting YAML to JSON: ${(error as Error).message}`)
  }
  const { value, duplicates } = parsed
  if (value !== null && !isJsonObject(value))
    throw badRequestError(
      `error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${jsonKind(value)} into Go value of type map[string]interface {}`,
    )
  return { config: value ?? {}, repeated: duplicates }
}

/** Of built-in kinds: a merged object that does not fit the type, in the words of the converter, which comes before the decoder. */
function unconvertible(target: BodyTarget, config: JsonObject, merged: JsonObject, why: string): string {
  if (target.schema.freeForm) return why
  const kind = `${target.group}/${target.version}, Kind=${target.kind}`
  const fault = conversionFault(target.schema, merged) ?? why.replace(/ into Go struct field \S+ of type /, ' into Go value of type ')
  return `failed to convert new object (${nameOf(config)}; ${kind}) to proper version: unable to convert unstructured object to ${kind}: ${fault}`
}

function checkType(config: JsonObject, target: BodyTarget): void {
  try {
    checkConfigurationType(config, apiVersionOf(target), target.kind)
  } catch (error) {
    throw asStatus(error)
  }
}

/** `told`: what is said where the merged object cannot be decoded. */
function* translated<T>(steps: Steps<T>, told?: (why: string) => string): Steps<T> {
  try {
    return yield* steps
  } catch (error) {
    throw asStatus(error, told)
  }
}

function asStatus(error: unknown, told = (why: string): string => why): unknown {
  if (error instanceof DecodeError) return failure(500, '', told(error.message))
  if (!(error instanceof ApplyError)) return error
  switch (error.code) {
    case 'bad request':
      return badRequestError(error.message)
    case 'conflict':
      return failure(409, 'Conflict', error.message, { causes: error.causes })
    case 'internal':
      return failure(500, '', error.message)
  }
}
