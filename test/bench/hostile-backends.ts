import { monitorEventLoopDelay } from 'node:perf_hooks'
import { connectWorld, ownAddress } from '../support/connect-world.ts'
import { HOSTILE_PAGES, HOSTILE_PROTOCOL, HostilePeer } from '../support/hostile-peer.ts'

/**
 * How long pods that do harm hold up others: ten or fifty requests go to one through the proxy, and a GET of a pod is
 * made beside them again and again. The peer runs in the same process, so that the figures are above what the server
 * takes. `npx tsx test/bench/hostile-backends.ts [CONNECTIONS]`
 */
const CONNECTIONS = Number(process.argv[2] ?? 10)
const CASE_MS = 20_000
const PATH = '/api/v1/namespaces/ns/pods'

if (ownAddress === undefined) throw new Error('the machine has no address but the loopback one')
const world = await connectWorld()
const peer = await HostilePeer.start(undefined, ownAddress)
console.log(`${'case'.padEnd(48)} longest wait ms  longest turn ms  CPU ms  ended`)
for (const [what, act] of Object.entries({ ...HOSTILE_PROTOCOL, ...HOSTILE_PAGES })) {
  peer.act = act
  const delay = monitorEventLoopDelay({ resolution: 1 })
  const before = process.cpuUsage()
  let open = CONNECTIONS
  delay.enable()
  for (let i = 0; i < CONNECTIONS; i++)
    void world.server
      .plain(`${PATH}/one:${peer.port}/proxy/`)
      .catch(() => {})
      .finally(() => open--)
  let longest = 0
  for (const until = Date.now() + CASE_MS; open > 0 && Date.now() < until; ) {
    const begun = performance.now()
    await world.server.plain(`${PATH}/one`)
    longest = Math.max(longest, performance.now() - begun)
  }
  delay.disable()
  const { user, system } = process.cpuUsage(before)
  const figures = [
    longest.toFixed(0).padStart(15),
    (delay.max / 1e6).toFixed(1).padStart(16),
    ((user + system) / 1000).toFixed(0).padStart(7),
  ]
  console.log(`${what.padEnd(48)}${figures.join(' ')}  ${open === 0 ? 'yes' : 'no'}`)
  for (const socket of peer.sockets) socket.destroy()
  while (open > 0) await new Promise(resolve => setTimeout(resolve, 10))
}
peer.close()
await world.close()
