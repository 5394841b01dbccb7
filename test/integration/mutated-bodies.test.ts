import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { types } from '../../src/catalog/types.ts'
import { type Format, mediaOffer } from '../../src/codec/accept-header.ts'
import { encodeCbor } from '../../src/codec/cbor.ts'
import { encodeProtobuf } from '../../src/codec/protobuf.ts'
import { yamlBytes } from '../../src/codec/yaml.ts'
import { type ControlPlane, createControlPlane } from '../../src/control-plane/control-plane.ts'
import { seededRandom } from '../../src/lib/seeded-random.ts'
import { StatusError } from '../../src/meta/status.ts'
import { decode } from '../../src/schema/decode.ts'
import { key } from '../../src/storage/revision.ts'
import { apiHandler } from '../support/api-handler.ts'
import { type Sample, bodySamples as samples } from '../support/body-samples.ts'
import { controlPlaneOptions } from '../support/control-plane-options.ts'
import { FakeExchange } from '../support/exchange.ts'
import { MemoryBackend } from '../support/memory-backend.ts'
import { mutateBody } from '../support/mutate-body.ts'
import { timeBound } from '../support/time-bounds.ts'
import { eventually, patience } from '../support/waiting.ts'

/** Bodies of each media type; `make fuzz COUNT=100000` for many. */
const COUNT = Number(process.env.MUTATED_BODIES ?? 4000)
const SEED = Number(process.env.MUTATION_SEED ?? 1)
const MAX_MS = timeBound(50)

const CONTENT_TYPES: Readonly<Record<Format, string>> = {
  json: 'application/json',
  yaml: 'application/yaml',
  protobuf: 'application/vnd.kubernetes.protobuf',
  cbor: 'application/cbor',
}

function encoded(format: Format, { object, type }: Sample): Buffer {
  const schema = types.type(type)
  const { kind, apiVersion } = object
  switch (format) {
    case 'json':
      return Buffer.from(JSON.stringify(object))
    case 'yaml':
      return yamlBytes(object)
    case 'protobuf':
      return encodeProtobuf(schema, { kind, apiVersion }, decode(schema, object))
    case 'cbor':
      return encodeCbor(schema, { kind, apiVersion, ...decode(schema, object) })
  }
}

/** Processor time of this process, which other programs do not affect. */
function cpuMs(since: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(since)
  return (user + system) / 1000
}

const revisionOf = async (backend: MemoryBackend): Promise<number> => (await backend.get(key('/none'), patience())).revision

const openPlane = (backend: MemoryBackend): ControlPlane =>
  createControlPlane(controlPlaneOptions(backend, { requests: { media: mediaOffer({ cbor: true }) } }))

describe(`${COUNT} mutated bodies`, function () {
  this.timeout(300_000 + COUNT * 20)
  const backend = new MemoryBackend()
  let plane: ControlPlane
  before(async () => {
    plane = openPlane(backend)
    await plane.synced(patience())
    plane.start({ address: '192.0.2.1', port: 6443, serviceIP: '10.0.0.1', certificateAuthority: 'PEM' })
    let last = 0
    await eventually('everything that a new cluster has is there', async () => {
      await Promise.all(plane.checks.map(({ check }) => check()))
      const now = await revisionOf(backend)
      const rests = now === last
      last = now
      await sleep(rests ? 0 : 200)
      return rests
    })
    for (const one of samples)
      for (const format of Object.keys(CONTENT_TYPES) as Format[]) {
        const { status, text } = await post(one, format, encoded(format, one))
        if (!one.type.match(/Event|NetworkPolicy/)) expect(status, `${format} ${one.type} ${text}`).to.equal(201)
      }
  })
  after(() => plane.close())

  /** With dryRun, so that even what happens to be valid is not stored. */
  async function post({ path }: Sample, format: Format, body: Buffer): Promise<{ status: number; text: string; ms: number }> {
    const exchange = new FakeExchange(path, {
      method: 'POST',
      search: 'dryRun=All',
      headers: { 'content-type': CONTENT_TYPES[format] },
      body,
    })
    const start = process.cpuUsage()
    try {
      await apiHandler(plane.api)(exchange)
      return { status: exchange.status, text: exchange.text, ms: cpuMs(start) }
    } catch (error) {
      const ms = cpuMs(start)
      if (error instanceof StatusError) return { status: error.code, text: error.status.message ?? '', ms }
      // A body that is nested deeper than the stack is an error of the client, as in the handler chain.
      if (error instanceof RangeError && /call stack/.test(error.message)) return { status: 400, text: error.message, ms }
      return { status: 500, text: error instanceof Error ? (error.stack ?? error.message) : String(error), ms }
    }
  }

  for (const format of Object.keys(CONTENT_TYPES) as Format[])
    it(`in ${format} are rejected or read quickly, and none is stored`, async () => {
      const random = seededRandom(SEED)
      const bodies = samples.map(one => encoded(format, one))
      const before = await revisionOf(backend)
      const seen = new Map<number, number>()
      const wrong: string[] = []
      for (let i = 0; i < COUNT && wrong.length < 5; i++) {
        const pick = i % samples.length
        const one = samples[pick] as Sample
        const body = mutateBody(format, bodies[pick] as Buffer, random)
        let { status, text, ms } = await post(one, format, body)
        // The collector of garbage may have had its turn: what is slow is slow each time.
        for (let again = 0; ms > MAX_MS && again < 3; again++) ms = Math.min(ms, (await post(one, format, body)).ms)
        seen.set(status, (seen.get(status) ?? 0) + 1)
        if (![201, 400, 409, 413, 422].includes(status)) wrong.push(`${status}: ${text}\n${body.subarray(0, 3000).toString('base64')}`)
        if (ms > MAX_MS) wrong.push(`${ms} ms, ${body.length} bytes: ${text.slice(0, 200)}\n${body.subarray(0, 3000).toString('base64')}`)
        if (i % 200 === 0) await new Promise(resolve => setImmediate(resolve))
      }
      expect(wrong.join('\n\n')).to.equal('')
      expect(await revisionOf(backend)).to.equal(before)
      expect(seen.get(400), `refused as no ${format}, of ${JSON.stringify([...seen])}`).to.be.greaterThan(COUNT / 10)
      expect(({} as { a?: unknown }).a).to.equal(undefined)
    })
})
