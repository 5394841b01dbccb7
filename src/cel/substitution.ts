import { isStepDone } from '../lib/steps.ts'
import type { Overload } from './declarations.ts'
import { DYN, isDyn, isDynOrError, paramOf, partsMatch, sameType, type Type, withParts } from './type.ts'

/** Types by the name of the type parameter that they replace. */
type Substitution = ReadonlyMap<string, Type>

/** Thrown if types grow beyond the limits below. */
export class TypesTooLarge extends Error {
  override readonly name = 'TypesTooLarge'
}

/** Maximum number of parts of a type. Each loop over a list can double the parts of the element type. */
export const MOST_PARTS = 1000
/**
 * Maximum number of parts that a call of `assign`, `known` or `closed` visits, including the parts of bound parameters.
 */
const MOST_VISITS = 20_000
/** Maximum number of parts that are visited in one step. */
const PARTS_OF_A_STEP = 4096

/**
 * Bindings of type parameters. A failed `assign` rolls back its bindings from an undo log, because copying all bindings
 * for each call would be quadratic.
 */
export class Knowledge {
  readonly #types = new Map<string, Type>()
  #undo: (readonly [string, Type | undefined])[] = []
  /** Remaining visits of the current call. */
  #left = 0
  /** Parts that were visited in the current step. */
  #visited = 0
  #fresh = 0

  get(name: string): Type | undefined {
    return this.#types.get(name)
  }

  set(name: string, type: Type): void {
    this.#undo.push([name, this.#types.get(name)])
    this.#types.set(name, type)
  }

  /** Counts a visited part. Throws TypesTooLarge. */
  visit(): void {
    this.#visited++
    if (--this.#left < 0) throw new TypesTooLarge()
  }

  /**
   * Reports whether values of the given types can be used where the wanted types are expected. If they can, the
   * bindings that follow from it are kept. Throws TypesTooLarge.
   */
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

  /** Replaces the bound parameters of a type. Throws TypesTooLarge. */
  known(type: Type): Type {
    return this.#substitute(type)
  }

  /** Replaces the bound parameters of a type, and all other parameters by dyn. Throws TypesTooLarge. */
  closed(type: Type): Type {
    return this.#substitute(type, DYN)
  }

  #substitute(type: Type, others?: Type): Type {
    if (!type.isOpen) return type
    this.#left = MOST_VISITS
    return withKnown(this, type, others)
  }

  /** Returns an unbound parameter, such as the element type of an empty list. */
  freshParam(): Type {
    return paramOf(`_var${this.#fresh++}`)
  }

  /** Instantiates a signature with fresh parameters. */
  instance({ args, result, params }: Overload): { wanted: readonly Type[]; given: Type } {
    if (params.length === 0) return { wanted: args, given: result }
    const fresh = new Map(params.map(param => [param, this.freshParam()]))
    return { wanted: args.map(arg => substitute(fresh, arg)), given: substitute(fresh, result) }
  }

  /** Reports whether the step should end: after some hundred calls, or a few thousand parts. */
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

/** Replaces parameters by the types of the same name. */
function substitute(types: Substitution, type: Type): Type {
  if (!type.isOpen) return type
  return type.kind === 'param' ? (types.get(type.name) ?? type) : withParts(type, part => substitute(types, part))
}

/** Whether each pair of types is assignable. */
const assignAll = (draft: Knowledge, first: readonly Type[], second: readonly Type[]): boolean =>
  partsMatch(first, second, (a, b) => assignable(draft, a, b))

/** Reports whether null is a value of the type. Wrappers are nullable, scalars are not. */
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

/** Implements cel-go's isAssignable. The order of its cases decides which parameters are bound. */
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

/**
 * Binds a parameter to a type, and reports whether it can. Returns `free` if the parameter is unbound and occurs in the
 * type itself.
 */
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

/** Reports whether a parameter does not occur in a type. */
function isFreeOf(draft: Knowledge, param: Type, type: Type): boolean {
  if (!type.isOpen) return true
  draft.visit()
  if (type.kind !== 'param') return type.params.every(part => isFreeOf(draft, param, part))
  if (type.name === param.name) return false
  const value = draft.get(type.name)
  return value === undefined || isFreeOf(draft, param, value)
}

/** Returns the more general of two assignable types. */
export function mostGeneral(a: Type, b: Type): Type {
  return saysNoMore(a, b) ? a : b
}

/** Reports whether `a` is at least as general as `b`. */
function saysNoMore(a: Type, b: Type): boolean {
  if (isDyn(a) || a.kind === 'param') return true
  if (isDyn(b) || b.kind === 'param' || a.kind !== b.kind) return false
  if (a.kind === 'type') return true
  return a.name === b.name && partsMatch(a.params, b.params, saysNoMore)
}
