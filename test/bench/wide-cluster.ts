/**
 * The longest turns of the server's event loop, as `wide-bodies.ts` measures them, while the parts of a cluster follow
 * objects of as many values as the server takes. Run: node --import tsx test/bench/wide-cluster.ts (after make build).
 * MATCH: cases whose name matches; TURN_PROFILE=1: with the functions of turns that are too long.
 */
import { wideClusterCases } from './support/wide-cluster-cases.ts'
import { printWideTurns } from './support/wide-turns.ts'

await printWideTurns(wideClusterCases, {
  flags: ['--profile=cluster', '--nodes=3', '--emulated-version=1.34'],
  match: new RegExp(process.env.MATCH ?? ''),
  rounds: Number(process.env.ROUNDS ?? 2),
  settleMs: Number(process.env.SETTLE_MS ?? 800),
})
