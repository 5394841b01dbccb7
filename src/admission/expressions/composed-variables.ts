import type { Activation } from '../../cel/program/frame.ts'
import { ValuePending } from '../../cel/program/pending.ts'
import type { Outcome } from '../../cel/program/program.ts'
import { runProgram } from '../../cel/program/run.ts'
import { unescapeProperty } from '../../cel/schema/property-names.ts'
import { CelError, CelObject, noSuchOverload, type Value } from '../../cel/values/value.ts'
import { quote } from '../../lib/go-quote.ts'
import { SHARED_TURNS } from '../../lib/turn.ts'
import type { CompiledExpression } from './compiled-expression.ts'

/** The variables of a policy as one evaluation of its expressions sees them: each is computed when it is first asked for, and once. */
export class ComposedVariables extends CelObject {
  readonly typeName = 'kubernetes.variables'
  readonly #compiled: ReadonlyMap<string, CompiledExpression>
  readonly #activation: Activation
  readonly #values = new Map<string, Value>()
  #cost = 0

  /** @param activation what the variables themselves speak of: each other, too. */
  constructor(compiled: ReadonlyMap<string, CompiledExpression>, activation: Activation) {
    super()
    this.#compiled = compiled
    this.#activation = activation
  }

  /** What variables have cost that were computed since this was asked last. */
  takeCost(): number {
    const cost = this.#cost
    this.#cost = 0
    return cost
  }

  /** Throws ValuePending where a variable is not computed within this turn. */
  override field(key: string): Value | undefined {
    const name = unescapeProperty(key)
    const variable = name === undefined ? undefined : this.#compiled.get(name)
    if (name === undefined || !variable) return undefined
    const known = this.#values.get(name)
    if (known !== undefined) return known
    if ('fault' in variable) return this.#keep(name, new CelError(`composited variable ${quote(name)} fails to compile: ${variable.fault}`))
    const outcome = runProgram(variable.program, this.#activation, SHARED_TURNS)
    if (!(outcome instanceof Promise)) return this.#settle(name, outcome)
    throw new ValuePending(
      outcome.then(settled => {
        this.#settle(name, settled)
      }),
    )
  }

  equals(other: Value): boolean | CelError {
    return other instanceof ComposedVariables ? other === this : noSuchOverload(other)
  }

  #settle(name: string, { cost, error, value }: Outcome): Value {
    this.#cost += cost
    return this.#keep(name, error === undefined ? value : new CelError(`composited variable ${quote(name)} fails to evaluate: ${error}`))
  }

  #keep(name: string, value: Value): Value {
    this.#values.set(name, value)
    return value
  }
}
