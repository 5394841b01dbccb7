import { JqError } from './errors.ts'
import type { JqRun, JqValueFunction } from './filter.ts'
import { described, isNumber, type JqValue } from './values.ts'

/** Makes a function of a number, whose result is a float. */
const numeric =
  (name: string, of: (value: number) => number): JqValueFunction =>
  (input, run) => {
    if (!isNumber(input)) throw new JqError(`${name} cannot be applied to: ${described(input, run.budget)}`)
    return of(Number(input))
  }

/** Rounds half away from zero, as C does. */
const round = (value: number): number => Math.sign(value) * Math.round(Math.abs(value))

/** A JSON number, with the leading sign and zeros that `tonumber` accepts. */
const NUMBER = /^[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$/

function toNumber(input: JqValue, run: JqRun): JqValue {
  if (isNumber(input)) return input
  if (typeof input !== 'string') throw new JqError(`tonumber cannot be applied to: ${described(input, run.budget)}`)
  run.budget.spendText(input.length)
  if (input.length > 400 || !NUMBER.test(input)) throw new JqError(`invalid number: ${described(input, run.budget)}`)
  return /^[+-]?[0-9]+$/.test(input) ? BigInt(input.replace(/^\+/, '')) : Number(input)
}

/** Functions of numbers and times. */
export const NUMBER_FUNCTIONS: Readonly<Record<string, JqValueFunction>> = {
  'floor/0': numeric('floor', Math.floor),
  'ceil/0': numeric('ceil', Math.ceil),
  'round/0': numeric('round', round),
  'trunc/0': numeric('trunc', Math.trunc),
  'fabs/0': numeric('fabs', Math.abs),
  'sqrt/0': numeric('sqrt', Math.sqrt),
  'abs/0': (input, run) => {
    if (!isNumber(input)) throw new JqError(`abs cannot be applied to: ${described(input, run.budget)}`)
    return typeof input === 'bigint' ? (input < 0n ? -input : input) : Math.abs(input)
  },
  'tonumber/0': toNumber,
  'now/0': (_input, run) => run.now / 1000,
}
