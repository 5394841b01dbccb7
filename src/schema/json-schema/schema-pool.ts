import type { JsonSchemaProps } from '../../api/apiextensions/json-schema-props.ts'
import { isStepDone, type Steps } from '../../lib/steps.ts'
import { memberNames, noteCopy } from '../../lib/wide-objects.ts'
import { hasMembers, setMember } from '../../meta/equal.ts'
import { copyWholeFloats, hasWholeFloats, isWholeFloat } from '../../meta/whole-floats.ts'

/** Members that only document a schema and do not affect objects. */
const DOCUMENTATION = new Set(['description', 'title', 'example', 'externalDocs'])

/** Members that are a schema or a list of schemas. */
const SCHEMAS = new Set(['items', 'additionalItems', 'additionalProperties', 'not', 'allOf', 'anyOf', 'oneOf'])
/** Members that are maps of schemas. */
const NAMED_SCHEMAS = new Set(['properties', 'patternProperties', 'definitions', 'dependencies'])

/**
 * Shares equal schemas at every depth. Definitions repeat the schemas of pods, selectors and conditions in every
 * version: 253 definitions of known projects have 114,000 schemas, of which 4,200 differ. Data cached for a schema
 * (compiled patterns, the struct for apply) is shared with it. Unused schemas are garbage-collected.
 */
export class SchemaPool {
  /** Schemas by content, in which nested schemas are represented by numbers. */
  readonly #known = new Map<string, WeakRef<JsonSchemaProps>>()
  readonly #collected = new FinalizationRegistry<string>(key => {
    if (this.#known.get(key)?.deref() === undefined) this.#known.delete(key)
  })
  readonly #numbers = new WeakMap<object, number>()
  #last = 0;

  /**
   * Returns the schema of the pool that equals this one without its documentation, in steps. The argument is not
   * modified.
   */
  *shared(schema: JsonSchemaProps): Steps<JsonSchemaProps> {
    const copy: Record<string, unknown> = {}
    const parts: Record<string, unknown> = {}
    let isOdd = false
    for (const [name, value] of Object.entries(schema)) {
      if (DOCUMENTATION.has(name)) continue
      const shared = SCHEMAS.has(name) ? yield* this.#one(value) : NAMED_SCHEMAS.has(name) ? yield* this.#each(value) : value
      copy[name] = shared
      parts[name] = shared === value ? value : NAMED_SCHEMAS.has(name) ? yield* this.#numbersOf(shared) : this.#numberOf(shared)
      if (shared === value && (isWholeFloat(schema, name) || hasWholeFloats(value))) isOdd = true
    }
    const key = isOdd ? undefined : schemaKey(parts)
    const known = key === undefined ? undefined : this.#known.get(key)?.deref()
    if (known) return known
    copyWholeFloats(schema, copy)
    this.#numbers.set(copy, ++this.#last)
    if (key !== undefined) {
      this.#known.set(key, new WeakRef<JsonSchemaProps>(copy))
      this.#collected.register(copy, key)
    }
    return copy
  }

  *#one(value: unknown): Steps<unknown> {
    if (!Array.isArray(value)) return isSchema(value) ? yield* this.shared(value) : value
    const items: unknown[] = []
    for (const item of value) {
      if (isStepDone()) yield
      items.push(yield* this.#one(item))
    }
    return items
  }

  *#each(value: unknown): Steps<unknown> {
    if (!hasMembers(value)) return value
    const members = noteCopy<Record<string, unknown>>(value, {})
    for (const name of yield* memberNames(value)) {
      if (isStepDone()) yield
      const member = value[name]
      setMember(members, name, isSchema(member) ? yield* this.shared(member) : member)
    }
    return members
  }

  #numberOf(shared: unknown): unknown {
    if (Array.isArray(shared)) return shared.map(item => this.#numberOf(item))
    return isSchema(shared) ? this.#numbers.get(shared) : shared
  }

  /** Returns names and numbers as pairs, because V8 writes a list in half the time of a wide object. */
  *#numbersOf(named: unknown): Steps<unknown> {
    if (!hasMembers(named)) return named
    const numbers: [string, unknown][] = []
    for (const name of yield* memberNames(named)) {
      if (isStepDone()) yield
      numbers.push([name, this.#numberOf(named[name])])
    }
    yield
    return numbers
  }
}

const isSchema = (value: unknown): value is JsonSchemaProps => typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns the key of a schema. Undefined for a bigint, which JSON cannot represent: such a schema is not shared. */
function schemaKey(parts: object): string | undefined {
  try {
    return JSON.stringify(parts)
  } catch {
    return undefined // a bigint
  }
}
