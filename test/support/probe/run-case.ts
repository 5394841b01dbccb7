import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ProbeClient } from './client.ts'
import { differences } from './compare.ts'
import type { Variables } from './fill.ts'
import { normalise, withSortedManagers } from './normalise.ts'
import type { ProbeCase } from './probe-case.ts'
import type { Run } from './run.ts'
import { runStep } from './steps.ts'

/** What does not hold of a case, a line each: an empty list is a case that holds. */
export async function runCase(client: ProbeClient, probe: ProbeCase): Promise<string[]> {
  const vars: Variables = { rnd: randomBytes(3).toString('hex'), ...probe.vars }
  const run: Run = { client, vars, rows: [], unmet: [] }
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

/** Resolves once it is ready for pods: its service account is there. */
async function makeNamespace(client: ProbeClient, name: string): Promise<string> {
  const body = Buffer.from(JSON.stringify({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }))
  const made = await client.ask('POST', '/api/v1/namespaces', { headers: { 'Content-Type': 'application/json' }, body })
  if (made.status >= 300) throw new Error(`namespace: ${made.status} ${made.body.toString().slice(0, 200)}`)
  for (let i = 0; i < 100; i++) {
    const account = await client.ask('GET', `/api/v1/namespaces/${name}/serviceaccounts/default`)
    if (account.status === 200) return name
    await sleep(50)
  }
  throw new Error(`namespace ${name}: no service account`)
}

/** Runs cases, `jobs` at once but for those that are serial, and gives what does not hold of each to `each` as it ends. */
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
