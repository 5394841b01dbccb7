import type { JsonSchemaProps } from '../../api/apiextensions/json-schema-props.ts'
import { type FieldPath, fieldPath } from '../../meta/field-path.ts'
import { additionalSchema, propertySchema } from './props.ts'

/** Target of a path in a schema. */
export interface SchemaLocation {
  readonly path: FieldPath
  /** First name of the path. */
  readonly root: string
  /** Schema at the path. Undefined if any value is allowed. */
  readonly schema: JsonSchemaProps | undefined
}

/** An invalid path. The message is upstream's reason. */
export class SchemaPathError extends Error {
  override readonly name = 'SchemaPathError'
}

/** Upstream's text for a name that the schema does not have. */
const NOWHERE = 'does not refer to a valid field'
/** Escapes in quoted names, as in Go. */
const ESCAPES: Readonly<Record<string, string>> = {
  a: '\u0007',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  "'": "'",
  '\\': '\\',
}

/**
 * Follows a path such as `.spec.map['a.b'].c` through a structural schema. Brackets are for members of maps and can be
 * disallowed; items of lists have no path. Throws a SchemaPathError.
 */
export function followSchemaPath(text: string, schema: JsonSchemaProps, allowBrackets = true): SchemaLocation {
  const tokens = tokensOf(text)
  const next = (): string => {
    const { value, done } = tokens.next()
    if (done) throw new SchemaPathError('unexpected end of JSON path')
    return value
  }
  let place: SchemaLocation = { path: fieldPath(), root: '', schema }
  for (const token of tokens) {
    if (token === '[') {
      if (!allowBrackets) throw new SchemaPathError('array notation is not allowed')
      const name = next()
      if (!/^'[\s\S]*'$/.test(name) || name.length < 2) throw new SchemaPathError(`expected single quoted string but got ${name}`)
      place = step(place, unquote(name.slice(1, -1)))
      const end = next()
      if (end !== ']') throw new SchemaPathError(`expected ] but got ${end}`)
    } else if (token === '.') place = step(place, next())
    else throw new SchemaPathError(`expected [ or . but got: ${token}`)
  }
  return place
}

/** Yields dots, brackets and the texts between them. A text in single quotes is one token. */
function* tokensOf(text: string): Generator<string, undefined> {
  for (let from = 0; from < text.length; ) {
    let end = from + 1
    if (text.charAt(from) === "'") {
      while (end < text.length && (text.charAt(end) !== "'" || text.charAt(end - 1) === '\\')) end++
      end++
    } else if (!'.[]'.includes(text.charAt(from))) while (end < text.length && !'.[]'.includes(text.charAt(end))) end++
    yield text.slice(from, end)
    from = end
  }
}

/** Follows one name: of a property, or of a member of a map. */
function step({ path, root, schema }: SchemaLocation, name: string): SchemaLocation {
  const to = (at: FieldPath, inner: JsonSchemaProps | undefined): SchemaLocation => ({
    path: at,
    root: root === '' ? name : root,
    schema: inner,
  })
  if (schema?.properties !== undefined) {
    const property = propertySchema(schema, name)
    if (property === undefined) throw new SchemaPathError(NOWHERE)
    return to(path.child(name), property)
  }
  if (schema?.additionalProperties === undefined) throw new SchemaPathError(NOWHERE)
  return to(path.key(name), additionalSchema(schema))
}

function unquote(text: string): string {
  return text.replace(/\\(.)/g, (whole, char: string) => {
    const plain = ESCAPES[char]
    if (plain === undefined) throw new SchemaPathError(`invalid string literal: invalid escape char ${whole}`)
    return plain
  })
}
