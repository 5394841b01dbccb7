import { runHistory } from '../support/changes/history.ts'
import { serveChanges } from '../support/changes/hooks.ts'
import { ChangingServer } from '../support/changes/server.ts'
import { PROBE_FLAGS } from '../support/probe/fixtures.ts'
import { type StartedServer, startBinnacle } from '../support/started-server.ts'
import { WebhookServer } from '../support/webhooks/webhook-server.ts'

/** `make changes COUNT=300 SEED=7 KUBECONFIG2=…` for more, and beside another server. */
const ROUNDS = Number(process.env.CHANGE_ROUNDS ?? 40)
const SEED = Number(process.env.CHANGE_SEED ?? 1)
const OTHER = process.env.KUBECONFIG2 || undefined
const PER_ROUND_MS = 20_000

describe('requests while definitions, conversions, webhooks and policies change', function () {
  this.timeout(300_000 + ROUNDS * PER_ROUND_MS)
  let webhook: WebhookServer
  let server: StartedServer
  before(async () => {
    webhook = await WebhookServer.start()
    serveChanges(webhook)
    server = await startBinnacle(PROBE_FLAGS)
  })
  after(async () => {
    await server?.stop()
    webhook?.close()
  })

  it(`lose no write, cause no internal error, and follow the latest definition${OTHER ? ', as on another server' : ''}`, async () => {
    const names = { group: `changes-${SEED}.example.dev`, hooks: (path: string) => webhook.clientConfig(path) }
    const of = (kubeconfig: string): ChangingServer => new ChangingServer(kubeconfig, names, `changes-${SEED}`)
    const wrong = await runHistory({
      seed: SEED,
      rounds: ROUNDS,
      server: of(server.kubeconfig),
      ...(OTHER !== undefined && { other: of(OTHER) }),
    })
    if (wrong.length > 0) throw new Error(`${wrong.length} are wrong:\n${wrong.join('\n')}`)
  })
})
