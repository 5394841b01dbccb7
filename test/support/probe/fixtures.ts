import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ProbeCase } from './probe-case.ts'

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

export function writeFixtures(area: string, cases: readonly ProbeCase[]): void {
  if (cases.length === 0) rmSync(fileOf(area), { force: true })
  else writeFileSync(fileOf(area), cases.map(probe => `${JSON.stringify(probe)}\n`).join(''))
}
