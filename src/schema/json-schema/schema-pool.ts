import { isStepDone, type Steps } from '../../lib/steps.ts'
import { setMember } from '../../meta/equal.ts'
import { copyWholeFloats, hasWholeFloats, isWholeFloat } from '../../meta/whole-floats.ts'
import type { JsonSchemaProps } from './props.ts'

/** What only readers of OpenAPI see: it decides about no object. */
const DOCUMENTATION = new Set(['description', 'title', 'example', 'externalDocs'])

/** Members that are a schema or a list of them, */
const SCHEMAS = new Set(['items', 'additionalItems', 'additionalProperties', 'not', 'allOf', 'anyOf', 'oneOf'])
/** and those that hold schemas by name. */
const NAMED_SCHEMAS = new Set(['properties', 'patternProperties', 'definitions', 'dependencies'])

/**
 * The schemas that are in use, one for all that are equal, at every depth: definitions repeat the schemas of pods, selectors and conditions, in every version. 253 definitions of known
 * projects have 114,000 schemas, of which 4,200 differ. What is kept for a schema (compiled patterns, the struct that apply sees) is shared with it. Schemas that nobody uses any more are forgotten.
 */
export class SchemaPool {
  /** A schema by what is in it, where the schemas in it stand by their numbers. */
  private readonly known = new Map<string, WeakRef<JsonSchemaProps>>()
  private readonly collected = new FinalizationRegistry<string>(key => {
    if (this.known.get(key)?.deref() === undefined) this.known.delete(key)
  })
  private readonly numbers = new WeakMap<object, number>()
  private last = 0;

  /** The schema of the pool that is equal to this one, without its documentation, in steps. The one that is given stays as it is. */
  *shared(schema: JsonSchemaProps): Steps<JsonSchemaProps> {
    const copy: Record<string, unknown> = {}
    const parts: Record<string, unknown> = {}
    let isOdd = false
    for (const [name, value] of Object.entries(schema)) {
      if (DOCUMENTATION.has(name)) continue
      const shared = SCHEMAS.has(name) ? yield* this.one(value) : NAMED_SCHEMAS.has(name) ? yield* this.each(value) : value
      copy[name] = shared
      parts[name] = shared === value ? value : NAMED_SCHEMAS.has(name) ? yield* this.numbersOf(shared) : this.numberOf(shared)
      if (shared === value && (isWholeFloat(schema, name) || hasWholeFloats(value))) isOdd = true
    }
    const key = isOdd ? undefined : textOf(parts)
    const known = key === undefined ? undefined : this.known.get(key)?.deref()
    if (known) return known
    copyWholeFloats(schema, copy)
    this.numbers.set(copy, ++this.last)
    if (key !== undefined) {
      this.known.set(key, new WeakRef<JsonSchemaProps>(copy))
      this.collected.register(copy, key)
    }
    return copy
  }

  private *one(value: unknown): Steps<unknown> {
    if (!Array.isArray(value)) return isSchema(value) ? yield* this.shared(value) : value
    const items: unknown[] = []
    for (const item of value) {
      if (isStepDone()) yield
      items.push(yield* this.one(item))
    }
    return items
  }

  private *each(value: unknown): Steps<unknown> {
    if (!isSchema(value)) return value
    const members: Record<string, unknown> = {}
    for (const [name, member] of Object.entries(value)) {
      if (isStepDone()) yield
      setMember(members, name, isSchema(member) ? yield* this.shared(member) : member)
    }
    return members
  }

  private numberOf(shared: unknown): unknown {
    if (Array.isArray(shared)) return shared.map(item => this.numberOf(item))
    return isSchema(shared) ? this.numbers.get(shared) : shared
  }

  private *numbersOf(named: unknown): Steps<unknown> {
    if (!isSchema(named)) return named
    const numbers: Record<string, unknown> = {}
    for (const [name, shared] of Object.entries(named)) {
      if (isStepDone()) yield
      setMember(numbers, name, this.numberOf(shared))
    }
    return numbers
  }
}

const isSchema = (value: unknown): value is JsonSchemaProps => typeof value === 'object' && value !== null && !Array.isArray(value)

/** Undefined where it holds a number that JSON would write like another. */
function textOf(parts: object): string | undefined {
  try {
    return JSON.stringify(parts)
  } catch {
    return undefined // a bigint
  }
}
