import type { Activation } from '../../cel/program/frame.ts'
import { ValuePending } from '../../cel/program/pending.ts'
import type { ProgramOutcome } from '../../cel/program/program.ts'
import { runProgram } from '../../cel/program/run.ts'
import { unescapeProperty } from '../../cel/schema/property-names.ts'
import { CelError, CelObject, noSuchOverload, type Value } from '../../cel/values/value.ts'
import { isPending } from '../../lib/awaitable.ts'
import { quote } from '../../lib/go-quote.ts'
import { SHARED_TURNS } from '../../lib/turn.ts'
import type { CompiledExpression } from './compiled-expression.ts'

/** The `variables` object of one evaluation of a policy. Each variable is evaluated on first use, and at most once. */
export class ComposedVariables extends CelObject {
  readonly typeName = 'kubernetes.variables'
  readonly #compiled: ReadonlyMap<string, CompiledExpression>
  readonly #activation: Activation
  readonly #values = new Map<string, Value>()
  #cost = 0

  /** @param activation variables that the expressions of the composed variables see, including `variables` itself. */
  constructor(compiled: ReadonlyMap<string, CompiledExpression>, activation: Activation) {
    super()
    this.#compiled = compiled
    this.#activation = activation
  }

  /** Returns the cost of the variables evaluated since the last call. */
  takeCost(): number {
    const cost = this.#cost
    this.#cost = 0
    return cost
  }

  /** Returns the value of a variable. Throws ValuePending if its evaluation does not finish within this turn. */
  override field(key: string): Value | undefined {
    const name = unescapeProperty(key)
    const variable = name === undefined ? undefined : this.#compiled.get(name)
    if (name === undefined || !variable) return undefined
    const known = this.#values.get(name)
    if (known !== undefined) return known
    if ('fault' in variable) return this.#keep(name, new CelError(`composited variable ${quote(name)} fails to compile: ${variable.fault}`))
    const outcome = runProgram(variable.program, this.#activation, SHARED_TURNS)
    if (!isPending(outcome)) return this.#settle(name, outcome)
    throw new ValuePending(
      outcome.then(settled => {
        this.#settle(name, settled)
      }),
    )
  }

  equals(other: Value): boolean | CelError {
    return other instanceof ComposedVariables ? other === this : noSuchOverload(other)
  }

  #settle(name: string, { cost, error, value }: ProgramOutcome): Value {
    this.#cost += cost
    return this.#keep(name, error === undefined ? value : new CelError(`composited variable ${quote(name)} fails to evaluate: ${error}`))
  }

  #keep(name: string, value: Value): Value {
    this.#values.set(name, value)
    return value
  }
}
