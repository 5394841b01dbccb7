import { inInt64 } from '../../lib/integer.ts'
import { equalValues, typeEquals } from './compare.ts'
import { exactInteger } from './integer.ts'
import { printValue } from './print.ts'
import { CelDouble, CelError, CelList, CelUint, isError, isInt, typeNameOf, type Value } from './value.ts'

/** A list of values: a literal, what a function gave, or what a loop is collecting. */
export class ValueList extends CelList {
  readonly #values: readonly Value[]

  constructor(values: readonly Value[]) {
    super()
    this.#values = values
  }

  get size(): number {
    return this.#values.length
  }

  at(index: number): Value {
    return this.#values[index]!
  }

  concat(other: CelList): Value {
    if (other.size === 0) return this
    return this.size === 0 ? other : new JoinedList(this, other)
  }

  equals(other: Value): boolean | CelError {
    return equalLists(this, other)
  }

  contains(value: Value): boolean | CelError {
    return containsValue(this, value)
  }
}

/** Two lists, one behind the other: joining takes no copy. */
export class JoinedList extends CelList {
  readonly #first: CelList
  readonly #second: CelList
  readonly size: number

  constructor(first: CelList, second: CelList) {
    super()
    this.#first = first
    this.#second = second
    this.size = first.size + second.size
  }

  at(index: number): Value {
    return index < this.#first.size ? this.#first.at(index) : this.#second.at(index - this.#first.size)
  }

  concat(other: CelList): Value {
    return other.size === 0 ? this : new JoinedList(this, other)
  }

  equals(other: Value): boolean | CelError {
    return equalLists(this, other)
  }

  contains(value: Value): boolean | CelError {
    const first = this.#first.contains(value)
    return first === true ? true : this.#second.contains(value)
  }
}

/** What a loop collects its list in. Only the loop holds it until it ends, so that adding may change it. */
export class GrowingList extends CelList {
  readonly values: Value[] = []

  get size(): number {
    return this.values.length
  }

  at(index: number): Value {
    return this.values[index]!
  }

  concat(other: CelList): Value {
    const { size } = other
    for (let i = 0; i < size; i++) this.values.push(other.at(i))
    return this
  }

  equals(other: Value): boolean | CelError {
    return equalLists(this, other)
  }

  contains(value: Value): boolean | CelError {
    return containsValue(this, value)
  }
}

export const listOfValues = (values: readonly Value[]): ValueList => new ValueList(values)

/** Element by element; an error between elements counts as no difference. */
export function equalLists(list: CelList, other: Value): boolean {
  if (!(other instanceof CelList) || list.size !== other.size) return false
  for (let i = 0; i < list.size; i++) {
    if (equalValues(list.at(i), other.at(i)) === false) return false
  }
  return true
}

function containsValue(list: CelList, value: Value): boolean {
  for (let i = 0; i < list.size; i++) {
    if (typeEquals(value, list.at(i)) === true) return true
  }
  return false
}

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
