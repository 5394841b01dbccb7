import { COMMANDS_USAGE } from './commands-usage.ts'
import { buildConfig, type Config } from './config.ts'
import type { FlagSpec } from './flag-spec.ts'
import { FLAGS } from './flag-table.ts'
import { checkNamedFiles } from './named-files.ts'
import { FlagError, isTrue, parseFlags } from './parse-flags.ts'

/** What a command line asks for. */
export type Command =
  | { readonly action: 'help' }
  | { readonly action: 'version' }
  /** `ignored`: flags that were accepted and have no effect. `checkFiles` looks whether the files that are named can be read, and throws FlagError. */
  | { readonly action: 'serve'; readonly config: Config; readonly ignored: readonly string[]; readonly checkFiles: () => void }

/** Throws FlagError. */
export function readCommandLine(argv: readonly string[]): Command {
  const [first = '', ...more] = argv
  // They are flags here, and commands of kubectl.
  if ((first === 'help' || first === 'version') && more.length === 0) return { action: first }
  if (/^[a-z]/i.test(first)) throw new FlagError(unknownCommand(first, more))
  const given = parseFlags(argv)
  if (isTrue(given.values.get('help')?.[0] ?? 'false')) return { action: 'help' }
  const version = given.values.get('version')?.[0] ?? 'false'
  if (version !== 'false') return { action: 'version' }
  return { action: 'serve', config: buildConfig(given), ignored: given.ignored, checkFiles: () => checkNamedFiles(given) }
}

/** Whether the arguments of a command ask what it does. */
export const isHelp = (argv: readonly string[]): boolean => argv.includes('--help') || argv.includes('-h')

/** Under the name kube-apiserver, flags come first: this one speaks as that does. */
const unknownCommand = (name: string, [of]: readonly string[]): string =>
  name === 'help' && of !== undefined
    ? `binnacle ${of} --help tells about it`
    : `unknown command ${JSON.stringify(name)}: binnacle --help lists commands and flags`

/** What `--help` prints. */
export function usage(): string {
  const all = Object.entries<FlagSpec>(FLAGS).sort(([a], [b]) => (a < b ? -1 : 1))
  const names = (status: FlagSpec['status']): string => wrap(all.filter(([, spec]) => spec.status === status).map(([name]) => `--${name}`))
  const described = (ours: boolean): string =>
    all.flatMap(([name, spec]) => (spec.status === 'used' && (spec.own === true) === ours ? [line(name, spec)] : [])).join('\n')
  return `${COMMANDS_USAGE}
A Kubernetes API server on an embedded store or etcd: release 1.33, or another from 1.24 to 1.36 (--emulated-version).

Flags of its own:
${described(true)}

Flags of kube-apiserver:
${described(false)}

Accepted without effect:
${names('ignored')}

Refused, but for values that change nothing:
${names('refused')}
`
}

/** A flag of `--help`, its text at a fixed column. */
function line(name: string, spec: Extract<FlagSpec, { status: 'used' }>): string {
  const dashed = name.length === 1 ? `-${name}, --${name}` : `    --${name}`
  const preset = spec.default === undefined || spec.type === 'bool' ? '' : ` (default ${spec.default})`
  return `  ${`${dashed} ${spec.type === 'bool' ? '' : spec.type}`.padEnd(46)} ${spec.help}${preset}`
}

/** Words in lines that a terminal of 112 columns shows whole. */
function wrap(words: readonly string[]): string {
  const lines: string[] = []
  for (const word of words) {
    const last = lines.at(-1)
    if (last === undefined || last.length + word.length > 110) lines.push(`  ${word}`)
    else lines[lines.length - 1] = `${last} ${word}`
  }
  return lines.join('\n')
}
