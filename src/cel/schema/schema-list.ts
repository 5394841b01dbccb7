import type { JsonSchemaProps } from '../../api/apiextensions/json-schema-props.ts'
import type { Json } from '../../api/meta/object.ts'
import { isStepDone } from '../../lib/steps.ts'
import { isFloatIn } from '../../meta/whole-floats.ts'
import { isComparing, typeEquals } from '../values/compare.ts'
import { CelDouble, CelError, CelList, type Comparing, type Equality, noSuchOverload, type Value } from '../values/value.ts'
import { checkElements, spendWork } from '../work.ts'
import { PreservedValue } from './preserved-value.ts'
import { escapeProperty } from './property-names.ts'
import { type Convert, SchemaMap } from './schema-map.ts'

/** An element of the document, or a value that an expression added and that has no JSON form. */
type Element = Json | { readonly value: Value }

const isValue = (element: Element): element is { readonly value: Value } =>
  typeof element === 'object' && element !== null && 'value' in element && VALUES.has(element)
/** Values that an expression added. The set distinguishes them from document elements that have a member `value`. */
const VALUES = new WeakSet<object>()

/**
 * Converts a value back to its JSON form if it has one, so that the list can be converted, compared and concatenated
 * like any other.
 */
function schemaElement(value: Value): Element {
  if (value === null || typeof value !== 'object') return value
  if (value instanceof SchemaMap || value instanceof PreservedValue) return value.json
  if (value instanceof CelDouble) return value.value
  if (value instanceof SchemaList && value.isPlain) return value.elements as Json
  const boxed = { value }
  VALUES.add(boxed)
  return boxed
}

/** A list of a schema with list type atomic, compared element by element. */
export class SchemaList extends CelList {
  override readonly isZeroable = false
  override readonly takesIntsOnly = true
  /** Elements of the document and added values, in order. Shared, must not be changed. */
  readonly elements: readonly Element[]
  /** Schema of every element. */
  protected readonly items: JsonSchemaProps
  /** Converts an element of the document to a value. */
  protected readonly convert: Convert

  constructor(elements: readonly Element[], items: JsonSchemaProps, convert: Convert) {
    super()
    this.elements = elements
    this.items = items
    this.convert = convert
  }

  /** Whether all elements are JSON. */
  get isPlain(): boolean {
    return !this.elements.some(isValue)
  }

  get size(): number {
    return this.elements.length
  }

  /** Converts the element on each access, because most elements of a large list are never read. */
  at(index: number): Value {
    const element = this.elements[index] ?? null
    return isValue(element) ? element.value : this.convert(element, this.items, isFloatIn(this.elements, index, element))
  }

  concat(other: CelList): Value {
    spendWork(this.size + other.size)
    checkElements(this.size + other.size)
    return this.withElements([...this.elements, ...celElements(other)])
  }

  /** Returns a list of the same type with other elements. */
  protected withElements(elements: readonly Element[]): SchemaList {
    return new SchemaList(elements, this.items, this.convert)
  }

  /** Compares element by element. Returns the first difference or error. */
  *equals(other: Value): Comparing<Equality> {
    if (!(other instanceof CelList)) return noSuchOverload(other)
    if (other.size !== this.size) return false
    for (let i = 0; i < this.size; i++) {
      const equal = typeEquals(this.at(i), other.at(i))
      const equality = isComparing(equal) ? yield equal : equal
      if (equality !== true) return equality
      if (isStepDone()) yield
    }
    return true
  }

  /** Reports whether an element is equal. An error of a comparison is returned only if no element is equal. */
  *contains(value: Value): Comparing<Equality> {
    let error: CelError | undefined
    for (let i = 0; i < this.size; i++) {
      const equal = typeEquals(this.at(i), value)
      const equality = isComparing(equal) ? yield equal : equal
      if (equality === true) return true
      if (equality !== false) error ??= equality
      if (isStepDone()) yield
    }
    return error ?? false
  }
}

/** Returns the elements of a list of any type. */
function celElements(list: CelList): Element[] {
  const elements: Element[] = []
  for (let i = 0; i < list.size; i++) elements.push(schemaElement(list.at(i)))
  return elements
}

/** A list with x-kubernetes-list-type set: scalars without an order. */
class SetList extends SchemaList {
  #members: Set<Element> | undefined

  /** Elements for lookups, made on first use. */
  get members(): Set<Element> {
    this.#members ??= new Set(this.elements)
    return this.#members
  }

  /** Compares sets: the order of the elements does not matter. */
  override *equals(other: Value): Comparing<Equality> {
    if (!(other instanceof CelList)) return noSuchOverload(other)
    if (other.size !== this.size) return false
    for (let i = 0; i < other.size; i++) {
      if (!this.members.has(schemaElement(other.at(i)))) return false
      if (isStepDone()) yield
    }
    return true
  }

  /**
   * Adds the elements that the set lacks. Duplicates that were stored before the list became a set are preserved, as
   * upstream.
   */
  override concat(other: CelList): Value {
    spendWork(this.size + other.size)
    checkElements(this.size + other.size)
    const members = new Set(this.members)
    const elements = [...this.elements]
    for (const element of celElements(other)) {
      if (!members.has(element)) elements.push(element)
      members.add(element)
    }
    return this.withElements(elements)
  }

  protected override withElements(elements: readonly Element[]): SchemaList {
    return new SetList(elements, this.items, this.convert)
  }
}

/** A list with x-kubernetes-list-type map: objects that are identified by their keys. */
class MapList extends SchemaList {
  readonly #keys: readonly string[]
  #byKey: Map<string, Element> | undefined

  constructor(elements: readonly Element[], items: JsonSchemaProps, convert: Convert, keys: readonly string[]) {
    super(elements, items, convert)
    this.#keys = keys
  }

  /** Returns the key as a text that includes the types of its parts: `1` and `'1'` are different keys. */
  #keyOf(element: Element): string {
    const object = typeof element === 'object' && element !== null && !Array.isArray(element) && !isValue(element) ? element : {}
    return JSON.stringify(this.#keys.map(key => (Object.hasOwn(object, key) ? String(object[key]) + typeof object[key] : null)))
  }

  /** Compares by key: the order of the elements does not matter. */
  override *equals(other: Value): Comparing<Equality> {
    if (!(other instanceof CelList)) return noSuchOverload(other)
    if (other.size !== this.size) return false
    this.#byKey ??= new Map(this.elements.map(element => [this.#keyOf(element), element]))
    for (let i = 0; i < other.size; i++) {
      const theirs = other.at(i)
      const ours = this.#byKey.get(this.#keyOf(schemaElement(theirs)))
      if (ours === undefined) return false
      const equal = typeEquals(isValue(ours) ? ours.value : this.convert(ours, this.items), theirs)
      const equality = isComparing(equal) ? yield equal : equal
      if (equality !== true) return equality
      if (isStepDone()) yield
    }
    return true
  }

  /** Concatenates. An element of the other list replaces the one with the same key. */
  override concat(other: CelList): Value {
    spendWork(this.size + other.size)
    checkElements(this.size + other.size)
    const elements = [...this.elements]
    const places = new Map(elements.map((element, i) => [this.#keyOf(element), i]))
    for (const element of celElements(other)) elements[places.get(this.#keyOf(element)) ?? elements.length] = element
    return this.withElements(elements)
  }

  protected override withElements(elements: readonly Element[]): SchemaList {
    return new MapList(elements, this.items, this.convert, this.#keys)
  }
}

/** @param type x-kubernetes-list-type, or empty if it is unset. */
export function makeList(
  elements: readonly Json[],
  items: JsonSchemaProps,
  type: string,
  keys: readonly string[],
  convert: Convert,
): Value {
  switch (type) {
    case 'map':
      return new MapList(
        elements,
        items,
        convert,
        // Upstream looks up keys by their escaped names.
        keys.map(key => escapeProperty(key) ?? key),
      )
    case 'set':
      return new SetList(elements, items, convert)
    case '':
    case 'atomic':
      return new SchemaList(elements, items, convert)
    default:
      return new CelError(`invalid x-kubernetes-list-type, expected 'map', 'set' or 'atomic' but got ${type}`)
  }
}
