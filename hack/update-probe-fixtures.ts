/**
 * Renews test/fixtures/probe from a folder of probe cases (catalog/*.yaml with recordings/*.json; expectations/*.yaml): keeps the cases that hold, twice, on a server
 * that it starts, and prints those that don't, with what differs. With `--release` it renews the responses of a later release to those cases, from recordings-RELEASE/*.json.
 *
 *   node --import tsx hack/update-probe-fixtures.ts FOLDER [--release 1.37] [--only AREA,…] [--dry-run] [--quiet]
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { load } from 'js-yaml'
import { ageColumn, nameColumn } from '../src/resources/shared/columns.ts'
import { createProbeClient } from '../test/support/probe/client.ts'
import {
  fixtureAreas,
  LATER_RELEASES,
  PROBE_FLAGS,
  readFixtures,
  writeFixtures,
  writeLaterFixtures,
} from '../test/support/probe/fixtures.ts'
import type { ProbeCase, Row } from '../test/support/probe/probe-case.ts'
import { runCases } from '../test/support/probe/run-case.ts'
import { isObject, mapLists, type Tree } from '../test/support/probe/tree.ts'
import { startBinnacle } from '../test/support/started-server.ts'

/** Areas that are recorded. Cases of other areas are dropped, even if they pass. */
const RECORDED = [
  ...[
    'rest',
    'negotiation',
    'errors',
    'read',
    'chunk',
    'selector',
    'watch',
    'patch',
    'update',
    'delete',
    'dryrun',
    'fieldvalidation',
    'table',
    'subresource',
  ],
  ...['apply', 'crd', 'cel', 'policy', 'webhook', 'read-random', 'patch-random', 'fieldvalidation-random', 'delete-random'],
  ...['crd-random', 'custom-fieldvalidation-random', 'apply-random', 'cel-random'],
]
const STATED = ['printing', 'defaults', 'validation']
const JOBS = 12

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { release: { type: 'string' }, only: { type: 'string' }, 'dry-run': { type: 'boolean' }, quiet: { type: 'boolean' } },
})
const folder = positionals[0]
if (folder === undefined) throw new Error('the folder of cases is missing')
const later = LATER_RELEASES.find(release => release === values.release)
if (values.release !== undefined && later === undefined) throw new Error(`the release may be ${LATER_RELEASES.join()}`)
const areas = values.only?.split(',') ?? (later ? fixtureAreas() : [...RECORDED, ...STATED])

const yamlFiles = (name: string): string[] =>
  readdirSync(join(folder, name))
    .filter(file => file.endsWith('.yaml'))
    .sort()
    .map(file => join(folder, name, file))
const casesOf = (name: string): ProbeCase[] => yamlFiles(name).flatMap(file => load(readFileSync(file, 'utf8')) as ProbeCase[])

/** Areas with very many cases, of which one in this number is kept. */
const SAMPLED: Readonly<Record<string, number>> = { 'apply-random': 4, 'cel-random': 3 }

/** Replaces the Go packages that the recorded program names in a few texts by those of kube-apiserver, and descriptions of fields by our own. */
const inOwnNames = (text: string): string =>
  text
    .replace(/"Name must be unique within a namespace\.[^"]*"/g, JSON.stringify(nameColumn.description))
    .replace(/"CreationTimestamp is a timestamp(?:[^"\\]|\\.)*"/g, JSON.stringify(ageColumn.description))
    .replace(/\biapi\./g, 'core.')
    .replace(/(cannot be handled as [^\n]*? in scheme \\")pkg\/runtime\/scheme.go:11[01]/g, '$1pkg/api/legacyscheme/scheme.go:30')

/** And it keeps references to secrets whole, of which kube-apiserver keeps the names. */
const secretNames = (rows: Tree): Tree =>
  mapLists(rows, 'secrets', secrets =>
    secrets.map(one => (isObject(one) ? Object.fromEntries(Object.entries(one).filter(([key]) => key === 'name')) : one)),
  )

/** A case with what was recorded of it; nothing where the recording failed. */
function withRows(probe: ProbeCase): ProbeCase[] {
  const file = join(folder as string, later ? `recordings-${later}` : 'recordings', `${probe.name}.json`)
  if (!existsSync(file)) return []
  const { rows, error } = JSON.parse(inOwnNames(readFileSync(file, 'utf8'))) as { rows: Row[]; error?: string }
  return error === undefined ? [{ ...probe, rows: secretNames(rows) as Row[] }] : []
}

/** Of the cases to which a later release responds as before, one in this number is kept. */
const SAME_SAMPLED = 4

/** Whether a case is kept with the responses of a later release: all whose responses differ from the kept ones, and some of the others. */
function isWanted({ area, name, rows }: ProbeCase, i: number): boolean {
  const before = readFixtures(area).find(kept => kept.name === name)
  return before !== undefined && (i % SAME_SAMPLED === 0 || JSON.stringify(before.rows) !== JSON.stringify(rows))
}

const recorded = casesOf('catalog').flatMap(withRows)
const all = later ? recorded.filter(isWanted) : [...recorded, ...casesOf('expectations').filter(({ area }) => STATED.includes(area))]
const laterHolding: ProbeCase[] = []
const server = await startBinnacle([...PROBE_FLAGS, ...(later ? [`--emulated-version=${later}`] : [])])
const client = createProbeClient(server.kubeconfig)
let lost = 0
try {
  for (const area of areas) {
    const every = later ? 1 : (SAMPLED[area] ?? 1)
    const cases = all.filter(probe => probe.area === area).filter((_, i) => i % every === 0)
    const kept = new Set(readFixtures(area).map(({ name }) => name))
    const failed = new Map<string, string[]>()
    for (let round = 0; round < 2; round++) {
      const left = cases.filter(({ name }) => !failed.has(name))
      await runCases(client, left, JOBS, ({ name }, unmet) => {
        if (unmet.length > 0) failed.set(name, unmet)
      })
    }
    const holding = cases.filter(({ name }) => !failed.has(name))
    console.log(`${area}: ${holding.length} of ${cases.length} cases hold`)
    for (const { name, why } of cases) {
      const unmet = failed.get(name)
      if (!unmet) continue
      if (kept.has(name)) lost++
      console.log(`  ${kept.has(name) ? 'LOST ' : ''}${name}: ${why}`)
      if (!values.quiet) for (const line of unmet.slice(0, 8)) console.log(`      ${line}`)
    }
    if (later) laterHolding.push(...holding)
    else if (!values['dry-run']) writeFixtures(area, holding)
  }
  if (later && !values['dry-run']) writeLaterFixtures(later, laterHolding)
} finally {
  client.close()
  await server.stop()
}
if (lost > 0) console.log(`${lost} kept cases no longer pass`)
