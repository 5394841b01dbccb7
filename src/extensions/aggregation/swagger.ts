import { parseForeignJson } from '../../codec/foreign-json.ts'
import type { ForeignSwagger } from '../../endpoints/openapi/merge.ts'
import { isStepDone, type Steps } from '../../lib/steps.ts'
import { isJsonObject, type Json, type JsonObject } from '../../meta/object.ts'

/** Values of a document: that of kube-apiserver has some 150,000. */
const MOST_VALUES = 1 << 20
/** Values of a path or a definition, each of which is written at once. */
const MOST_MEMBER_VALUES = 32_768
/** Documents are walked through by functions that call themselves. */
const MAX_DEPTH = 100
const REFERENCE = /^#\/(definitions|parameters)\/(.+)$/s

/** Reads of a Swagger document what is below a path, with the definitions and parameters that it refers to. Throws if it is no document, is nested too deeply, or holds too much. */
export function* readSwagger(body: Buffer, prefix: string): Steps<ForeignSwagger> {
  const value = yield* parseForeignJson(body, MOST_VALUES)
  if (!isJsonObject(value)) throw new Error('it is no Swagger document')
  const all = { definitions: yield* membersOf(value.definitions), parameters: yield* membersOf(value.parameters) }
  const kept = { paths: newMap(), definitions: newMap(), parameters: newMap() }
  const waiting: Json[] = []
  for (const [path, item] of Object.entries(yield* membersOf(value.paths))) {
    if (!path.startsWith(prefix)) continue
    kept.paths[path] = item
    waiting.push(item)
  }
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    for (const reference of referencesIn(next)) {
      yield
      const [, part, name = ''] = REFERENCE.exec(reference ?? '') ?? []
      if (part !== 'definitions' && part !== 'parameters') continue
      const found = all[part][name]
      if (found === undefined || Object.hasOwn(kept[part], name)) continue
      kept[part][name] = found
      waiting.push(found)
    }
    if (isStepDone()) yield
  }
  return kept
}

/** Names are whatever a document says: none of them means anything to the map. */
const newMap = (): JsonObject => Object.create(null)

/** Objects by name; what is none is left out. */
function* membersOf(value: Json | undefined): Steps<JsonObject> {
  const members = newMap()
  yield
  if (!isJsonObject(value)) return members
  for (const [name, member] of Object.entries(value)) {
    if (isJsonObject(member)) members[name] = member
    if (isStepDone()) yield
  }
  return members
}

/** The references in a member of a document. Undefined: others may have their turn. */
function* referencesIn(root: Json): Generator<string | undefined, void> {
  const stack: { readonly value: Json; readonly depth: number }[] = [{ value: root, depth: 0 }]
  let values = 0
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const { value, depth } = next
    if (depth > MAX_DEPTH) throw new Error(`it is nested more than ${MAX_DEPTH} levels deep`)
    if (typeof value !== 'object' || value === null) continue
    for (const [name, member] of Object.entries(value)) {
      if (++values > MOST_MEMBER_VALUES) throw new Error(`a path or definition holds more than ${MOST_MEMBER_VALUES} values`)
      if (name === '$ref' && typeof member === 'string') yield member
      else if (typeof member === 'object' && member !== null) stack.push({ value: member, depth: depth + 1 })
    }
    if (isStepDone()) yield undefined
  }
}
