/**
 * Bytes to objects and back in each media type, in units of JSON.parse and JSON.stringify of the same Pod of 2 KB; and
 * what a byte of a list of 10,000 Pods costs the server in each, beside a byte of the list in JSON. Run: node --import
 * tsx test/bench/codecs.ts (after make build)
 */
import { Encoder } from 'cbor-x'
import type { Json, JsonObject } from '../../src/api/meta/object.ts'
import { decodeBody } from '../../src/codec/body.ts'
import { encodeCbor, parseCbor } from '../../src/codec/cbor.ts'
import { encodeJson, parseJson } from '../../src/codec/json.ts'
import { encodeProtobuf, unwrap } from '../../src/codec/protobuf.ts'
import { decodeMessage } from '../../src/codec/protobuf-decode.ts'
import { parseYaml, yamlBytes } from '../../src/codec/yaml.ts'
import { applyKindDefaults } from '../../src/registry/decode-object.ts'
import { podResource } from '../../src/resources/core/pod/definition.ts'
import { decode } from '../../src/schema/decode.ts'
import { load } from './support/load.ts'
import { startBinnacle } from './support/processes.ts'
import { closeConnections, inFlight, pod, send } from './support/requests.ts'

const ROUNDS = 25
const LIST_ROUNDS = 5
const BATCH = 400
const PODS = 10_000
const LIST_LIMIT = 1.3

const { schema } = podResource.hub
const type = { apiVersion: 'v1', kind: 'Pod' }

const OWNED = {
  'f:metadata': { 'f:annotations': { '.': {}, 'f:note': {} }, 'f:labels': { '.': {}, 'f:app': {} } },
  'f:spec': {
    'f:containers': {
      'k:{"name":"main"}': {
        '.': {},
        'f:env': { '.': {}, 'k:{"name":"A"}': { '.': {}, 'f:name': {}, 'f:value': {} } },
        'f:image': {},
        'f:imagePullPolicy': {},
        'f:name': {},
        'f:resources': { '.': {}, 'f:requests': { '.': {}, 'f:cpu': {}, 'f:memory': {} } },
        'f:terminationMessagePath': {},
        'f:terminationMessagePolicy': {},
      },
    },
    'f:dnsPolicy': {},
    'f:restartPolicy': {},
    'f:schedulerName': {},
    'f:terminationGracePeriodSeconds': {},
  },
}
const MANAGED = [
  { manager: 'bench', operation: 'Update', apiVersion: 'v1', time: '2026-01-02T03:04:05Z', fieldsType: 'FieldsV1', fieldsV1: OWNED },
]

/** The Pod of the other benchmarks as it is stored. */
function storedPod(): JsonObject {
  const object: JsonObject = { ...type, ...decode(schema, pod(1) as JsonObject) }
  applyKindDefaults(podResource.hub, object as never)
  Object.assign(object.metadata as JsonObject, {
    namespace: 'default',
    uid: '5a0d4f6c-8d3c-4c69-9c5f-0f9a8b7c6d5e',
    creationTimestamp: '2026-01-02T03:04:05Z',
    managedFields: MANAGED,
  })
  return { ...type, ...decode(schema, object) }
}

/** Microseconds for one run, in the round that was disturbed least. */
function cost(run: () => unknown): number {
  const rounds: number[] = []
  for (let round = 0; round <= ROUNDS; round++) {
    const begun = performance.now()
    for (let i = 0; i < BATCH; i++) run()
    // In the first round the code is compiled.
    if (round > 0) rounds.push(((performance.now() - begun) * 1000) / BATCH)
  }
  return Math.min(...rounds)
}

function codecs(): void {
  const object = storedPod()
  const text = JSON.stringify(object)
  const [parse, stringify] = [cost(() => JSON.parse(text)), cost(() => JSON.stringify(object))]
  console.log(`a Pod of ${text.length} bytes of JSON: JSON.parse ${parse.toFixed(1)} µs, JSON.stringify ${stringify.toFixed(1)} µs\n`)
  console.log(`${''.padEnd(28)} ${'bytes'.padStart(7)} ${'encode'.padStart(9)} ${'decode'.padStart(9)} ${'to a typed object'.padStart(18)}`)
  const row = (name: string, bytes: Buffer, encode: () => unknown, read: () => Json, typed: boolean): void => {
    const times = [
      cost(encode) / stringify,
      cost(read) / parse,
      typed ? cost(() => decodeBody(schema, { value: read(), duplicates: [] })) / parse : Number.NaN,
    ]
    const [out, back, whole] = times.map(time => (Number.isNaN(time) ? '' : time.toFixed(2))) as [string, string, string]
    console.log(`${name.padEnd(28)} ${String(bytes.length).padStart(7)} ${out.padStart(9)} ${back.padStart(9)} ${whole.padStart(18)}`)
  }
  const json = encodeJson(schema, object)
  row(
    'JSON',
    json,
    () => encodeJson(schema, object),
    () => parseJson(json).value,
    true,
  )
  const yaml = yamlBytes(object)
  row(
    'YAML',
    yaml,
    () => yamlBytes(object),
    () => parseYaml(yaml).value,
    true,
  )
  const protobuf = encodeProtobuf(schema, type, object)
  row(
    'protobuf',
    protobuf,
    () => encodeProtobuf(schema, type, object),
    () => decodeMessage(schema, unwrap(protobuf).message),
    true,
  )
  const cbor = encodeCbor(schema, object)
  row(
    'CBOR',
    cbor,
    () => encodeCbor(schema, object),
    () => parseCbor(cbor).value,
    true,
  )
  const other = new Encoder({ useRecords: false, variableMapSize: true })
  const texts = other.encode(object)
  row(
    'CBOR by cbor-x (text keys)',
    texts,
    () => other.encode(object),
    () => other.decode(texts) as Json,
    false,
  )
  console.log('in units of JSON.stringify and of JSON.parse of a string\n')
}

async function lists(): Promise<void> {
  const { port, pid, stop } = await startBinnacle(['--feature-gates=CBORServingAndStorage=true'])
  try {
    await inFlight(PODS, 64, i => send(port, 'POST', '/api/v1/namespaces/default/pods', pod(i)))
    const path = '/api/v1/pods?resourceVersion=0'
    console.log(
      `${`LIST of ${PODS}, from the cache`.padEnd(36)} ${'MB'.padStart(7)} ${'ms'.padStart(9)} ${'CPU ms'.padStart(9)} ${'CPU ns/byte'.padStart(12)} ${'to JSON'.padStart(9)} ${'limit'.padStart(6)}`,
    )
    const forms = ['application/json', 'application/vnd.kubernetes.protobuf', 'application/cbor'].map(accept => ({
      accept,
      length: 0,
      walls: [] as number[],
      cpus: [] as number[],
    }))
    for (const form of forms) form.length = (await send(port, 'GET', path, undefined, { accept: form.accept })).length
    for (let round = 0; round <= LIST_ROUNDS; round++)
      for (const { accept, walls, cpus } of forms) {
        const { rate, cpu } = await load(port, pid, path, 2, 1, accept)
        // In the first round the bytes are made.
        if (round > 0) {
          walls.push(1e3 / rate)
          cpus.push(cpu / 1e3)
        }
      }
    const perByte = forms.map(({ length, cpus }) => (Math.min(...cpus) * 1e6) / length)
    forms.forEach(({ accept, length, walls, cpus }, i) => {
      const ratio = (perByte[i] as number) / (perByte[0] as number)
      console.log(
        `${accept.padEnd(36)} ${(length / 1e6).toFixed(1).padStart(7)} ${Math.min(...walls)
          .toFixed(1)
          .padStart(9)} ${Math.min(...cpus)
          .toFixed(1)
          .padStart(
            9,
          )} ${(perByte[i] as number).toFixed(2).padStart(12)} ${ratio.toFixed(2).padStart(9)} ${LIST_LIMIT.toFixed(1).padStart(6)}`,
      )
    })
  } finally {
    await stop()
    closeConnections()
  }
}

codecs()
await lists()
