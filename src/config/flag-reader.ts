import { parseMilliseconds } from '../lib/duration.ts'
import type { FlagSpec } from './flag-spec.ts'
import { FLAGS, type FlagName } from './flag-table.ts'
import { BOOL, FlagError, type GivenFlags, isTrueText } from './parse-flags.ts'

/** Typed access to flag values and defaults. Methods throw FlagError that names the flag. */
export interface FlagReader {
  /** Whether the flag is given explicitly. */
  isGiven(name: FlagName): boolean
  /** Whether the value differs from the default. */
  isChanged(name: FlagName): boolean
  /** Undefined if the value is empty. */
  text(name: FlagName): string | undefined
  /** False if the flag has no default. */
  bool(name: FlagName): boolean
  /** All values, from repetitions of the flag and comma-separated lists. */
  list(name: FlagName): readonly string[]
  /** Number without range check, for flags whose range depends on others. */
  number(name: FlagName): number
  /** Integer of at least `least`. */
  int(name: FlagName, least: number): number
  /** Port number. The flag defines whether 0 means a free port or none. */
  port(name: FlagName): number
  /** Duration in milliseconds. */
  duration(name: FlagName): number
  /** Parses `Name=true,Other=false`. A name alone means true. */
  switches(name: FlagName): ReadonlyMap<string, boolean>
  /** Paths of a certificate and its key. Undefined if neither is given. Throws if only one is. */
  pair(cert: FlagName, key: FlagName): { readonly cert: string; readonly key: string } | undefined
}

/** Creates a reader. Empty values count as absent, as in kube-apiserver. */
export function reader({ values }: GivenFlags): FlagReader {
  // Only flags with an effect have defaults.
  const preset = (name: FlagName): string | undefined => {
    const spec: FlagSpec = FLAGS[name]
    return spec.status === 'used' ? spec.default : undefined
  }
  const text = (name: FlagName): string | undefined => {
    const value = values.get(name)?.[0] ?? preset(name)
    return value === '' ? undefined : value
  }
  const int = (name: FlagName, least: number, most = Number.MAX_SAFE_INTEGER): number => {
    const value = Number(text(name) ?? 0)
    if (value < least || value > most)
      throw new FlagError(
        `--${name} ${value} must be ${most < Number.MAX_SAFE_INTEGER ? `between ${least} and ${most}` : `at least ${least}`}, inclusive`,
      )
    return value
  }
  return {
    isGiven: name => values.has(name),
    isChanged: name => (values.get(name)?.join(',') ?? preset(name)) !== preset(name),
    text,
    bool: name => isTrueText(text(name) ?? 'false'),
    int,
    number: name => Number(text(name) ?? 0),
    list: name => values.get(name) ?? preset(name)?.split(',') ?? [],
    port: name => int(name, 0, 65535),
    duration: name => {
      const ms = parseMilliseconds(text(name) ?? '0s')
      if (ms < 0) throw new FlagError(`--${name} can not be negative value`)
      return ms
    },
    switches: name =>
      new Map(
        (values.get(name) ?? []).map(entry => {
          const equals = entry.indexOf('=')
          const [key, value] = equals < 0 ? [entry, 'true'] : [entry.slice(0, equals).trim(), entry.slice(equals + 1).trim()]
          if (!BOOL.test(value))
            throw new FlagError(
              `--${name}: invalid value of ${key}=${value}, err: strconv.ParseBool: parsing ${JSON.stringify(value)}: invalid syntax`,
            )
          return [key, isTrueText(value)]
        }),
      ),
    pair: (cert, key) => {
      const files = { cert: text(cert), key: text(key) }
      if (files.cert === undefined && files.key === undefined) return undefined
      if (files.cert === undefined || files.key === undefined) throw new FlagError(`--${cert} and --${key} must be set together`)
      return { cert: files.cert, key: files.key }
    },
  }
}
