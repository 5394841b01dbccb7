import { parseMilliseconds } from '../lib/duration.ts'
import type { FlagSpec } from './flag-spec.ts'
import { FLAGS, type FlagName } from './flag-table.ts'
import { BOOL, FlagError, type GivenFlags, isTrue } from './parse-flags.ts'

/** Reads flags in the form that each is to have: what was given, or the default. Throws FlagError naming the flag. */
export interface Reader {
  /** False: it has its default. */
  isGiven(name: FlagName): boolean
  /** Undefined for an empty text. */
  text(name: FlagName): string | undefined
  /** A flag without a default is false. */
  bool(name: FlagName): boolean
  /** Each time that the flag was given, and between commas. */
  list(name: FlagName): readonly string[]
  /** Any number, for flags whose bounds depend on others. */
  number(name: FlagName): number
  /** An integer of at least this. */
  int(name: FlagName, least: number): number
  /** 0 is a free port, or none, as the flag says. */
  port(name: FlagName): number
  /** Milliseconds. */
  duration(name: FlagName): number
  /** `Name=true,Other=false`; a name that stands alone is true. */
  switches(name: FlagName): ReadonlyMap<string, boolean>
  /** Files of a certificate and its key: both or neither. Throws where one is missing. */
  pair(cert: FlagName, key: FlagName): { readonly cert: string; readonly key: string } | undefined
}

/** Empty texts count as absent, as kube-apiserver's flags are checked. */
export function reader({ values }: GivenFlags): Reader {
  // Only a flag that is used has a default.
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
      throw new FlagError(`--${name} ${value} must be ${most < Number.MAX_SAFE_INTEGER ? `between ${least} and ${most}` : `at least ${least}`}, inclusive`)
    return value
  }
  return {
    isGiven: name => values.has(name),
    text,
    bool: name => isTrue(text(name) ?? 'false'),
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
            throw new FlagError(`--${name}: invalid value of ${key}=${value}, err: strconv.ParseBool: parsing ${JSON.stringify(value)}: invalid syntax`)
          return [key, isTrue(value)]
        }),
      ),
    pair: (cert, key) => {
      const files = { cert: text(cert), key: text(key) }
      if (files.cert === undefined && files.key === undefined) return undefined
      if (files.cert === undefined || files.key === undefined) throw new FlagError(`--${cert} and --${key} go together`)
      return { cert: files.cert, key: files.key }
    },
  }
}
