import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { load } from 'js-yaml'

/** An entry of a table: a computation with its expected result. */
export interface TableEntry {
  readonly name: string
  readonly in: unknown
  readonly out: unknown
}

export interface OracleTable {
  readonly table: string
  readonly sure: string
  readonly entries: readonly TableEntry[]
}

export type Step = Readonly<Record<string, unknown>>

export interface Scenario {
  readonly name: string
  readonly sure: string
  readonly note?: string
  readonly startAt?: string
  readonly objects?: readonly Record<string, unknown>[]
  readonly steps: readonly Step[]
}

/** Tables and scenarios of a controller. */
export interface ControllerOracle {
  readonly controller: string
  readonly tables: readonly OracleTable[]
  readonly scenarios: readonly Scenario[]
}

/** Reads the oracles in the folder `controllers` of a folder. Returns none if there is no such folder. */
export function controllerOracles(folder: string): ControllerOracle[] {
  const directory = join(folder, 'controllers')
  if (!existsSync(directory)) return []
  const files = readdirSync(directory).filter(name => name.endsWith('.yaml'))
  return files.toSorted().map(file => {
    const { tables, scenarios } = load(readFileSync(join(directory, file), 'utf8')) as Partial<ControllerOracle>
    const named = (tables ?? []).map(table => ({ ...table, entries: table.entries ?? [] }))
    return { controller: basename(file, '.yaml'), tables: named, scenarios: scenarios ?? [] }
  })
}
