import { inInt64 } from '../../lib/integer.ts'
import { checkElements, spendWork } from '../work.ts'
import { equalValues, typeEquals } from './compare.ts'
import { exactInteger } from './integer.ts'
import { printValue } from './print.ts'
import { CelDouble, CelError, CelList, CelUint, isError, isInt, typeNameOf, type Value } from './value.ts'

/** A list that is compared and searched element by element. */
export abstract class PlainList extends CelList {
  concat(other: CelList): Value {
    if (other.size === 0) return this
    return this.size === 0 ? other : new JoinedList(this, other)
  }

  /** An error between elements counts as no difference. */
  equals(other: Value): boolean | CelError {
    if (!(other instanceof CelList) || this.size !== other.size) return false
    for (let i = 0; i < this.size; i++) {
      if (equalValues(this.at(i), other.at(i)) === false) return false
    }
    return true
  }

  contains(value: Value): boolean | CelError {
    spendWork(this.size)
    for (let i = 0; i < this.size; i++) {
      if (typeEquals(value, this.at(i)) === true) return true
    }
    return false
  }
}

/** A list of values: a literal, or what a function gave. */
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

/** The elements of nested lists. */
export class FlattenedList extends ValueList {
  /** Elements that were looked at on the way, lists among them. */
  readonly visited: number

  constructor(values: readonly Value[], visited: number) {
    super(values)
    this.visited = visited
  }
}

/** The numbers from 0 up to a size. They take no room: the size costs what it is only once the list is there. */
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

/** Texts that a function has taken out of a text. cel-go keeps Go's own list of them, which is a list like any other but in an apply configuration. */
export class TextList extends ValueList {}

/** Two lists, one behind the other: joining takes no copy. Throws CostLimitExceeded. */
export class JoinedList extends PlainList {
  readonly #first: CelList
  readonly #second: CelList
  readonly size: number

  constructor(first: CelList, second: CelList) {
    super()
    this.#first = first
    this.#second = second
    this.size = first.size + second.size
    checkElements(this.size)
  }

  at(index: number): Value {
    return index < this.#first.size ? this.#first.at(index) : this.#second.at(index - this.#first.size)
  }

  override contains(value: Value): boolean | CelError {
    const first = this.#first.contains(value)
    return first === true ? true : this.#second.contains(value)
  }
}

/** What a loop collects its list in. Only the loop holds it until it ends, so that adding may change it. */
export class GrowingList extends PlainList {
  readonly values: Value[] = []

  get size(): number {
    return this.values.length
  }

  at(index: number): Value {
    return this.values[index] ?? null
  }

  override concat(other: CelList): Value {
    const { size } = other
    spendWork(size)
    for (let i = 0; i < size; i++) this.values.push(other.at(i))
    return this
  }
}

export const listOfValues = (values: readonly Value[]): ValueList => new ValueList(values)

export const outOfBounds = (index: Value): CelError => new CelError(`index out of bounds: ${printValue(index)}`)

/** The index that a number of any type stands for. */
export function plainIndex(index: Value): number | CelError {
  if (typeof index === 'number') return index
  if (isInt(index) || index instanceof CelUint || index instanceof CelDouble) {
    const exact = exactInteger(index)
    return exact !== undefined && inInt64(exact) ? Number(exact) : new CelError(`unsupported index value ${printValue(index)} in list`)
  }
  return isError(index) ? index : new CelError(`unsupported index type '${typeNameOf(index)}' in list`)
}
