import { goJsonText } from '../../lib/go-json-text.ts'
import type { Json } from '../../meta/object.ts'
import type { StructSchema } from '../schema.ts'
import { type GoField, type GoScalar, type GoStruct, type GoType, goMemberType, goType, isNil, membersOf } from './go-type.ts'

/** Longer texts are cut off: a message says what is wrong, and is no second copy of the object. */
const MOST_CHARACTERS = 65_536

/**
 * The value as messages print it since 1.34: JSON of kube-apiserver's own types, whose fields have Go's names and are all there, `{"ResourceClassName":"a","ParametersRef":null}`. Types
 * of metav1 are as in objects. `member`: the value is that of the member of this JSON name.
 */
export function goJson(schema: StructSchema, value: Json | undefined, member?: string): string {
  const printer = new Printer()
  printer.print(member === undefined ? goType(schema) : goMemberType(schema, member), value)
  return printer.text
}

/** Whether a text of `goJson` ends before its value does. */
export const isCutOff = (text: string): boolean => text.length > MOST_CHARACTERS

/** Appends to one text, so that it can stop when that is long enough. */
class Printer {
  text = ''

  print(type: GoType, value: Json | undefined): void {
    if (this.text.length > MOST_CHARACTERS) return
    if (type.kind === 'pointer' && !isNil(value)) this.print(type.to, value)
    else if (type.kind === 'slice' && Array.isArray(value)) this.list(type.of, value)
    else if (type.kind === 'map' && !isNil(value)) this.map(type.of, value)
    else if (type.kind === 'struct') this.struct(type, value)
    else this.text += type.kind === 'scalar' ? scalarText(type, value) : 'null'
  }

  private list(of: GoType, items: readonly Json[]): void {
    this.within('[', ']', items, item => this.print(of, item))
  }

  private map(of: GoType, value: Json): void {
    const members = membersOf(value)
    this.within('{', '}', Object.keys(members).sort(), key => {
      this.text += `${goJsonText(key)}:`
      this.print(of, members[key])
    })
  }

  private struct(type: GoStruct, value: Json | undefined): void {
    const own = OWN_FORM[type.name]
    if (own !== undefined) this.text += goJsonText(value ?? own)
    else if (type.name.startsWith('v1.')) this.text += goJsonText(value ?? {}).slice(0, MOST_CHARACTERS)
    else
      this.within('{', '}', [...promoted(type, value)], ([field, member]) => {
        this.text += `${goJsonText(field.name)}:`
        this.print(field.type, member)
      })
  }

  private within<T>(open: string, close: string, items: readonly T[], print: (item: T) => void): void {
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

/** Structs that write themselves, with what they are where nothing is given. */
const OWN_FORM: Readonly<Record<string, Json>> = { 'intstr.IntOrString': 0, 'resource.Quantity': '0' }

const AS_IN_OBJECTS: GoScalar = { kind: 'scalar', scalar: 'string', name: '' }

/** Fields with their values; those of an embedded struct stand among them. */
function* promoted(type: GoStruct, value: Json | undefined): Generator<readonly [GoField, Json | undefined]> {
  const members = membersOf(value, type)
  for (const field of type.fields) {
    if (field.embedded && field.type.kind === 'struct') yield* promoted(field.type, field.get(members))
    // Embedded, too, and of metav1: its members are as in objects.
    else if (field.name === 'ObjectMeta')
      for (const [name, member] of Object.entries(membersOf(field.get(members)))) yield [{ name, type: AS_IN_OBJECTS, get: () => member }, member]
    else yield [field, field.get(members)]
  }
}

/** The zero value of what is not given. */
function scalarText({ scalar }: GoScalar, value: Json | undefined): string {
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
