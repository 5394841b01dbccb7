import type { HookContext } from '../catalog/definition.ts'
import { errorMessage } from '../lib/error-message.ts'
import { quote } from '../lib/go-quote.ts'
import type { FieldError } from '../meta/field-error.ts'
import { fieldPath } from '../meta/field-path.ts'
import type { KubeObject } from '../meta/object.ts'
import { type DeclaredObserver, declaredValidation, type Validate } from '../schema/declared-rules.ts'
import type { StructSchema } from '../schema/schema.ts'

/** The rules of types, found once; a type lives as long as its kind. */
const known = new WeakMap<StructSchema, Validate | 'none'>()

function rulesOf(schema: StructSchema): Validate | undefined {
  const rules = known.get(schema) ?? declaredValidation(schema) ?? 'none'
  known.set(schema, rules)
  return rules === 'none' ? undefined : rules
}

/**
 * With the gate DeclarativeValidation, runs the rules that stand beside the fields of a type as well, and reports where they differ from the errors of hand-written validation. With
 * DeclarativeValidationTakeover they take the place of those that they cover. A rule that throws fails a request only then.
 * Source: pkg/registry/rest/validate.go in k8s.io/apiserver.
 */
export function withDeclaredRules(
  schema: StructSchema,
  next: KubeObject,
  handWritten: readonly FieldError[],
  { features, declared: observer }: Pick<HookContext, 'features' | 'declared'>,
): readonly FieldError[] {
  const rules = schema.freeForm || !features.enabled('DeclarativeValidation') ? undefined : rulesOf(schema)
  if (!rules) return handWritten
  const takesOver = features.enabled('DeclarativeValidationTakeover')
  const declared = declaredErrors(rules, next, takesOver, observer)
  reportMismatches(handWritten, declared, takesOver, observer)
  return takesOver ? [...handWritten.filter(({ isCovered }) => !isCovered), ...declared] : handWritten
}

function declaredErrors(rules: Validate, next: KubeObject, takesOver: boolean, observer: DeclaredObserver): FieldError[] {
  try {
    return rules(next, fieldPath())
  } catch (error) {
    const detail = `panic during declarative validation: ${errorMessage(error)}`
    observer.panic(detail)
    return takesOver ? [{ reason: 'InternalError', field: '<nil>', body: `Internal error: ${detail}` }] : []
  }
}

/** Every error that a rule covers has one of a rule, and every error of a rule one that is covered. */
function reportMismatches(handWritten: readonly FieldError[], declared: readonly FieldError[], takesOver: boolean, observer: DeclaredObserver): void {
  const covered = new Set(handWritten.filter(({ isCovered }) => isCovered).map(identity))
  const found = new Set(declared.map(identity))
  const report = (what: string, error: string): void =>
    observer.mismatch(
      `Unexpected difference between hand written validation and declarative validation error results, ${what} error(s) found ${error}. ` +
        `This indicates an issue with declarative validation. ${takesOver ? TAKEN_OVER : NOT_TAKEN_OVER}`,
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
