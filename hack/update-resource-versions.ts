/**
 * Renews test/fixtures/resource-versions from a kube-apiserver (or a program with its machinery) with its own etcd, to
 * which no other program writes. Each setting takes one run over a fresh store: the default first, then those that
 * change a response:
 *
 *   node --import tsx hack/update-resource-versions.ts --url https://127.0.0.1:6443 --token T --etcd
 *   http://127.0.0.1:2379 --restart 'COMMAND' [--setting watch-cache=false]
 *
 * COMMAND ends the server, starts it again and returns once it is ready. Responses of this server that differ (`here`)
 * are kept.
 */
import { execFileSync } from 'node:child_process'
import { isDeepStrictEqual, parseArgs } from 'node:util'
import { silentLogger } from '../src/lib/log.ts'
import { openEtcd } from '../src/storage/etcd/open-etcd.ts'
import { revision } from '../src/storage/revision.ts'
import { type Cell, SETTINGS, type Setting } from '../test/support/resource-versions/cell.ts'
import { http2Client } from '../test/support/resource-versions/http2-client.ts'
import { requests } from '../test/support/resource-versions/requests.ts'
import { runTable } from '../test/support/resource-versions/run.ts'
import { idOf, readTable, writeTable } from '../test/support/resource-versions/table.ts'

const { values } = parseArgs({
  options: {
    url: { type: 'string' },
    token: { type: 'string' },
    etcd: { type: 'string' },
    restart: { type: 'string' },
    setting: { type: 'string' },
  },
})
const { url, token, etcd, restart } = values
if (!url || !token || !etcd || !restart) throw new Error('--url, --token, --etcd and --restart are needed')
const setting = SETTINGS.find(one => one === values.setting)
if (values.setting !== undefined && setting === undefined) throw new Error(`--setting is one of ${SETTINGS.join(', ')}`)

const connect = () => http2Client(url, { rejectUnauthorized: false }, token)
let client = connect()
const backend = await openEtcd({ servers: [etcd] }, silentLogger)
const world = {
  client: () => client,
  async restart() {
    client.close()
    execFileSync('sh', ['-c', restart], { stdio: ['ignore', 'inherit', 'inherit'] })
    client = connect()
  },
  compact: (before: number) => backend.compact(revision(before), AbortSignal.timeout(10_000)),
}
const { rows } = await runTable(world, requests(), () => ['json'])
client.close()
await backend.close()

const known = new Map(readTable().map(cell => [idOf(cell), cell]))
const answers = new Map(rows.map(row => [idOf(row.request), row.seen]))
let changed = 0
writeTable(
  requests().map((request): Cell => {
    const id = idOf(request)
    const old = known.get(id)
    const seen = answers.get(id)
    if (seen === undefined) throw new Error(`no response to ${id}`)
    if (setting === undefined) {
      if (!isDeepStrictEqual(seen, old?.seen)) changed++
      return { ...request, seen, ...(old?.where && { where: old.where }), ...(old?.here && { here: old.here }) }
    }
    if (old === undefined) throw new Error(`${id} has not been requested under the default setting yet`)
    const { [setting]: before, ...others }: Partial<Record<Setting, Cell['seen']>> = old.where ?? {}
    if (!isDeepStrictEqual(seen, before ?? old.seen)) changed++
    const where = isDeepStrictEqual(seen, old.seen) ? others : { ...others, [setting]: seen }
    return { ...request, seen: old.seen, ...(Object.keys(where).length > 0 && { where }), ...(old.here && { here: old.here }) }
  }),
)
console.log(`${answers.size} responses, ${changed} of them new`)
