import { formatDuration, parseDuration } from '../lib/duration.ts'
import type { FlagSpec, FlagType } from './flag-spec.ts'
import { FLAGS, type FlagName } from './flag-table.ts'
import { type GivenFlags, isTrueText } from './parse-flags.ts'

/**
 * Returns the value of each flag as pflag prints it: the given one, or else the default. Flags that are accepted
 * without effect are listed only if they are given, as they have no default here. Passwords in URLs are redacted.
 */
export function flagValues({ values }: GivenFlags): Map<string, string> {
  const flags = new Map<string, string>()
  for (const name of Object.keys(FLAGS) as FlagName[]) {
    const spec: FlagSpec = FLAGS[name]
    const given = values.get(name)
    if (given === undefined && spec.status === 'ignored') continue
    flags.set(name, withoutPasswords(printed(spec.type, given ?? flagDefault(spec))))
  }
  return flags
}

/** Returns the default as the elements of a given value. */
function flagDefault(spec: FlagSpec): readonly string[] {
  const preset = spec.status === 'used' ? spec.default : spec.status === 'refused' ? spec.harmless[0] : undefined
  if (preset === undefined || preset === '') return []
  return spec.type === 'list' ? preset.split(',') : [preset]
}

/** Returns the text of a value. An absent one is the zero value of its type. */
function printed(type: FlagType, elements: readonly string[]): string {
  const [first] = elements
  switch (type) {
    case 'bool':
      return String(first !== undefined && isTrueText(first))
    case 'int':
    case 'float':
      return String(Number(first ?? 0))
    case 'duration':
      return formatDuration(parseDuration(first ?? '0s'))
    case 'list':
      return `[${elements.join(',')}]`
    case 'namedCertKey':
      return `[${elements.join(';')}]`
    case 'map':
    case 'settings':
    case 'pairs':
    case 'pair':
      return [...elements].sort().join(',')
    case 'string':
    case 'ip':
      return first ?? ''
  }
}

/** Replaces the passwords of URLs, which end at the last @ before the path. */
const withoutPasswords = (text: string): string => text.replace(/(:\/\/[^/@:\s,]*):[^/\s]*@/g, '$1:CLASSIFIED@')
