import { isStepDone } from '../lib/steps.ts'
import type { Overload } from './declarations.ts'
import { DYN, isDyn, isDynOrError, paramOf, partsMatch, sameType, type Type, withParts } from './type.ts'

/** Types by the names of the parameters that they stand for. */
type Substitution = ReadonlyMap<string, Type>

/** Thrown if types have more parts than those of any useful expression. */
export class TypesTooLarge extends Error {
  override readonly name = 'TypesTooLarge'
}

/** Most parts of a type. Each loop over a list can double the parts of its elements' type. */
export const MOST_PARTS = 1000
/** Most parts that one call of `assign`, `known` or `closed` visits, those of known parameters included. */
const MOST_VISITS = 20_000
/** Parts that are visited in a step. */
const PARTS_OF_A_STEP = 4096

/** Takes what becomes known, and gives it back where the whole does not fit: copies for each step would cost as much as all that is known. */
export class Knowledge {
  readonly #types = new Map<string, Type>()
  #undo: (readonly [string, Type | undefined])[] = []
  /** Visits that the call may still make. */
  #left = 0
  /** Parts that were visited in this step. */
  #visited = 0
  #fresh = 0

  get(name: string): Type | undefined {
    return this.#types.get(name)
  }

  set(name: string, type: Type): void {
    this.#undo.push([name, this.#types.get(name)])
    this.#types.set(name, type)
  }

  /** Counts a part that is visited. Throws TypesTooLarge. */
  visit(): void {
    this.#visited++
    if (--this.#left < 0) throw new TypesTooLarge()
  }

  /** Whether values of the second types can be used where the first are wanted. What this shows of parameters is kept if they can. Throws TypesTooLarge. */
  assign(wanted: readonly Type[], given: readonly Type[]): boolean {
    this.#undo = []
    this.#left = MOST_VISITS
    if (assignAll(this, wanted, given)) return true
    for (const [name, previous] of this.#undo.toReversed()) {
      if (previous) this.#types.set(name, previous)
      else this.#types.delete(name)
    }
    return false
  }

  /** A type with its known parameters replaced. Throws TypesTooLarge. */
  known(type: Type): Type {
    return this.#substitute(type)
  }

  /** A type with its known parameters replaced, and all others by dyn. Throws TypesTooLarge. */
  closed(type: Type): Type {
    return this.#substitute(type, DYN)
  }

  #substitute(type: Type, others?: Type): Type {
    if (!type.isOpen) return type
    this.#left = MOST_VISITS
    return withKnown(this, type, others)
  }

  /** A parameter of which nothing is known yet, such as the type of an empty list's elements. */
  freshParam(): Type {
    return paramOf(`_var${this.#fresh++}`)
  }

  /** A signature with fresh parameters. */
  instance({ args, result, params }: Overload): { wanted: readonly Type[]; given: Type } {
    if (params.length === 0) return { wanted: args, given: result }
    const fresh = new Map(params.map(param => [param, this.freshParam()]))
    return { wanted: args.map(arg => substitute(fresh, arg)), given: substitute(fresh, result) }
  }

  /** Reports whether a step ends: after some hundred calls, or a few thousand parts. */
  isStepDone(): boolean {
    if (!isStepDone() && this.#visited < PARTS_OF_A_STEP) return false
    this.#visited = 0
    return true
  }
}

function withKnown(knowledge: Knowledge, type: Type, others: Type | undefined): Type {
  if (!type.isOpen) return type
  knowledge.visit()
  if (type.kind !== 'param') return withParts(type, part => withKnown(knowledge, part, others))
  const value = knowledge.get(type.name)
  return value ? withKnown(knowledge, value, others) : (others ?? type)
}

/** A type with its parameters replaced by the types of the same names. */
function substitute(types: Substitution, type: Type): Type {
  if (!type.isOpen) return type
  return type.kind === 'param' ? (types.get(type.name) ?? type) : withParts(type, part => substitute(types, part))
}

/** Part by part: all have to fit. */
const assignAll = (draft: Knowledge, first: readonly Type[], second: readonly Type[]): boolean => partsMatch(first, second, (a, b) => assignable(draft, a, b))

/** Whether null can stand for a value of the type. Scalars are not nullable, their wrappers are. */
function isNullable({ kind, nullable }: Type): boolean {
  return (
    nullable === true ||
    kind === 'opaque' ||
    kind === 'struct' ||
    kind === 'any' ||
    kind === 'duration' ||
    kind === 'timestamp' ||
    kind === 'dyn' ||
    kind === 'null'
  )
}

/** As cel-go's isAssignable, whose order of cases decides what is noted of parameters. */
function assignable(draft: Knowledge, a: Type, b: Type): boolean {
  draft.visit()
  if (b.kind === 'param') {
    const found = stand(draft, a, b)
    if (found !== 'free') return found
  }
  if (a.kind === 'param') return stand(draft, b, a) === true
  if (isDynOrError(a) || isDynOrError(b)) return true
  if (a.kind === 'null') return isNullable(b)
  if (b.kind === 'null') return isNullable(a)
  if (a.kind === 'type') return b.kind === 'type'
  return a.kind === b.kind && a.name === b.name && assignAll(draft, a.params, b.params)
}

/** Lets a type stand for a parameter: whether it can, or `free` where the parameter is unknown and occurs in the type itself. */
function stand(draft: Knowledge, type: Type, param: Type): boolean | 'free' {
  if (sameType(type, param)) return true
  const value = draft.get(param.name)
  if (value) {
    if (sameType(type, value)) return true
    if (!assignable(draft, type, value)) return false
    const general = mostGeneral(type, value)
    if (isFreeOf(draft, param, general)) draft.set(param.name, general)
    return true
  }
  if (!isFreeOf(draft, param, type)) return 'free'
  draft.set(param.name, type)
  return true
}

/** Whether a parameter does not occur within a type. */
function isFreeOf(draft: Knowledge, param: Type, type: Type): boolean {
  if (!type.isOpen) return true
  draft.visit()
  if (type.kind !== 'param') return type.params.every(part => isFreeOf(draft, param, part))
  if (type.name === param.name) return false
  const value = draft.get(type.name)
  return value === undefined || isFreeOf(draft, param, value)
}

/** Of two types that fit one another, the one that says less. */
export function mostGeneral(a: Type, b: Type): Type {
  return saysNoMore(a, b) ? a : b
}

/** Whether a type says as little as the other, or less. */
function saysNoMore(a: Type, b: Type): boolean {
  if (isDyn(a) || a.kind === 'param') return true
  if (isDyn(b) || b.kind === 'param' || a.kind !== b.kind) return false
  if (a.kind === 'type') return true
  return a.name === b.name && partsMatch(a.params, b.params, saysNoMore)
}
