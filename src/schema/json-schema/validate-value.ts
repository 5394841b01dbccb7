import type { JsonSchemaProps } from '../../api/apiextensions/json-schema-props.ts'
import type { Json } from '../../api/meta/object.ts'
import { formatDouble } from '../../lib/format-double.ts'
import type { Steps } from '../../lib/steps.ts'
import {
  type FieldError,
  invalid,
  notSupported,
  replacedSince,
  required,
  tooFew,
  tooLongError,
  tooMany,
  tooShort,
  typeInvalid,
  verbatim,
} from '../../meta/field-error.ts'
import { FieldPath } from '../../meta/field-path.ts'
import { Correlation } from './correlation.ts'
import { goValue } from './go-value.ts'
import { ValueChecker } from './value-checker.ts'
import type { ValueFault } from './value-result.ts'
import type { ValueRules } from './value-rules.ts'

/** Limit on the texts of errors in UTF-16 units. An error that names a long list of values can occur very often. */
const MOST_TEXT = 8 * 1024 * 1024

/**
 * Validates a value by its structural schema and returns upstream's field errors at `path`, in steps. CEL rules are not
 * evaluated. If the value replaces `old`, errors in unchanged parts are ignored (ratcheting). Source:
 * https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#validation-ratcheting
 */
export function* valueSteps(
  value: Json,
  old: Json | undefined,
  schema: JsonSchemaProps,
  path: FieldPath,
  rules: ValueRules,
): Steps<FieldError[]> {
  const before = old === undefined ? undefined : new Correlation(value, old, schema)
  const { faults } = yield* new ValueChecker(rules).root(value, before, schema)
  const errors: FieldError[] = []
  let length = 0
  for (const fault of faults) {
    const error = fieldError(fault, path)
    errors.push(error)
    length += error.body.length
    if (length > MOST_TEXT) break
    yield
  }
  return errors
}

/** Upstream's path of an object as a whole. */
const NO_PATH = new FieldPath('<nil>')

/**
 * Converts go-openapi's error as apiextensions-apiserver does: the first dot of its name is cut, and a fault without a
 * position is one of the whole object.
 */
function fieldError({ kind, name, value, isFloat, message, max = -1, min = 0, allowed = [] }: ValueFault, path: FieldPath): FieldError {
  const self = path.text === '' ? NO_PATH : path
  const at = name === '' || name === '.' ? self : path.child(name.replace(/^\./, ''))
  const shown = isFloat ? verbatim(formatDouble(Number(value))) : goValue(value)
  switch (kind) {
    case 'plain':
      return invalid(self, '', message)
    case 'required':
      return required(at)
    case 'enum':
      return notSupported(at, shown, allowed.map(enumText))
    case 'tooLong':
      return tooLongError(at, max)
    case 'tooMany':
      return tooMany(at, Number(value), max)
    case 'tooShort':
      return replacedSince('1.38', invalid(at, shown ?? '', message), () => tooShort(at, min))
    case 'tooFew':
      return replacedSince('1.38', invalid(at, shown ?? '', message), () => tooFew(at, Number(value), min))
    case 'type':
      return typeInvalid(at, goValue(value) ?? '', message)
    case 'other':
      return invalid(at, shown ?? '', message)
  }
}

const enumText = (one: Json): string =>
  typeof one === 'string' ? one : JSON.stringify(one, (_, member: unknown) => (typeof member === 'bigint' ? Number(member) : member))
