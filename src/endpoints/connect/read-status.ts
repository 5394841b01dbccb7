import { JsonSyntaxError, parseJson } from '../../codec/json.ts'
import type { Status, StatusCause, StatusDetails } from '../../meta/status.ts'

type Fields = Readonly<Record<string, unknown>>

const fieldsOf = (value: unknown): Fields | undefined => (typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined)

const textsOf = (fields: Fields, names: readonly string[]): Record<string, string> =>
  Object.fromEntries(names.flatMap(name => (typeof fields[name] === 'string' && fields[name] !== '' ? [[name, fields[name]]] : [])))

/** Reads a metav1.Status that another program wrote, as far as its fields are what they should be; undefined fields are absent. A text: it is no JSON, and why. */
export function readStatus(text: string): (Partial<Status> & { readonly isKind: boolean }) | string {
  let fields: Fields
  try {
    fields = fieldsOf(parseJson(Buffer.from(text)).value) ?? {}
  } catch (error) {
    if (error instanceof JsonSyntaxError) return error.message
    throw error
  }
  const details = fieldsOf(fields.details)
  return {
    isKind: fields.kind === 'Status' && fields.apiVersion === 'v1',
    ...(textsOf(fields, ['status', 'message', 'reason']) as Partial<Status>),
    ...(details && { details: detailsOf(details) }),
    ...(typeof fields.code === 'number' && fields.code !== 0 && { code: fields.code }),
  }
}

function detailsOf(fields: Fields): StatusDetails {
  const causes = Array.isArray(fields.causes) ? fields.causes.map(each => textsOf(fieldsOf(each) ?? {}, ['reason', 'message', 'field']) as StatusCause) : []
  return {
    ...textsOf(fields, ['name', 'group', 'kind', 'uid']),
    ...(causes.length > 0 && { causes }),
    ...(typeof fields.retryAfterSeconds === 'number' && { retryAfterSeconds: fields.retryAfterSeconds }),
  }
}
