import { randomBytes } from 'node:crypto'
import { eventually } from '../waiting.ts'
import type { ProbeClient } from './client.ts'
import { differences } from './compare.ts'
import type { Variables } from './fill.ts'
import { normalise, withSortedManagers } from './normalise.ts'
import type { ProbeCase } from './probe-case.ts'
import type { Run } from './run.ts'
import { runStep } from './steps.ts'

/** Returns the faults of a case, one per line. Empty if it passes. */
export async function runCase(client: ProbeClient, probe: ProbeCase): Promise<string[]> {
  const vars: Variables = { rnd: randomBytes(3).toString('hex'), ...probe.vars }
  const run: Run = { client, vars, rows: [], recorded: recordedEvents(probe), unmet: [] }
  try {
    if (JSON.stringify(probe.steps).includes('{ns}')) vars.ns = await makeNamespace(client, `p-${probe.name.slice(0, 40)}-${vars.rnd}`)
    for (const [i, step] of probe.steps.entries()) await runStep(run, step, `s${i + 1}`)
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)]
  } finally {
    if (vars.ns !== undefined) await client.ask('DELETE', `/api/v1/namespaces/${vars.ns}`)
  }
  const failed = run.rows.filter(row => row.error !== undefined || row.timeout !== undefined).map(row => JSON.stringify(row))
  const rows = probe.rows ? differences(withSortedManagers(probe.rows), normalise(run.rows, vars, probe)) : failed
  return [...rows, ...run.unmet]
}

const recordedEvents = ({ rows = [] }: ProbeCase): Run['recorded'] =>
  new Map(rows.flatMap(({ id, events }) => (Array.isArray(events) ? [[id, events.length]] : [])))

/** Resolves once it is ready for pods: its service account is there. */
async function makeNamespace(client: ProbeClient, name: string): Promise<string> {
  const body = Buffer.from(JSON.stringify({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }))
  const made = await client.ask('POST', '/api/v1/namespaces', { headers: { 'Content-Type': 'application/json' }, body })
  if (made.status >= 300) throw new Error(`namespace: ${made.status} ${made.body.toString().slice(0, 200)}`)
  await eventually(
    `namespace ${name} has a service account`,
    async () => (await client.ask('GET', `/api/v1/namespaces/${name}/serviceaccounts/default`)).status === 200,
    50,
  )
  return name
}

/**
 * Runs cases, `jobs` at once but for those that are serial, and gives what does not hold of each to `each` as it ends.
 */
export async function runCases(
  client: ProbeClient,
  cases: readonly ProbeCase[],
  jobs: number,
  each: (probe: ProbeCase, unmet: string[]) => void,
): Promise<void> {
  const together = cases.filter(probe => !probe.serial)[Symbol.iterator]()
  const work = async (): Promise<void> => {
    for (const probe of together) each(probe, await runCase(client, probe))
  }
  await Promise.all(Array.from({ length: jobs }, work))
  for (const probe of cases) if (probe.serial) each(probe, await runCase(client, probe))
}
