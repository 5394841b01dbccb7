import type { Json } from '../../api/meta/object.ts'
import { goJsonText } from '../../lib/go-json-text.ts'
import type { StructSchema } from '../schema.ts'
import { convertGoType, type GoField, type GoScalar, type GoStruct, type GoType, goMembers, goMemberType, isNil } from './go-type.ts'

/** Limit on the characters of a value. A message explains an error and is not a copy of the object. */
const MOST_CHARACTERS = 65_536

/**
 * Formats a value like messages since 1.34: as JSON of kube-apiserver's internal types, with Go's field names and all
 * fields, `{"ResourceClassName":"a","ParametersRef":null}`. Types of metav1 have their usual JSON. `member`: JSON name
 * of the member of the schema that the value belongs to.
 */
export function goJson(schema: StructSchema, value: Json | undefined, member?: string): string {
  const printer = new Printer()
  printer.print(member === undefined ? convertGoType(schema) : goMemberType(schema, member), value)
  return printer.text
}

/** Whether a result of `goJson` is truncated. */
export const isCutOff = (text: string): boolean => text.length > MOST_CHARACTERS

/** Appends to a text and stops once it exceeds the limit. */
class Printer {
  text = ''

  print(type: GoType, value: Json | undefined): void {
    if (this.text.length > MOST_CHARACTERS) return
    if (type.kind === 'pointer' && !isNil(value)) this.print(type.to, value)
    else if (type.kind === 'slice' && Array.isArray(value)) this.#list(type.of, value)
    else if (type.kind === 'map' && !isNil(value)) this.#map(type.of, value)
    else if (type.kind === 'struct') this.#struct(type, value)
    else this.text += type.kind === 'scalar' ? goJsonScalar(type, value) : 'null'
  }

  #list(of: GoType, items: readonly Json[]): void {
    this.#within('[', ']', items, item => this.print(of, item))
  }

  #map(of: GoType, value: Json): void {
    const members = goMembers(value)
    this.#within('{', '}', Object.keys(members).sort(), key => {
      this.text += `${goJsonText(key)}:`
      this.print(of, members[key])
    })
  }

  #struct(type: GoStruct, value: Json | undefined): void {
    const own = OWN_FORM[type.name]
    if (own !== undefined) this.text += goJsonText(value ?? own)
    else if (type.name.startsWith('v1.')) this.text += goJsonText(value ?? {}).slice(0, MOST_CHARACTERS)
    else
      this.#within('{', '}', [...promoted(type, value)], ([field, member]) => {
        this.text += `${goJsonText(field.name)}:`
        this.print(field.type, member)
      })
  }

  #within<T>(open: string, close: string, items: readonly T[], print: (item: T) => void): void {
    this.text += open
    for (const [i, item] of items.entries()) {
      if (this.text.length > MOST_CHARACTERS) {
        this.text += '...'
        break
      }
      if (i > 0) this.text += ','
      print(item)
    }
    this.text += close
  }
}

/** Zero values of structs with JSON marshalers of their own. */
const OWN_FORM: Readonly<Record<string, Json>> = { 'intstr.IntOrString': 0, 'resource.Quantity': '0' }

const AS_IN_OBJECTS: GoScalar = { kind: 'scalar', scalar: 'string', name: '' }

/** Yields fields with their values. Fields of embedded structs are promoted. */
function* promoted(type: GoStruct, value: Json | undefined): Generator<readonly [GoField, Json | undefined]> {
  const members = goMembers(value, type)
  for (const field of type.fields) {
    if (field.embedded && field.type.kind === 'struct') yield* promoted(field.type, field.get(members))
    // ObjectMeta is embedded, too, but is a type of metav1, whose members have their usual JSON.
    else if (field.name === 'ObjectMeta')
      for (const [name, member] of Object.entries(goMembers(field.get(members))))
        yield [{ name, type: AS_IN_OBJECTS, get: () => member }, member]
    else yield [field, field.get(members)]
  }
}

/** Formats a scalar; the zero value if it is absent. */
function goJsonScalar({ scalar }: GoScalar, value: Json | undefined): string {
  if (!isNil(value)) return goJsonText(value)
  switch (scalar) {
    case 'string':
      return '""'
    case 'integer':
    case 'number':
      return '0'
    case 'boolean':
      return 'false'
    default:
      return 'null'
  }
}
