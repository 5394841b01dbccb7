import { JsonSyntaxError, parseJson } from '../../codec/json.ts'
import { isJsonObject, type JsonObject } from '../../meta/object.ts'
import type { Status, StatusDetails } from '../../meta/status.ts'

/** A metav1.Status that another program wrote, as far as its fields are what they should be. */
export interface ForeignStatus extends Partial<Pick<Status, 'message' | 'reason' | 'details' | 'code'>> {
  /** It says that it is a Status of v1. */
  readonly isKind: boolean
  /** `Success` or `Failure`, or whatever else it says. */
  readonly status?: string
}

/** The texts among the members; those that are empty count as absent, as in Go. */
function textsOf<Name extends string>(fields: JsonObject, names: readonly Name[]): { [name in Name]?: string } {
  const texts: { [name in Name]?: string } = {}
  for (const name of names) {
    const value = fields[name]
    if (typeof value === 'string' && value !== '') texts[name] = value
  }
  return texts
}

/** Reads a Status; undefined fields are absent. A text: it is no JSON, and why. */
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
    ...textsOf(fields, ['status', 'message', 'reason']),
    ...(isJsonObject(details) && { details: detailsOf(details) }),
    ...(typeof fields.code === 'number' && fields.code !== 0 && { code: fields.code }),
  }
}

/** Members that are not of their type are left out. */
function detailsOf(fields: JsonObject): StatusDetails {
  const causes = Array.isArray(fields.causes) ? fields.causes.map(each => textsOf(isJsonObject(each) ? each : {}, ['reason', 'message', 'field'])) : []
  return {
    ...textsOf(fields, ['name', 'group', 'kind', 'uid']),
    ...(causes.length > 0 && { causes }),
    ...(typeof fields.retryAfterSeconds === 'number' && { retryAfterSeconds: fields.retryAfterSeconds }),
  }
}
