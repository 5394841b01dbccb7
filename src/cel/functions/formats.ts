import { defined } from '../../lib/invariant.ts'
import { ownMember } from '../../meta/equal.ts'
import { isQualifiedName, isValidLabelValue, nameIsDns1035Label, nameIsDnsLabel, nameIsDnsSubdomain } from '../../meta/names.ts'
import { FORMATS } from '../../schema/json-schema/formats.ts'
import { listOfValues } from '../values/list.ts'
import { type CelError, CelObject, CelOptional, NONE, noSuchOverload, type Value } from '../values/value.ts'
import type { Implementations } from './implementation.ts'
import { requestUriFault } from './urls.ts'

/** A named format of Kubernetes. */
export class FormatValue extends CelObject {
  readonly typeName = 'kubernetes.NamedFormat'
  readonly name: string
  /** Returns the errors of a text. Empty if it has the format. */
  readonly errorsOf: (text: string) => readonly string[]
  /** Length that a pattern of the format would have. Costs depend on it. */
  readonly patternSize: number

  constructor(name: string, patternSize: number, errorsOf: (text: string) => readonly string[]) {
    super()
    this.name = name
    this.patternSize = patternSize
    this.errorsOf = errorsOf
  }

  equals(other: Value): boolean | CelError {
    return other instanceof FormatValue ? this.name === other.name : noSuchOverload(other)
  }
}

/** Makes the validation of a schema format, which has a single error message. */
function checked(format: string, message: string): (text: string) => readonly string[] {
  const isValid = defined(FORMATS.get(format), 'schemas have no such format')
  return text => (isValid(text) ? [] : [message])
}

function uriErrors(text: string): readonly string[] {
  const fault = requestUriFault(text)
  return fault === undefined ? [] : [fault]
}

/** Formats by their name in expressions. Source: kubernetes/apiserver, pkg/cel/library/format.go. */
const NAMED: Readonly<Record<string, FormatValue>> = {
  dns1123Label: new FormatValue('DNS1123Label', 30, text => nameIsDnsLabel(text, false)),
  dns1123Subdomain: new FormatValue('DNS1123Subdomain', 60, text => nameIsDnsSubdomain(text, false)),
  dns1035Label: new FormatValue('DNS1035Label', 30, text => nameIsDns1035Label(text, false)),
  qualifiedName: new FormatValue('QualifiedName', 60, text => isQualifiedName(text).map(String)),
  dns1123LabelPrefix: new FormatValue('DNS1123LabelPrefix', 30, text => nameIsDnsLabel(text, true)),
  dns1123SubdomainPrefix: new FormatValue('DNS1123SubdomainPrefix', 60, text => nameIsDnsSubdomain(text, true)),
  dns1035LabelPrefix: new FormatValue('DNS1035LabelPrefix', 30, text => nameIsDns1035Label(text, true)),
  labelValue: new FormatValue('LabelValue', 40, text => isValidLabelValue(text).map(String)),
  uri: new FormatValue('URI', 1103, uriErrors),
  uuid: new FormatValue('uuid', 70, checked('uuid', 'does not match the UUID format')),
  byte: new FormatValue('byte', 84, checked('byte', 'invalid base64')),
  date: new FormatValue('date', 71, checked('date', 'invalid date')),
  datetime: new FormatValue('datetime', 71, checked('datetime', 'invalid datetime')),
}

/**
 * Validates a text. Returns an empty optional if it is valid, which expressions test with
 * `!format.x().validate(y).hasValue()`.
 */
function validateFormat(format: FormatValue, text: string): Value {
  const errors = format.errorsOf(text)
  return errors.length === 0 ? NONE : new CelOptional(listOfValues(errors))
}

/** Functions of formats. Source: kubernetes/apiserver, pkg/cel/library/format.go. */
export const FORMAT_FUNCTIONS: Implementations = {
  ...Object.fromEntries(Object.entries(NAMED).map(([name, format]) => [`format.${name}`, (): Value => format])),
  'format-named'(name: string) {
    const format = ownMember(NAMED, name)
    return format ? new CelOptional(format) : NONE
  },
  'format-validate': validateFormat,
}
