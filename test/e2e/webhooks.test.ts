import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { PROBE_FLAGS } from '../support/probe/fixtures.ts'
import { type StartedServer, startBinnacle } from '../support/started-server.ts'
import { WEBHOOK_CASES } from '../support/webhooks/cases.ts'
import { type CaseRow, runWebhookCases } from '../support/webhooks/run.ts'

const FILE = join(import.meta.dirname, '../fixtures/webhooks/recorded.jsonl')
const JOBS = 6

/**
 * Responses of kube-apiserver's machinery and the reviews that it sent, recorded by hack/update-webhook-recordings.ts:
 * each case is one test.
 */
describe('requests with admission webhooks', () => {
  const recorded = new Map(
    readFileSync(FILE, 'utf8')
      .split('\n')
      .filter(Boolean)
      .map(line => JSON.parse(line) as CaseRow)
      .map(row => [row.id, row]),
  )
  const rows = new Map<string, CaseRow>()
  let server: StartedServer
  before(async () => {
    server = await startBinnacle(PROBE_FLAGS)
    for (const row of await runWebhookCases(server.kubeconfig, WEBHOOK_CASES, JOBS)) rows.set(row.id, row)
  })
  after(() => server?.stop())
  for (const { id } of WEBHOOK_CASES) it(id, () => expect(rows.get(id)).to.deep.equal(recorded.get(id)))
})
