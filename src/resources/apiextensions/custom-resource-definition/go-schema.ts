import type { JsonSchemaProps, ValidationRule } from '../../../api/apiextensions/json-schema-props.ts'
import type { Json, JsonObject } from '../../../api/meta/object.ts'
import { goJsonText } from '../../../lib/go-json-text.ts'
import { quote } from '../../../lib/go-quote.ts'
import { asGiven } from '../../../meta/empty-members.ts'
import { type Verbatim, verbatim } from '../../../meta/field-error.ts'
import { goLiteral } from '../../../schema/json-schema/go-value.ts'
import { sortedKeys } from '../../../schema/members.ts'
import { internalRule, internalSchema, MEMBERS } from './internal-schema.ts'

/**
 * Limit on the characters of a printed schema. Each nested schema takes about 1,700, most of which are names of absent
 * members.
 */
const MOST_CHARACTERS = 65_536

/**
 * Prints a schema as Go's %#v prints apiextensions.JSONSchemaProps, and as JSON since 1.34. A text beyond the limit lacks
 * the rest.
 */
export function goSchema(schema: JsonSchemaProps): Verbatim {
  const printer = new Printer()
  printer.schema(schema as JsonObject)
  return verbatim(printer.text.slice(0, MOST_CHARACTERS), () => goJsonText(internalSchema(schema as Json)))
}

/** Prints a rule as Go's %#v does. */
export function goRule({ rule, message = '', messageExpression = '', fieldPath = '', reason, optionalOldSelf }: ValidationRule): string {
  const texts = `Rule:${quote(rule)}, Message:${quote(message)}, MessageExpression:${quote(messageExpression)}`
  const rest = `Reason:${pointer('*apiextensions.FieldValueErrorReason', reason)}, FieldPath:${quote(fieldPath)}, OptionalOldSelf:${pointer('*bool', optionalOldSelf)}`
  return `apiextensions.ValidationRule{${texts}, ${rest}}`
}

/** Prints a rule as Go's %#v does, and as JSON since 1.34. */
export const printRule = (rule: ValidationRule): Verbatim => verbatim(goRule(rule), () => goJsonText(internalRule(rule as JsonObject)))

/** Prints a pointer with a fixed address, since the address is arbitrary. */
const pointer = (type: string, value: unknown): string => `(${type})(${value === undefined || value === null ? 'nil' : '0xc000000000'})`

/** Appends to a text and stops once it exceeds the limit. */
class Printer {
  text = ''

  schema(schema: JsonObject): void {
    this.text += 'apiextensions.JSONSchemaProps{'
    for (const [internal, v1, form, goType] of MEMBERS) {
      if (this.text.length > MOST_CHARACTERS) return
      const value = asGiven(schema, v1)
      this.text += `${internal}:`
      if (goType === undefined) this.text += goLiteral(value ?? (form as Json))
      else if (goType.startsWith('*')) this.text += pointer(goType, value)
      else this.#collection(goType, value)
      this.text += ', '
    }
    const rules = asGiven(schema, 'x-kubernetes-validations')
    const items = Array.isArray(rules) ? `{${rules.map(rule => goRule(rule as unknown as ValidationRule)).join(', ')}}` : '(nil)'
    this.text += `XValidations:apiextensions.ValidationRules${items}}`
  }

  /** Prints a list or a map. */
  #collection(goType: string, value: Json | undefined): void {
    if (Array.isArray(value)) this.#items(goType, value, item => this.#item(goType, item))
    else if (value === undefined || value === null) this.text += `${goType}(nil)`
    else {
      const members = value as JsonObject
      this.#items(goType, sortedKeys(members), name => {
        this.text += `${quote(name)}:`
        if (goType.endsWith('JSONSchemaDependencies')) this.text += dependency(members[name] ?? null)
        else this.schema(members[name] as JsonObject)
      })
    }
  }

  #item(goType: string, item: Json): void {
    if (goType.endsWith('JSONSchemaProps')) this.schema(item as JsonObject)
    else this.text += item === null ? 'apiextensions.JSON(nil)' : goLiteral(item)
  }

  #items<T>(goType: string, items: readonly T[], print: (item: T) => void): void {
    this.text += `${goType}{`
    for (const [i, item] of items.entries()) {
      if (this.text.length > MOST_CHARACTERS) return
      if (i > 0) this.text += ', '
      print(item)
    }
    this.text += '}'
  }
}

function dependency(value: Json): string {
  const names = Array.isArray(value) ? `[]string{${value.map(name => goLiteral(name)).join(', ')}}` : '[]string(nil)'
  return `apiextensions.JSONSchemaPropsOrStringArray{Schema:${pointer('*apiextensions.JSONSchemaProps', Array.isArray(value) ? undefined : value)}, Property:${names}}`
}
