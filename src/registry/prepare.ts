import type { KubeObject, ManagedFieldsEntry, ObjectMeta } from '../api/meta/object.ts'
import type { GroupKind } from '../api/meta/v1.types.ts'
import { updateManagedInSteps } from '../apply/managed-fields.ts'
import type { OwnedWrite } from '../apply/ownership.ts'
import { apiVersionOfVersion } from '../catalog/catalog.ts'
import type { Version } from '../catalog/definition.ts'
import type { HookContext, Strategy } from '../catalog/strategy.ts'
import { type Stages, stage } from '../lib/stages.ts'
import { isSteps, type Steps } from '../lib/steps.ts'
import { turnIsLong } from '../lib/turn.ts'
import { mayBeTooWide } from '../lib/wide-objects.ts'
import type { Release } from '../lifecycle/release.ts'
import { deepEqualInSteps } from '../meta/equal.ts'
import { boundedErrors } from '../meta/error-bound.ts'
import { appendErrors, type FieldError } from '../meta/field-error.ts'
import { fieldPath } from '../meta/field-path.ts'
import { parseApiVersion } from '../meta/gvk.ts'
import { nameIsDnsSubdomain, nameIsPathSegment, type ValidateName } from '../meta/names.ts'
import {
  type ObjectMetaRules,
  validateMetaNames,
  validateObjectMetaInSteps,
  validateObjectMetaUpdateInSteps,
} from '../meta/object-meta-validation.ts'
import { invalidError } from '../meta/status.ts'
import { formatTime } from '../meta/time.ts'
import { clearFields, fieldsToDrop } from '../schema/gated-fields.ts'
import { boundGrowth } from './bound-growth.ts'
import { conversionOf } from './conversion/conversion-of.ts'
import { convertInSteps } from './conversion/convert.ts'
import { type DeclaredSubject, withDeclaredRules } from './declared-validation.ts'
import { fieldsTurnedOff } from './disabled-fields.ts'
import { checkCreate } from './going-kinds.ts'
import { noteRules, noteTurnedOff } from './note-changes.ts'
import { dedupOwnersInSteps, ensureNamespace, type LegacyFields } from './object-meta.ts'
import { admissionRequest, groupKindOf, type RegistryEnvironment, type WriteTarget } from './types.ts'

const METADATA = fieldPath('metadata')

/**
 * Updates the managed fields of an object for the changes of this write. Runs before admission and `prepare`; `reset`
 * excludes fields that `prepare` will restore. As upstream, all managed fields are dropped if the conversion webhook
 * fails, or if the object claims another type, as a patch of a custom status may make it.
 */
export function* trackManagedFields(
  { served, manager, subresource }: WriteTarget,
  reset: ResetFields,
  next: KubeObject,
  old: KubeObject | undefined,
  now: number,
): Stages<void> {
  const { schema, kind } = served.version
  const apiVersion = apiVersionOfVersion(served.version)
  if (next.kind !== kind || next.apiVersion !== apiVersion) {
    delete next.metadata.managedFields
    return
  }
  const entries = yield* stage(
    conversionOf(served.definition).withManagers(served, convert =>
      updateManagedInSteps({
        schema,
        old,
        next,
        manager,
        apiVersion,
        subresource,
        ...reset,
        now: formatTime(now),
        convert,
      }),
    ),
  )
  if (entries.length > 0) next.metadata.managedFields = entries
  else delete next.metadata.managedFields
}

/** Paths that a write does not own, in the version of the request and in others. */
type ResetFields = Pick<OwnedWrite, 'resetFields' | 'resetElsewhere'>

/** Returns the paths that a write does not own in a release. */
export function resetFieldsIn(strategy: Strategy, release: Release): ResetFields {
  const { fields = strategy.resetFields, inAllVersions = false } = strategy.resetFieldsIn?.(release) ?? {}
  return fields ? { resetFields: fields, ...(inAllVersions && { resetElsewhere: fields }) } : {}
}

/**
 * Runs mutating admission of an object in the version of the request. Takes ownership of it. Returns the object in the
 * version of hooks.
 */
export function* mutate(
  { admission, features }: RegistryEnvironment,
  target: WriteTarget,
  object: KubeObject,
  old?: KubeObject,
): Stages<KubeObject> {
  const { definition, version } = target.served
  const hookVersion = conversionOf(definition).hookVersion(version)
  if (!old) checkCreate(target, features.release)
  const wanted = version === hookVersion ? object : yield* convertInSteps(definition, object, version, hookVersion)
  const mutated =
    (yield* stage(admission.mutate(admissionRequest(target, old ? 'UPDATE' : 'CREATE', { object: wanted, ...(old && { old }) })))) ?? wanted
  ensureNamespace(mutated.metadata, definition.scope === 'Namespaced' ? target.namespace : '')
  yield* dedupOwnersInSteps(mutated.metadata, text => target.ctx.warn(text), true)
  if (turnIsLong()) yield
  return mutated
}

/**
 * Prepares and validates a new object between mutating and validating admission: clears gated fields, runs the kind's
 * `prepare`, then all validation. Throws 422.
 */
export function* beforeCreate(target: WriteTarget, strategy: Strategy, next: KubeObject, ctx: HookContext): Stages<void> {
  if (mayBeTooWide()) yield* boundGrowth(next)
  const typeErrors = strategy.typeErrors?.(next) ?? NONE
  yield* dropTurnedOff(target, next, undefined, ctx)
  yield* prepare(target, strategy, next, undefined, ctx)
  if (turnIsLong()) yield
  const errors = typeErrors.length > 0 ? [...typeErrors] : yield* boundedErrors(errorsOfNew(kindRulesOf(target, strategy), next, ctx))
  if (strategy.evaluate) errors.push(...(yield* stage(strategy.evaluate(next, undefined, ctx, errors))))
  // Upstream then validates all metadata again, by the generic rules. Only names can fail: some kinds allow names that
  // are not path segments.
  if (errors.length === 0) errors.push(...validateMetaNames(next.metadata, nameIsPathSegment, METADATA))
  if (turnIsLong()) yield
  yield* finishPrepare(target, strategy, { next, ctx, claimed: claimedKind(target, next) }, errors)
}

/**
 * `beforeCreate` for an update. Also restores the metadata that updates cannot change. `next` must have a
 * resourceVersion.
 */
export function* beforeUpdate(target: WriteTarget, strategy: Strategy, next: KubeObject, old: KubeObject, ctx: HookContext): Stages<void> {
  if (mayBeTooWide()) yield* boundGrowth(next, old)
  const typeErrors = strategy.typeErrors?.(next) ?? NONE
  const claimed = claimedKind(target, next)
  const meta: ObjectMeta & LegacyFields = next.metadata
  // The store removes it, which a dry run does not reach.
  if (!target.dryRun) delete meta.selfLink
  delete meta.clusterName
  const before = old.metadata
  if (before.generation === undefined) delete meta.generation
  else meta.generation = before.generation
  yield* dropTurnedOff(target, next, old, ctx)
  yield* prepare(target, strategy, next, old, ctx)
  if (turnIsLong()) yield
  if (!meta.uid && before.uid !== undefined) meta.uid = before.uid
  if (before.creationTimestamp) meta.creationTimestamp = before.creationTimestamp
  if (before.deletionTimestamp) meta.deletionTimestamp = before.deletionTimestamp
  if (before.deletionGracePeriodSeconds !== undefined && meta.deletionGracePeriodSeconds === undefined)
    meta.deletionGracePeriodSeconds = before.deletionGracePeriodSeconds
  const errors = yield* boundedErrors(errorsOfUpdate({ typeErrors, ...kindRulesOf(target, strategy) }, next, old, ctx))
  if (strategy.evaluate) errors.push(...(yield* stage(strategy.evaluate(next, old, ctx, errors))))
  if (turnIsLong()) yield
  yield* finishPrepare(target, strategy, { next, old, ctx, claimed }, errors)
  yield* keepUnchangedManagers(next, old)
}

/** Clears fields whose feature gate is off. Runs before `prepare`, which may copy parts of `old` to `next`. */
function* dropTurnedOff(
  { served, ctx: { why } }: WriteTarget,
  next: KubeObject,
  old: KubeObject | undefined,
  { features }: HookContext,
): Steps<void> {
  const off = fieldsTurnedOff(features, served.definition.hub.schema)
  const fields = yield* fieldsToDrop(off, next, old)
  if (fields.length === 0) return
  const kept = why?.keep(next)
  yield* clearFields(fields, next)
  if (why) noteTurnedOff(why, why.changes(kept, next), off)
}

/** Runs the kind's `prepare` and records its changes for `binnacle why`. */
function* prepare(
  { ctx: { why } }: WriteTarget,
  strategy: Strategy,
  next: KubeObject,
  old: KubeObject | undefined,
  ctx: HookContext,
): Steps<void> {
  const kept = why?.keep(next, 'rules')
  const rest = strategy.prepare?.(next, old, ctx)
  if (rest) yield* rest
  if (why) noteRules(why, why.changes(kept, next))
}

/** Rules that validate objects of a resource or subresource. */
interface KindRules {
  readonly strategy: Strategy
  /** Whether metadata must have a namespace, or must not. */
  readonly namespaced: boolean
  /** Undefined for the rules of the core group. */
  readonly meta: ObjectMetaRules | undefined
  /** The type whose declared rules run. */
  readonly declared: Pick<DeclaredSubject, 'schema' | 'kind' | 'isLate'> | undefined
}

const declaredOf = ({ schema, kind }: Version) => ({ schema, kind: kind.toLowerCase() })

const kindRulesOf = ({ served, subresource }: WriteTarget, strategy: Strategy): KindRules => ({
  strategy,
  namespaced: served.definition.scope === 'Namespaced',
  meta: strategy.plainFinalizers ? PLAIN_FINALIZERS : undefined,
  declared: { isLate: !(strategy.declaredRules ?? subresource === ''), ...declaredOf(served.definition.hub) },
})

const nameRuleOf =
  ({ validateName = nameIsDnsSubdomain }: Strategy, { features }: HookContext): ValidateName =>
  (name, prefix) =>
    validateName(name, prefix, features)

/** Errors of metadata, then of the kind, unless the kind sets `judgesMetaLast`. Responses list errors in this order. */
function* errorsOfNew(rules: KindRules, next: KubeObject, ctx: HookContext): Steps<FieldError[]> {
  const { strategy, namespaced, meta } = rules
  const metaErrors = () => validateObjectMetaInSteps(next.metadata, namespaced, nameRuleOf(strategy, ctx), METADATA, meta)
  if (strategy.judgesMetaLast) {
    const errors = yield* kindErrors(rules, next, undefined, ctx)
    return errors.length > 0 ? [...errors] : yield* metaErrors()
  }
  const errors = yield* metaErrors()
  if (turnIsLong()) yield
  return appendErrors(errors, yield* kindErrors(rules, next, undefined, ctx))
}

/** Errors of metadata, of changes of its immutable parts, then of the kind. */
function* errorsOfUpdate(
  kind: KindRules & { readonly typeErrors: readonly FieldError[] },
  next: KubeObject,
  old: KubeObject,
  ctx: HookContext,
): Steps<FieldError[]> {
  const { strategy, namespaced, meta: rules, typeErrors } = kind
  const meta = next.metadata
  // Upstream validates ObjectMeta twice: first for every kind, without the check that finalizers have a domain, then in
  // the kind's own validation. Errors occur twice in the causes.
  const errors = yield* validateObjectMetaInSteps(meta, namespaced, nameIsPathSegment, METADATA, PLAIN_FINALIZERS)
  if (turnIsLong()) yield
  appendErrors(errors, yield* validateObjectMetaUpdateInSteps(meta, old.metadata, METADATA, PLAIN_FINALIZERS))
  if (turnIsLong()) yield
  if (typeErrors.length > 0) return appendErrors(errors, typeErrors)
  for (const round of strategy.metaRounds ?? ONCE) {
    const isWhole = round === 'whole'
    const found = isWhole
      ? yield* validateObjectMetaInSteps(meta, namespaced, nameRuleOf(strategy, ctx), METADATA, rules)
      : yield* validateObjectMetaUpdateInSteps(meta, old.metadata, METADATA, rules)
    appendErrors(errors, found)
    if (turnIsLong()) yield
  }
  return appendErrors(errors, yield* kindErrors(kind, next, old, ctx))
}

/** Errors of the kind's own validation, which is a list or runs in steps, combined with those of declared rules. */
function* kindErrors(
  { strategy, declared }: KindRules,
  next: KubeObject,
  old: KubeObject | undefined,
  ctx: HookContext,
): Steps<readonly FieldError[]> {
  const own = strategy.validate?.(next, old, ctx) ?? []
  const errors = isSteps(own) ? yield* own : own
  return declared ? withDeclaredRules({ next, old, ...declared }, errors, ctx) : errors
}

/** No errors of the claimed type. */
const NONE: readonly FieldError[] = []
/** Default of `metaRounds`. */
const ONCE = ['change'] as const

/** Rules of metadata by which a finalizer needs no domain. */
const PLAIN_FINALIZERS = { qualifiedFinalizers: false }

/** Object and context of the last step. */
interface Checked {
  readonly next: KubeObject
  /** Undefined on create. */
  readonly old?: KubeObject
  readonly ctx: HookContext
  /** The kind that a custom object claimed before `prepare`, which errors name. Undefined for other objects. */
  readonly claimed: GroupKind | undefined
}

/** Throws 422 if there are errors. Otherwise sends the kind's warnings and canonicalizes the object. */
function* finishPrepare(target: WriteTarget, strategy: Strategy, { next, old, ctx, claimed }: Checked, errors: FieldError[]): Steps<void> {
  if (errors.length > 0) throw invalidError(claimed ?? groupKindOf(target.served), next.metadata.name ?? '', errors)
  const texts = strategy.warnings?.(next, old, ctx)
  if (texts) for (const text of isSteps(texts) ? yield* texts : texts) target.ctx.warn(text)
  if (turnIsLong()) yield
  strategy.canonicalize?.(next)
}

/** Returns the kind that a custom object claims. Undefined for other objects. */
const claimedKind = ({ served }: WriteTarget, { kind, apiVersion }: KubeObject): GroupKind | undefined =>
  served.version.schema.form.name === 'unstructured' ? { group: parseApiVersion(apiVersion)?.group ?? '', kind } : undefined

/** Restores the managed fields if a write changes nothing but their times, so that it is detected as unchanged. */
function* keepUnchangedManagers(next: KubeObject, old: KubeObject): Steps<void> {
  const entries = next.metadata.managedFields
  const before = old.metadata.managedFields
  if (entries === undefined || before === undefined || entries.length !== before.length) return
  const timeless = ({ time: _, ...rest }: ManagedFieldsEntry) => rest
  for (const [i, entry] of entries.entries()) if (!(yield* deepEqualInSteps(timeless(entry), timeless(before[i] ?? {})))) return
  const { managedFields: _next, ...meta } = next.metadata
  const { managedFields: _old, ...oldMeta } = old.metadata
  if (yield* deepEqualInSteps({ ...next, metadata: meta }, { ...old, metadata: oldMeta })) next.metadata.managedFields = before
}
