import { type Bounds, capped } from '../../../cel/cost/bounds.ts'
import { mostOccurrences, type SizedType } from '../../../cel/schema/sizes.ts'
import { type FieldError, forbidden } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import type { JsonSchemaProps } from '../../../schema/json-schema/props.ts'

/** What one expression may be estimated to cost, and all those of a schema. Source: Kubernetes, "Resource constraints" of validation rules. */
const MOST_OF_ONE = 10_000_000n
const MOST_OF_ALL = 100_000_000n
/** How many expressions are named where all of them cost too much, and what one must cost to be named. */
const NAMED = 4
const WORTH_NAMING = MOST_OF_ALL / 100n

/** The factor has six decimals below 1.5 and one above, so that what is just too costly does not read as 1.0x. */
function tooCostly(what: string, cost: bigint, limit: bigint): string {
  const times = Number(cost) / Number(limit)
  const factor = times > 100 ? 'more than 100x' : `${times.toFixed(times < 1.5 ? 6 : 1)}x`
  return `${what} exceeds budget by factor of ${factor} (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)`
}

/** Sums what the expressions of one schema are estimated to cost. The sum is bounded in stored schemas, too. */
export class RuleCosts {
  readonly #limited: boolean
  #total = 0n
  #mostExpensive: { readonly path: FieldPath; readonly cost: bigint }[] = []

  /** @param limited whether an expression that costs too much by itself is an error: in a schema that was there before it is none. */
  constructor(limited: boolean) {
    this.#limited = limited
  }

  /** @param what the cost is of, in words. @returns what is wrong with the expression. */
  add(path: FieldPath, what: string, cost: bigint): FieldError[] {
    this.#total = capped(this.#total + cost)
    if (cost >= WORTH_NAMING) {
      this.#mostExpensive = [...this.#mostExpensive, { path, cost }].toSorted((a, b) => (a.cost < b.cost ? 1 : a.cost > b.cost ? -1 : 0)).slice(0, NAMED)
    }
    return this.#limited && cost > MOST_OF_ONE ? [forbidden(path, tooCostly(what, cost, MOST_OF_ONE))] : []
  }

  /** What is wrong with all of them together. @param path of the schema. */
  totalErrors(path: FieldPath): FieldError[] {
    if (this.#total <= MOST_OF_ALL) return []
    const text = 'contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema'
    const what = 'x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema'
    return [...this.#mostExpensive.map(one => forbidden(one.path, text)), forbidden(path, tooCostly(what, this.#total, MOST_OF_ALL))]
  }
}

/** How often values of a schema can occur, in an object that has the limits of the schemas around it; undefined where these set none. */
export type Occurrences = bigint | undefined

/** How often values of a schema within `schema` can occur. */
export function occurrencesBelow(schema: JsonSchemaProps, around: Occurrences): Occurrences {
  const limit = limitOf(schema)
  return around === undefined || limit === undefined ? undefined : capped(around * BigInt(Math.max(0, limit)))
}

/** How many values one value of the schema holds at most: items of a list, entries of a map, and 1 for all else; undefined where a list or map sets no bound. */
function limitOf(schema: JsonSchemaProps): number | undefined {
  if (schema.type === 'array') return schema.maxItems
  const isMap = schema.type === 'object' && schema.additionalProperties !== undefined
  return isMap ? schema.maxProperties : 1
}

/** What a rule is estimated to cost at most in one object. Where occurrences are not bounded, they are as many values of the type as fit into one request. */
export const costOfAll = ({ max }: Bounds, occurrences: Occurrences, type: SizedType): bigint => capped(max * (occurrences ?? mostOccurrences(type)))
