import type { JsonSchemaProps } from '../api/apiextensions/json-schema-props.ts'
import type { CustomResourceSubresources } from '../api/apiextensions/v1.types.ts'
import type { JsonObject, KubeObject } from '../api/meta/object.ts'
import type { HookContext, Strategy } from '../catalog/strategy.ts'
import { runInTurns, type Steps } from '../lib/steps.ts'
import { isSince, wordingOf } from '../lifecycle/release.ts'
import { clone } from '../meta/equal.ts'
import { allWorded, type FieldError, type FieldErrorReason, fieldErrorText, invalid } from '../meta/field-error.ts'
import { FieldPath, fieldPath } from '../meta/field-path.ts'
import { isQualifiedName, nameIsDnsSubdomain } from '../meta/names.ts'
import { sameJsonIfSmall, sameJsonInSteps } from '../meta/same-json.ts'
import { internalServerError } from '../meta/status.ts'
import { hasWholeFloats, hasWholeFloatsInSteps } from '../meta/whole-floats.ts'
import { textIn } from '../meta/wording.ts'
import { STATUS_FIELDS } from '../resources/shared/strategy-parts.ts'
import { validateEmbeddedMeta } from '../schema/json-schema/embedded-meta.ts'
import { fillDefaultsInSteps } from '../schema/json-schema/fill-defaults.ts'
import { withKnownFormats } from '../schema/json-schema/known-formats.ts'
import { listErrorsInSteps } from '../schema/json-schema/list-invariants.ts'
import { propertySchema } from '../schema/json-schema/props.ts'
import { valueSteps } from '../schema/json-schema/validate-value.ts'
import type { ValueRules } from '../schema/json-schema/value-rules.ts'
import { scaleSpecErrors, scaleStatusErrors } from './custom-scale.ts'
import { type RuleCheck, ruleCheck } from './rules.ts'

/** Parts of a version that its strategy needs. */
export interface VersionRules {
  readonly schema: JsonSchemaProps | undefined
  readonly subresources: CustomResourceSubresources
  readonly kind: string
  readonly apiVersion: string
}

/** Builds the strategies of a version, for writes of objects and of their status. */
export function* customStrategies(version: VersionRules, rules: ValueRules): Steps<CustomStrategies> {
  const schema = version.schema && (yield* withKnownFormats(version.schema, rules))
  yield
  const { scale } = version.subresources
  const check = yield* ruleCheck(version.schema)

  /**
   * Validations shared by objects and status. Errors of lists are ignored on updates if the stored object has any, so
   * that existing violations can be kept.
   */
  function* shared(next: KubeObject, old: KubeObject | undefined): Steps<FieldError[]> {
    const errors = yield* validateEmbeddedMeta(next, schema, ROOT, false)
    yield
    const wasValid = !old || (yield* listErrorsInSteps(old, schema, ROOT)).length === 0
    yield
    return wasValid ? [...errors, ...(yield* listErrorsInSteps(next, schema, ROOT))] : errors
  }

  /**
   * Validates by schema and then by rules. Asynchronous, because both can take long. An object of another type is only
   * validated by rules that do not depend on it.
   */
  const evaluated =
    (validate: Validate): Evaluate =>
    async (next, old, ctx, errors) => {
      const own = await runInTurns(
        next.kind === version.kind && next.apiVersion === version.apiVersion ? validate(next, old, ctx) : shared(next, old),
        ctx.request?.signal,
      )
      return check ? [...own, ...(await evaluateRules(check, next, old, ctx, [...errors, ...own]))] : own
    }

  const validateObject: Validate = function* (next, old, ctx) {
    const errors = schema ? yield* valueSteps(next, old && ratchets(ctx) ? old : undefined, schema, ROOT, rules) : []
    return [...errors, ...scaleSpecErrors(next, scale), ...scaleStatusErrors(next, scale), ...(yield* shared(next, old))]
  }
  const validateStatus: Validate = function* (next, old, ctx) {
    const statusSchema = schema && propertySchema(schema, 'status')
    const { status: value } = next
    const isChecked = value !== undefined && statusSchema && old
    const errors = isChecked
      ? yield* valueSteps(value, ratchets(ctx) ? old.status : undefined, statusSchema, fieldPath('status'), rules)
      : []
    return [...errors, ...scaleStatusErrors(next, scale), ...(yield* shared(next, old))]
  }
  return withStoredDefaults(version, {
    main: mainStrategy(version, evaluated(validateObject)),
    status: statusStrategy(evaluated(validateStatus)),
  })
}

type Validate = (next: KubeObject, old: KubeObject | undefined, ctx: HookContext) => Steps<FieldError[]>
type Evaluate = NonNullable<Strategy['evaluate']>

function mainStrategy(version: VersionRules, evaluate: Evaluate): Strategy {
  const hasStatus = version.subresources.status !== undefined
  return {
    allowUnconditionalUpdate: false,
    validateName: nameIsDnsSubdomain,
    plainFinalizers: true,
    typeErrors: next => errorsOfType(next, version),
    ...(hasStatus && { resetFields: STATUS_FIELDS }),
    prepare(next, old) {
      if (!old) {
        if (hasStatus) delete next.status
        next.metadata.generation = 1
        return undefined
      }
      if (hasStatus && old.status !== undefined) next.status = clone(old.status)
      else if (hasStatus) delete next.status
      return countChange(next, old)
    },
    evaluate,
    warnings: finalizerWarnings,
  }
}

const statusStrategy = (evaluate: Evaluate): Strategy => ({
  allowUnconditionalUpdate: false,
  plainFinalizers: true,
  resetFieldsIn: release => ({
    fields: isSince(release, '1.36') ? [['metadata'], ['spec']] : [['spec']],
    inAllVersions: isSince(release, '1.35'),
  }),
  prepare(next, old) {
    checkHasVersion(next)
    if (old) keepAllButStatus(next, old)
  },
  evaluate,
})

interface CustomStrategies {
  readonly main: Strategy
  readonly status: Strategy
  /** Strategy of the scale subresource. */
  readonly scale: Strategy
}

/**
 * Adds `defaultStored` where a write makes a struct that decoding has not seen: a Scale may create the struct that
 * holds the replicas. If the status has a default, decoding applies it, but `prepare` drops the status of a new object
 * afterwards.
 */
function withStoredDefaults({ schema, subresources }: VersionRules, { main, status }: Omit<CustomStrategies, 'scale'>): CustomStrategies {
  const defaultStored = (next: KubeObject): Steps<void> | undefined => fillDefaultsInSteps(next, schema)
  const scale = { ...main, defaultStored }
  if (subresources.status === undefined || (schema && propertySchema(schema, 'status'))?.default === undefined)
    return { main, status, scale }
  return { main: scale, status: { ...status, defaultStored }, scale }
}

/**
 * Returns a single error instead of evaluating rules if there are BLOCKING errors, because rules could fail for the
 * same reason.
 */
async function evaluateRules(
  check: RuleCheck,
  next: KubeObject,
  old: KubeObject | undefined,
  ctx: HookContext,
  errors: readonly FieldError[],
) {
  if (errors.some(({ reason }) => BLOCKING.has(reason))) return [UNCHECKED]
  const wording = wordingOf(ctx.features.release)
  return check(next, old, ratchets(ctx), violation => {
    for (const error of allWorded([violation], wording)) ctx.request?.warn(fieldErrorText(error))
  })
}

/** Throws 500 if an object has no apiVersion, which only a patch can remove. */
function checkHasVersion({ apiVersion }: KubeObject): void {
  if (apiVersion === '' || apiVersion === '/')
    throw internalServerError("Object 'apiVersion' is missing in 'object has no apiVersion field'")
}

/** Errors of the type that an object claims. Throws 500 if it has no apiVersion. */
function errorsOfType(object: KubeObject, wanted: VersionRules): FieldError[] {
  checkHasVersion(object)
  const { kind, apiVersion } = object
  return [
    ...(kind === wanted.kind ? [] : [invalid(fieldPath('kind'), kind, `must be ${wanted.kind}`)]),
    ...(apiVersion === wanted.apiVersion ? [] : [invalid(fieldPath('apiVersion'), apiVersion, `must be ${wanted.apiVersion}`)]),
  ]
}

const ROOT = fieldPath()

/** Whether errors in unchanged parts are ignored. */
const ratchets = ({ features }: HookContext): boolean => features.enabled('CRDValidationRatcheting')

/** Errors that prevent the evaluation of rules. */
const BLOCKING: ReadonlySet<FieldErrorReason> = new Set([
  'FieldValueNotSupported',
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
])
const UNCHECKED = invalid(
  new FieldPath('<nil>'),
  null,
  'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
)

/**
 * Increments the generation unless only metadata differs. Objects with whole floats count as different. Returns steps
 * if the objects are large.
 */
function countChange(next: KubeObject, old: KubeObject): Steps<void> | undefined {
  const { metadata: _a, apiVersion: _av, ...left } = next
  const { metadata: _b, apiVersion: _bv, ...right } = old
  const count = (isSame: boolean): void => {
    if (!isSame) next.metadata.generation = (old.metadata.generation ?? 0) + 1
  }
  const isSame = sameJsonIfSmall(left, right)
  if (isSame === undefined) return countLargeChange(left, right, count)
  count(isSame && !hasWholeFloats(left))
  return undefined
}

function* countLargeChange(left: JsonObject, right: JsonObject, count: (isSame: boolean) => void): Steps<void> {
  yield
  count((yield* sameJsonInSteps(left, right)) && !(yield* hasWholeFloatsInSteps(left)))
}

/** Restores everything but status and managed fields, for a write of the status. */
function keepAllButStatus(next: KubeObject, old: KubeObject): void {
  const { status, metadata } = next
  const { managedFields } = metadata
  for (const name of Object.keys(next)) if (name !== 'metadata') delete next[name]
  const { metadata: oldMetadata, status: _status, ...rest } = clone(old)
  Object.assign(next, rest)
  if (status !== undefined) next.status = status
  const members: JsonObject = metadata
  for (const name of Object.keys(members)) delete members[name]
  Object.assign(metadata, oldMetadata)
  if (managedFields === undefined) delete metadata.managedFields
  else metadata.managedFields = managedFields
}

const STANDARD_FINALIZERS = new Set(['orphan', 'foregroundDeletion', 'kubernetes'])

/** Warnings about new finalizers without a domain, which may collide with others. */
function finalizerWarnings(next: KubeObject, old: KubeObject | undefined, { features }: HookContext): string[] {
  const before = new Set(old?.metadata.finalizers)
  const added = [...new Set(next.metadata.finalizers)].filter(name => !before.has(name)).sort()
  return added.flatMap(name => {
    const at = `metadata.finalizers: ${JSON.stringify(name)}: `
    const warnings = isQualifiedName(name).map(detail => at + textIn(detail, wordingOf(features.release)))
    if (name.includes('/') || STANDARD_FINALIZERS.has(name)) return warnings
    const how = name.includes('.') ? ' including a path (/)' : ''
    return [...warnings, `${at}prefer a domain-qualified finalizer name${how} to avoid accidental conflicts with other finalizer writers`]
  })
}
