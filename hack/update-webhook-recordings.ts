/**
 * Renews test/fixtures/webhooks/recorded.jsonl: outcomes of requests with webhooks, on a server of the real machinery
 * on this machine.
 *
 *   node --import tsx hack/update-webhook-recordings.ts KUBECONFIG
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { WEBHOOK_CASES } from '../test/support/webhooks/cases.ts'
import { runWebhookCases } from '../test/support/webhooks/run.ts'

const kubeconfig = process.argv[2]
if (kubeconfig === undefined) throw new Error('the kubeconfig of the server is missing')
/** The program that was recorded names its own Go packages where kube-apiserver names others. */
const inOwnNames = (text: string): string =>
  text
    .replaceAll('(iapi.', '(core.')
    .replace(
      /(occurred: |"message":")(no kind \\"[^"\\]*\\" is registered for version \\"[^"\\]*\\" in scheme \\")pkg\/runtime\/scheme.go:110/g,
      '$1$2pkg/api/legacyscheme/scheme.go:30',
    )

const rows = await runWebhookCases(kubeconfig, WEBHOOK_CASES, 4)
const file = join(import.meta.dirname, '../test/fixtures/webhooks/recorded.jsonl')
writeFileSync(file, rows.map(row => `${inOwnNames(JSON.stringify(row))}\n`).join(''))
console.log(`${rows.length} cases recorded`)
