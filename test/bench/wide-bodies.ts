/**
 * The longest turns of the server's event loop, in processor time without garbage collection, while it serves bodies of
 * as many values as it takes, in many shapes and by every verb. Run: node --import tsx test/bench/wide-bodies.ts (after
 * make build). MATCH: cases whose name matches; TURN_PROFILE=1: with the functions of turns that are too long.
 */
import { WebhookServer } from '../support/webhooks/webhook-server.ts'
import { closeConnections } from './support/requests.ts'
import { wideCases } from './support/wide-cases.ts'
import { printWideTurns } from './support/wide-turns.ts'

const hook = await WebhookServer.start()
try {
  await printWideTurns(wideCases(hook), {
    flags: [],
    match: new RegExp(process.env.MATCH ?? ''),
    rounds: Number(process.env.ROUNDS ?? 2),
    // Events, controllers and caches.
    settleMs: 100,
  })
} finally {
  hook.close()
  closeConnections()
}
