import { isJsonObject, type Json, type JsonObject, objectIn } from '../../../src/api/meta/object.ts'
import type { ChosenRequest } from './choices.ts'
import type { ChangeAnswer } from './server.ts'
import { failsIn, markerOf, type Settings } from './settings.ts'

/**
 * Returns the fault of a response, of whichever server. `settings` are those that may have been in effect, the last
 * acknowledged one first.
 */
export function faultOf(request: ChosenRequest, answer: ChangeAnswer, settings: readonly Settings[]): string | undefined {
  const { status, body } = answer
  if (status >= 500 && !settings.some(each => mayFail(request, each)) && !isUpstreamFault(body))
    return `${status} ${JSON.stringify(body.message ?? body)}`
  if (status >= 300) return undefined
  const markers = settings.map(({ generation }) => markerOf(generation))
  for (const object of objectsIn(body)) {
    // Defaults of members need a spec: an apply that takes back all that it had set removes it.
    if (object.spec === undefined) continue
    const spec = objectIn(object.spec)
    if (!markers.some(marker => marker in spec)) return `by an older definition than ${markers[0]}: ${JSON.stringify(spec)}`
  }
  return undefined
}

/** Errors of the server that webhooks cause. */
const mayFail = ({ method, version }: ChosenRequest, settings: Settings): boolean =>
  settings.conversion === 'failing' ||
  failsIn(settings, version) ||
  (settings.mutating === 'failing' && method !== 'GET' && method !== 'DELETE')

/** An apply of a field that the schema lacks is an error of the server upstream. */
const isUpstreamFault = ({ message }: JsonObject): boolean => String(message).includes('field not declared in schema')

/** The custom objects of a response: itself, its items, or the objects of its rows. */
export function objectsIn(body: JsonObject): JsonObject[] {
  if (Array.isArray(body.rows)) return body.rows.flatMap(row => ofKind(objectIn(row).object))
  return Array.isArray(body.items) ? body.items.flatMap(ofKind) : ofKind(body)
}

const ofKind = (value: Json | undefined): JsonObject[] => (isJsonObject(value) && value.kind === 'Changeling' ? [value] : [])

export const namesIn = (body: JsonObject): string[] => objectsIn(body).map(({ metadata }) => String(objectIn(metadata).name))
