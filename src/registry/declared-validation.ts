import type { KubeObject } from '../api/meta/object.ts'
import type { HookContext } from '../catalog/strategy.ts'
import { errorMessage } from '../lib/error-message.ts'
import { quote } from '../lib/go-quote.ts'
import { isGateName } from '../lifecycle/feature-gates.ts'
import { isSince, type Release } from '../lifecycle/release.ts'
import type { FieldError } from '../meta/field-error.ts'
import { fieldPath } from '../meta/field-path.ts'
import { type Declared, declaredRules } from '../schema/declared-rules.ts'
import type { IsOn, StructSchema } from '../schema/schema.ts'

/** Declared rules by type. Types without any are remembered as `none`. */
const known = new WeakMap<StructSchema, Declared | 'none'>()

/** Returns the declared rules of a type. They are collected once. Undefined if it has none. */
function declaredRulesOf(schema: StructSchema): Declared | undefined {
  const rules = known.get(schema) ?? declaredRules(schema) ?? 'none'
  known.set(schema, rules)
  return rules === 'none' ? undefined : rules
}

/**
 * First release that runs the declared rules of every kind and subresource, and enforces them while
 * DeclarativeValidationBeta is on.
 */
const ENFORCED_SINCE: Release = '1.37'

/** Reports whether a release runs the declared rules of every type. Before, kinds had to opt in. */
export const runsAllDeclaredRules = (release: Release): boolean => isSince(release, ENFORCED_SINCE)

/** A write whose declared rules are run. */
export interface DeclaredSubject {
  /** Type that declares the rules. */
  readonly schema: StructSchema
  /** The kind in lower case, for metrics and logs. */
  readonly kind: string
  readonly next: KubeObject
  /** The stored object. Undefined for a create. */
  readonly old: KubeObject | undefined
  /** Whether earlier releases do not run the rules. */
  readonly isLate?: boolean
}

/**
 * Runs the validation rules that are declared on the fields of a type (KEP-5073) if the gate DeclarativeValidation is
 * on, and reports differences from hand-written validation. If DeclarativeValidationTakeover is on, which has no effect
 * from 1.36 on, their errors replace the hand-written errors that they cover. Since 1.37, if DeclarativeValidationBeta
 * is on, they replace those with the same type, field and origin. Only then does a rule that throws fail the request;
 * since 1.37 it always does. Source: pkg/registry/rest/validate.go in k8s.io/apiserver.
 */
export function withDeclaredRules(
  subject: DeclaredSubject,
  handWritten: readonly FieldError[],
  ctx: DeclaredContext,
): readonly FieldError[] {
  const { features } = ctx
  const isEnforced = runsAllDeclaredRules(features.release)
  if (subject.isLate && !isEnforced) return handWritten
  const rules = features.enabled('DeclarativeValidation') ? declaredRulesOf(subject.schema) : undefined
  if (!rules) return handWritten
  const takesOver = isEnforced
    ? features.enabled('DeclarativeValidationBeta')
    : !isSince(features.release, '1.36') && features.enabled('DeclarativeValidationTakeover')
  const reporting: Reporting = {
    takesOver,
    isEnforced,
    isOn: gate => isGateName(gate) && features.enabled(gate),
    identifier: identifierOf(subject, ctx),
    observer: ctx.declared,
  }
  const declared = declaredErrors(rules, subject, reporting)
  if (handWritten.length === 0 && declared.length === 0) return handWritten
  const isCovered = (error: FieldError): boolean => error.isCovered === true && rules.covers(error)
  reportMismatches(handWritten.filter(isCovered), declared, reporting)
  if (!takesOver) return [...handWritten, ...declared.filter(({ reason }) => reason === 'InternalError')]
  const found = new Set(declared.map(errorIdentity))
  return [...handWritten.filter(error => !isCovered(error) || (isEnforced && !found.has(errorIdentity(error)))), ...declared]
}

/** Part of a hook's context that declared validation reads. */
type DeclaredContext = Pick<HookContext, 'features' | 'declared' | 'subresource'>

/** Options of one run. */
interface Reporting {
  /** Whether errors of declared rules replace hand-written ones. */
  readonly takesOver: boolean
  /** Whether the release enforces rules of beta level, and fails requests whose rules throw. */
  readonly isEnforced: boolean
  /** Reports whether a gate of a conditional rule is on. */
  readonly isOn: IsOn
  /** Label of the kind and operation in metrics and logs. */
  readonly identifier: string
  /** Receives mismatches and failures. */
  readonly observer: DeclaredContext['declared']
}

/**
 * The label `validation_identifier` of the metrics, such as `replicationcontroller_create` or
 * `certificatesigningrequest_approval_update`.
 */
const identifierOf = ({ kind, old }: DeclaredSubject, { subresource }: DeclaredContext): string =>
  `${kind}${subresource && `_${subresource}`}_${old ? 'update' : 'create'}`

/**
 * Returns the errors of the declared rules. A rule that throws is reported, and fails the request if the rules are
 * enforced.
 */
function declaredErrors(
  rules: Declared,
  { next, old }: DeclaredSubject,
  { takesOver, isEnforced, isOn, identifier, observer }: Reporting,
): FieldError[] {
  try {
    return rules.errorsOf(next, fieldPath(), old && { value: old }, isOn)
  } catch (error) {
    const detail = `panic during declarative validation: ${errorMessage(error)}`
    observer.panic(detail, identifier)
    return takesOver || isEnforced ? [{ reason: 'InternalError', field: '<nil>', body: `Internal error: ${detail}` }] : []
  }
}

/**
 * Reports covered hand-written errors without a declared counterpart, then declared errors without a hand-written one.
 */
function reportMismatches(
  coveredErrors: readonly FieldError[],
  declared: readonly FieldError[],
  { takesOver, isEnforced, identifier, observer }: Reporting,
): void {
  const advice = isEnforced ? BETA_ENFORCED : TAKEN_OVER
  const covered = new Set(coveredErrors.map(errorIdentity))
  const found = new Set(declared.map(errorIdentity))
  const report = (what: string, error: string): void =>
    observer.mismatch(
      `Unexpected difference between hand written validation and declarative validation error results, ${what} error(s) found ${error}. ` +
        `This indicates an issue with declarative validation. ${takesOver ? advice : NOT_TAKEN_OVER}`,
      identifier,
    )
  for (const error of covered) if (!found.has(error)) report('unmatched', error)
  for (const error of found) if (!covered.has(error)) report('extra', error)
}

/** Advice at the end of a mismatch's message, in upstream's words. */
const NOT_TAKEN_OVER = 'This difference should not affect system operation since hand written validation is authoritative.'
const TAKEN_OVER =
  'Consider disabling the DeclarativeValidationTakeover feature gate to keep data persisted in etcd consistent with prior versions of Kubernetes.'

const BETA_ENFORCED =
  'Consider disabling the DeclarativeValidationBeta feature gate to keep data persisted in etcd consistent with prior versions of Kubernetes.'

/** Identity of an error, which messages print: errors match if type, field and origin do. */
const errorIdentity = ({ reason, field, origin = '' }: FieldError): string =>
  `{Type=${quote(TYPES[reason])}, Field=${quote(field)}, Origin=${quote(origin)}}`

/** Names of error types in messages (field.ErrorType of apimachinery). */
const TYPES: Readonly<Record<FieldError['reason'], string>> = {
  FieldValueRequired: 'Required value',
  FieldValueInvalid: 'Invalid value',
  FieldValueDuplicate: 'Duplicate value',
  FieldValueForbidden: 'Forbidden',
  FieldValueNotFound: 'Not found',
  FieldValueNotSupported: 'Unsupported value',
  FieldValueTooFew: 'Too few',
  FieldValueTooLong: 'Too long',
  FieldValueTooMany: 'Too many',
  FieldValueTooShort: 'Too short',
  FieldValueTypeInvalid: 'Invalid value',
  InternalError: 'Internal error',
}
