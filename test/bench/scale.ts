/**
 * Many objects on etcd, in one process: start, memory, lists in every form, in chunks and by selectors, watches that
 * begin with all of them; beside raw node:http that serves the same bytes.
 *
 *     node --import tsx test/bench/scale.ts (after make build)
 *
 * OBJECTS: Pods of 2 KB, several counts (10000,100000). SMALL: ConfigMaps of 200 bytes of data (1000000). LISTS of each
 * form (20).
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findEtcd, startEtcd } from '../support/etcd.ts'
import { type Filling, fillEtcd, NODES, namespacePath } from './support/fill.ts'
import { ask, cpuOf, type Rate } from './support/load.ts'
import { type Observed, printCollections, printHead, printRow, short, startObserved, timed } from './support/observed.ts'
import { startReference } from './support/processes.ts'
import { closeConnections, send } from './support/requests.ts'

const counts = (process.env.OBJECTS ?? '10000,100000').split(',').filter(Boolean).map(Number)
const small = Number(process.env.SMALL ?? 1_000_000)
const WARM_MS = 2000
const lists = Number(process.env.LISTS ?? 20)
const FORMS = {
  JSON: 'application/json',
  protobuf: 'application/vnd.kubernetes.protobuf',
  Table: 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json',
}
const scratch = mkdtempSync(join(tmpdir(), 'binnacle-bench-bytes-'))

/** Repeats the same request, beside raw node:http with the bytes of the response. */
async function list(server: Observed, what: string, path: string, accept: string, count = lists): Promise<void> {
  const bytes = await send(server.port, 'GET', path, undefined, { accept })
  const file = join(scratch, 'answer')
  writeFileSync(file, bytes)
  const reference = await startReference('http', file)
  const measure = (of: { port: number; pid: number }, at: string): Promise<Rate> => timed(of.pid, count, 1, () => ask(of.port, at, accept))
  await measure(reference, '/')
  const limit = await measure(reference, '/')
  await reference.stop()
  // Until what is done often is compiled.
  for (const until = performance.now() + WARM_MS; performance.now() < until; ) await measure(server, path)
  printRow(`${what}, ${short(bytes.length / 1e6)} MB`, await server.observe(() => measure(server, path)), limit)
}

/** The continue token stands at the beginning. */
const tokenOf = (page: Buffer): string => /"continue":"([^"]+)"/.exec(page.toString('latin1', 0, 2000))?.[1] ?? ''

async function chunks(server: Observed, path: string): Promise<void> {
  const file = join(scratch, 'page')
  writeFileSync(file, await send(server.port, 'GET', `${path}?limit=500`))
  const reference = await startReference('http', file)
  const limit = await timed(reference.pid, 400, 1, () => ask(reference.port, '/', FORMS.JSON))
  await reference.stop()
  let token = ''
  const page = async (): Promise<void> => {
    token = tokenOf(await ask(server.port, `${path}?limit=500${token && `&continue=${encodeURIComponent(token)}`}`, FORMS.JSON))
  }
  for (const until = performance.now() + WARM_MS; performance.now() < until; ) await timed(server.pid, 100, 1, page)
  printRow('a chunk of 500', await server.observe(() => timed(server.pid, 400, 1, page)), limit)
}

/** Until the bookmark that ends the initial events. */
async function watchStart(server: Observed, path: string, count: number): Promise<void> {
  const query = `${path}?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&timeoutSeconds=1`
  const begin = () => ask(server.port, query, FORMS.JSON, 'k8s.io/initial-events-end')
  const bytes = await begin()
  const file = join(scratch, 'events')
  writeFileSync(file, bytes)
  const reference = await startReference('http', file)
  const limit = await timed(reference.pid, lists, 1, () => ask(reference.port, '/', FORMS.JSON))
  await reference.stop()
  await begin()
  printRow(`watch that begins with ${count}`, await server.observe(() => timed(server.pid, lists, 1, begin)), limit)
}

/** A server over an etcd that is full: its start and its memory beside those of an empty one. */
async function filled(
  filling: Filling,
  what: string,
  base: number,
  then: (server: Observed, path: string) => Promise<void>,
): Promise<void> {
  const etcd = await startEtcd(['--quota-backend-bytes', String(8 * 2 ** 30)])
  try {
    const { size, path } = await fillEtcd(etcd.url, filling)
    const server = await startObserved([`--etcd-servers=${etcd.url}`])
    try {
      const cpu = cpuOf(server.pid) / 1e6
      await untilQuiet(server.pid)
      const { heap, buffers, rss, code, p999, collection } = await server.seen()
      const each = (heap + buffers - base) / filling.count
      console.log(`\n${filling.count} ${what} of ${size} bytes`)
      console.log(
        `  start to /readyz ${(server.readyMs / 1000).toFixed(2)} s, CPU ${cpu.toFixed(2)} s; until it rests ${(cpuOf(server.pid) / 1e6).toFixed(2)} s`,
      )
      console.log(`  during it: longest slice ${short(code)} ms, collections p99.9 ${short(p999)} ms, longest ${short(collection)} ms`)
      console.log(
        `  memory of one: ${Math.round(each)} bytes (heap ${Math.round(heap / 1e6)} MB, buffers ${Math.round(buffers / 1e6)} MB, resident ${Math.round(rss / 1e6)} MB):`,
        `${(each / size).toFixed(2)} of its encoded size, which it exceeds by ${Math.round(each - size)}`,
      )
      printHead()
      await then(server, path)
      printCollections(await server.seen())
    } finally {
      closeConnections()
      await server.stop()
    }
  } finally {
    await etcd.stop()
  }
}

/** Controllers look at everything once: until the CPU of a second, which the probe takes some of, no longer falls. */
async function untilQuiet(pid: number): Promise<void> {
  for (let grown = Number.POSITIVE_INFINITY, before = grown; grown < 0.8 * before || before === Number.POSITIVE_INFINITY; ) {
    before = grown
    const at = cpuOf(pid)
    await new Promise(resolve => setTimeout(resolve, 1000))
    grown = cpuOf(pid) - at
  }
}

if (findEtcd() === undefined) console.log('there is no etcd: hack/etcd installs one')
else {
  const nothing = await startEtcd()
  const empty = await startObserved([`--etcd-servers=${nothing.url}`])
  await untilQuiet(empty.pid)
  const { heap, buffers, rss } = await empty.seen()
  console.log(
    `empty: start ${Math.round(empty.readyMs)} ms, heap ${Math.round(heap / 1e6)} MB, buffers ${Math.round(buffers / 1e6)} MB, resident ${Math.round(rss / 1e6)} MB`,
  )
  await empty.stop()
  await nothing.stop()
  for (const count of counts)
    await filled({ resource: 'pods', count }, 'Pods', heap + buffers, async (server, path) => {
      const ofAll = (form: keyof typeof FORMS): Promise<void> =>
        list(server, `list in ${form}`, `${path}?resourceVersion=0`, FORMS[form], count > 20_000 ? Math.ceil(lists / 4) : lists)
      await ofAll('JSON')
      await list(server, 'list by label, one in 100', `${path}?resourceVersion=0&labelSelector=app%3Dapp-7`, FORMS.JSON)
      await list(
        server,
        `list by node, of ${NODES}`,
        `/api/v1/pods?resourceVersion=0&fieldSelector=spec.nodeName%3Dnode-7`,
        FORMS.JSON,
        20 * lists,
      )
      await chunks(server, path)
      await watchStart(server, path, count)
      await list(server, 'list by phase', `${path}?resourceVersion=0&fieldSelector=status.phase%3DRunning`, FORMS.JSON)
      // The request with the largest leftovers comes last.
      await ofAll('protobuf')
      await ofAll('Table')
    })
  if (small > 0)
    await filled({ resource: 'configmaps', count: small, dataBytes: 1 }, 'ConfigMaps', heap + buffers, async (server, path) => {
      await list(server, 'list of the first 10,000', `${path}?limit=10000`, FORMS.JSON)
      await list(
        server,
        'list by label that none has',
        `${path}?resourceVersion=0&labelSelector=app%3Dnone`,
        FORMS.JSON,
        Math.ceil(lists / 4),
      )
      await list(
        server,
        'list of a namespace that has few',
        `${namespacePath.replace('filled', 'kube-system')}/configmaps?resourceVersion=0`,
        FORMS.JSON,
        20 * lists,
      )
      await chunks(server, path)
    })
}
rmSync(scratch, { recursive: true })
