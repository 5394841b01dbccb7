/**
 * Requests with bodies over HTTP/1.1 and TLS on kept connections, head and body in records that come together, as of
 * clients that write both one after the other to a busy server. Each row has the requests that were lost, which should
 * be none, and the server's CPU for one. Watches of what is created are open beside. Run: node --import tsx
 * test/bench/uploads.ts (after make build), with the Node that the server is to run on first in PATH. REQUESTS of a row
 * (200), WATCHES (10), ONLY=20000: bodies of these sizes.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type JoinedRecords, openJoinedRecords } from '../support/joined-records.ts'
import { readCluster } from './support/cluster.ts'
import { cpuOf } from './support/load.ts'
import { startBinnacle } from './support/processes.ts'
import { openWatches } from './support/watches.ts'

const REQUESTS = Number(process.env.REQUESTS ?? 200)
const WATCHES = Number(process.env.WATCHES ?? 10)
const SIZES = (process.env.ONLY?.split(',') ?? ['1000', '17000', '20000', '60000', '100000', '1000000']).map(Number)
const CONNECTIONS = [1, 5, 10, 30, 64]
const VERSIONS = ['TLSv1.2', 'TLSv1.3'] as const
const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps'

const scratch = mkdtempSync(join(tmpdir(), 'binnacle-bench-'))
const tokens = join(scratch, 'tokens')
writeFileSync(tokens, 'bench,bench,bench,"system:masters"\n')
const server = await startBinnacle([`--token-auth-file=${tokens}`])
const cluster = readCluster(server.kubeconfig, server.pid)
let made = 0
let events = 0

/** A body of that many bytes is not stored: it would be a gigabyte in the end. */
function post(size: number): [head: string, body: string] {
  const body = JSON.stringify({ metadata: { name: `c-${made++}` }, data: { a: 'x'.repeat(size) } })
  const query = size > 100_000 ? '?dryRun=All' : ''
  const fields = ['Host: bench', 'Authorization: Bearer bench', 'Content-Type: application/json', `Content-Length: ${body.length}`]
  return [`POST ${CONFIG_MAPS}${query} HTTP/1.1\r\n${fields.join('\r\n')}\r\n\r\n`, body]
}

async function row(version: (typeof VERSIONS)[number], size: number, connections: number): Promise<void> {
  const before = cpuOf(server.pid)
  let left = REQUESTS
  let lost = 0
  let refused = 0
  const client = async (): Promise<void> => {
    let connection: JoinedRecords | undefined
    let sent = 0
    while (left-- > 0) {
      connection ??= await openJoinedRecords(cluster.port, version)
      await connection.send(...post(size))
      const statuses = await connection.statuses(++sent)
      if (statuses.length === sent) {
        if (statuses[sent - 1] !== '201') refused++
        continue
      }
      lost++
      connection.close()
      connection = undefined
      sent = 0
    }
    connection?.close()
  }
  await Promise.all(Array.from({ length: connections }, client))
  const cpu = (cpuOf(server.pid) - before) / REQUESTS
  console.log(
    `${version}  ${String(size).padStart(9)} B  ${String(connections).padStart(2)} connections  ${lost} of ${REQUESTS} lost, ${refused} refused  ${cpu.toFixed(0)} µs`,
  )
}

const watches = await openWatches(cluster, 'h1', WATCHES, `${CONFIG_MAPS}?watch=1`, () => () => events++)
console.log(process.version)
for (const version of VERSIONS) for (const size of SIZES) for (const connections of CONNECTIONS) await row(version, size, connections)
console.log(`${events} reads of watches`)
watches.close()
await server.stop()
rmSync(scratch, { recursive: true })
