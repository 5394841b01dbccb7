import type { HookContext } from '../catalog/definition.ts'
import { errorMessage } from '../lib/error-message.ts'
import { quote } from '../lib/go-quote.ts'
import { isGateName } from '../lifecycle/feature-gates.ts'
import { isSince } from '../lifecycle/release.ts'
import type { FieldError } from '../meta/field-error.ts'
import { fieldPath } from '../meta/field-path.ts'
import type { KubeObject } from '../meta/object.ts'
import { type Declared, declaredRules } from '../schema/declared-rules.ts'
import type { IsOn, StructSchema } from '../schema/schema.ts'

/** The rules of types, found once; a type lives as long as its kind. */
const known = new WeakMap<StructSchema, Declared | 'none'>()

function rulesOf(schema: StructSchema): Declared | undefined {
  const rules = known.get(schema) ?? declaredRules(schema) ?? 'none'
  known.set(schema, rules)
  return rules === 'none' ? undefined : rules
}

/** A write whose declared rules are run. */
export interface DeclaredSubject {
  readonly schema: StructSchema
  /** In lower case. */
  readonly kind: string
  readonly next: KubeObject
  readonly old: KubeObject | undefined
}

/**
 * With the gate DeclarativeValidation, runs the rules that stand beside the fields of a type as well, and reports where they differ from the errors of hand-written validation. With
 * DeclarativeValidationTakeover, which means nothing from 1.36 on, they take the place of those that they cover. A rule that throws fails a request only then.
 * Source: pkg/registry/rest/validate.go in k8s.io/apiserver.
 */
export function withDeclaredRules(subject: DeclaredSubject, handWritten: readonly FieldError[], ctx: DeclaredContext): readonly FieldError[] {
  const { features } = ctx
  const rules = features.enabled('DeclarativeValidation') ? rulesOf(subject.schema) : undefined
  if (!rules) return handWritten
  const takesOver = !isSince(features.release, '1.36') && features.enabled('DeclarativeValidationTakeover')
  const reporting: Reporting = {
    takesOver,
    isOn: gate => isGateName(gate) && features.enabled(gate),
    identifier: identifierOf(subject, ctx),
    observer: ctx.declared,
  }
  const declared = declaredErrors(rules, subject, reporting)
  if (handWritten.length === 0 && declared.length === 0) return handWritten
  const isCovered = (error: FieldError): boolean => error.isCovered === true && rules.covers(error)
  reportMismatches(handWritten.filter(isCovered), declared, reporting)
  return takesOver ? [...handWritten.filter(error => !isCovered(error)), ...declared] : handWritten
}

type DeclaredContext = Pick<HookContext, 'features' | 'declared' | 'subresource'>

/** How mismatches are reported. */
interface Reporting {
  readonly takesOver: boolean
  readonly isOn: IsOn
  readonly identifier: string
  readonly observer: DeclaredContext['declared']
}

/** `replicationcontroller_create`, `certificatesigningrequest_approval_update`. */
const identifierOf = ({ kind, old }: DeclaredSubject, { subresource }: DeclaredContext): string =>
  `${kind}${subresource && `_${subresource}`}_${old ? 'update' : 'create'}`

function declaredErrors(rules: Declared, { next, old }: DeclaredSubject, { takesOver, isOn, identifier, observer }: Reporting): FieldError[] {
  try {
    return rules.errorsOf(next, fieldPath(), old && { value: old }, isOn)
  } catch (error) {
    const detail = `panic during declarative validation: ${errorMessage(error)}`
    observer.panic(detail, identifier)
    return takesOver ? [{ reason: 'InternalError', field: '<nil>', body: `Internal error: ${detail}` }] : []
  }
}

/** Every error that a rule covers has one of a rule, and every error of a rule one that is covered. */
function reportMismatches(coveredErrors: readonly FieldError[], declared: readonly FieldError[], { takesOver, identifier, observer }: Reporting): void {
  const covered = new Set(coveredErrors.map(identity))
  const found = new Set(declared.map(identity))
  const report = (what: string, error: string): void =>
    observer.mismatch(
      `Unexpected difference between hand written validation and declarative validation error results, ${what} error(s) found ${error}. ` +
        `This indicates an issue with declarative validation. ${takesOver ? TAKEN_OVER : NOT_TAKEN_OVER}`,
      identifier,
    )
  for (const error of covered) if (!found.has(error)) report('unmatched', error)
  for (const error of found) if (!covered.has(error)) report('extra', error)
}

const NOT_TAKEN_OVER = 'This difference should not affect system operation since hand written validation is authoritative.'
const TAKEN_OVER =
  'Consider disabling the DeclarativeValidationTakeover feature gate to keep data persisted in etcd consistent with prior versions of Kubernetes.'

/** Errors are the same by their kind, field and origin, and printed by these. */
const identity = ({ reason, field, origin = '' }: FieldError): string => `{Type=${quote(TYPES[reason])}, Field=${quote(field)}, Origin=${quote(origin)}}`

const TYPES: Readonly<Record<FieldError['reason'], string>> = {
  FieldValueRequired: 'Required value',
  FieldValueInvalid: 'Invalid value',
  FieldValueDuplicate: 'Duplicate value',
  FieldValueForbidden: 'Forbidden',
  FieldValueNotFound: 'Not found',
  FieldValueNotSupported: 'Unsupported value',
  FieldValueTooLong: 'Too long',
  FieldValueTooMany: 'Too many',
  FieldValueTypeInvalid: 'Invalid value',
  InternalError: 'Internal error',
}
