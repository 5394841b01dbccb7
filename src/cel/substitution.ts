import { DYN, isDyn, isDynOrError, partsMatch, sameType, type Type, withParts } from './type.ts'

/** What is known of the parameters of types while an expression is checked. */
export type Substitution = ReadonlyMap<string, Type>

/** Takes what becomes known, and gives it back where the whole does not fit: copies for each step would cost as much as all that is known. */
export class Knowledge {
  readonly #types = new Map<string, Type>()
  #undo: (readonly [string, Type | undefined])[] = []

  /** A view, which changes as more becomes known. */
  get known(): Substitution {
    return this.#types
  }

  get(name: string): Type | undefined {
    return this.#types.get(name)
  }

  set(name: string, type: Type): void {
    this.#undo.push([name, this.#types.get(name)])
    this.#types.set(name, type)
  }

  /** Whether values of the second types can be used where the first are wanted. What this shows of parameters is kept if they can. */
  assign(wanted: readonly Type[], given: readonly Type[]): boolean {
    this.#undo = []
    if (assignAll(this, wanted, given)) return true
    for (const [name, previous] of this.#undo.toReversed()) {
      if (previous) this.#types.set(name, previous)
      else this.#types.delete(name)
    }
    return false
  }
}

/** A type with its known parameters replaced; `others` replaces those of which nothing is known. */
export function substitute(known: Substitution, type: Type, others?: Type): Type {
  if (type.kind === 'param') {
    const value = known.get(type.name)
    return value ? substitute(known, value, others) : (others ?? type)
  }
  if (type.params.length === 0) return type
  return withParts(type, part => substitute(known, part, others))
}

/** With every parameter of which nothing is known a dyn. */
export const substituteAll = (known: Substitution, type: Type): Type => substitute(known, type, DYN)

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
    if (isFreeOf(draft.known, param, general)) draft.set(param.name, general)
    return true
  }
  if (!isFreeOf(draft.known, param, type)) return 'free'
  draft.set(param.name, type)
  return true
}

/** Whether a parameter does not occur within a type. */
function isFreeOf(known: Substitution, param: Type, type: Type): boolean {
  if (sameType(param, type)) return false
  if (type.kind === 'param') {
    const value = known.get(type.name)
    return value === undefined || isFreeOf(known, param, value)
  }
  return type.params.every(part => isFreeOf(known, param, part))
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
