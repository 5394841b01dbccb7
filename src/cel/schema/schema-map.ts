import { isDeepStrictEqual } from 'node:util'
import type { JsonSchemaProps } from '../../api/apiextensions/json-schema-props.ts'
import type { Json, JsonObject } from '../../api/meta/object.ts'
import { isStepDone } from '../../lib/steps.ts'
import { isFloatIn } from '../../meta/whole-floats.ts'
import { isComparing, typeEquals } from '../values/compare.ts'
import { CelMap, type Comparing, type Equality, noSuchOverload, type Value } from '../values/value.ts'
import { escapeProperty, unescapeProperty } from './property-names.ts'

/**
 * Converts a member. Passed as an argument to avoid an import cycle.
 * `isFloat`: whether a whole number was decoded as a float by Go.
 */
export type Convert = (json: Json, schema: JsonSchemaProps, isFloat?: boolean) => Value

/** An object of a schema. Properties have escaped names, additional properties their own. */
export class SchemaMap extends CelMap {
  override readonly isZeroable = false
  readonly json: JsonObject
  readonly #properties: Readonly<Record<string, JsonSchemaProps>> | undefined
  readonly #additional: JsonSchemaProps | undefined
  readonly #convert: Convert
  #size: number | undefined

  constructor(
    json: JsonObject,
    properties: Readonly<Record<string, JsonSchemaProps>> | undefined,
    additional: JsonSchemaProps | undefined,
    convert: Convert,
  ) {
    super()
    this.json = json
    this.#properties = properties
    this.#additional = additional
    this.#convert = convert
  }

  get size(): number {
    this.#size ??= Object.keys(this.json).length
    return this.#size
  }

  /** Returns the schema of a member. Undefined if the schema does not have it: expressions do not see it. */
  #schemaOf(property: string): JsonSchemaProps | undefined {
    const properties = this.#properties
    if (!properties) return this.#additional
    return Object.hasOwn(properties, property) ? properties[property] : undefined
  }

  /** Returns a member. A null property counts as absent. */
  find(key: Value): Value | undefined {
    if (typeof key !== 'string') return noSuchOverload(key)
    const property = this.#properties ? unescapeProperty(key) : key
    if (property === undefined || !Object.hasOwn(this.json, property)) return undefined
    const json = this.json[property]
    if (json === undefined || (json === null && this.#properties)) return undefined
    const schema = this.#schemaOf(property)
    return schema && this.#convert(json, schema, isFloatIn(this.json, property, json))
  }

  *keys(): Generator<Value> {
    for (const property of Object.keys(this.json)) {
      if (this.#schemaOf(property)) yield this.#properties ? (escapeProperty(property) ?? property) : property
    }
  }

  *equals(other: Value): Comparing<Equality> {
    if (!(other instanceof CelMap)) return noSuchOverload(other)
    if (this.size !== other.size) return false
    for (const [property, json] of Object.entries(this.json)) {
      const equal = this.#equalAt(property, json, other)
      const equality = isComparing(equal) ? yield equal : equal
      if (equality !== true) return equality
      if (isStepDone()) yield
    }
    return true
  }

  /** Compares a member with that of the other map. */
  #equalAt(property: string, json: Json, other: CelMap): Equality | Comparing<Equality> {
    const schema = this.#schemaOf(property)
    if (schema) {
      const theirs = other.find(property)
      return theirs === undefined ? false : typeEquals(this.#convert(json, schema, isFloatIn(this.json, property, json)), theirs)
    }
    // Members without a schema are compared as documents.
    if (!(other instanceof SchemaMap)) return noSuchOverload(other)
    return !Object.hasOwn(other.json, property) || isDeepStrictEqual(json, other.json[property])
  }
}
