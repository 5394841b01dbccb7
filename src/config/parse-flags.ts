import { isIP } from 'node:net'
import { didYouMean } from '../lib/did-you-mean.ts'
import { parseMilliseconds } from '../lib/duration.ts'
import { errorMessage } from '../lib/error-message.ts'
import type { FlagSpec, FlagType } from './flag-spec.ts'
import { FLAGS, type FlagName, SHORT_NAMES } from './flag-table.ts'
import { namedCertificateFault } from './named-certificate-flag.ts'

/** The command line is invalid. The message is shown to the user. */
export class FlagError extends Error {
  override readonly name = 'FlagError'
}

/** Given flags as text, by name. Lists and maps have one entry per element. */
export interface GivenFlags {
  readonly values: ReadonlyMap<FlagName, readonly string[]>
  /** Accepted flags without effect. */
  readonly ignored: readonly FlagName[]
}

/** Types with one entry per repetition of the flag. */
const LISTS: readonly FlagType[] = ['pairs', 'pair', 'namedCertKey']

/**
 * Parses arguments as pflag does: `--name=value`, `--name value`, `--bool`, `-v 3`, underscores for dashes. The last
 * value of a scalar wins; lists and maps accumulate. Throws FlagError.
 */
export function parseFlags(argv: readonly string[]): GivenFlags {
  const values = new Map<FlagName, string[]>()
  for (let i = 0; i < argv.length; i++) {
    const argument = argv[i] ?? ''
    const { name, text } = splitArgument(argument, argv.slice(i))
    const spec: FlagSpec = FLAGS[name]
    let value = text
    if (value === undefined) {
      // `--version` is not a bool but may be given without a value.
      if (spec.type === 'bool' || name === 'version') value = 'true'
      else {
        value = argv[++i]
        if (value === undefined) throw new FlagError(`flag needs an argument: ${argument}`)
      }
    }
    checkFlag(name, spec, value)
    const several = spec.type === 'list' || spec.type === 'map' || spec.type === 'settings'
    const parts = several ? value.split(',').filter(part => part !== '') : [value]
    values.set(name, several || LISTS.includes(spec.type) ? [...(values.get(name) ?? []), ...parts] : parts)
  }
  refuseUnimplemented(values)
  return { values, ignored: [...values.keys()].filter(name => FLAGS[name].status === 'ignored') }
}

/**
 * Splits an argument into name and value as pflag does: underscores become dashes, `-v4` is `--v=4`. Throws FlagError.
 */
function splitArgument(argument: string, rest: readonly string[]): { name: FlagName; text: string | undefined } {
  if (!argument.startsWith('-') || argument === '-' || argument === '--') {
    const extra = argument === '--' ? rest.slice(1) : rest
    throw new FlagError(`kube-apiserver does not take any arguments, got ${JSON.stringify(extra)}`)
  }
  if (!argument.startsWith('--')) {
    const name = SHORT_NAMES[argument.charAt(1)]
    if (name === undefined) {
      // Probably a long flag with a single dash.
      const long = didYouMean(flagName(argument.slice(1)), Object.keys(FLAGS), '--')
      throw new FlagError(`unknown shorthand flag: '${argument.charAt(1)}' in ${argument}${long}`)
    }
    const text = argument.slice(2).replace(/^=/, '')
    return { name, text: argument.length > 2 ? text : undefined }
  }
  const equals = argument.indexOf('=')
  const name = flagName(argument.slice(2))
  if (!isFlag(name)) throw new FlagError(`unknown flag: --${name}${didYouMean(name, Object.keys(FLAGS), '--')}`)
  return { name, text: equals < 0 ? undefined : argument.slice(equals + 1) }
}

/** Name of `name=value`, with dashes. */
const flagName = (text: string): string => (text.split('=', 1)[0] ?? '').replaceAll('_', '-')

const isFlag = (name: string): name is FlagName => Object.hasOwn(FLAGS, name)

/** Values that Go's strconv.ParseBool accepts. */
export const BOOL = /^(?:1|t|T|true|TRUE|True|0|f|F|false|FALSE|False)$/

/** Whether a validated bool is true. */
export const isTrueText = (text: string): boolean => /^(?:1|t|true)$/i.test(text)

/** Validates a value. Throws FlagError with pflag's message. */
function checkFlag(name: FlagName, spec: FlagSpec, value: string): void {
  const problem = problemOf(spec, value)
  if (problem !== undefined) throw new FlagError(`invalid argument ${JSON.stringify(value)} for "--${name}" flag: ${problem}`)
}

/** Returns Go's error for an invalid value of the type. Undefined if it is valid. */
function problemOf({ type }: FlagSpec, value: string): string | undefined {
  switch (type) {
    case 'bool':
      return BOOL.test(value) ? undefined : `strconv.ParseBool: parsing ${JSON.stringify(value)}: invalid syntax`
    case 'ip':
      return value.trim() === '' || isIP(value.trim()) !== 0 ? undefined : `failed to parse IP: ${JSON.stringify(value)}`
    case 'int':
      return /^[+-]?\d{1,15}$/.test(value) ? undefined : `strconv.ParseInt: parsing ${JSON.stringify(value)}: invalid syntax`
    case 'float':
      return value.trim() !== '' && Number.isFinite(Number(value))
        ? undefined
        : `strconv.ParseFloat: parsing ${JSON.stringify(value)}: invalid syntax`
    case 'duration':
      try {
        parseMilliseconds(value)
        return undefined
      } catch (error) {
        return errorMessage(error)
      }
    case 'map':
      return value.split(',').every(part => part === '' || part.includes('=')) ? undefined : `${value} must be formatted as key=value`
    case 'pairs':
      return value.includes('=') ? undefined : `${value} must be formatted as key=value`
    case 'pair':
      return value.includes('=') ? undefined : 'malformed pair, expect string=string'
    case 'namedCertKey':
      return namedCertificateFault(value)
    case 'string':
    case 'settings':
    case 'list':
      return undefined
  }
}

/** Throws FlagError for the first flag that is not implemented and would change the behaviour. */
function refuseUnimplemented(values: ReadonlyMap<FlagName, readonly string[]>): void {
  for (const [name, given] of values) {
    const spec: FlagSpec = FLAGS[name]
    if (spec.status !== 'refused') continue
    const wrong = given.find(value => !spec.harmless.includes(spec.type === 'bool' ? String(isTrueText(value)) : value))
    if (wrong === undefined) continue
    const only = spec.harmless.length > 0 ? `; it may be ${spec.harmless.map(value => JSON.stringify(value)).join(' or ')}` : ''
    throw new FlagError(`--${name}=${wrong} is not implemented, and ignoring it would change what the server does${only}`)
  }
}
