import { inInt64 } from '../../lib/integer.ts'
import { isStepDone } from '../../lib/steps.ts'
import { checkElements, spendWork } from '../work.ts'
import { equalValues, isComparing, typeEquals } from './compare.ts'
import { exactInteger } from './integer.ts'
import { printValue } from './print.ts'
import { CelDouble, CelError, CelList, CelUint, type Comparing, type Equality, isError, isInt, typeNameOf, type Value } from './value.ts'

/** A list that is compared and searched element by element. */
export abstract class PlainList extends CelList {
  /** Concatenates without a copy. If one of the lists is empty, the other is returned. */
  concat(other: CelList): Value {
    if (other.size === 0) return this
    return this.size === 0 ? other : JoinedList.of(this, other)
  }

  /** Compares lists. An error between two elements does not make them different, as in cel-go. */
  *equals(other: Value): Comparing<Equality> {
    if (!(other instanceof CelList) || this.size !== other.size) return false
    for (let i = 0; i < this.size; i++) {
      const equal = equalValues(this.at(i), other.at(i))
      if ((isComparing(equal) ? yield equal : equal) === false) return false
      if (isStepDone()) yield
    }
    return true
  }

  /**
   * Reports whether any element equals a value. Errors of comparisons are ignored. Charges for the whole list first.
   */
  *contains(value: Value): Comparing<Equality> {
    spendWork(this.size)
    for (let i = 0; i < this.size; i++) {
      const equal = typeEquals(value, this.at(i))
      if ((isComparing(equal) ? yield equal : equal) === true) return true
      if (isStepDone()) yield
    }
    return false
  }
}

/** A list of values: a literal, or the result of a function. */
export class ValueList extends PlainList {
  readonly #values: readonly Value[]

  constructor(values: readonly Value[]) {
    super()
    this.#values = values
  }

  get size(): number {
    return this.#values.length
  }

  at(index: number): Value {
    return this.#values[index] ?? null
  }
}

/** Result of `flatten`. */
export class FlattenedList extends ValueList {
  /** Number of elements that were visited, including the nested lists themselves. */
  readonly visited: number

  constructor(values: readonly Value[], visited: number) {
    super(values)
    this.visited = visited
  }
}

/**
 * The integers from 0 to a size, exclusive. They are not stored, because the call is charged only after the list
 * exists.
 */
export class RangeList extends PlainList {
  readonly size: number

  constructor(size: number) {
    super()
    this.size = size
  }

  at(index: number): Value {
    return index
  }
}

/**
 * Texts that a function extracted from a text. cel-go represents it as a native Go slice, which differs from other
 * lists only in apply configurations.
 */
export class TextList extends ValueList {}

/**
 * Concatenation of two lists without a copy. `of` keeps the tree of concatenations balanced: an element is found in as
 * many steps as the tree is high, in whichever order the lists were concatenated.
 */
export class JoinedList extends PlainList {
  readonly #first: CelList
  readonly #second: CelList
  readonly size: number
  /** Number of concatenations above the deepest list. */
  readonly height: number

  private constructor(first: CelList, second: CelList) {
    super()
    this.#first = first
    this.#second = second
    this.size = first.size + second.size
    this.height = 1 + Math.max(heightOf(first), heightOf(second))
  }

  /** Concatenates. Throws CostLimitExceeded. */
  static of(first: CelList, second: CelList): JoinedList {
    checkElements(first.size + second.size)
    return JoinedList.#join(first, second)
  }

  /** Joins as AVL trees are joined: along the side of the higher tree, down to where the heights are alike. */
  static #join(first: CelList, second: CelList): JoinedList {
    const difference = heightOf(first) - heightOf(second)
    if (difference > 1 && first instanceof JoinedList) return JoinedList.#balance(first.#first, JoinedList.#join(first.#second, second))
    if (difference < -1 && second instanceof JoinedList) return JoinedList.#balance(JoinedList.#join(first, second.#first), second.#second)
    return new JoinedList(first, second)
  }

  /** Concatenates trees whose heights differ by at most two. Rotates if they differ by two. */
  static #balance(first: CelList, second: CelList): JoinedList {
    const difference = heightOf(first) - heightOf(second)
    if (difference < -1 && second instanceof JoinedList) {
      const inner = second.#first
      return inner instanceof JoinedList && inner.height > heightOf(second.#second)
        ? new JoinedList(new JoinedList(first, inner.#first), new JoinedList(inner.#second, second.#second))
        : new JoinedList(new JoinedList(first, inner), second.#second)
    }
    if (difference > 1 && first instanceof JoinedList) {
      const inner = first.#second
      return inner instanceof JoinedList && inner.height > heightOf(first.#first)
        ? new JoinedList(new JoinedList(first.#first, inner.#first), new JoinedList(inner.#second, second))
        : new JoinedList(first.#first, new JoinedList(inner, second))
    }
    return new JoinedList(first, second)
  }

  at(index: number): Value {
    return index < this.#first.size ? this.#first.at(index) : this.#second.at(index - this.#first.size)
  }

  override *contains(value: Value): Comparing<Equality> {
    return (yield this.#first.contains(value)) === true || (yield this.#second.contains(value))
  }
}

const heightOf = (list: CelList): number => (list instanceof JoinedList ? list.height : 0)

/** Accumulator of a loop. Only the loop refers to it until it ends, so elements are appended in place. */
export class GrowingList extends PlainList {
  /** Elements so far. */
  readonly values: Value[] = []

  get size(): number {
    return this.values.length
  }

  at(index: number): Value {
    return this.values[index] ?? null
  }

  /** Appends in place and returns itself. Charges for the appended elements. */
  override concat(other: CelList): Value {
    const { size } = other
    spendWork(size)
    for (let i = 0; i < size; i++) this.values.push(other.at(i))
    return this
  }
}

/** Makes a list of values, which must not be changed afterwards. */
export const listOfValues = (values: readonly Value[]): ValueList => new ValueList(values)

/** Returns cel-go's error for an index that the list does not have. */
export const outOfBounds = (index: Value): CelError => new CelError(`index out of bounds: ${printValue(index)}`)

/** Converts an index of any numeric type. An error if it is not a 64-bit integer. */
export function plainIndex(index: Value): number | CelError {
  if (typeof index === 'number') return index
  if (isInt(index) || index instanceof CelUint || index instanceof CelDouble) {
    const exact = exactInteger(index)
    return exact !== undefined && inInt64(exact) ? Number(exact) : new CelError(`unsupported index value ${printValue(index)} in list`)
  }
  return isError(index) ? index : new CelError(`unsupported index type '${typeNameOf(index)}' in list`)
}
