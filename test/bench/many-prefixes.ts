/**
 * A thousand servers (`PREFIXES=1000`), each on a prefix of one etcd: the store and the watch cache of each, in this
 * process. First through proxies that record: whether one requests or receives anything of another. Then without:
 * processor time of the servers and of etcd at rest, and beside 2,000 foreign writes per second, which a process of its
 * own makes. `SECONDS=30` measures for longer.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { findEtcd, startEtcd } from '../support/etcd.ts'
import { foreignClient } from '../support/foreign-client.ts'
import { type PrefixServer, prefixOf, startPrefixServer, trespasses } from '../support/many-prefixes.ts'

const PREFIXES = Number(process.env.PREFIXES ?? 1000)
const SECONDS = Number(process.env.SECONDS ?? 10)
const RATE = 2000
const TICK_MS = 10
/** Loads and first writes are over. */
const SETTLED_MS = 5000
const [, , writesTo] = process.argv

/**
 * Writes below another prefix, with 50 requests at a time at most, until it is killed. Prints the number of writes each
 * second.
 */
async function writeForever(url: string): Promise<void> {
  const client = foreignClient({ servers: [url] })
  let written = 0
  setInterval(() => console.log(written), 1000)
  for (let due = performance.now(); ; due += TICK_MS) {
    const writes = Array.from({ length: (RATE * TICK_MS) / 1000 }, () =>
      client.kv.put({ key: Buffer.from(`/foreign/${written++ % 1000}`), value: Buffer.alloc(500) }),
    )
    await Promise.all(writes)
    await sleep(Math.max(0, due + TICK_MS - performance.now()))
  }
}

/** Milliseconds of processor time of the process that listens with these flags. */
function processorMsOf(flag: string): number {
  for (const pid of readdirSync('/proc')) {
    if (!/^\d+$/.test(pid)) continue
    try {
      if (!readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(flag)) continue
      const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
      return 10 * (Number(fields[11]) + Number(fields[12]))
    } catch {
      // It has ended meanwhile.
    }
  }
  return 0
}

async function costs(url: string): Promise<string> {
  const flag = `--listen-client-urls\0${url}`
  const [begun, ours, etcds] = [performance.now(), process.cpuUsage(), processorMsOf(flag)]
  await sleep(SECONDS * 1000)
  const ms = performance.now() - begun
  const { user, system } = process.cpuUsage(ours)
  const percent = (cost: number) => `${((100 * cost) / ms).toFixed(1)}%`
  return `servers ${percent((user + system) / 1000)}, etcd ${percent(processorMsOf(flag) - etcds)} of a core`
}

async function writing(url: string): Promise<{ child: ChildProcess; count(): number }> {
  const child = spawn(process.execPath, ['--import', 'tsx', fileURLToPath(import.meta.url), url], { stdio: ['ignore', 'pipe', 'inherit'] })
  let written = 0
  child.stdout.on('data', (data: Buffer) => {
    written = Number(data.toString().trim().split('\n').at(-1))
  })
  await once(child.stdout, 'data')
  return { child, count: () => written }
}

async function costsBesideWrites(url: string): Promise<string> {
  const { child, count } = await writing(url)
  const [begun, before] = [performance.now(), count()]
  const cost = await costs(url)
  const rate = Math.round((1000 * (count() - before)) / (performance.now() - begun))
  child.kill()
  return `beside ${rate} foreign writes per second: ${cost}`
}

async function measure(): Promise<void> {
  const program = findEtcd()
  if (program === undefined) return console.log('there is no etcd: hack/etcd builds it')
  // Writes are not synced: other programs share the disk.
  const etcd = await startEtcd(['--unsafe-no-fsync'], program)
  const servers: PrefixServer[] = []
  try {
    const { requests, responses, found } = await trespasses(etcd.url, PREFIXES)
    console.log(`${PREFIXES} servers: ${requests} requests and ${responses} responses, ${found.length} keys or values of others`)
    for (const line of new Set(found.slice(0, 10))) console.log(`  ${line}`)
    console.log(`no server, at rest: ${await costs(etcd.url)}`)
    console.log(`no server, ${await costsBesideWrites(etcd.url)}`)
    for (let n = 0; n < PREFIXES; n += 20)
      servers.push(
        ...(await Promise.all(Array.from({ length: Math.min(20, PREFIXES - n) }, (_, i) => startPrefixServer(etcd.url, prefixOf(n + i))))),
      )
    await sleep(SETTLED_MS)
    console.log(`${PREFIXES} servers, at rest: ${await costs(etcd.url)}`)
    console.log(`${PREFIXES} servers, ${await costsBesideWrites(etcd.url)}`)
  } finally {
    for (const server of servers) await server.close()
    await etcd.stop()
  }
}

await (writesTo === undefined ? measure() : writeForever(writesTo))
