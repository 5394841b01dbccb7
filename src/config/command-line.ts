import { didYouMean } from '../lib/did-you-mean.ts'
import { RELEASE_RANGE } from '../lifecycle/release.ts'
import { COMMAND_NAMES, COMMANDS_USAGE } from './commands-usage.ts'
import { buildConfig, type Config } from './config.ts'
import type { FlagSpec } from './flag-spec.ts'
import { FLAGS, SHORT_NAMES } from './flag-table.ts'
import { checkNamedFiles } from './named-files.ts'
import { FlagError, isTrueText, parseFlags } from './parse-flags.ts'
import { DEFAULT_PROFILE, type Profile, profileOf } from './place-config.ts'

/** Action of a command line. */
export type Command =
  /** @param profile profile whose defaults are printed. */
  | { readonly action: 'help'; readonly profile: Profile }
  | { readonly action: 'version' }
  /**
   * @param ignored accepted flags without effect. @param checkFiles throws FlagError if a named file cannot be read.
   */
  | { readonly action: 'serve'; readonly config: Config; readonly ignored: readonly string[]; readonly checkFiles: () => void }

/** Parses a command line. Throws FlagError. */
export function readCommandLine(argv: readonly string[]): Command {
  const [first = '', ...more] = argv
  // Flags of this program that users of kubectl type as commands.
  if (first === 'help' && more.length === 0) return { action: first, profile: profileOf(DEFAULT_PROFILE) }
  if (first === 'version' && more.length === 0) return { action: first }
  if (/^[a-z]/i.test(first)) throw new FlagError(unknownCommand(first, more))
  const given = parseFlags(argv)
  if (isTrueText(given.values.get('help')?.[0] ?? 'false'))
    return { action: 'help', profile: profileOf(given.values.get('profile')?.[0] ?? DEFAULT_PROFILE) }
  const version = given.values.get('version')?.[0] ?? 'false'
  if (version !== 'false') return { action: 'version' }
  return { action: 'serve', config: buildConfig(given), ignored: given.ignored, checkFiles: () => checkNamedFiles(given) }
}

/** Message for an unknown command. */
function unknownCommand(name: string, [of = '']: readonly string[]): string {
  if (name === 'help' && COMMAND_NAMES.includes(of)) return `binnacle ${of} --help describes it`
  const mistyped = name === 'help' ? of : name
  return `unknown command ${JSON.stringify(mistyped)}${didYouMean(mistyped, [...COMMAND_NAMES, 'help', 'version']) || ':'} binnacle --help lists commands and flags`
}

/** Text of `--help` with the defaults of a profile. */
export function usage(profile: Profile = DEFAULT_PROFILE): string {
  const all = Object.entries<FlagSpec>(FLAGS).sort(([a], [b]) => (a < b ? -1 : 1))
  const names = (status: FlagSpec['status']): string => wrap(all.filter(([, spec]) => spec.status === status).map(([name]) => `--${name}`))
  const described = (ours: boolean): string =>
    all
      .flatMap(([name, spec]) =>
        spec.status === 'used' && (spec.own === true) === ours
          ? [line(name, { ...spec, ...(name === 'profile' && { default: profile }) })]
          : [],
      )
      .join('\n')
  return `${COMMANDS_USAGE}
A Kubernetes API server on an embedded store or etcd: release 1.33, or another of ${RELEASE_RANGE} (--emulated-version).

Flags of Binnacle:
${described(true)}

Flags of kube-apiserver:
${described(false)}

Accepted without effect:
${names('ignored')}

Rejected unless they request the existing behaviour:
${names('refused')}
`
}

/** Formats a flag for `--help`, with its description at a fixed column. */
function line(name: string, spec: Extract<FlagSpec, { status: 'used' }>): string {
  const short = Object.entries(SHORT_NAMES).find(([, long]) => long === name)?.[0]
  const dashed = short === undefined ? `    --${name}` : `-${short}, --${name}`
  const preset = spec.default === undefined || spec.default === 'false' ? '' : ` (default ${spec.default})`
  return `  ${`${dashed} ${spec.type === 'bool' ? '' : spec.type}`.padEnd(46)} ${spec.help}${preset}`
}

/** Wraps words for a terminal of 112 columns. */
function wrap(words: readonly string[]): string {
  const lines: string[] = []
  for (const word of words) {
    const last = lines.at(-1)
    if (last === undefined || last.length + word.length > 110) lines.push(`  ${word}`)
    else lines[lines.length - 1] = `${last} ${word}`
  }
  return lines.join('\n')
}
