import { isJsonObject, type JsonObject } from '../../api/meta/object.ts'
import type { StatusDetails } from '../../api/meta/v1.types.ts'
import { JsonSyntaxError, parseJson } from '../../codec/json.ts'
import type { Status } from '../../meta/status.ts'

/** A metav1.Status of another program. Fields of the wrong type are omitted. */
export interface ForeignStatus extends Partial<Pick<Status, 'message' | 'reason' | 'details' | 'code'>> {
  /** Whether kind and apiVersion are those of a Status. */
  readonly isKind: boolean
  /** `Success`, `Failure`, or any other text. */
  readonly status?: string
}

/** Returns the string members. Empty ones are omitted, as in Go. */
function textMembers<Name extends string>(fields: JsonObject, names: readonly Name[]): { [name in Name]?: string } {
  const texts: { [name in Name]?: string } = {}
  for (const name of names) {
    const value = fields[name]
    if (typeof value === 'string' && value !== '') texts[name] = value
  }
  return texts
}

/** Parses a Status. Returns the syntax error as a string if the text is not JSON. */
export function readStatus(text: string): ForeignStatus | string {
  let fields: JsonObject
  try {
    const { value } = parseJson(Buffer.from(text))
    fields = isJsonObject(value) ? value : {}
  } catch (error) {
    if (error instanceof JsonSyntaxError) return error.message
    throw error
  }
  const { details } = fields
  return {
    isKind: fields.kind === 'Status' && fields.apiVersion === 'v1',
    ...textMembers(fields, ['status', 'message', 'reason']),
    ...(isJsonObject(details) && { details: detailsOf(details) }),
    ...(typeof fields.code === 'number' && fields.code !== 0 && { code: fields.code }),
  }
}

/** Returns the details. Members of the wrong type are omitted. */
function detailsOf(fields: JsonObject): StatusDetails {
  const causes = Array.isArray(fields.causes)
    ? fields.causes.map(each => textMembers(isJsonObject(each) ? each : {}, ['reason', 'message', 'field']))
    : []
  return {
    ...textMembers(fields, ['name', 'group', 'kind', 'uid']),
    ...(causes.length > 0 && { causes }),
    ...(typeof fields.retryAfterSeconds === 'number' && { retryAfterSeconds: fields.retryAfterSeconds }),
  }
}
