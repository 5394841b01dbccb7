import type { FlagSpec } from '../../../src/config/flag-spec.ts'
import { FLAGS } from '../../../src/config/flag-table.ts'
import { byName, code, plain, table } from './tables.ts'

type Used = Extract<FlagSpec, { readonly status: 'used' }>

/** `docs/reference/flags.md`: every flag that the program knows. */
export function flagsPage(): string {
  const flags = byName<FlagSpec>(FLAGS)
  const used = flags.flatMap(([name, spec]) => (spec.status === 'used' ? [[name, spec] as const] : []))
  const refused = flags.flatMap(([name, spec]) =>
    spec.status === 'refused' ? [[code(`--${name}`), spec.harmless.map(shown).join(', ')]] : [],
  )
  const ignored = flags.filter(([, { status }]) => status === 'ignored').map(([name, { type }]) => [code(`--${name}`), type])
  return `# Flags

The flags of \`binnacle\` and \`kube-apiserver\`, from the table that the program reads its command line by. \`binnacle --help\` prints the same.

- A \`list\` is given with commas or by repeating the flag. A \`map\` is \`key=value,key=value\`. A \`duration\` is written as in Go: \`90s\`, \`1h30m\`.
- A flag of any other name is an error.

## Flags of Binnacle

${table(HEADS, used.filter(([, { own }]) => own).map(row))}

## Flags of kube-apiserver

They do what they do in kube-apiserver 1.33.

${table(HEADS, used.filter(([, { own }]) => !own).map(row))}

## Accepted without effect

There is nothing here that they could change. A line of the log names each that is given.

${table(['Flag', 'Type'], ignored)}

## Refused

Ignoring them would change what the server does, so it does not start. Only values that change nothing are accepted.

${table(['Flag', 'Accepted values'], refused)}
`
}

const HEADS = ['Flag', 'Type', 'Default', 'Meaning']
const shown = (value: string): string => (value === '' ? 'empty' : code(value))
const row = ([name, { type, help, default: preset = '' }]: readonly [string, Used]): string[] => [
  code(name.length === 1 ? `-${name}` : `--${name}`),
  type,
  code(preset),
  plain(help),
]
