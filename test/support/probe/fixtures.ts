import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ProbeCase, Row } from './probe-case.ts'

const FOLDER = join(import.meta.dirname, '..', '..', 'fixtures', 'probe')
const fileOf = (area: string): string => join(FOLDER, `${area}.jsonl`)

/**
 * The recorded server had no publisher of certificate authorities, so lists of ConfigMaps contain only objects of the case. It had no garbage collector, so objects that wait for it stay, and invented
 * owners are harmless. It had no quota controller, so the status of a quota is that of the case.
 */
export const PROBE_FLAGS = [
  '--controllers=*,-root-ca-certificate-publisher-controller,-garbage-collector-controller,-resourcequota-controller,-validatingadmissionpolicy-status-controller',
]

/** The areas that cases are kept of. */
export const fixtureAreas = (): string[] =>
  readdirSync(FOLDER)
    .filter(file => file.endsWith('.jsonl'))
    .map(file => file.slice(0, -'.jsonl'.length))
    .sort()

/** The cases kept of an area: one a line. */
export function readFixtures(area: string): ProbeCase[] {
  if (!existsSync(fileOf(area))) return []
  const lines = readFileSync(fileOf(area), 'utf8').split('\n').filter(Boolean)
  return lines.map(line => JSON.parse(line) as ProbeCase)
}

export const writeFixtures = (area: string, cases: readonly ProbeCase[]): void => writeLines(fileOf(area), cases)

function writeLines(file: string, values: readonly object[]): void {
  if (values.length === 0) rmSync(file, { force: true })
  else writeFileSync(file, values.map(value => `${JSON.stringify(value)}\n`).join(''))
}

/** Later releases whose responses are recorded as well. */
export const LATER_RELEASES = ['1.37'] as const
type LaterRelease = (typeof LATER_RELEASES)[number]

/** Responses of a later release to a kept case: the rows that differ from those of the case, which they replace by their id. */
interface LaterRows {
  readonly name: string
  readonly rows: readonly Row[]
}

const laterFile = (release: LaterRelease): string => join(FOLDER, 'later', `${release}.jsonl`)

/** Cases that were recorded of a later release alone. */
const ownCases = (release: LaterRelease): ProbeCase[] => readFixtures(`later/${release}-cases`)

/** The kept cases with the responses of a later release, and those of its own. */
export function readLaterFixtures(release: LaterRelease): ProbeCase[] {
  const changed = new Map<string, readonly Row[]>()
  for (const line of readFileSync(laterFile(release), 'utf8').split('\n').filter(Boolean)) {
    const { name, rows } = JSON.parse(line) as LaterRows
    changed.set(name, rows)
  }
  const ofBoth = fixtureAreas()
    .flatMap(readFixtures)
    .flatMap(probe => {
      const rows = changed.get(probe.name)
      if (rows === undefined) return []
      const byId = new Map(rows.map(row => [row.id, row]))
      return [{ ...probe, rows: (probe.rows ?? []).map(row => byId.get(row.id) ?? row) }]
    })
  return [...ofBoth, ...ownCases(release)]
}

/** Writes the responses of a later release to kept cases. */
export function writeLaterFixtures(release: LaterRelease, cases: readonly ProbeCase[]): void {
  const kept = new Map(
    fixtureAreas()
      .flatMap(readFixtures)
      .map(probe => [probe.name, probe]),
  )
  const lines = cases.map(({ name, rows = [] }): LaterRows => {
    const before = new Map((kept.get(name)?.rows ?? []).map(row => [row.id, JSON.stringify(row)]))
    return { name, rows: rows.filter(row => before.get(row.id) !== JSON.stringify(row)) }
  })
  writeLines(laterFile(release), lines)
}
