import { parseExactlyInSteps } from '../../codec/json.ts'
import type { ForeignSwagger } from '../../endpoints/openapi/merge.ts'
import { isStepDone, type Steps } from '../../lib/steps.ts'
import { isJsonObject, type Json, type JsonObject } from '../../meta/object.ts'

/** Documents are walked through by functions that call themselves. */
const MAX_DEPTH = 100
const REFERENCE = /^#\/(definitions|parameters)\/(.+)$/s

/** Reads of a Swagger document what is below a path, with the definitions and parameters that it refers to. Throws where it is no document, or is nested too deeply. */
export function* readSwagger(body: Buffer, prefix: string): Steps<ForeignSwagger> {
  const { value } = yield* parseExactlyInSteps(body)
  if (!isJsonObject(value)) throw new Error('it is no Swagger document')
  const all = { definitions: membersOf(value.definitions), parameters: membersOf(value.parameters) }
  const kept = { paths: newMap(), definitions: newMap(), parameters: newMap() }
  const waiting: Json[] = []
  for (const [path, item] of Object.entries(membersOf(value.paths))) {
    if (!path.startsWith(prefix)) continue
    kept.paths[path] = item
    waiting.push(item)
  }
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (isStepDone()) yield
    for (const reference of referencesIn(next, 0)) {
      const [, part, name = ''] = REFERENCE.exec(reference) ?? []
      if (part !== 'definitions' && part !== 'parameters') continue
      const found = all[part][name]
      if (found === undefined || Object.hasOwn(kept[part], name)) continue
      kept[part][name] = found
      waiting.push(found)
    }
  }
  return kept
}

/** Names are whatever a document says: none of them means anything to the map. */
const newMap = (): JsonObject => Object.create(null)

/** Objects by name; what is none is left out. */
function membersOf(value: Json | undefined): JsonObject {
  const members = newMap()
  if (isJsonObject(value)) for (const [name, member] of Object.entries(value)) if (isJsonObject(member)) members[name] = member
  return members
}

function* referencesIn(value: Json, depth: number): Generator<string> {
  if (depth > MAX_DEPTH) throw new Error(`it is nested more than ${MAX_DEPTH} levels deep`)
  if (typeof value !== 'object' || value === null) return
  for (const [name, member] of Object.entries(value)) {
    if (name === '$ref' && typeof member === 'string') yield member
    else yield* referencesIn(member, depth + 1)
  }
}
