/**
 * A server on a prefix of an etcd that others write: processor time of the server at rest, without and with 2,000
 * foreign writes per second, and the time of a consistent list behind one foreign write and beside them. `SECONDS=30`
 * measures for longer, `STORES=etcd-3.6.14` another store.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { storeSetups } from '../support/etcd-setups.ts'
import { foreignClient } from '../support/foreign-client.ts'
import { createServerProcess, type ServerProcess } from '../support/server-process.ts'

const SECONDS = Number(process.env.SECONDS ?? 10)
const RATE = 2000
const TICK_MS = 10
const LISTS = 200
/** Compaction and loops of the start are over. */
const SETTLED_MS = 5000

const share = (times: number[], part: number): string => (times.toSorted((a, b) => a - b)[Math.floor(times.length * part)] ?? 0).toFixed(1)

async function restCost(server: ServerProcess): Promise<string> {
  const [begun, before] = [performance.now(), server.processorMs()]
  await sleep(SECONDS * 1000)
  return `${((100 * (server.processorMs() - before)) / (performance.now() - begun)).toFixed(1)}% of a core`
}

async function listTimes(server: ServerProcess, before: () => Promise<unknown>): Promise<string> {
  const times: number[] = []
  for (let i = 0; i < LISTS; i++) {
    await before()
    const begun = performance.now()
    await (await fetch(`${server.url}/api/v1/namespaces`)).arrayBuffer()
    times.push(performance.now() - begun)
  }
  return `median ${share(times, 0.5)} ms, 95 of 100 within ${share(times, 0.95)} ms`
}

async function measure(): Promise<void> {
  const setup = storeSetups('/tenant').find(({ use }) => use === 'own')
  if (setup === undefined) return console.log('there is no etcd: hack/etcd builds it')
  const store = await setup.start()
  const server = await createServerProcess(store.flags)
  const client = foreignClient(store.options)
  let written = 0
  const put = async (): Promise<void> => {
    await client.kv.put({ key: Buffer.from(`/foreign/${written % 1000}`), value: Buffer.alloc(500) })
    written++
  }
  try {
    await server.start()
    await sleep(SETTLED_MS)
    console.log(`${setup.name}, the server at rest: ${await restCost(server)}`)
    console.log(`a consistent list: ${await listTimes(server, async () => {})}`)
    console.log(`a consistent list behind one foreign write: ${await listTimes(server, put)}`)
    let isOver = false
    const writing = (async () => {
      for (let due = performance.now(); !isOver; due += TICK_MS) {
        await Promise.all(Array.from({ length: (RATE * TICK_MS) / 1000 }, put))
        await sleep(Math.max(0, due + TICK_MS - performance.now()))
      }
    })()
    const [begun, before] = [performance.now(), written]
    const cost = await restCost(server)
    console.log(
      `the server at rest beside ${Math.round((1000 * (written - before)) / (performance.now() - begun))} foreign writes per second: ${cost}`,
    )
    console.log(`a consistent list beside them: ${await listTimes(server, async () => {})}`)
    isOver = true
    await writing
  } finally {
    client.close()
    await server.stop()
    await store.stop()
  }
}

await measure()
