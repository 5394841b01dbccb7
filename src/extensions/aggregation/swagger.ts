import { isJsonObject, type Json, type JsonObject } from '../../api/meta/object.ts'
import { parseForeignJson } from '../../codec/foreign-json.ts'
import type { ForeignSwagger } from '../../endpoints/openapi/merge.ts'
import { isStepDone, type Steps } from '../../lib/steps.ts'

/** Maximum number of JSON values in a document. That of kube-apiserver has about 150,000. */
const MOST_VALUES = 1 << 20
/** Maximum number of values in a path or definition, which are encoded synchronously. */
const MOST_MEMBER_VALUES = 32_768
/** Maximum nesting depth. Documents are walked recursively. */
const MAX_DEPTH = 100
const REFERENCE = /^#\/(definitions|parameters)\/(.+)$/s

/**
 * Extracts from a Swagger document the paths with a prefix, and the definitions and parameters they refer to. Throws if
 * the document is invalid, too deeply nested, or too large.
 */
export function* readSwagger(body: Buffer, prefix: string): Steps<ForeignSwagger> {
  const value = yield* parseForeignJson(body, MOST_VALUES)
  if (!isJsonObject(value)) throw new Error('not a Swagger document')
  const all = { definitions: yield* objectMembers(value.definitions), parameters: yield* objectMembers(value.parameters) }
  const kept = { paths: newMap(), definitions: newMap(), parameters: newMap() }
  const waiting: Json[] = []
  for (const [path, item] of Object.entries(yield* objectMembers(value.paths))) {
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

/** Object without prototype, because names in documents are arbitrary. */
const newMap = (): JsonObject => Object.create(null)

/** Object members by name. Other members are dropped. */
function* objectMembers(value: Json | undefined): Steps<JsonObject> {
  const members = newMap()
  yield
  if (!isJsonObject(value)) return members
  for (const [name, member] of Object.entries(value)) {
    if (isJsonObject(member)) members[name] = member
    if (isStepDone()) yield
  }
  return members
}

/** Yields the references in a member of a document. Yields undefined where the caller may yield its turn. */
function* referencesIn(root: Json): Generator<string | undefined, void> {
  const stack: { readonly value: Json; readonly depth: number }[] = [{ value: root, depth: 0 }]
  let values = 0
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const { value, depth } = next
    if (depth > MAX_DEPTH) throw new Error(`nested more than ${MAX_DEPTH} levels deep`)
    if (typeof value !== 'object' || value === null) continue
    for (const [name, member] of Object.entries(value)) {
      if (++values > MOST_MEMBER_VALUES) throw new Error(`a path or definition holds more than ${MOST_MEMBER_VALUES} values`)
      if (name === '$ref' && typeof member === 'string') yield member
      else if (typeof member === 'object' && member !== null) stack.push({ value: member, depth: depth + 1 })
    }
    if (isStepDone()) yield undefined
  }
}
