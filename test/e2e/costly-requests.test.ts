/**
 * Requests that are small to send and long to do: while the server does one of them, others wait no longer than for one
 * of its steps.
 */

import { request as httpRequest } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { startWatchedServer, type WatchedServer } from '../support/loop-watch.ts'
import { turnBound } from '../support/time-bounds.ts'

/**
 * Milliseconds. A step takes ten or so; what is linear in a body of some megabytes and still one piece is allowed for.
 */
const LONGEST_PIECE = turnBound(200)

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps'
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const JSON_PATCH = 'application/json-patch+json'

interface Asked {
  readonly method?: string
  readonly path: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

const range = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i))
const kindOf = (plural: string): string => `${plural[0]?.toUpperCase()}${plural.slice(1, -1)}`
const pathOf = (plural: string): string => `/apis/costly.example.com/v1/namespaces/default/${plural}`
const dryRun = (path: string): string => `${path}?dryRun=All`

function definition(plural: string, spec: object): object {
  const kind = kindOf(plural)
  const openAPIV3Schema = { type: 'object', properties: { spec } }
  return {
    metadata: { name: `${plural}.costly.example.com` },
    spec: {
      group: 'costly.example.com',
      scope: 'Namespaced',
      names: { plural, singular: plural.slice(0, -1), kind, listKind: `${kind}List` },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }],
    },
  }
}

const object = (plural: string, spec: object, name = 'a'): object => ({
  apiVersion: 'costly.example.com/v1',
  kind: kindOf(plural),
  metadata: { name },
  spec,
})
const textOf = (rules: object): object => ({ type: 'object', properties: { text: { type: 'string', ...rules } } })
const listOf = (items: object, rules: object = {}): object => ({ type: 'object', properties: { list: { type: 'array', items, ...rules } } })

/** The same at every run, and of so little order that nothing found before is of use. */
function random(length: number, alphabet: string): string {
  let state = 12345
  let text = ''
  while (text.length < length) {
    state = (state * 1103515245 + 12345) & 0x7fffffff
    text += alphabet[(state >> 8) % alphabet.length]
  }
  return text
}

const SCHEMAS: Readonly<Record<string, object>> = {
  patterns: textOf({ pattern: '(a?){500}$' }),
  searches: { ...textOf({ maxLength: 60_000 }), 'x-kubernetes-validations': [{ rule: "self.text.matches('[ab]*a[ab]{300}$')" }] },
  enums: listOf({ type: 'string', enum: range(30_000, i => `v${i}`) }),
  keyeds: listOf(
    { type: 'object', required: ['name'], properties: { name: { type: 'string' }, value: { type: 'integer' } } },
    { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] },
  ),
  undefaulteds: listOf({ type: 'object', properties: Object.fromEntries(range(10_000, i => [`p${i}`, { type: 'string' }])) }),
  manykeyeds: listOf(
    {
      type: 'object',
      required: range(3000, i => `p${i}`),
      properties: Object.fromEntries(range(3000, i => [`p${i}`, { type: 'string' }])),
    },
    { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': range(3000, i => `p${i}`) },
  ),
  defaulteds: listOf({ type: 'object', properties: Object.fromEntries(range(1000, i => [`p${i}`, { type: 'string', default: 'x' }])) }),
}

const labels = (text: string): Asked => ({ path: `${CONFIG_MAPS}?resourceVersion=0&labelSelector=${encodeURIComponent(text)}` })
const fields = (text: string): Asked => ({ path: `${CONFIG_MAPS}?resourceVersion=0&fieldSelector=${encodeURIComponent(text)}` })
const patched = (body: unknown): Asked => ({
  method: 'PATCH',
  path: dryRun(`${CONFIG_MAPS}/large`),
  body,
  headers: { 'content-type': JSON_PATCH },
})
const made = (plural: string, spec: object): Asked => ({ method: 'POST', path: dryRun(pathOf(plural)), body: object(plural, spec) })
const sent = (type: string, body: Buffer): Asked => ({ method: 'POST', path: dryRun(CONFIG_MAPS), body, headers: { 'content-type': type } })
const textOfBytes = (before: string | Buffer, byte: number, after: string | Buffer): Buffer =>
  Buffer.concat([Buffer.from(before as string), Buffer.alloc(2_900_000, byte), Buffer.from(after as string)])
const merging = (members: number, times: number): Buffer =>
  Buffer.from(`b: &b\n${range(members, i => `  k${i}: v\n`).join('')}${range(times, i => `c${i}: {<<: *b}\n`).join('')}`)
const scheduled = (schedule: string): Asked => ({
  method: 'POST',
  path: dryRun('/apis/batch/v1/namespaces/default/cronjobs'),
  body: {
    metadata: { name: 'long' },
    spec: { schedule, jobTemplate: { spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } } } } },
  },
})
const accepting = (accept: string): Asked => ({ path: `${CONFIG_MAPS}/large`, headers: { accept } })

const CASES: readonly [what: string, asked: Asked, code: number][] = [
  [
    'a patch that moves all members 9,998 times',
    patched(range(9998, i => ({ op: 'move', from: i % 2 ? '/datb' : '/data', path: i % 2 ? '/data' : '/datb' }))),
    200,
  ],
  [
    'a patch that moves each of 10,000 members',
    patched(range(10_000, i => ({ op: 'move', from: `/data/k${i}`, path: `/data/m${i}` }))),
    200,
  ],
  ['a patch that copies all members again and again', patched(range(10_000, () => ({ op: 'copy', from: '/data', path: '/datb' }))), 422],
  ['60,000 terms of a label selector on one label', labels(range(60_000, i => `app!=a${i}`).join()), 200],
  ['60,000 labels that must be absent', labels(range(60_000, i => `!z${i}`).join()), 200],
  ['20,000 terms of a field selector', fields(range(20_000, i => `metadata.name!=a${i}`).join()), 200],
  ['an Accept header of 1,000,000 spaces within a type', accepting(`application/json; a${' '.repeat(1_000_000)}x=b`), 200],
  [
    'an Accept header of 130,000 clauses in the worst order',
    accepting(`${'*/*;q=0.1;as=x,'.repeat(30_000)}${'a/b,'.repeat(100_000)}`),
    406,
  ],
  ['an Accept header of 1,000,000 commas', accepting(','.repeat(1_000_000)), 406],
  ['a limit of 1,000,000 digits', { path: `${CONFIG_MAPS}?limit=${'9'.repeat(1_000_000)}` }, 400],
  [
    'a field manager of 100,000 invalid characters, each of which is reported with the whole name',
    { method: 'POST', path: `${CONFIG_MAPS}?fieldManager=${'%01'.repeat(100_000)}`, body: { metadata: { name: 'managed' } } },
    422,
  ],
  ['a list as YAML', { path: CONFIG_MAPS, headers: { accept: 'application/yaml' } }, 200],
  ['a pattern of 500 optional characters over 60,000', made('patterns', { text: 'a'.repeat(60_000) }), 201],
  ['a rule that searches 60,000 characters', made('searches', { text: random(60_000, 'ab') }), 201],
  ['2,000 values looked up among 30,000', made('enums', { list: range(2000, () => 'v29999') }), 201],
  ['2,000 values that are not among 30,000', made('enums', { list: range(2000, i => `w${i}`) }), 422],
  ['20,000 items that have none of 10,000 members', made('undefaulteds', { list: range(20_000, () => ({})) }), 201],
  ['20,000 items that have none of 3,000 keys', made('manykeyeds', { list: range(20_000, () => ({})) }), 422],
  ['defaults of 1,000 members for 1,000 items', made('defaulteds', { list: range(1000, () => ({})) }), 413],
  [
    'a text of 2,900,000 bytes of invalid UTF-8',
    sent('application/json', textOfBytes('{"metadata":{"name":"a"},"data":{"a":"', 0xff, '"}}')),
    422,
  ],
  [
    'a text of 2,900,000 chunks',
    sent('application/cbor', textOfBytes(Buffer.from([0xd9, 0xd9, 0xf7, 0x7f]), 0x60, Buffer.from([0xff]))),
    413,
  ],
  ['a map of 15,000 members merged into 1,000 others', sent('application/yaml', merging(15_000, 1000)), 413],
  ['a schedule of 1,000,000 minutes', scheduled(`${'1,'.repeat(1_000_000)} * * * *`), 201],
  ['a schedule of 1,000,000 slashes', scheduled(`${'/'.repeat(1_000_000)} * * * *`), 422],
  ['a schedule of 1,000,000 hours', scheduled(`@every ${'0h'.repeat(1_000_000)}`), 422],
  [
    'an update of a list of 5,000 keyed items',
    {
      method: 'PATCH',
      path: dryRun(`${pathOf('keyeds')}/a`),
      body: [{ op: 'add', path: '/spec/list/-', value: { name: 'z' } }],
      headers: { 'content-type': JSON_PATCH },
    },
    200,
  ],
]

describe('expensive requests', () => {
  let watched: WatchedServer

  /** Sends a request, and returns the status code of the response. */
  const send = ({ method = 'GET', path, body, headers }: Asked): Promise<number> =>
    new Promise((resolve, reject) => {
      const { hostname, port } = new URL(watched.server.url)
      const request = httpRequest(
        { hostname, port, method, path, agent: false, headers: { 'content-type': 'application/json', ...headers } },
        answer => {
          answer.resume()
          answer.on('end', () => resolve(answer.statusCode ?? 0))
        },
      )
      request.on('error', reject)
      request.end(body === undefined || Buffer.isBuffer(body) ? body : JSON.stringify(body))
    })

  before(async () => {
    watched = await startWatchedServer(['--feature-gates=CBORServingAndStorage=true'])
    await send({
      method: 'POST',
      path: CONFIG_MAPS,
      body: { metadata: { name: 'large' }, data: Object.fromEntries(range(20_000, i => [`k${i}`, 'v'])) },
    })
    for (let i = 0; i < 300; i++)
      await send({ method: 'POST', path: CONFIG_MAPS, body: { metadata: { name: `m${i}`, labels: { app: 'x', tier: `t${i % 9}` } } } })
    for (const [plural, spec] of Object.entries(SCHEMAS)) {
      expect(await send({ method: 'POST', path: DEFINITIONS, body: definition(plural, spec) }), plural).to.equal(201)
      while ((await send({ path: pathOf(plural) })) !== 200) await sleep(20)
    }
    const list = range(5000, i => ({ name: `n${i}`, value: i }))
    expect(await send({ method: 'POST', path: pathOf('keyeds'), body: object('keyeds', { list }) })).to.equal(201)
    await send({ path: `${CONFIG_MAPS}?labelSelector=app` })
  })
  after(() => watched?.stop())

  /** Waits for the asynchronous effects of a request, such as those of controllers. */
  const untilServed = async (path: string, isServed: boolean): Promise<void> => {
    while (((await send({ path })) === 200) !== isServed) await sleep(20)
    await sleep(500)
  }

  it('leave turns to others: creating and deleting a definition of 25,000 properties', async () => {
    const spec = { type: 'object', properties: Object.fromEntries(range(25_000, i => [`property${i}`, { type: 'string' }])) }
    await watched.longestPiece()
    expect(await send({ method: 'POST', path: DEFINITIONS, body: definition('longs', spec) })).to.equal(201)
    await untilServed(pathOf('longs'), true)
    expect(await watched.longestPiece()).to.be.below(LONGEST_PIECE)
    expect(await send({ method: 'DELETE', path: `${DEFINITIONS}/longs.costly.example.com` })).to.equal(200)
    await untilServed(pathOf('longs'), false)
    expect(await watched.longestPiece()).to.be.below(LONGEST_PIECE)
  })

  describe('about twenty objects of 25,000 members', () => {
    before(async () => {
      const data = Object.fromEntries(range(25_000, i => [`k${i}`, 'v']))
      for (let i = 0; i < 20; i++)
        await send({ method: 'POST', path: CONFIG_MAPS, body: { metadata: { name: `wide${i}`, labels: { wide: 'yes' } }, data } })
    })
    const wide = (more: string, accept: string): Asked => ({ path: `${CONFIG_MAPS}?labelSelector=wide${more}`, headers: { accept } })
    const cases: [what: string, asked: Asked][] = [
      ['a list as protobuf', wide('', 'application/vnd.kubernetes.protobuf')],
      ['a watch of Tables', wide('&watch=1&timeoutSeconds=2', 'application/json;as=Table;v=v1;g=meta.k8s.io')],
      ['a watch as protobuf', wide('&watch=1&timeoutSeconds=2', 'application/vnd.kubernetes.protobuf;stream=watch')],
      ['a deletion of all as a dry run', { ...wide('&dryRun=All', 'application/json'), method: 'DELETE' }],
      ['a deletion of all', { ...wide('', 'application/json'), method: 'DELETE' }],
    ]
    for (const [what, asked] of cases)
      it(`leave turns to others: ${what}`, async () => {
        await watched.longestPiece()
        expect(await send(asked)).to.equal(200)
        expect(await watched.longestPiece()).to.be.below(LONGEST_PIECE)
      })
  })

  for (const [what, asked, code] of CASES)
    it(`leave turns to others: ${what}`, async () => {
      await watched.longestPiece()
      expect(await send(asked)).to.equal(code)
      expect(await watched.longestPiece()).to.be.below(LONGEST_PIECE)
    })
})
