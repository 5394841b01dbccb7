import type { Json } from '../../api/meta/object.ts'
import { quote } from '../../lib/go-quote.ts'
import { type Verbatim, verbatim } from '../../meta/field-error.ts'
import type { StructSchema } from '../schema.ts'
import { goJson } from './go-json.ts'
import { convertGoType, type GoPointer, type GoScalar, type GoType, goMembers, goMemberType, goTypeName, isNil } from './go-type.ts'

/** Limit on the characters of a value. A message explains an error and is not a copy of the object. */
const MOST_CHARACTERS = 65_536
/** Stands for any address, which cannot be known. */
const SOMEWHERE = '0xc000000000'

/**
 * Formats a value like Go's %#v: `core.NodeAddress{Type:"Hostname", Address:"a"}`. `member`: JSON name of the member of
 * the schema that the value belongs to.
 */
export function goSyntax(schema: StructSchema, value: Json | undefined, member?: string): Verbatim {
  const printer = new Printer()
  printer.print(member === undefined ? convertGoType(schema) : goMemberType(schema, member), value)
  return verbatim(printer.text, () => goJson(schema, value, member))
}

/** Appends to a text and stops once it exceeds the limit. */
class Printer {
  text = ''

  /** Formats a value. Nil slices and maps become `(nil)`, empty ones a pair of braces. */
  print(type: GoType, value: Json | undefined): void {
    if (this.text.length > MOST_CHARACTERS) return
    switch (type.kind) {
      case 'scalar':
        this.text += goPrintScalar(type, value)
        return
      case 'pointer':
        this.text += pointerText(type, value)
        return
      case 'slice':
        this.#list(goTypeName(type), Array.isArray(value) ? value.map(item => ['', type.of, item]) : undefined)
        return
      case 'map': {
        const members = isNil(value) ? undefined : goMembers(value)
        const keys = members && Object.keys(members).sort()
        this.#list(
          type.name,
          keys?.map(key => [quote(key), type.of, members?.[key]]),
        )
        return
      }
      case 'struct': {
        const members = goMembers(value, type)
        this.#list(
          type.name,
          type.fields.map(field => [field.name, field.type, field.get(members)]),
        )
        return
      }
    }
  }

  /** Formats items, with their names if they have any. Undefined is nil. */
  #list(type: string, items: readonly (readonly [name: string, type: GoType, value: Json | undefined])[] | undefined): void {
    if (items === undefined) {
      this.text += `${type}(nil)`
      return
    }
    this.text += `${type}{`
    for (const [i, [name, itemType, value]] of items.entries()) {
      if (this.text.length > MOST_CHARACTERS) {
        this.text += '...'
        break
      }
      this.text += `${i > 0 ? ', ' : ''}${name === '' ? '' : `${name}:`}`
      this.print(itemType, value)
    }
    this.text += '}'
  }
}

function pointerText(type: GoPointer, value: Json | undefined): string {
  // Times format themselves, also through pointers.
  if (type.to.kind === 'scalar' && isTime(type.to)) return isNil(value) ? '<nil>' : goPrintScalar(type.to, value)
  return `(${goTypeName(type)})(${isNil(value) ? 'nil' : SOMEWHERE})`
}

/** Whether a type has a GoString method. */
const isTime = ({ scalar }: GoScalar): boolean => scalar === 'time' || scalar === 'microTime'

/** Types of other packages become their name with an ellipsis. */
function goPrintScalar(type: GoScalar, value: Json | undefined): string {
  switch (type.scalar) {
    case 'string':
      return quote(typeof value === 'string' ? value : '')
    case 'integer':
    case 'number':
      return String(isNil(value) ? 0 : value)
    case 'boolean':
      return String(value === true)
    case 'time':
    case 'microTime':
      return timeText(typeof value === 'string' ? value : undefined)
    case 'bytes':
      return bytesText(value)
    default:
      return isNil(value) ? `${type.name}(nil)` : `${type.name}{...}`
  }
}

const MONTHS = ['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October', 'November', 'December']

/** Formats a time like time.Time.GoString: the zero time, or a time in the server's zone. */
function timeText(time: string | undefined): string {
  if (time === undefined) return 'time.Date(1, time.January, 1, 0, 0, 0, 0, time.UTC)'
  const at = new Date(time)
  const clock = [at.getUTCHours(), at.getUTCMinutes(), at.getUTCSeconds(), at.getUTCMilliseconds() * 1_000_000]
  return `time.Date(${at.getUTCFullYear()}, time.${MONTHS[at.getUTCMonth()]}, ${at.getUTCDate()}, ${clock.join(', ')}, time.Local)`
}

/** Formats bytes as `[]byte{0x61}`, as far as the limit allows. */
function bytesText(value: Json | undefined): string {
  if (typeof value !== 'string') return '[]byte(nil)'
  const bytes = [...Buffer.from(value.slice(0, MOST_CHARACTERS), 'base64')]
  return `[]byte{${bytes.map(byte => `0x${byte.toString(16)}`).join(', ')}}`
}
