import type { ConnectOptions } from '../../catalog/connect.ts'
import { badRequestError } from '../../meta/status.ts'
import { canonicalTime } from '../../meta/time.ts'
import type { Field, StructSchema } from '../../schema/schema.ts'
import { booleanParameter, integerParameter } from '../query.ts'

type Value = ConnectOptions[string]

/** Decodes the fields of an options type from a query. Throws 400 with upstream's messages. */
export function connectOptions(schema: StructSchema, query: URLSearchParams): Record<string, Value> {
  const options: Record<string, Value> = {}
  for (const field of schema.fields.values()) {
    const value = query.has(field.name) ? optionOf(field, query) : undefined
    if (value !== undefined) options[field.name] = value
  }
  return options
}

/** Returns undefined for types that no option has. */
function optionOf({ name, schema }: Field, query: URLSearchParams): Value | undefined {
  const first = query.get(name) ?? ''
  switch (schema.type) {
    case 'boolean':
      return booleanParameter(query, name)
    case 'integer':
      return integerParameter(query, name)
    case 'string':
      return first
    case 'time':
      return parseSinceTime(first)
    case 'list':
      return schema.items.type === 'integer' ? query.getAll(name).flatMap(portsOf) : query.getAll(name)
    default:
      return undefined
  }
}

/** Parses a time. Go's zero time if it is empty. Throws 400 if it is invalid. */
function parseSinceTime(text: string): string {
  if (text === '' || text === 'null') return '0001-01-01T00:00:00Z'
  const time = canonicalTime(text)
  if (time === undefined)
    throw badRequestError(
      `parsing time ${JSON.stringify(text)} as "2006-01-02T15:04:05Z07:00": cannot parse ${JSON.stringify(text)} as "2006"`,
    )
  return time
}

/** Parses ports, which may be separated by commas. */
function portsOf(text: string): number[] {
  return text.split(',').map(each => {
    const fault = !/^\d+$/.test(each) ? 'invalid syntax' : Number(each) > 65535 ? 'value out of range' : undefined
    if (fault) throw badRequestError(`cannot convert to []int32: strconv.ParseUint: parsing ${JSON.stringify(each)}: ${fault}`)
    return Number(each)
  })
}
