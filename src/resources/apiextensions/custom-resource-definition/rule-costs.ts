import type { JsonSchemaProps } from '../../../api/apiextensions/json-schema-props.ts'
import { type CostBounds, capped } from '../../../cel/cost/bounds.ts'
import { mostOccurrences, type SizedType } from '../../../cel/schema/sizes.ts'
import { type FieldError, forbidden } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'

/**
 * Limits on the estimated cost of one expression, and of all expressions of a schema. Source: Kubernetes, "Resource
 * constraints" of validation rules.
 */
const MOST_OF_ONE = 10_000_000n
const MOST_OF_ALL = 100_000_000n
/** Number of expressions to report if the total exceeds its limit, and the least cost of one to report. */
const NAMED = 4
const WORTH_NAMING = MOST_OF_ALL / 100n

/**
 * Describes by which factor a limit is exceeded. It has six decimals below 1.5 and one above, so that a small excess
 * does not print as 1.0x.
 */
function tooCostly(what: string, cost: bigint, limit: bigint): string {
  const times = Number(cost) / Number(limit)
  const factor = times > 100 ? 'more than 100x' : `${times.toFixed(times < 1.5 ? 6 : 1)}x`
  return `${what} exceeds budget by factor of ${factor} (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)`
}

/** Sums the estimated costs of the expressions of one schema. The sum is limited for stored schemas, too. */
export class RuleCosts {
  readonly #limited: boolean
  #total = 0n
  #mostExpensive: { readonly path: FieldPath; readonly cost: bigint }[] = []

  /**
   * @param limited whether an expression that exceeds the limit on its own is an error. In a stored schema it is not.
   */
  constructor(limited: boolean) {
    this.#limited = limited
  }

  /**
   * Adds the cost of an expression, and returns its error if it exceeds the limit.
   * @param what the cost's subject, for the message.
   */
  add(path: FieldPath, what: string, cost: bigint): FieldError[] {
    this.#total = capped(this.#total + cost)
    if (cost >= WORTH_NAMING) {
      this.#mostExpensive = [...this.#mostExpensive, { path, cost }]
        .toSorted((a, b) => (a.cost < b.cost ? 1 : a.cost > b.cost ? -1 : 0))
        .slice(0, NAMED)
    }
    return this.#limited && cost > MOST_OF_ONE ? [forbidden(path, tooCostly(what, cost, MOST_OF_ONE))] : []
  }

  /**
   * Returns the errors if the total exceeds its limit.
   * @param path path of the schema.
   */
  totalErrors(path: FieldPath): FieldError[] {
    if (this.#total <= MOST_OF_ALL) return []
    const text = 'contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema'
    const what = 'x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema'
    return [...this.#mostExpensive.map(one => forbidden(one.path, text)), forbidden(path, tooCostly(what, this.#total, MOST_OF_ALL))]
  }
}

/** Number of values of a schema in an object, by the limits of the schemas around it. Undefined if unbounded. */
export type Occurrences = bigint | undefined

/** Returns the number of values of a schema nested in `schema`. */
export function occurrencesBelow(schema: JsonSchemaProps, around: Occurrences): Occurrences {
  const limit = limitOf(schema)
  return around === undefined || limit === undefined ? undefined : capped(around * BigInt(Math.max(0, limit)))
}

/**
 * Returns the largest number of values that a value of the schema contains: items of a list, entries of a map, and 1
 * for others. Undefined if unbounded.
 */
function limitOf(schema: JsonSchemaProps): number | undefined {
  if (schema.type === 'array') return schema.maxItems
  const isMap = schema.type === 'object' && schema.additionalProperties !== undefined
  return isMap ? schema.maxProperties : 1
}

/**
 * Estimates the largest cost of a rule in one object. If occurrences are unbounded, they are limited by the number of
 * values of the type that fit into a request.
 */
export const costOfAll = ({ max }: CostBounds, occurrences: Occurrences, type: SizedType): bigint =>
  capped(max * (occurrences ?? mostOccurrences(type)))
