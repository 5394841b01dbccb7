import { didYouMean } from './did-you-mean.ts'

/** Output streams of a command. */
export interface Streams {
  out(text: string): void
  err(text: string): void
}

/** An invalid command line. The message is for the user. */
export class ArgumentError extends Error {
  override readonly name = 'ArgumentError'
}

/** Number of values that a flag takes: one, any number, or none. */
export type Option = 'value' | 'values' | 'switch'

/** Parsed flags, by name without dashes. */
export interface Arguments {
  /** Returns the last value of the flag. */
  value(name: string): string | undefined
  /** Returns all values of the flag, in order. Empty if it was not given. */
  values(name: string): readonly string[]
  /** Reports whether a switch was given, without `=false`. */
  isOn(name: string): boolean
}

/**
 * Parses `--name value`, `--name=value`, `-f value`, `-fvalue` and switches. Positional arguments are values of the
 * option `alone`. Throws ArgumentError.
 */
export function readArguments(
  argv: readonly string[],
  options: Readonly<Record<string, Option>>,
  short: Readonly<Record<string, string>>,
  alone: string,
): Arguments {
  const given = new Map<string, string[]>()
  const rest = [...argv]
  for (let argument = rest.shift(); argument !== undefined; argument = rest.shift()) {
    const [, dashes = '', flag = '', text] = /^(--?)([^=]+)(?:=(.*))?$/s.exec(separated(argument, short)) ?? []
    const name = argument === '-' || dashes === '' ? alone : dashes === '--' ? flag : (short[flag] ?? flag)
    if (!Object.hasOwn(options, name)) throw new ArgumentError(unknown(argument, name, Object.keys(options)))
    const option = options[name]
    const value = name === alone && dashes === '' ? argument : option === 'switch' ? (text ?? 'true') : (text ?? rest.shift())
    if (option === 'switch' && value !== 'true' && value !== 'false') throw new ArgumentError(`--${name}=${value}: must be true or false`)
    if (value === undefined) throw new ArgumentError(`flag needs an argument: ${argument}`)
    if (option === 'value' && given.has(name)) throw new ArgumentError(`--${name} is given twice`)
    given.set(name, [...(given.get(name) ?? []), value])
  }
  return { value: name => given.get(name)?.at(-1), values: name => given.get(name) ?? [], isOn: name => given.get(name)?.at(-1) === 'true' }
}

/** `name` is empty if the command takes no positional arguments. */
const unknown = (argument: string, name: string, names: readonly string[]): string =>
  name === '' ? `unexpected argument: ${argument}` : `unknown flag: ${argument}${didYouMean(name, names, '--')}`

/** Rewrites `-ojson` to `-o=json`. */
function separated(argument: string, short: Readonly<Record<string, string>>): string {
  const [, letter = '', value = ''] = /^-([a-z])([^=].*)$/s.exec(argument) ?? []
  return letter !== '' && Object.hasOwn(short, letter) && !Object.hasOwn(short, letter + value) ? `-${letter}=${value}` : argument
}
