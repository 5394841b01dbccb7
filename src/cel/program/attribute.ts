import { CelError, CelOptional, isError, NONE, noSuchOverload, type Value } from '../values/value.ts'
import type { Evaluate, Frame } from './frame.ts'
import type { Qualifier } from './qualifier.ts'

/** A variable or another value with steps into it: `self.spec.items[0]`. A choice between two of them is one, too. */
export interface Attribute {
  /** The value, without the cost of looking it up as a whole. */
  readonly resolve: Evaluate
  /** The cost of looking it up as a whole. */
  readonly ownCost: 0 | 1
  /** The attribute with one step more. */
  with(qualifier: Qualifier): Attribute
}

/** @param root what the steps begin at. */
export function attributeFrom(root: Evaluate, qualifiers: readonly Qualifier[] = []): Attribute {
  return {
    resolve: qualifiers.length === 0 ? root : stepped(root, qualifiers),
    ownCost: 1,
    with: qualifier => attributeFrom(root, [...qualifiers, qualifier]),
  }
}

/** The most frequent attribute has one step, which needs no loop. */
function stepped(root: Evaluate, qualifiers: readonly Qualifier[]): Evaluate {
  const [first] = qualifiers
  if (qualifiers.length === 1 && first && !first.optional) {
    return frame => {
      const value = root(frame)
      if (isError(value)) return value
      return value instanceof CelOptional ? walkOptional(frame, value, qualifiers) : first.from(frame, value)
    }
  }
  return frame => {
    const value = root(frame)
    if (isError(value)) return value
    return value instanceof CelOptional ? walkOptional(frame, value, qualifiers) : walk(frame, value, qualifiers, 0)
  }
}

/** Steps that have to succeed, from one on. */
function walk(frame: Frame, start: Value, qualifiers: readonly Qualifier[], from: number): Value {
  let value = start
  let i = from
  for (let qualifier = qualifiers[i]; qualifier !== undefined; qualifier = qualifiers[++i]) {
    if (qualifier.optional) return walkPresent(frame, value, qualifiers, i)
    value = qualifier.from(frame, value)
    if (isError(value)) return value
  }
  return value
}

/** From the first optional step on the result is an optional, and what is missing makes it empty. */
function walkPresent(frame: Frame, start: Value, qualifiers: readonly Qualifier[], from: number): Value {
  let value = start
  let i = from
  for (let qualifier = qualifiers[i]; qualifier !== undefined; qualifier = qualifiers[++i]) {
    const next = qualifier.fromIfPresent(frame, value)
    if (next === undefined) return NONE
    if (isError(next)) return next
    value = next
  }
  return new CelOptional(value)
}

/** What is read through an optional is an optional. */
function walkOptional(frame: Frame, start: CelOptional, qualifiers: readonly Qualifier[]): Value {
  return start.value === undefined ? start : walkPresent(frame, start.value, qualifiers, 0)
}

/** The one or the other, by a condition. Steps are taken in the one that is chosen. */
export function choice(condition: Evaluate, yes: Attribute, no: Attribute): Attribute {
  return {
    resolve(frame) {
      const chosen = condition(frame)
      if (chosen === true) return yes.resolve(frame)
      return chosen === false ? no.resolve(frame) : noSuchOverload(chosen)
    },
    ownCost: 0,
    with: qualifier => choice(condition, yes.with(qualifier), no.with(qualifier)),
  }
}

/** A variable that the activation has. */
export function variable(name: string): Evaluate {
  const missing = new CelError(`no such attribute(s): ${name}`)
  return ({ activation }) => {
    const value = activation.get(name)
    return value === undefined ? missing : value
  }
}
