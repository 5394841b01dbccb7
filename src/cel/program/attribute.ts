import { CelError, CelOptional, isError, NONE, noSuchOverload, type Value } from '../values/value.ts'
import type { Evaluate, Frame } from './frame.ts'
import type { Qualifier } from './qualifier.ts'

/**
 * A variable or other value, followed by qualifiers: `self.spec.items[0]`. A conditional between two attributes is an
 * attribute too.
 */
export interface Attribute {
  /** Resolves the value, without charging `ownCost`. */
  readonly resolve: Evaluate
  /** Cost of resolving the attribute as a whole. */
  readonly ownCost: 0 | 1
  /** Returns the attribute with another qualifier. */
  with(qualifier: Qualifier): Attribute
}

/** @param root value that the qualifiers are applied to. */
export function attributeFrom(root: Evaluate, qualifiers: readonly Qualifier[] = []): Attribute {
  return {
    resolve: qualifiers.length === 0 ? root : stepped(root, qualifiers),
    ownCost: 1,
    with: qualifier => attributeFrom(root, [...qualifiers, qualifier]),
  }
}

/** Applies the qualifiers. Most attributes have a single one, which needs no loop. */
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

/** Applies mandatory qualifiers, beginning with the one at `from`. */
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

/** Applies qualifiers from the first optional one on. The result is an optional, and empty if a part is missing. */
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

/** Applies qualifiers to an optional. The result is an optional too. */
function walkOptional(frame: Frame, start: CelOptional, qualifiers: readonly Qualifier[]): Value {
  return start.value === undefined ? start : walkPresent(frame, start.value, qualifiers, 0)
}

/** A conditional. Qualifiers are applied to the branch that is chosen. */
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

/** Resolves a variable of the activation. */
export function variable(name: string): Evaluate {
  const missing = new CelError(`no such attribute(s): ${name}`)
  return ({ activation }) => {
    const value = activation.get(name)
    return value === undefined ? missing : value
  }
}
