/**
 * Memory of the server with many definitions of custom resources in use: the definitions are created, each kind is
 * listed, watched and written, and discovery and OpenAPI are fetched as kubectl and controllers do, again and again, an
 * hour's use in some minutes.
 *
 *     node --import tsx test/bench/definitions.ts
 *     DEFINITIONS=folder/of/json PAUSE=50 node --import tsx test/bench/definitions.ts  # an hour
 *
 * DEFINITIONS: a folder with a definition in JSON a file; else 250 are made, of like size and kind as those of known
 * projects. ROUNDS (60): of use. PAUSE: seconds between two rounds (0). QUIET: seconds without use at the end (60).
 */
import { readdirSync, readFileSync } from 'node:fs'
import { get } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createJsonClient, type JsonClient } from '../support/json-client.ts'
import { type Definition, generateDefinitions, objectOf } from './support/definitions.ts'
import { cpuOf, memoryOf } from './support/load.ts'
import { startBinnacle } from './support/processes.ts'
import { inFlight } from './support/requests.ts'

const folder = process.env.DEFINITIONS
const rounds = Number(process.env.ROUNDS ?? 60)
const pauseSeconds = Number(process.env.PAUSE ?? 0)
const quietSeconds = Number(process.env.QUIET ?? 60)

const PROTO_V2 = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf'
const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json'
const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io'

const definitions: Definition[] = folder
  ? readdirSync(folder).map(file => JSON.parse(readFileSync(join(folder, file), 'utf8')) as Definition)
  : generateDefinitions(250)

const server = await startBinnacle(process.env.FLAGS?.split(' ') ?? [])
const url = `http://127.0.0.1:${server.port}`
const client = createJsonClient(url)

/** The body, thrown away; as clients of Go ask, compressed. */
const fetchBytes = (path: string, accept = 'application/json'): Promise<{ status: number; length: number; etag: string }> =>
  new Promise((resolve, reject) => {
    get(`${url}${path}`, { headers: { accept, 'accept-encoding': 'gzip' } }, answer => {
      let length = 0
      answer.on('data', (data: Buffer) => {
        length += data.length
      })
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, length, etag: answer.headers.etag ?? '' }))
      answer.on('error', reject)
    }).on('error', reject)
  })

async function report(stage: string): Promise<void> {
  const metrics = await (await fetch(`${url}/metrics`)).text()
  const of = (name: string): number => Number(new RegExp(`^${name} (\\S+)`, 'm').exec(metrics)?.[1] ?? Number.NaN) / 1e6
  const megabytes = (n: number): string => `${Math.round(n)} MB`.padStart(8)
  const cells = [
    memoryOf(server.pid),
    of('nodejs_heap_size_used_bytes'),
    of('nodejs_heap_size_total_bytes'),
    of('nodejs_external_memory_bytes'),
  ]
  console.log(
    `${stage.padEnd(34)}${cells.map(megabytes).join('')}${megabytes(Buffer.byteLength(metrics) / 1e6)}${(cpuOf(server.pid) / 1e6).toFixed(1).padStart(8)} s`,
  )
}

/** Every version that is served, with a path for its objects. */
const served = definitions.flatMap(definition =>
  definition.spec.versions
    .filter(version => version.served)
    .map(version => ({
      definition,
      version,
      groupVersion: `${definition.spec.group}/${version.name}`,
      collection: `/apis/${definition.spec.group}/${version.name}${definition.spec.scope === 'Namespaced' ? '/namespaces/default' : ''}/${definition.spec.names.plural}`,
      all: `/apis/${definition.spec.group}/${version.name}/${definition.spec.names.plural}`,
    })),
)
const groupVersions = [...new Set(served.map(({ groupVersion }) => groupVersion))]
const inUse = served.filter(({ version }) => version.storage)

async function create(api: JsonClient): Promise<void> {
  await inFlight(definitions.length, 4, async i => {
    const { status, body } = await api.ask('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', { body: definitions[i] })
    if (status !== 201) console.log(definitions[i]?.metadata.name, status, JSON.stringify(body).slice(0, 200))
  })
  for (const { all } of served) for (let i = 0; i < 400 && (await api.ask('GET', `${all}?limit=1`)).status === 404; i++) await sleep(50)
}

async function write(api: JsonClient): Promise<number> {
  let accepted = 0
  await inFlight(inUse.length, 4, async i => {
    const { definition, version, collection } = inUse[i] as (typeof inUse)[number]
    for (let n = 0; n < 4; n++) {
      const { status } = await api.ask('POST', collection, { body: objectOf(definition, version, `object-${n}`) })
      if (status === 201) accepted++
    }
  })
  return accepted
}

function watchAll(): void {
  for (const { all } of inUse) get(`${url}${all}?watch=1&allowWatchBookmarks=true`, answer => answer.resume()).on('error', () => {})
}

/** Requests of kubectl and some controllers in a minute. */
async function use(api: JsonClient, round: number): Promise<void> {
  await fetchBytes('/api', AGGREGATED)
  await fetchBytes('/apis', AGGREGATED)
  await inFlight(groupVersions.length, 4, i => fetchBytes(`/apis/${groupVersions[i]}`))
  const index = await api.must('GET', '/openapi/v3')
  const paths = Object.values((index as unknown as { paths: Record<string, { serverRelativeURL: string }> }).paths)
  await inFlight(paths.length, 4, async i => {
    // Clients cache documents by hash: a fifth is requested in a round.
    if ((i + round) % 5 === 0) await fetchBytes(paths[i]?.serverRelativeURL ?? '')
  })
  if (round % 3 === 0) await fetchBytes('/openapi/v2', PROTO_V2)
  if (round % 10 === 0) await fetchBytes('/openapi/v2')
  await inFlight(inUse.length, 4, async i => {
    const { collection, all } = inUse[i] as (typeof inUse)[number]
    await fetchBytes(`${all}?limit=500`, TABLE)
    await fetchBytes(`${all}?resourceVersion=0`)
    for (let n = 0; n < 2; n++) {
      await api.ask('GET', `${collection}/object-${n}`)
      await api.ask('PATCH', `${collection}/object-${n}`, {
        body: { metadata: { annotations: { round: String(round) } } },
        contentType: 'application/merge-patch+json',
      })
    }
  })
  if (round % 10 === 5) {
    // An operator is upgraded: a definition changes, and with it OpenAPI.
    const name = definitions[round % definitions.length]?.metadata.name
    const changed = { spec: { names: { categories: [`round${round}`] } } }
    await api.ask('PATCH', `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${name}`, {
      body: changed,
      contentType: 'application/merge-patch+json',
    })
  }
}

console.log(
  `${definitions.length} definitions, ${Math.round(definitions.reduce((sum, each) => sum + JSON.stringify(each).length, 0) / 1e6)} MB of JSON`,
)
console.log(`${''.padEnd(34)}${['resident', 'heap', 'of', 'buffers', 'metrics', 'CPU'].map(text => text.padStart(8)).join('')}`)
try {
  await report('at rest')
  await create(client)
  await report('definitions created')
  const accepted = await write(client)
  watchAll()
  await report(`${accepted} objects, watches`)
  for (let round = 0; round < rounds; round++) {
    await use(client, round)
    await sleep(pauseSeconds * 1000)
    if ([0, 1, 5].includes(round) || (round + 1) % 10 === 0) await report(`after round ${round + 1}`)
  }
  await sleep(quietSeconds * 1000)
  await report(`${quietSeconds} seconds later`)
} finally {
  client.close()
  await server.stop()
}
process.exit(0)
